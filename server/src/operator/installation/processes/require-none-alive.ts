import type { Queries } from '../../../ground/database/database.ts'
import { lostAfterMs } from './keep-listed.ts'
import { findAlive } from './process-store.ts'

/** For a command that needs the database for itself. Throws one readable line where a process works on it. */
export async function requireNoneAlive(queries: Queries) {
  const alive = await findAlive(queries, lostAfterMs)
  if (!alive) return
  const wait = `one that was killed counts as running for ${lostAfterMs / 1_000} s`
  throw new Error(`Signet runs on it, as process ${alive.pid} of ${alive.host}; stop it first (${wait})`)
}
