import pg from 'pg'
import { expect, test } from 'vitest'
import { queriesOn } from '../../src/ground/database/ask.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { createVacuumReading } from '../../src/operator/telemetry/vacuum.ts'
import { hotTables } from '../../src/operator/telemetry/vacuum-store.ts'
import { testDatabase } from '../support/database.ts'

const patience = { timeout: 30_000, interval: 100 }

type Held = { read: ReturnType<typeof createVacuumReading>; client: pg.Client }

async function within(work: (held: Held) => Promise<void>) {
  const own = await testDatabase()
  const database = openDatabase(own)
  const client = new pg.Client(own)
  await client.connect()
  try {
    await work({ read: createVacuumReading(database.read), client })
  } finally {
    await client.end()
    await database.close()
    await own.drop()
  }
}

const age = (read: Held['read']) => async () => (await read()).oldestSnapshotSeconds

test.each([
  ['reads in one snapshot', 'begin isolation level repeatable read; select from organizations'],
  ['has written', 'begin; update lanes set paused_reason = null; select pg_current_xact_id()'],
])('A transaction that %s counts from its beginning until its end', async (_what, text) => {
  await within(async ({ read, client }) => {
    await client.query(text)
    await expect.poll(age(read), patience).toBeGreaterThan(0.5)
    await client.query('rollback')
    expect(await age(read)()).toBeLessThan(0.5)
  })
})

test.each([
  ['reads in one snapshot', 'begin isolation level repeatable read; select from organizations'],
  ['has written', 'begin; update lanes set paused_reason = null; select pg_current_xact_id()'],
])(
  'To a role without pg_monitor a transaction of another role that %s counts from when it was seen',
  async (_, text) => {
    const own = await testDatabase()
    const [holder, reader, writer] = [new pg.Client(own), new pg.Client(own), new pg.Client(own)]
    try {
      for (const client of [holder, reader, writer]) await client.connect()
      // PostgreSQL shows it of others that there is a snapshot, and not since when.
      await reader.query('set role pg_stat_scan_tables')
      const read = createVacuumReading(queriesOn(reader))
      await holder.query(text)
      for (let n = 0; n < 3; n++) await writer.query('select pg_current_xact_id()')
      await expect.poll(age(read), patience).toBeGreaterThan(0.5)
      await holder.query('rollback')
      expect(await age(read)()).toBeLessThan(0.5)
    } finally {
      for (const client of [holder, reader, writer]) await client.end()
      await own.drop()
    }
  },
)

test('A transaction that holds nothing back does not count', async () => {
  await within(async ({ read, client }) => {
    await client.query('begin')
    await client.query('select pg_sleep(0.6)')
    expect(await age(read)()).toBeLessThan(0.5)
    await client.query('rollback')
  })
})

test('The dead rows of each hot table are told, and there are some after changes', async () => {
  await within(async ({ read, client }) => {
    expect(Object.keys((await read()).deadRows).toSorted()).toEqual(hotTables.toSorted())
    await client.query('alter table event_count_positions set (autovacuum_enabled = false)')
    await client.query(
      `insert into event_count_positions (org_id, position) select gen_random_uuid(), i from generate_series(1, 50) i`,
    )
    await client.query('update event_count_positions set position = position + 1')
    await client.query('select pg_stat_force_next_flush()')
    await expect.poll(async () => (await read()).deadRows.event_count_positions, patience).toBe(50)
  })
})
