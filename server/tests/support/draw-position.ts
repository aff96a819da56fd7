/** Draws a position as a publication does, whose transaction then holds readers back until it ends. */
export const drawPosition =
  "select pg_advisory_xact_lock_shared(4611686018427387904 + last_value), nextval('positions') from positions"
