import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { listTables } from '../../src/ground/database/table-order.ts'
import { testDatabase } from '../support/database.ts'
import { repository } from '../support/program.ts'

/** One row, or some for each organization, process, start of the database, or thing that an administrator sets up. */
const doNotGrowWithUse = [
  'api_keys',
  'applications',
  'dry_run_allowances',
  'event_count_positions',
  'event_low_watermarks',
  'installation',
  'issuer_keys',
  'lanes',
  'moved_organizations',
  'moved_positions',
  'oidc_credentials',
  'organizations',
  'position_epochs',
  'processes',
  'resources',
  'signing_keys',
  'test_event_allowances',
  'triggers',
  'unqueued_since',
  'webhooks',
  'workers',
]

const page = readFileSync(join(repository, 'docs/operate/scaling.md'), 'utf8')
/** Of the tables in which the first column has names of tables. */
const named = page
  .split('\n')
  .filter((line) => /^\| (`[a-z_]{4,}`(, )?)+ \|/.test(line))
  .flatMap((line) => [...(line.split('|')[1] as string).matchAll(/`([a-z_]+)`/g)].map(([, name]) => name as string))

async function connect() {
  const database = await testDatabase()
  const client = new pg.Client(database)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  return client
}

test('Each table that grows with use has a row in the arithmetic of the page on scaling', async () => {
  const client = await connect()
  const queries = { rows: async (statement: object) => (await client.query(statement as pg.QueryConfig)).rows }
  const tables = (await listTables(queries)).map(({ name }) => name)
  expect([...named, ...doNotGrowWithUse].toSorted()).toEqual(tables.toSorted())
})

/** The byte-days of a cell: those of a person who is created, and those of a sign-in where they differ. */
const byteDaysOf = (cell: string) => cell.split(';').map((value) => Number(value.replaceAll(/[, ]/g, '')))

test('The sums of the page on scaling are those of its rows', () => {
  const rows = page.split('\n').filter((line) => /^\| `[a-z_]+` \| \d/.test(line) && line.split('|').length === 7)
  const byteDays = rows.map((line) => {
    const [, name = '', , , , cell = ''] = line.split('|')
    const [person = 0, signIn = person] = byteDaysOf(cell)
    return { isAudit: name.includes('audit_entries'), person, signIn }
  })
  const text = (values: number[]) => `**${values.reduce((total, value) => total + value, 0).toLocaleString('en')}**`
  const withoutEntry = byteDays.filter(({ isAudit }) => !isAudit)
  expect(byteDays.length).toBeGreaterThan(5)
  expect(page).toContain(text(byteDays.map(({ person }) => person)))
  expect(page).toContain(text(withoutEntry.map(({ person }) => person)))
  expect(page).toContain(text(withoutEntry.map(({ signIn }) => signIn)))
})

test('The statement of the page on scaling gives the size of each table', async () => {
  const client = await connect()
  const [, statement = ''] = /```sql\n(.+?)```/s.exec(page) ?? []
  const { rows } = await client.query(statement)
  const found = rows.map(({ table }) => table)
  for (const name of named) expect(found).toContain(name)
})
