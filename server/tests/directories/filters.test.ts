import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fragment, unnamed } from '../../src/ground/database/sql.ts'
import { matches } from '../../src/identity/scim/filter/matches.ts'
import { parseFilter, parseValueFilter } from '../../src/identity/scim/filter/parse-filter.ts'
import { type Columns, toCondition } from '../../src/identity/scim/filter/to-condition.ts'
import type { Attribute } from '../../src/identity/scim/schema/attributes.ts'
import { attributeIn } from '../../src/identity/scim/schema/paths.ts'
import { userSchema } from '../../src/identity/scim/schema/user-schema.ts'
import { testDatabase } from '../support/database.ts'
import { randomFrom } from '../support/random.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let client: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client(database)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const id = '01890000-0000-7000-8000-000000000000'
const users = [
  {
    id,
    userName: 'Jo',
    externalId: '00U',
    active: true,
    lastModified: '2026-01-31T12:00:00Z',
    emails: [
      { value: 'jo@example.com', type: 'work', primary: true },
      { value: 'jo@home.example', type: 'home' },
    ],
  },
  {
    id: id.replace('0189', '0190'),
    userName: '100%_\'"\\',
    active: false,
    lastModified: '2026-02-28T12:00:00Z',
    emails: [],
  },
]

const emailColumns: Columns = {
  value: { type: 'text', value: fragment`email ->> 'value'` },
  type: { type: 'text', value: fragment`email ->> 'type'` },
  display: { type: 'text', value: fragment`email ->> 'display'` },
  primary: { type: 'boolean', value: fragment`(email -> 'primary')::boolean` },
}
const columns: Columns = {
  id: { type: 'uuid', value: fragment`(u ->> 'id')::uuid` },
  userName: { type: 'text', value: fragment`u ->> 'userName'`, folded: fragment`lower(u ->> 'userName')` },
  externalId: { type: 'text', value: fragment`u ->> 'externalId'` },
  active: { type: 'boolean', value: fragment`(u -> 'active')::boolean` },
  'meta.lastModified': { type: 'time', value: fragment`(u ->> 'lastModified')::timestamptz` },
  emails: {
    type: 'each',
    exists: (condition) =>
      fragment`exists (select from jsonb_array_elements(u -> 'emails') as of_user (email) where ${condition})`,
    columns: emailColumns,
  },
}

const rowsOf = async ({ text, values }: { text: string; values: unknown[] }) => (await client.query(text, values)).rows

/** The names of the users that it finds. */
async function found(filter: string): Promise<string[]> {
  const condition = toCondition(parseFilter(userSchema, filter), columns)
  const all = JSON.stringify(users)
  const rows = await rowsOf(unnamed`
    select u ->> 'userName' as name from jsonb_array_elements(${all}::jsonb) as them (u) where ${condition} order by 1`)
  return rows.map(({ name }) => name)
}

const odd = users[1]?.userName as string
const both = [odd, 'Jo']

test.each<[string, string[]]>([
  ['userName eq "JO"', ['Jo']],
  ['userName ne "jo"', [odd]],
  ['userName co "%"', [odd]],
  ['userName co "_"', [odd]],
  ['userName sw "J"', ['Jo']],
  ['userName ew "O"', ['Jo']],
  [String.raw`userName eq "100%_'\"\\"`, [odd]],
  ['userName eq "x\' or true --"', []],
  ['userName gt "a" and userName le "JO"', ['Jo']],
  ['userName lt "a" or userName ge "JO"', both],
  ['externalId eq "00U"', ['Jo']],
  ['externalId eq "00u"', []],
  ['externalId ne "x"', both],
  ['externalId pr', ['Jo']],
  ['externalId eq null', [odd]],
  ['not (externalId eq "x")', both],
  ['not (externalId pr)', [odd]],
  [`id eq "${id}"`, ['Jo']],
  ['id eq "no UUID"', []],
  ['id sw "0190"', [odd]],
  ['active eq true', ['Jo']],
  ['active ne true', [odd]],
  ['not (active eq false)', ['Jo']],
  ['meta.lastModified gt "2026-01-31T12:00:00Z"', [odd]],
  ['meta.lastModified ge "2026-01-31T13:00:00+01:00"', both],
  ['emails eq "JO@example.com"', ['Jo']],
  ['emails.value ew ".example"', ['Jo']],
  ['emails[type eq "work" and value ew ".example"]', []],
  ['emails[type eq "home"].value sw "jo"', ['Jo']],
  ['emails pr', ['Jo']],
  ['not (emails pr)', [odd]],
  ['favouriteColour eq "blue"', []],
  ['not (favouriteColour eq "blue")', both],
  ['title pr or active eq true', ['Jo']],
  ['nickName eq null', []],
])('36, 39: %s finds %j', async (filter, names) => {
  expect(await found(filter)).toEqual(names)
})

const emails = attributeIn(userSchema.attributes, 'emails') as Attribute
const addresses = [
  { value: 'a@x', type: 'work', primary: true },
  { value: 'B@x', type: 'Home' },
  { type: 'work', display: 'a' },
  { value: '' },
]

function randomFilter(next: (below: number) => number, depth: number): string {
  const one = <Item>(items: Item[]) => items[next(items.length)] as Item
  const shape = depth > 0 ? next(6) : 0
  if (shape === 4) return `not (${randomFilter(next, depth - 1)})`
  if (shape === 5) return `(${randomFilter(next, depth - 1)} ${one(['and', 'or'])} ${randomFilter(next, depth - 1)})`
  if (shape === 3) return `${one(['value', 'type', 'display', 'primary'])} pr`
  if (shape === 2) return `primary ${one(['eq', 'ne'])} ${one(['true', 'false', 'null'])}`
  const operator = one(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
  return `${one(['value', 'type', 'display'])} ${operator} "${one(['', 'a', 'A@X', 'b@x', 'work', 'HOME', '@'])}"`
}

test('A filter means the same in PostgreSQL and in a path of PATCH', async () => {
  const random = randomFrom(5)
  const next = (below: number) => Math.floor(random() * below)
  for (let round = 0; round < 300; round++) {
    const text = randomFilter(next, 3)
    const filter = parseValueFilter(emails, text)
    const rows = await rowsOf(unnamed`
      select coalesce(${toCondition(filter, emailColumns)}, false) as fits
        from jsonb_array_elements(${JSON.stringify(addresses)}::jsonb) with ordinality as of_user (email, place) order by place`)
    expect({ text, fits: rows.map(({ fits }) => fits) }).toEqual({
      text,
      fits: addresses.map((one) => matches(filter, one)),
    })
  }
})
