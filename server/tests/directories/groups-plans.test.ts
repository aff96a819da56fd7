import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Queries, Transaction } from '../../src/ground/database/database.ts'
import { findKept, leaveDirectoryGroups, lockDirectoryGroup, usersAmong } from '../../src/identity/directories/index.ts'
import { exchangeMembers, lockPersons } from '../../src/identity/persons/groups/index.ts'
import { personsInMoreThan } from '../../src/identity/persons/groups/membership-store.ts'
import { parseFilter } from '../../src/identity/scim/filter/parse-filter.ts'
import { toCondition } from '../../src/identity/scim/filter/to-condition.ts'
import { findGroup, groupColumns, membersToExchange, pageOfGroups } from '../../src/identity/scim/groups/group-store.ts'
import { groupSchema } from '../../src/identity/scim/schema/group-schema.ts'
import { testDatabase } from '../support/database.ts'
import { explainingConnection, mayExplain, nodesOf, type Plan } from '../support/plans.ts'

const ours = '00000000-0000-7000-8000-000000000001'
const corp = '00000000-0000-7000-8000-000000000002'
const everyone = '00000000-0000-7000-8000-000000000003'
const many = 50_000
const idOf = (n: number) => `00000000-0000-7000-9000-${String(n).padStart(12, '0')}`
const idsOf = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => idOf(from + index))

let drop: () => Promise<void>
let explaining: Awaited<ReturnType<typeof explainingConnection>>
const run = (text: string) => explaining.queries.rows({ name: '', text, values: [] })

/** A group of 50,000, a thousand others of ten each, and a thousand users in none. */
beforeAll(async () => {
  if (!mayExplain) return
  const database = await testDatabase()
  drop = database.drop
  explaining = await explainingConnection(database, 'work')
  const id = `('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid`
  const users = `generate_series(0, ${many + 999}) n`
  const groups = 'generate_series(0, 999) n'
  for (const text of [
    `insert into organizations (id, name, pricing_tier, created_at) values ('${ours}', 'Acme', 'unlimited', now())`,
    `insert into directories (org_id, id, name, match, adopt, email_domains, on_delete, group_prefix, enabled, created_at)
     values ('${ours}', '${corp}', 'Corp staff', 'none', false, '{}', 'delete', '', true, now())`,
    `insert into persons (org_id, id, active, region, created_at) select '${ours}', ${id}, true, 'local', now() from ${users}`,
    `insert into directory_users (org_id, directory_id, person_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
     select '${ours}', '${corp}', ${id}, n::text, n::text, false, '{}', now(), now() from ${users}`,
    `insert into groups select '${ours}', 'group-' || n, '', now() from ${groups}`,
    `insert into groups values ('${ours}', 'everyone', '', now())`,
    `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, external_id, tied, created_at, updated_at)
     select '${ours}', '${corp}', ${id}, 'group-' || n, 'Group ' || n, 'group ' || n, 'ext-' || n, false, now(), now() from ${groups}`,
    `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
     values ('${ours}', '${corp}', '${everyone}', 'everyone', 'Everyone', 'everyone', false, ${many}, now(), now())`,
    `insert into memberships select '${ours}', ${id}, 'everyone' from ${users} where n < ${many}`,
    `insert into memberships select '${ours}', ${id}, 'group-' || n % 1000 from ${users} where n < 10000`,
  ])
    await run(text)
}, 60_000)
afterAll(async () => {
  await explaining?.end()
  await drop?.()
})

/** What a plan scans, or reads more than `most` rows of. */
const faultsOf = (plan: Plan, most: number): string[] =>
  nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'] ?? 'what it has made'
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    if (node['Node Type'] === 'Seq Scan') return [`scans ${table}`]
    return rows > most ? [`${node['Node Type']}: ${rows} rows of ${table}`] : []
  })

const found = (queries: Queries, filter: string) =>
  pageOfGroups(queries, ours, corp, toCondition(parseFilter(groupSchema, filter), groupColumns), {
    offset: 0,
    count: 100,
    hasMembers: false,
  })
