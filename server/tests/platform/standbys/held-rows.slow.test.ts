import pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/ground/database/database.ts'
import { migrate } from '../../../src/ground/database/migrate.ts'
import { createVacuumReading } from '../../../src/operator/telemetry/vacuum.ts'
import { givenPrograms } from '../../support/given-programs.ts'
import { temporaryFolder } from '../../support/program.ts'
import { startReplication } from '../../support/standbys.ts'

const patience = { timeout: 30_000, interval: 200 }
const settings = { fsync: 'off', shared_buffers: '32MB', max_connections: '60', max_prepared_transactions: '5' }

test('A prepared transaction counts from when it was prepared, and what a standby holds from when it was first seen', async (context) => {
  const standbySettings = { hot_standby_feedback: 'on', wal_receiver_status_interval: '1s' }
  const replication = await startReplication(
    temporaryFolder(context),
    { ...settings, ...standbySettings },
    givenPrograms(),
  )
  context.onTestFinished(replication.stop)
  const { primary } = replication
  await migrate(primary.connection, async () => {})
  const database = openDatabase(primary.connection)
  context.onTestFinished(database.close)
  const read = createVacuumReading(database.read)
  const age = async () => (await read()).oldestSnapshotSeconds

  await primary.query("begin; select pg_current_xact_id(); prepare transaction 'forgotten'")
  await expect.poll(age, patience).toBeGreaterThan(1)
  await primary.query("rollback prepared 'forgotten'")
  expect(await age()).toBeLessThan(1)

  const standby = await replication.addStandby('other')
  const reader = new pg.Client(standby.connection)
  reader.on('error', () => {})
  await reader.connect()
  context.onTestFinished(() => reader.end().catch(() => {}))
  await reader.query('begin isolation level repeatable read; select from organizations')
  const write = () => primary.query('select pg_current_xact_id()')
  for (let written = 0; written < 3; written++) await write()
  await expect.poll(age, patience).toBeGreaterThan(2)
  await reader.query('rollback')
  const writeAndRead = async () => {
    await write()
    return age()
  }
  await expect.poll(writeAndRead, patience).toBeLessThan(1)
})
