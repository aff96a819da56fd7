import type { Queries } from '../ground/database/database.ts'
import { removeOldAttempts } from '../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../ground/runtime/clock.ts'
import { removeEndedSessions } from '../identity/console/index.ts'
import { removeExpiredLinks } from '../identity/credentials/links/index.ts'
import { removeExpiredDirectoryLinks } from '../identity/directories/index.ts'
import { removeExpiredInvitations } from '../identity/invitations/index.ts'
import { removeExpiredTests } from '../identity/sign-in/index.ts'

/** Rows per statement, each its own transaction. */
const batchRows = 1_000

/** Removes what no request finds any more, of all organizations. Rows that another process is removing are left to it. */
export async function removeExpired(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = toTimestamp(clock.now())
  const removals = [
    removeEndedSessions,
    removeExpiredLinks,
    removeExpiredDirectoryLinks,
    removeExpiredInvitations,
    removeExpiredTests,
    removeOldAttempts,
  ]
  for (const remove of removals) while (!signal.aborted && (await remove(queries, now, batchRows)) === batchRows);
}
