import type { Database } from '../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { deletedBefore, purgeRows, removeOrganization } from './organization-store.ts'

/** How long a deleted organization is kept: receivers verify earlier requests with its key set. */
export const deletedKeptMs = 600_000
/** Rows removed by one statement, which is a transaction of its own. */
export const batchRows = 1_000
/** A run ends after this time, so that the service can stop; the next run continues. */
const maxRunMs = 2_000

/**
 * Every table with rows of organizations, except `moved_organizations`. Children come before parents; the queue comes before the log and
 * the counts that its rows move to. A test compares the list with the schema.
 */
export const purgedTables = [
  'deliveries',
  'finished_deliveries',
  'delivery_counts',
  'delivery_minute_counts',
  'attempt_counts',
  'lanes',
  'triggers',
  'webhooks',
  'console_sessions',
  'issuer_tokens',
  'issuer_grants',
  'issuer_sessions',
  'issuer_interactions',
  'console_sign_ins',
  'issuer_keys',
  'flows',
  'test_sign_ins',
  'directory_users',
  'directory_groups',
  'vouchers',
  'identities',
  'former_identities',
  'memberships',
  'handles',
  'console_invitations',
  'console_access',
  'groups',
  'persons',
  'events',
  'event_low_watermarks',
  'moved_positions',
  'event_counts',
  'provider_counts',
  'event_count_positions',
  'test_event_allowances',
  'dry_run_allowances',
  'credential_links',
  'directory_refusals',
  'directory_links',
  'directory_tokens',
  'directories',
  'oidc_credentials',
  'ended_credentials',
  'applications',
  'resources',
  'signing_keys',
  'api_keys',
  'organization_logos',
  'idempotency_keys',
  'audit_entries',
]

/**
 * Removes organizations that were deleted ten minutes ago, their own row last. Several processes may do it at once, and each
 * may be killed: the next run finds the remaining rows.
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
