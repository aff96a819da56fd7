import type { Database } from '../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import type { EndSessions } from './end-sessions.ts'
import {
  nextWithEndedCredentials,
  removeEndedCredentials,
  type Walked,
  walkGrants,
  walkSessions,
} from './ended-credential-store.ts'

/** Rows read by one statement, of which those that have ended are removed in one transaction. */
const batchRows = 500

const nil = '00000000-0000-0000-0000-000000000000'

type Dependencies = { database: Database; clock: Clock; flowMs: number; endSessions: EndSessions }

/**
 * Removes what the credentials that have ended vouched for, and tells its applications, in batches. Several processes may do it at
 * once, and each may be killed: whoever removes a session tells of it, in the same transaction.
 */
export async function endSessionsOfCredentials(dependencies: Dependencies, signal: AbortSignal) {
  const { database, clock, flowMs } = dependencies
  let organizationId = await nextWithEndedCredentials(database.write, nil)
  while (organizationId && !signal.aborted) {
    const begun = clock.now()
    await endWalked(dependencies, organizationId, signal, 'sessions')
    await endWalked(dependencies, organizationId, signal, 'grants')
    // A person who had authenticated by then may be on the way back for so long, and is refused by this row.
    if (!signal.aborted) await removeEndedCredentials(database.write, organizationId, toTimestamp(begun - 2 * flowMs))
    organizationId = await nextWithEndedCredentials(database.write, organizationId)
  }
}

const walks = { sessions: walkSessions, grants: walkGrants }

async function endWalked(
  { database, clock, endSessions }: Dependencies,
  organizationId: string,
  signal: AbortSignal,
  kind: keyof typeof walks,
) {
  let walked: Walked[] = []
  do {
    const after = walked.at(-1)?.key ?? ''
    walked = await walks[kind](database.write, organizationId, { after, limit: batchRows })
    const keys = walked.filter(({ hasEnded }) => hasEnded).map(({ key }) => key)
    const ending = { sessions: [], grants: [], [kind]: keys }
    if (keys.length > 0)
      await database.transaction((tx) => endSessions(tx, organizationId, ending, toTimestamp(clock.now())))
  } while (walked.length === batchRows && !signal.aborted)
}
