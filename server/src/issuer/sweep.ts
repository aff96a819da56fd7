import type { Queries } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { removeExpired, sweptTables } from './sweep-store.ts'

/** Rows removed by one statement, which is its own transaction. */
const batchRows = 1_000
/** One run ends after this time, with a batch of each table at least; the next one goes on. */
const maxRunMs = 5_000

/**
 * Removes what has expired, and is found by nobody any more: tokens before their grants, grants before their sessions. The
 * tables take turns, so that none waits for another one that fills all the time.
 */
export async function sweepExpired(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = clock.now()
  const unfinished = new Set(sweptTables)
  do {
    for (const table of unfinished) {
      if (signal.aborted) return
      const removed = await removeExpired[table](queries, toTimestamp(now), batchRows)
      if (removed < batchRows) unfinished.delete(table)
    }
  } while (unfinished.size > 0 && clock.now() - now <= maxRunMs)
}
