import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, type TestContext, test } from 'vitest'
import { migrate } from '../../../src/ground/database/migrate.ts'
import { sql } from '../../../src/ground/database/sql.ts'
import { findNoticeableHolder } from '../../../src/ground/positions/index.ts'
import { makeId } from '../../../src/ground/runtime/identifiers.ts'
import { administer, type Connection } from '../../support/database.ts'
import { drain, type FeedWorld, openFeed, publishOn, queriesOf } from '../../support/feed.ts'
import { givenPrograms } from '../../support/given-programs.ts'
import { temporaryFolder } from '../../support/program.ts'
import { startReplication } from '../../support/standbys.ts'
import { findStockPrograms, startStockPostgres } from '../../support/stock-postgres.ts'

const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '100' }
const labels = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

async function openMigrated(connection: object, context: TestContext): Promise<FeedWorld> {
  await migrate(connection as Connection, async () => {})
  const world = await openFeed(connection as Connection)
  context.onTestFinished(world.drop)
  return world
}

test('After a failover that loses commits, a reader that had seen them is told, and one that had not goes on', async (context) => {
  const replication = await startReplication(temporaryFolder(context), settings, givenPrograms())
  context.onTestFinished(replication.stop)
  const { primary } = replication
  const before = await openMigrated(primary.connection, context)
  const standby = await replication.addStandby('other')
  const organizationId = makeId(Date.now())
  await publishOn(before.database.write, organizationId, labels('replicated', 10))
  const { next } = await drain(before, organizationId)
  const kept = await before.feed.cursorOf(next)
  await expect.poll(async () => (await standby.query('select from events')).length, { timeout: 30_000 }).toBe(10)
  // Cut off: what is committed from now on never arrives.
  await standby.stop()
  await publishOn(before.database.write, organizationId, labels('lost', 40))
  const seen = await drain(before, organizationId, { after: next })
  expect(seen.labels).toHaveLength(40)
  const cursor = await before.feed.cursorOf(seen.next)
  await primary.stop()
  await standby.start({ primary_conninfo: '' })
  await standby.query('select pg_promote()')
  const after = await openMigrated(standby.connection, context)
  await publishOn(after.database.write, organizationId, labels('new', 15))
  await expect(after.feed.positionOf(organizationId, cursor)).rejects.toMatchObject({ status: 410 })
  const position = await after.feed.positionOf(organizationId, kept)
  expect((await drain(after, organizationId, { after: position })).labels).toEqual(labels('new', 15))
  expect((await drain(after, organizationId)).labels).toEqual([...labels('replicated', 10), ...labels('new', 15)])
})

test.skipIf(!findStockPrograms()).for(['another, younger cluster', 'another database of the same server'] as const)(
  'A dump that is restored into %s goes on in order, and knows the cursors of its history',
  async (where, context) => {
    const programs = findStockPrograms() as string
    const start = async () => {
      const server = await startStockPostgres(programs, temporaryFolder(context))
      context.onTestFinished(server.stop)
      return server.connection
    }
    const from = await start()
    const isSame = where === 'another database of the same server'
    if (isSame) await administer(from, 'create database restored')
    const to = isSame ? { ...from, database: 'restored' } : await start()
    const old = await openMigrated(from, context)
    const organizationId = makeId(Date.now())
    await publishOn(old.database.write, organizationId, labels('old', 20))
    const half = await old.feed.readPage(organizationId, { after: undefined, names: undefined, limit: 8, bytes: 1_000 })
    const cursor = await old.feed.cursorOf(half.next)
    const addressOf = ({ host, port, user, database }: typeof from) => [
      '-h',
      `${host}`,
      '-p',
      `${port}`,
      '-U',
      `${user}`,
      '-d',
      `${database}`,
    ]
    const dump = execFileSync(join(programs, 'pg_dump'), ['--no-owner', ...addressOf(from)], { maxBuffer: 2 ** 28 })
    execFileSync(join(programs, 'psql'), ['-v', 'ON_ERROR_STOP=1', '-q', ...addressOf(to)], {
      input: dump,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    await publishOn(old.database.write, organizationId, labels('unseen', 10))
    const unseen = await old.feed.cursorOf((await drain(old, organizationId)).next)
    await old.database.write.rows(
      sql`update position_epochs set server_started_at = server_started_at - interval '1 day'`,
    )
    await publishOn(old.database.write, organizationId, ['after the dump'])
    const lost = await old.feed.cursorOf((await drain(old, organizationId)).next)

    const restored = await openMigrated(to, context)
    await publishOn(restored.database.write, organizationId, labels('new', 5))
    const after = await restored.feed.positionOf(organizationId, cursor)
    expect((await drain(restored, organizationId, { after })).labels).toEqual([
      ...labels('old', 20).slice(8),
      ...labels('new', 5),
    ])
    for (const later of [unseen, lost])
      await expect(restored.feed.positionOf(organizationId, later)).rejects.toMatchObject({ status: 410 })
    expect((await drain(old, organizationId)).labels).toEqual([
      ...labels('old', 20),
      ...labels('unseen', 10),
      'after the dump',
    ])
  },
)

test.skipIf(!findStockPrograms())(
  'After the crash of a backend readers have passed no position that is drawn again',
  async (context) => {
    const server = await startStockPostgres(findStockPrograms() as string, temporaryFolder(context))
    context.onTestFinished(server.stop)
    const world = await openMigrated(server.connection, context)
    const organizationId = makeId(Date.now())
    await publishOn(world.database.write, organizationId, labels('before', 3))
    const holder = await world.connect()
    await holder.query('begin')
    const { rows } = await holder.query('select pg_backend_pid() as pid')
    await publishOn(queriesOf(holder), organizationId, labels('uncommitted', 100))
    const { next } = await drain(world, organizationId)
    process.kill(rows[0].pid, 'SIGKILL')
    await expect
      .poll(
        () =>
          publishOn(world.database.write, organizationId, ['after the crash']).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true)
    const read = async () => (await drain(world, organizationId, { after: next })).labels
    await expect.poll(() => read().catch(() => []), { timeout: 30_000 }).toEqual(['after the crash'])
  },
)

test('A transaction that has published and stays open for two minutes holds readers back, is named, and loses nothing', async (context) => {
  const world = await openFeed()
  context.onTestFinished(world.drop)
  const organizationId = makeId(Date.now())
  const holder = await world.connect()
  await holder.query('set idle_in_transaction_session_timeout = 0')
  await holder.query('begin')
  await publishOn(queriesOf(holder), organizationId, ['held'])
  const until = Date.now() + 120_000
  const expected = ['held']
  while (Date.now() < until) {
    await publishOn(world.database.write, organizationId, [`${expected.length}`])
    expected.push(`${expected.length}`)
    expect((await drain(world, organizationId)).labels).toEqual([])
    await wait(500)
  }
  expect(await findNoticeableHolder(world.database.read)).toMatchObject({ seconds: expect.closeTo(120, -2) })
  await holder.query('commit')
  expect((await drain(world, organizationId)).labels).toEqual(expected)
})
