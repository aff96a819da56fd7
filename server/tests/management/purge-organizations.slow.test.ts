import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { purgeDeletedOrganizations } from '../../src/identity/organizations/index.ts'
import { purgeRows, removeOrganization } from '../../src/identity/organizations/organization-store.ts'
import { batchRows, purgedTables } from '../../src/identity/organizations/purge-organizations.ts'
import { testDatabase } from '../support/database.ts'

const tenMinutesMs = 600_000
/** Several batches of them. */
const manyRows = 2_500

/** Stands still, so that no run is cut off on a slow machine. */
const clock = { now: () => now }
let now: number
let drop: () => Promise<void>
let database: Database
let kept: string
let deleted: string

beforeAll(async () => {
  const connection = await testDatabase()
  drop = connection.drop
  database = openDatabase(connection)
})

afterAll(async () => {
  await database.close()
  await drop()
})

beforeEach(async () => {
  now = Date.now()
  kept = await organizationWithRows()
  deleted = await organizationWithRows()
  await database.write.rows(sql`update organizations set deleted_at = ${new Date(now)} where id = ${deleted}`)
})

/** One with rows in every table. */
async function organizationWithRows(): Promise<string> {
  const [org, id] = [makeId(now), makeId(now)]
  const text = `
    insert into organizations (id, name, pricing_tier, created_at) values ('${org}', 'x', 'unlimited', now());
    insert into api_keys (org_id, id, key_hash, read_only, created_at) values ('${org}', '${id}', '${id}', false, now());
    insert into console_sessions (org_id, id, token_hash, api_key_id, created_at, used_at, ends_at)
      values ('${org}', '${id}', '', '${id}', now(), now(), now());
    insert into signing_keys (org_id, kid, public_jwk, private_key, published_at) values ('${org}', 'x', '{}', '', now());
    insert into groups (org_id, name, description, created_at) values ('${org}', 'x', '', now());
    insert into console_access (org_id, group_name, role) values ('${org}', 'x', 'owner');
    insert into console_invitations (org_id, id, token_hash, group_name, created_at, expires_at)
      values ('${org}', '${id}', '', 'x', now(), now());
    insert into persons (org_id, id, active, region, created_at)
      select '${org}', gen_random_uuid(), true, 'local', now() from generate_series(1, ${manyRows});
    insert into handles (org_id, person_id, type, key, value, verified, position)
      select org_id, id, 'EmailAddress', id::text, id::text, false, 0 from persons where org_id = '${org}';
    insert into former_identities (org_id, person_id, provider, issuer, subject_hash)
      values ('${org}', '${id}', 'x', 'x', 'x');
    insert into memberships (org_id, person_id, group_name) select org_id, id, 'x' from persons where org_id = '${org}';
    insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
      values ('${org}', '${id}', 'x', 'x', 'x', 'x', 0, now());
    insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
      values ('${org}', '${id}', 'event', 'x', 'fail', now());
    insert into lanes (org_id, webhook_id) values ('${org}', '${id}');
    insert into test_event_allowances (org_id, tokens, refilled_at) values ('${org}', 1, now());
    insert into dry_run_allowances (org_id, tokens, refilled_at) values ('${org}', 1, now());
    insert into oidc_credentials (org_id, id, client_id, provider, client_secret, label, external_cred_id, options)
      values ('${org}', '${id}', 'x', 'provider_a', '', 'x', 'x', '{}');
    insert into organization_logos (org_id, hash, media_type, picture) values ('${org}', 'x', 'image/png', '');
    insert into credential_links (org_id, id, token_hash, provider, label, created_at, expires_at)
      values ('${org}', '${id}', '', 'provider_a', 'x', now(), now());
    insert into directories (org_id, id, name, match, adopt, email_domains, on_delete, group_prefix, enabled, created_at)
      values ('${org}', '${id}', 'x', 'none', false, '{}', 'delete', '', true, now());
    insert into directory_tokens (org_id, id, directory_id, token_hash, created_at)
      values ('${org}', '${id}', '${id}', '', now());
    insert into directory_links (org_id, id, directory_id, token_hash, created_at, expires_at)
      values ('${org}', '${id}', '${id}', '', now(), now());
    insert into directory_refusals (org_id, id, directory_id, at, method, path, status, detail)
      values ('${org}', '${id}', '${id}', now(), 'x', 'x', 400, 'x');
    insert into directory_users
      (org_id, person_id, directory_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
      select org_id, id, '${id}', 'x', id::text, false, '{}', now(), now() from persons where org_id = '${org}';
    insert into directory_groups
      (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
      values ('${org}', '${id}', '${id}', 'x', 'x', 'x', false, 0, now(), now());
    insert into applications (org_id, client_id, name, redirect_uris, post_logout_redirect_uris, confidential,
                              id_token_signed_response_alg, require_pkce, created_at)
      values ('${org}', '${id}', 'x', '{}', '{}', false, 'RS256', true, now());
    insert into resources (org_id, id, identifier, name, scopes, token_lifetime_ms, created_at)
      values ('${org}', '${id}', 'x', 'x', '{}', 1000, now());
    insert into issuer_keys (org_id, kid, alg, private_key, published_at) values ('${org}', 'x', 'RS256', '', now());
    insert into issuer_interactions (org_id, uid, payload, window_location, expires_at) values ('${org}', 'x', '{}', '', now());
    insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
      select org_id, id, id::text::bytea, id, id, '[]', '{}', now() from persons where org_id = '${org}';
    insert into console_sign_ins (org_id, state_hash, secret_hash, return_to, expires_at)
      values ('${org}', 'x', '', '/console/', now());
    insert into ended_credentials (org_id, credential_id, ended_at) values ('${org}', '${id}', now());
    insert into issuer_grants
      (org_id, id, person_id, session_uid, payload, claims, authenticated_methods, expires_at)
      select org_id, id, id, id, '{}', '{}', '{}', now() from persons where org_id = '${org}';
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
      select org_id, id::text::bytea, 'AccessToken', id, '{}', now() from persons where org_id = '${org}';
    insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
      select org_id, id, id, 'x', 'x', id::text, id, now() from persons where org_id = '${org}';
    insert into vouchers (org_id, type, key, kind, identity_id)
      select org_id, 'EmailAddress', id::text, 'identity', id from persons where org_id = '${org}';
    insert into flows
      (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location, expires_at)
      values ('${org}', '${id}', 'x', '${id}', '', '', '', now());
    insert into test_sign_ins (org_id, id, key_id, credential_id, link_hash, steps, expires_at)
      values ('${org}', '${id}', '${id}', '${id}', '', '[]', now());
    insert into idempotency_keys (org_id, call_hash, request_hash, status, sealed_answer, subject_id, created_at)
      select org_id, id::text::bytea, '', 201, '', id, now() from persons where org_id = '${org}';
    insert into audit_entries (org_id, position, id, at, actor_type, action, target_type, target_id)
      select '${org}', i, gen_random_uuid(), now(), 'operator', 'x', 'x', 'x' from generate_series(1, ${manyRows}) i;
    insert into events (org_id, id, name, payload)
      select '${org}', (substr('${id}', 1, 24) || to_char(i, 'fm000000000000'))::uuid, 'x', '{}'
        from generate_series(1, ${manyRows}) i;
    insert into event_low_watermarks (org_id, position) values ('${org}', 1);
    insert into moved_positions (org_id, epoch_key, through, low, high, shift) values ('${org}', '${id}', 1, 1, 1, 1);
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at)
      select org_id, '${id}', id, 'x', now() from events where org_id = '${org}';
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
      select org_id, '${id}', id, 'x', 'succeeded', 1, '[]', now() from events where org_id = '${org}';
    insert into delivery_counts (org_id, webhook_id, day, status, count)
      values ('${org}', '${id}', now(), 'succeeded', 1);
    insert into delivery_minute_counts (org_id, minute, status, session, count) values ('${org}', now(), 'succeeded', 1, 1);
    insert into attempt_counts (org_id, webhook_id, hour, trigger_type, failure, session, count, durations, last_at)
      values ('${org}', '${id}', now(), 'event', '', 1, 1, 1, now());
    insert into event_counts (org_id, minute, name, outcome, method, count) values ('${org}', now(), 'x', '', '', 1);
    insert into provider_counts (org_id, minute, outcome, method, provider, count) values ('${org}', now(), 'x', 'x', 'x', 1);
    insert into event_count_positions (org_id, position) values ('${org}', 1)`
  await database.write.rows({ name: '', text, values: [] })
  return org
}

