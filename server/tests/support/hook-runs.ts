import { logHookRun } from '../../src/delivery/queue/index.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import type { Connection } from './database.ts'
import type { Organization } from './signet.ts'

/** Runs of a synchronous hook that failed, as sign-ins leave them: without a browser, and one for each of `at`. */
export async function addFailedHookRuns(
  connection: Connection,
  { id: organizationId }: Organization,
  webhookId: string,
  at: readonly number[],
) {
  const database = openDatabase(connection, 1)
  for (const time of at) {
    const finishedAt = new Date(time).toISOString()
    const attempts = [1, 2, 3].map((number) => ({
      record: { number, jti: makeId(time), started_at: finishedAt, duration_ms: 2_000, error: 'timeout' as const },
    }))
    await logHookRun(database.write, organizationId, { runId: makeId(time), triggerName: 'token_minted', finishedAt }, [
      { webhookId, status: 'dropped', reason: 'attempts_failed', attempts, dropped: [] },
    ])
  }
  await database.close()
}
