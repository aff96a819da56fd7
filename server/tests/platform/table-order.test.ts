import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queriesOn } from '../../src/ground/database/ask.ts'
import { listTables, type Table } from '../../src/ground/database/table-order.ts'
import { testDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let client: pg.Client
let tables: Table[]

beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client(database)
  await client.connect()
  await client.query(`create table every_kind (
    second int, dropped int, first int, doubled int generated always as (second * 2) stored,
    parent int references every_kind (second), organization uuid references organizations, unique (second),
    primary key (first, second))`)
  await client.query('alter table every_kind drop column dropped')
  tables = await listTables(queriesOn(client))
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const names = () => tables.map(({ name }) => name)

/** Asked of another part of the catalogue. */
async function column(text: string): Promise<string[]> {
  const { rows } = await client.query({ text, rowMode: 'array' })
  return rows.map(([value]) => value)
}

describe('Tables in the order of their foreign keys', () => {
  test('Every table of the schema is listed once, and no partition', async () => {
    const partitions = await column('select inhrelid::regclass::text from pg_inherits')
    const all = await column(
      "select table_name::text from information_schema.tables where table_type = 'BASE TABLE' and table_schema = 'public'",
    )
    expect(partitions.length).toBeGreaterThan(10)
    expect(names().toSorted()).toEqual(
      all.filter((name) => name !== 'schema_migrations' && !partitions.includes(name)).sort(),
    )
  })

  test('Each stands after those that its foreign keys name', async () => {
    const { rows } = await client.query<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f' and conrelid <> confrelid`,
    )
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.filter(({ from, to }) => names().indexOf(from) <= names().indexOf(to))).toEqual([])
  })

  test('A table has its columns as they are written', () => {
    expect(tables.find(({ name }) => name === 'every_kind')).toEqual({
      name: 'every_kind',
      columns: ['second', 'first', 'parent', 'organization'],
    })
  })
})
