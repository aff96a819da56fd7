import type { Database } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { removeOldRefusals } from './refusal-store.ts'
import { refusalMs } from './refusals.ts'
import { removeEndedSessions } from './session-store.ts'

/** Rows removed by one statement, which is a transaction of its own. */
const batchRows = 1_000

/** Removes what no request finds any more. One that is idle stays until the end that it was given; several processes may sweep at once. */
export async function sweepConsole({ database, clock }: { database: Database; clock: Clock }, signal: AbortSignal) {
  const now = clock.now()
  const minuteAgo = toTimestamp(now - refusalMs)
  while (!signal.aborted && (await removeEndedSessions(database.write, toTimestamp(now), batchRows)) === batchRows);
  while (!signal.aborted && (await removeOldRefusals(database.write, minuteAgo, batchRows)) === batchRows);
}
