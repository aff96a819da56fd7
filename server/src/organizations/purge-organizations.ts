import type { Database } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { deletedBefore, purgeRows, removeOrganization } from './organization-store.ts'

/** A deleted organization is kept so long: receivers verify with its key set what was sent before. */
export const deletedKeptMs = 600_000
/** Rows removed by one statement, which is its own transaction. */
export const batchRows = 1_000
/** One run ends after this time, so that the service can stop; the next one goes on. */
const maxRunMs = 2_000

/**
 * Every table with rows of organizations, children before parents, and the queue before the log and the counts it moves
 * to. A test holds the list against the schema.
 */
export const purgedTables = [
  'deliveries',
  'finished_deliveries',
  'delivery_counts',
  'lanes',
  'triggers',
  'webhooks',
  'issuer_tokens',
  'issuer_grants',
  'issuer_sessions',
  'issuer_interactions',
  'issuer_keys',
  'flows',
  'identities',
  'former_identities',
  'memberships',
  'handles',
  'groups',
  'persons',
  'events',
  'test_event_allowances',
  'oidc_credentials',
  'applications',
  'signing_keys',
  'api_keys',
]

/**
 * Removes what organizations had that were deleted ten minutes ago, and at the end themselves. Several processes may
 * do it at once, and each may be killed: whatever is left is found again by the next run.
 */
export async function purgeDeletedOrganizations(database: Database, clock: Clock) {
  const now = clock.now()
  const isTimeUp = () => clock.now() - now > maxRunMs
  for (const organizationId of await deletedBefore(database.write, toTimestamp(now - deletedKeptMs))) {
    for (const table of purgedTables)
      while (await purgeRows(database.write, organizationId, table, batchRows)) if (isTimeUp()) return
    await removeOrganization(database.write, organizationId)
    if (isTimeUp()) return
  }
}
