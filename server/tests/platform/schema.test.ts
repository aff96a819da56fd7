import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { testDatabase } from '../support/database.ts'

/** Tables whose rows belong to no organization; the id of an organization is its own row's key. */
const ofNoOrganization = [
  'failed_attempts',
  'installation',
  'organizations',
  'position_epochs',
  'processes',
  'schema_migrations',
  'unqueued_since',
  'workers',
]

let database: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const { drop: dropDatabase, ...connection } = await testDatabase()
  drop = dropDatabase
  database = openDatabase(connection)
})
afterAll(async () => {
  await database?.close()
  await drop?.()
})

type Key = { table: string; name: string; columns: string[] }

/** Primary and unique keys, and unique indexes that are no constraint; of partitions too. */
const uniqueKeys = () =>
  database.read.rows(sql<Key>`
    select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name,
           array(select pg_get_indexdef(i.indexrelid, n, false) from generate_series(1, i.indnkeyatts) n) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace s on s.oid = c.relnamespace
     where i.indisunique and s.nspname = 'public' order by 1, 2`)

/** `references` are the columns that the key names in the other table. */
const foreignKeys = () =>
  database.read.rows(sql<Key & { references: string[] }>`
    select c.conrelid::regclass::text as table, c.conname as name,
           array(select a.attname::text from unnest(c.conkey) with ordinality k(n, at)
                   join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.at) as columns,
           array(select a.attname::text from unnest(c.confkey) with ordinality k(n, at)
                   join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.at) as references
      from pg_constraint c join pg_namespace s on s.oid = c.connamespace
     where c.contype = 'f' and s.nspname = 'public' order by 1, 2`)

describe('Keys of tables', () => {
  test('Every primary and unique key begins with the organization, of partitions too', async () => {
    const keys = (await uniqueKeys()).filter(({ table }) => !ofNoOrganization.includes(table))
    expect(keys.length).toBeGreaterThan(30)
    expect(keys.filter(({ columns }) => columns[0] !== 'org_id')).toEqual([])
  })

  test('Every foreign key begins with the organization on both sides', async () => {
    const keys = await foreignKeys()
    expect(keys.length).toBeGreaterThan(15)
    expect(keys.filter(({ columns }) => columns[0] !== 'org_id')).toEqual([])
    expect(keys.filter(({ references }) => !['org_id', 'id'].includes(references[0] ?? ''))).toEqual([])
    const within = keys.filter(({ references }) => references.length > 1)
    expect(within.filter(({ references }) => references[0] !== 'org_id')).toEqual([])
  })

  test('Every table but a few has an organization', async () => {
    const tables = await database.read.rows(sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_namespace s on s.oid = c.relnamespace
       where c.relkind in ('r', 'p') and s.nspname = 'public'
         and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id')
       order by 1`)
    expect(tables.map(({ name }) => name)).toEqual(ofNoOrganization)
  })
})
