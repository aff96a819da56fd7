import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageOfUsers, userWithExternalId } from '../../src/identity/directories/user-store.ts'
import { parseFilter } from '../../src/identity/scim/filter/parse-filter.ts'
import { toCondition } from '../../src/identity/scim/filter/to-condition.ts'
import { userSchema } from '../../src/identity/scim/schema/user-schema.ts'
import { narrowing, userColumns } from '../../src/identity/scim/users/user-columns.ts'
import { testDatabase } from '../support/database.ts'
import { explainingConnection, mayExplain, nodesOf, rowsOf } from '../support/plans.ts'

const organization = '00000000-0000-7000-8000-000000000001'
const ours = '00000000-0000-7000-8000-00000000000a'
const theirs = '00000000-0000-7000-8000-00000000000b'
const count = 10_000
/** Of one user: the row, the person, and what stands in the way there. */
const mostRows = 20

let drop: () => Promise<void>
let explaining: Awaited<ReturnType<typeof explainingConnection>>

/** Two directories with as many users; those of the other one have all the same address. */
beforeAll(async () => {
  if (!mayExplain) return
  const database = await testDatabase()
  drop = database.drop
  explaining = await explainingConnection(database, 'work')
  const run = (text: string) => explaining.queries.rows({ name: '', text, values: [] })
  const id = (of: string) => `('00000000-0000-700${of}-9000-' || lpad(n::text, 12, '0'))::uuid`
  const rows = `generate_series(1, ${count}) n`
  const users = (of: string, directory: string, address: string) =>
    `insert into directory_users (org_id, person_id, directory_id, user_name, user_name_key, external_id, adopted, attributes, email_keys,
                                  created_at, updated_at)
     select '${organization}', ${id(of)}, '${directory}', 'U' || n, 'u' || n, 'x' || n, false,
            jsonb_build_object('emails', jsonb_build_array(jsonb_build_object('type', 'work', 'value', ${address}))),
            array['${directory} ' || ${address}], timestamptz '2026-01-01' + n * interval '1 second', now() from ${rows}`
  for (const text of [
    `insert into organizations (id, name, pricing_tier, created_at) values ('${organization}', 'Zz', 'unlimited', now())`,
    ...[ours, theirs].map(
      (directory) =>
        `insert into directories (org_id, id, name, match, adopt, email_domains, on_delete, group_prefix, enabled, created_at)
         values ('${organization}', '${directory}', 'Corp', 'none', false, '{}', 'delete', '', true, now())`,
    ),
    ...['1', '2'].map(
      (of) =>
        `insert into persons (org_id, id, active, region, created_at) select '${organization}', ${id(of)}, true, 'local', now() from ${rows}`,
    ),
    users('1', ours, `'jo' || n || '@corp.example'`),
    users('2', theirs, `'jo7@corp.example'`),
    'analyze persons, directories, directory_users',
  ])
    await run(text)
}, 60_000)
afterAll(async () => {
  await explaining?.end()
  await drop?.()
})

const rowsRead = () => explaining.plans.map(rowsOf).reduce((sum, rows) => sum + rows, 0)

describe.skipIf(!mayExplain)(
  'What clients ask for again and again reads few rows, however many users there are',
  () => {
    test.each([
      'userName eq "U7"',
      'userName EQ "u7"',
      'externalId eq "x7"',
      'externalId eq "x7" and active eq true',
      'id eq "00000000-0000-7001-9000-000000000007"',
      'emails eq "JO7@corp.example"',
      'emails.value eq "jo7@corp.example"',
      'emails[type eq "work"].value eq "jo7@corp.example"',
      'emails[type eq "work" and value eq "jo7@corp.example"]',
      'emails eq "jo7@corp.example" and active eq true',
    ])('%s', async (text) => {
      explaining.plans.length = 0
      const filter = parseFilter(userSchema, text)
      const condition = narrowing(ours, filter, toCondition(filter, userColumns))
      const range = { offset: 0, count: 100, hasGroups: true }
      const { items, total } = await pageOfUsers(explaining.queries, organization, ours, condition, range)
      expect({ total, names: items.map(({ userName }) => userName) }).toEqual({ total: 1, names: ['U7'] })
      expect(rowsRead()).toBeLessThan(mostRows)
    })

    test('the first sign-in of a user', async () => {
      explaining.plans.length = 0
      expect(await userWithExternalId(explaining.queries, organization, ours, 'x7')).toBeDefined()
      expect(rowsRead()).toBeLessThan(mostRows)
    })

    test('a page is cut before users are built', async () => {
      explaining.plans.length = 0
      const { items, total } = await pageOfUsers(explaining.queries, organization, ours, undefined, {
        offset: 5_000,
        count: 10,
        hasGroups: true,
      })
      expect({ total: Number(total), first: items[0]?.userName, count: items.length }).toEqual({
        total: count,
        first: 'U5001',
        count: 10,
      })
      const persons = explaining.plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'persons')
      expect(persons.map((node) => node['Actual Loops'])).toEqual([10])
    })
  },
)
