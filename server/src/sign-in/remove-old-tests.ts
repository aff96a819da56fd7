import { toTimestamp } from '../runtime/clock.ts'
import type { Dependencies } from './dependencies.ts'
import { removeTests } from './test-sign-in-store.ts'

/** Tests removed by one statement. */
const batchTests = 1_000

/** Several processes may do it at once. */
export async function removeOldTests(
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
  signal: AbortSignal,
) {
  const now = toTimestamp(clock.now())
  while (!signal.aborted && (await removeTests(database.write, now, batchTests)) === batchTests);
}
