import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, type TestContext, test } from 'vitest'
import type { Transaction } from '../../src/ground/database/database.ts'
import { migrate } from '../../src/ground/database/migrate.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { emptyDatabase } from '../support/database.ts'

const module = import.meta.resolve('../../src/ground/database/migrate.ts')
const withoutWork = async () => {}

test('One of five processes at once applies the migrations, and the others find nothing to do', async (context) => {
  const database = await ownDatabase(context)
  const folder = migrations(context, {
    // Slow enough that all five have come.
    '0001_first.sql': 'select pg_sleep(0.5); create table applied as select pg_backend_pid() as pid;',
    '0002_second.sql': 'insert into applied values (pg_backend_pid());',
  })
  const script = `
    import { migrate } from '${module}'
    await migrate(${JSON.stringify(database.connection)}, async () => {}, '${folder}')`
  const processes = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  const ends = await Promise.all(processes.map((each) => once(each, 'exit')))
  expect(ends).toEqual(ends.map(() => [0, null]))
  const applied = await database.query('select pid from applied')
  expect(applied).toHaveLength(2)
  expect(new Set(applied.map(({ pid }) => pid)).size).toBe(1)
})

test('Work under the lock runs in one process at a time', async (context) => {
  const { connection } = await ownDatabase(context)
  const folder = migrations(context, {})
  let running = 0
  let most = 0
  const work = async (tx: Transaction) => {
    most = Math.max(most, ++running)
    await tx.rows(sql`select pg_sleep(0.01)`)
    running--
  }
  await Promise.all(Array.from({ length: 5 }, () => migrate(connection, work, folder)))
  expect(most).toBe(1)
})

test('A migration that was changed after it had been applied is refused', async (context) => {
  const { connection, query } = await ownDatabase(context)
  const before = { '0001_first.sql': 'create table first ();' }
  await migrate(connection, withoutWork, migrations(context, before))
  const after = migrations(context, { '0001_first.sql': 'create table other ();', '0002_second.sql': 'select 1;' })
  await expect(migrate(connection, withoutWork, after)).rejects.toThrow(
    /^database: migration 0001_first.sql was changed after it had been applied$/,
  )
  expect(await query('select name from schema_migrations')).toEqual([{ name: '0001_first.sql' }])
})

test('A newer schema is refused when it is breaking, and accepted when it is not', async (context) => {
  const { connection } = await ownDatabase(context)
  const own = { '0001_first.sql': 'create table first ();' }
  const compatible = { ...own, '0002_second.sql': 'create table second ();' }
  const breaking = { ...compatible, '0003_third.sql': '-- breaking\ndrop table first;' }
  const program = migrations(context, own)
  await migrate(connection, withoutWork, migrations(context, compatible))
  await migrate(connection, withoutWork, program)
  await migrate(connection, withoutWork, migrations(context, breaking))
  await expect(migrate(connection, withoutWork, program)).rejects.toThrow(
    /^database: its schema \(0003_third.sql\) is newer than this version of Signet can run on$/,
  )
})

test.for([
  ['in its last statement', 'select 1 / 0', 'division by zero'],
  [
    'when it is recorded',
    `alter table schema_migrations add constraint refusing check (name < '0002')`,
    'new row for relation "schema_migrations" violates check constraint "refusing"',
  ],
])(
  'A migration that fails %s leaves nothing behind, and is applied once it is mended',
  async ([, statement, reason], context) => {
    const { connection, query } = await ownDatabase(context)
    const first = { '0001_first.sql': 'create table first ();' }
    const mended = { ...first, '0002_second.sql': 'create table second ();' }
    const failing = { ...first, '0002_second.sql': `${mended['0002_second.sql']} ${statement}` }
    await expect(migrate(connection, withoutWork, migrations(context, failing))).rejects.toThrow(
      new Error(`database: migration 0002_second.sql failed: ${reason}`),
    )
    const names = `select to_regclass('first') is not null as first, to_regclass('second') is not null as second`
    expect(await query(names)).toEqual([{ first: true, second: false }])
    await migrate(connection, withoutWork, migrations(context, mended))
    expect(await query(names)).toEqual([{ first: true, second: true }])
  },
)

test('A migration gives way while a transaction keeps its table, and is applied once that ends', async (context) => {
  const { connection, query } = await ownDatabase(context)
  const first = { '0001_first.sql': 'create table first (id int);' }
  await migrate(connection, withoutWork, migrations(context, first))
  const reader = new pg.Client(connection)
  await reader.connect()
  await reader.query('begin; select from first')
  const second = { ...first, '0002_second.sql': 'alter table first add column name text;' }
  const migrated = migrate(connection, withoutWork, migrations(context, second))
  // It waits for the table, and then pauses.
  const waiting = async () =>
    (await query(`select from pg_locks where relation = 'first'::regclass and not granted`)).length
  await expect.poll(waiting, { interval: 5 }).toBe(1)
  await expect.poll(waiting).toBe(0)
  await query(`set lock_timeout = '100ms'; insert into first values (1)`)
  await reader.end()
  await migrated
  expect(await query('select id, name from first')).toEqual([{ id: 1, name: null }])
})

test('A failure under the lock releases the lock', async (context) => {
  const { connection } = await ownDatabase(context)
  const folder = migrations(context, {})
  const failing = async () => {
    throw new Error('under the lock')
  }
  await expect(migrate(connection, failing, folder)).rejects.toThrow(/^under the lock$/)
  await migrate(connection, withoutWork, folder)
})

test.for([
  ['for the lock', 'select 1;', 'select pg_advisory_lock(7300214113)'],
  ['for a table', 'alter table first add column name text;', 'begin; select from first'],
  ['in a long statement', 'create table third (); select pg_sleep(600);', 'select'],
] as const)(
  'A stop while a migration waits %s ends it at once, on the server too',
  async ([, text, before], context) => {
    const { connection, query } = await ownDatabase(context)
    const first = { '0001_first.sql': 'create table first (id int);' }
    await migrate(connection, withoutWork, migrations(context, first))
    const holder = new pg.Client(connection)
    await holder.connect()
    await holder.query(before)
    const stopping = new AbortController()
    const folder = migrations(context, { ...first, '0002_second.sql': text })
    const named = { ...connection, application_name: 'migrating' }
    const migrated = migrate(named, withoutWork, folder, stopping.signal)
    const waits = `select from pg_stat_activity
    where application_name = 'migrating' and (wait_event_type in ('Lock', 'Timeout') or wait_event = 'advisory')`
    await expect.poll(async () => (await query(waits)).length, { interval: 5 }).toBe(1)
    stopping.abort()
    await expect(migrated).rejects.toBe(stopping.signal.reason)
    const open = `select from pg_stat_activity where application_name = 'migrating'`
    await expect.poll(async () => (await query(open)).length).toBe(0)
    await holder.end()
    await migrate(connection, withoutWork, migrations(context, first))
    expect(await query(`select to_regclass('third')`)).toEqual([{ to_regclass: null }])
  },
)

test('An unreachable database server is reported in one line', async () => {
  await expect(migrate({ host: '127.0.0.1', port: 1 }, withoutWork)).rejects.toThrow(
    /^database: connect ECONNREFUSED 127.0.0.1:1$/,
  )
})

async function ownDatabase({ onTestFinished }: TestContext) {
  const { drop, ...connection } = await emptyDatabase()
  onTestFinished(drop)
  const query = async (text: string) => {
    const client = new pg.Client(connection)
    await client.connect()
    return (await client.query(text).finally(() => client.end())).rows
  }
  return { connection, query }
}

function migrations({ onTestFinished }: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
