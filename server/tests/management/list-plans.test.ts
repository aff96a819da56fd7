import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchWebhooks } from '../../src/delivery/webhooks/webhook-store.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { searchApplications } from '../../src/identity/applications/application-store.ts'
import { type Filters, pageOfEntries } from '../../src/identity/audit-log/entry-store.ts'
import { searchCredentials } from '../../src/identity/credentials/credential-store.ts'
import { pageOfOrganizations } from '../../src/identity/organizations/organization-store.ts'
import { pageOfGroupNames, pageOfGroupRecords, searchGroups } from '../../src/identity/persons/groups/group-store.ts'
import { searchPersons } from '../../src/identity/persons/person-search-store.ts'
import { type PersonSearch, pageOfPersons } from '../../src/identity/persons/person-store.ts'
import { testDatabase } from '../support/database.ts'
import { explainingConnection, mayExplain, rowsOf } from '../support/plans.ts'

const ours = '00000000-0000-7000-8000-000000000001'
const rare = '00000000-0000-7000-8000-000000000002'
const count = 10_000
/** The target of each 25th entry of the audit log. */
const hub = 'hub'
/** Of a page, its count and its records, where ten of many match. */
const mostRows = 200
/** One of them: the fewer are wanted, the more it seems to pay to look for them in the order of ids. */
const page = { limit: 1, offset: 0 }

let drop: () => Promise<void>
let explaining: Awaited<ReturnType<typeof explainingConnection>>

/** One organization with many persons, groups and entries of three months in its audit log, and many organizations; of the persons each hundredth is not active. */
beforeAll(async () => {
  if (!mayExplain) return
  const database = await testDatabase()
  drop = database.drop
  explaining = await explainingConnection(database, 'work')
  const run = (text: string) => explaining.queries.rows({ name: '', text, values: [] })
  const id = `('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid`
  const rows = `generate_series(1, ${count}) n`
  for (const text of [
    `insert into organizations (id, name, pricing_tier, created_at) values ('${ours}', 'Zz', 'unlimited', now())`,
    `insert into organizations (id, name, pricing_tier, created_at) select ${id}, 'Acme ' || n, 'unlimited', now() from ${rows}`,
    `insert into groups (org_id, name, description, created_at) select '${ours}', 'group-' || n, '', now() from ${rows}`,
    `insert into persons (org_id, id, active, region, created_at) select '${ours}', ${id}, n % 100 <> 0, 'local', now() from ${rows}`,
    `insert into handles (org_id, person_id, type, key, value, verified, position)
       select '${ours}', ${id}, 'EmailAddress', 'jo' || n || '@example.com', '', true, 0 from ${rows}`,
    `insert into memberships (org_id, person_id, group_name) select '${ours}', ${id}, 'group-' || (1 + n % 500) from ${rows}`,
    `insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
       select '${ours}', ${id}, '', n::text, 'Hook ' || n, '', 0, now() from ${rows}`,
    `insert into applications (org_id, client_id, name, redirect_uris, post_logout_redirect_uris, confidential, id_token_signed_response_alg,
                               require_pkce, created_at)
       select '${ours}', ${id}, 'App ' || n, '{}', '{}', false, 'RS256', true, now() from ${rows}`,
    `insert into oidc_credentials (org_id, id, client_id, provider, client_secret, label, external_cred_id, options)
       select '${ours}', ${id}, 'client-' || n, 'provider_a', '', 'Customer ' || n, '', '{}' from ${rows}`,
    ...['202001', '202002', '202003'].map(
      (month) => `create table audit_entries_${month} partition of audit_entries
                    for values from ('${month}01') to (date '${month}01' + interval '1 month')`,
    ),
    // One every ten minutes; each thousandth by another actor, and each thousandth of the others an action of its own.
    `insert into audit_entries (org_id, position, id, at, actor_type, actor_id, action, target_type, target_id)
     select '${ours}', n, ${id}, timestamptz '2020-01-01 00:00+00' + n * interval '10 minutes', 'key',
            case when n % 1000 = 7 then '${rare}'::uuid else '${ours}'::uuid end,
            case when n % 1000 = 8 then 'deleteGroup' else 'createGroup' end, 'group', case when n % 50 in (7, 8) then '${hub}' else n::text end from ${rows}`,
    `update audit_entries set actor_type = 'console' where actor_id = '${rare}'`,
    'analyze organizations, groups, persons, handles, memberships, audit_entries, webhooks, applications, oidc_credentials',
    'set plan_cache_mode = force_generic_plan',
  ])
    await run(text)
}, 60_000)
afterAll(async () => {
  await explaining?.end()
  await drop?.()
})

