import type { Queries } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { removeExpiredLinks } from './link-store.ts'
import { removeOldTries } from './try-store.ts'

/** Rows removed by one statement, which is its own transaction. */
const limit = 1_000
/** Client addresses whose tries are remembered. */
const kept = 100_000

/** Removes links that have expired, and tries that count no more. */
export async function sweepLinks(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = toTimestamp(clock.now())
  while (!signal.aborted && (await removeExpiredLinks(queries, now, limit)) === limit);
  while (!signal.aborted && (await removeOldTries(queries, now, { limit, kept })) === limit);
}
