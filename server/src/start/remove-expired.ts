import { removeEndedSessions } from '../console/index.ts'
import { removeExpiredLinks } from '../credential-links/index.ts'
import type { Queries } from '../database/database.ts'
import { removeOldAttempts } from '../failed-attempts/index.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { removeExpiredTests } from '../sign-in/index.ts'

/** Rows per statement, each its own transaction. */
const batchRows = 1_000

/** Removes what no request finds any more, of all organizations. Rows that another process is removing are left to it. */
export async function removeExpired(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = toTimestamp(clock.now())
  for (const remove of [removeEndedSessions, removeExpiredLinks, removeExpiredTests, removeOldAttempts])
    while (!signal.aborted && (await remove(queries, now, batchRows)) === batchRows);
}