const named = (queries: Queries, joining: string[], leaving: string[]) =>
  membersToExchange(queries, ours, 'everyone', { isWhole: false, joining: new Set(joining), leaving: new Set(leaving) })
const exchanged = (tx: Transaction, joining: string[], leaving: string[]) =>
  exchangeMembers(tx, ours, 'everyone', { joining, leaving })

describe.skipIf(!mayExplain)('Of a directory with a group of 50,000', () => {
  test.each<[string, number, (tx: Transaction) => Promise<unknown>]>([
    ['76: a group without its members', 10, (tx) => findGroup(tx, ours, corp, { id: everyone, hasMembers: false })],
    ['78: is a member', 10, (tx) => found(tx, `id eq "${everyone}" and members eq "${idOf(7)}"`)],
    [
      '78: is a member, by a value path',
      10,
      (tx) => found(tx, `id eq "${everyone}" and members[value eq "${idOf(7)}"]`),
    ],
    ['95: the lock', 10, (tx) => lockDirectoryGroup(tx, ours, corp, everyone)],
    ['95: who joins, of one', 10, (tx) => named(tx, [idOf(many)], [])],
    ['95: who joins, of a thousand', 2_000, (tx) => named(tx, idsOf(many - 500, many + 500), [])],
    ['95: who leaves, of one', 10, (tx) => named(tx, [], [idOf(7)])],
    ['95: the lock of a person', 10, (tx) => lockPersons(tx, ours, [idOf(7)])],
    ['96: are users, of a thousand', 2_000, (tx) => usersAmong(tx, ours, corp, idsOf(0, 1_000))],
    ['96: are in too many groups, of a thousand', 3_000, (tx) => personsInMoreThan(tx, ours, idsOf(0, 1_000), 1_000)],
    ['96: the locks of a thousand', 2_000, (tx) => lockPersons(tx, ours, idsOf(0, 1_000))],
    ['95: is a user', 10, (tx) => usersAmong(tx, ours, corp, [idOf(7)])],
    [
      '95: one joins and one leaves, and the other way round',
      20,
      async (tx) => [await exchanged(tx, [idOf(many)], [idOf(7)]), await exchanged(tx, [idOf(7)], [idOf(many)])],
    ],
    ['92: who keeps groups', 10, (tx) => findKept(tx, ours, ['everyone', 'group-7'])],
    [
      '68: a person leaves all groups',
      50,
      (tx) => leaveDirectoryGroups(tx, ours, { directoryId: corp, personId: idOf(7), now: new Date().toISOString() }),
    ],
  ])('%s: at most %i rows are read, without statistics and with them', async (_, most, work) => {
    for (const before of ['delete from pg_statistic', 'analyze']) {
      await run(before)
      explaining.plans.length = 0
      await work(explaining.queries as Transaction)
      expect(explaining.plans.length).toBeGreaterThan(0)
      expect(explaining.plans.flatMap((plan) => faultsOf(plan, most))).toEqual([])
    }
  })

  test.each([
    ['76', 'displayName eq "everyone"', ['everyone']],
    ['107', 'externalId eq "ext-7"', ['group-7']],
    ['78', `members[value eq "${idOf(7)}"]`, ['group-7', 'everyone']],
  ])('%s: what %s finds is found by an index', async (_, filter, names) => {
    await run('analyze')
    explaining.plans.length = 0
    const { items } = await found(explaining.queries, filter)
    expect(items.map(({ name }) => name)).toEqual(names)
    expect(explaining.plans.flatMap((plan) => faultsOf(plan, 20))).toEqual([])
  })

  test('95: the whole is compared by reading each side once', async () => {
    const whole = { isWhole: true, joining: new Set(idsOf(5, many + 5)), leaving: new Set<string>() }
    for (const before of ['delete from pg_statistic', 'analyze']) {
      await run(before)
      explaining.plans.length = 0
      const { joining, leaving } = await membersToExchange(explaining.queries, ours, 'everyone', whole)
      expect([joining.sort(), leaving.sort()]).toEqual([idsOf(many, many + 5), idsOf(0, 5)])
      expect(explaining.plans.flatMap((plan) => faultsOf(plan, many + 10))).toEqual([])
    }
  })
})