/** How many rows of tables its statements read. */
async function rowsRead(list: (queries: Queries) => Promise<{ items: unknown[] }>) {
  explaining.plans.length = 0
  const { items } = await list(explaining.queries)
  expect(items.length).toBeGreaterThan(0)
  return explaining.plans.map(rowsOf).reduce((sum, rows) => sum + rows, 0)
}

describe.skipIf(!mayExplain)('A list with a filter that few match reads few rows, whatever there is', () => {
  test.each<PersonSearch>([
    { handlePrefix: 'jo999' },
    { handlePrefix: 'jo999', active: true },
    { handlePrefix: 'jo999', group: 'group-500' },
    { group: 'group-500' },
    { group: 'group-500', active: true },
  ])('persons by %j', async (search) => {
    expect(await rowsRead((queries) => pageOfPersons(queries, ours, search, page))).toBeLessThan(mostRows)
  })

  test('persons who are not active', async () => {
    const search = { active: false }
    // All hundred of them, counted, and each with handles and groups.
    expect(await rowsRead((queries) => pageOfPersons(queries, ours, search, page))).toBeLessThanOrEqual(500)
  })

  test('groups by the beginning of their name', async () => {
    expect(await rowsRead((queries) => pageOfGroupNames(queries, ours, 'group-999', page))).toBeLessThan(mostRows)
  })

  test('groups with their members counted', async () => {
    const list = (queries: Queries) => pageOfGroupRecords(queries, ours, 'group-49', page)
    expect(await rowsRead(list)).toBeLessThan(mostRows)
  })

  test.each([
    { type: 'webhooks', find: searchWebhooks, text: 'hook 9' },
    { type: 'groups', find: searchGroups, text: 'GROUP-9' },
    { type: 'applications', find: searchApplications, text: 'app 9' },
    { type: 'credentials', find: searchCredentials, text: 'customer 9' },
    { type: 'credentials by id', find: searchCredentials, text: 'client-9' },
    { type: 'persons', find: searchPersons, text: 'jo9' },
    { type: 'persons by id', find: searchPersons, text: '00000000-0000-7000-9000-000000000009' },
    { type: 'webhooks by id', find: searchWebhooks, text: '00000000-0000-7000-9000-000000000009' },
  ])('a search for $type', async ({ find, text }) => {
    const id = text.startsWith('0000') ? text : undefined
    const search = async (queries: Queries) => ({ items: await find(queries, ours, { text, id, limit: 5 }) })
    // Of 1,111 whose names begin so.
    expect(await rowsRead(search)).toBeLessThan(mostRows)
  })

  test.each([{ name: 'ACME 999' }, { id: ours }, { id: ours, name: 'z' }])('organizations by %j', async (search) => {
    expect(await rowsRead((queries) => pageOfOrganizations(queries, search, page))).toBeLessThan(mostRows)
  })

  const filters: Filters = {
    action: undefined,
    actor: undefined,
    target: undefined,
    since: undefined,
    until: undefined,
  }
  const entries = async (asked: Partial<Filters>) => ({
    items: await pageOfEntries(explaining.queries, ours, { ...filters, ...asked }, { before: 2 ** 50, limit: 10 }),
  })
  const since = '2020-01-31T23:00:00Z'
  const until = '2020-02-01T01:00:00Z'
  test.each<Partial<Filters>>([
    {},
    { action: 'deleteGroup' },
    { action: 'createGroup' },
    { actor: { id: rare } },
    { actor: { id: ours } },
    { actor: { type: 'console' } },
    { actor: { type: 'key' } },
    { actor: { id: rare }, action: 'createGroup' },
    { actor: { type: 'key' }, action: 'deleteGroup' },
    { since, until },
    { since, until, actor: { type: 'key' } },
    { since, until, action: 'createGroup' },
    { target: hub },
    { target: hub, action: 'deleteGroup' },
    { target: hub, action: 'createGroup', actor: { id: ours } },
    { target: hub, actor: { id: rare } },
    { target: hub, actor: { type: 'key' } },
    { target: hub, actor: { type: 'console' }, action: 'createGroup' },
    { target: hub, since, until },
    { target: hub, since, until, actor: { id: ours }, action: 'createGroup' },
  ])('entries of the audit log by %j', async (asked) => {
    // Of each month a page, and the few around the ends of a span.
    expect(await rowsRead(() => entries(asked))).toBeLessThan(4 * mostRows)
  })
})
