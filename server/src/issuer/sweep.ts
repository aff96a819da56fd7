import { type Clock, toTimestamp } from '../clock.ts'
import type { Queries } from '../database/database.ts'
import { removeExpired, sweptTables } from './sweep-store.ts'

/** Rows removed by one statement, which is its own transaction. */
const batchRows = 1_000
/** One run ends after this time; the next one goes on. */
const maxRunMs = 5_000

/** Removes what has expired, and is found by nobody any more: tokens before their grants, grants before their sessions. */
export async function sweepExpired(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = clock.now()
  const isOver = () => signal.aborted || clock.now() - now > maxRunMs
  for (const table of sweptTables)
    while ((await removeExpired[table](queries, toTimestamp(now), batchRows)) === batchRows) if (isOver()) return
}