async function tablesWithRows(organizationId: string): Promise<string[]> {
  const has = async (table: string, column: string) => {
    const text = `select from ${table} where ${column} = $1 limit 1`
    return (await database.write.rows({ name: '', text, values: [organizationId] })).length > 0 ? [table] : []
  }
  const found = [...purgedTables.map((table) => has(table, 'org_id')), has('organizations', 'id')]
  return (await Promise.all(found)).flat()
}

const everywhere = [...purgedTables, 'organizations']

test('Every table with rows of organizations is purged', async () => {
  const tables = await database.read.rows(sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'org_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace`)
  // Says for good that an organization has moved.
  const kept = 'moved_organizations'
  expect([...purgedTables, kept].sort()).toEqual(tables.map(({ name }) => name).sort())
})

test('Children are purged before their parents', async () => {
  const references = await database.read.rows(sql<{ child: string; parent: string }>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`)
  expect(references.length).toBeGreaterThan(5)
  const tooLate = references.filter(({ child, parent }) => everywhere.indexOf(child) >= everywhere.indexOf(parent))
  expect(tooLate).toEqual([])
})

test('An organization is gone from every table ten minutes after its deletion, and no other one is', async () => {
  now += tenMinutesMs - 1
  await purgeDeletedOrganizations(database, clock)
  expect(await tablesWithRows(deleted)).toEqual(everywhere)
  now += 1
  await purgeDeletedOrganizations(database, clock)
  expect(await tablesWithRows(deleted)).toEqual([])
  expect(await tablesWithRows(kept)).toEqual(everywhere)
})

test('An earlier version, which purges only the tables that it knows, removes an organization all the same', async () => {
  const newer = [
    'credential_links',
    'test_sign_ins',
    'console_sessions',
    'console_access',
    'console_invitations',
    'console_sign_ins',
    'event_counts',
    'provider_counts',
    'event_count_positions',
    'idempotency_keys',
    'organization_logos',
    'vouchers',
    'resources',
    'ended_credentials',
    'directory_users',
    'directory_groups',
    'directory_refusals',
    'directory_links',
    'directory_tokens',
    'directories',
  ]
  const known = purgedTables.filter((table) => ![...newer, 'delivery_minute_counts', 'attempt_counts'].includes(table))
  for (const table of known) while (await purgeRows(database.write, deleted, table, batchRows));
  await removeOrganization(database.write, deleted)
  expect(await tablesWithRows(deleted)).not.toContain('organizations')
})

test('Several processes may purge at once', async () => {
  now += tenMinutesMs
  await Promise.all(Array.from({ length: 4 }, () => purgeDeletedOrganizations(database, clock)))
  expect(await tablesWithRows(deleted)).toEqual([])
})

test('A purge ends after some seconds, and the next one continues where it stopped', async () => {
  now += tenMinutesMs
  await purgeDeletedOrganizations(database, { now: () => (now += 1_500) })
  const [left] = await database.write.rows(sql<{ count: number }>`
    select count(*) from deliveries where org_id = ${deleted}`)
  expect(left?.count).toBe(manyRows - 2 * batchRows)
  await purgeDeletedOrganizations(database, clock)
  expect(await tablesWithRows(deleted)).toEqual([])
})
