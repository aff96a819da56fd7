import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { noteDropped } from '../../src/delivery/events/index.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { endHistoryAt, findEnd } from '../../src/ground/positions/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { administer, inDatabase, makeName, testDatabase } from '../support/database.ts'
import { drawPosition } from '../support/draw-position.ts'
import { drain, type FeedWorld, fill, openFeed, publishOn, queriesOf } from '../support/feed.ts'

/** One database of its own for each test: a transaction that is held open holds back all readers of a database. */
async function within(run: (world: FeedWorld, organizationId: string) => Promise<void>) {
  const world = await openFeed()
  await run(world, makeId(Date.now())).finally(world.drop)
}
const labels = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

describe.concurrent('The order of the feed', () => {
  test('An event that is committed late comes once, and none that was published after it comes before', () =>
    within(async (world, organizationId) => {
      const slow = await world.connect()
      await slow.query('begin')
      await publishOn(queriesOf(slow), organizationId, ['slow'])
      await publishOn(world.database.write, organizationId, ['quick'])
      const before = await drain(world, organizationId)
      expect(before.labels).toEqual([])
      await slow.query('commit')
      expect((await drain(world, organizationId, { after: before.next })).labels).toEqual(['slow', 'quick'])
    }))

  test('What is read since a time leaves out no event of then that is committed late', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, ['before'])
      const since = Date.now() + 1
      while (Date.now() < since) await wait(1)
      const slow = await world.connect()
      await slow.query('begin')
      await publishOn(queriesOf(slow), organizationId, ['slow'])
      await publishOn(world.database.write, organizationId, ['quick'])
      const after = await world.feed.positionSince(organizationId, since)
      await slow.query('commit')
      for (const position of [after, await world.feed.positionSince(organizationId, since)])
        expect((await drain(world, organizationId, { after: position })).labels).toEqual(['slow', 'quick'])
    }))

  test('Since a time before events that have no position, or that are dropped, is from the oldest event on', () =>
    within(async (world, organizationId) => {
      const [id] = await publishOn(world.database.write, organizationId, ['without a position'])
      const { next } = await drain(world, organizationId)
      await publishOn(world.database.write, organizationId, ['second'])
      await world.database.write.rows(sql`alter table events drop constraint if exists events_position`)
      await world.database.write.rows(sql`update events set position = null where id = ${id}`)
      const after = await world.feed.positionSince(organizationId, 0)
      expect((await drain(world, organizationId, { after })).labels).toEqual(['second'])
      await world.database.write.rows(
        sql`insert into event_low_watermarks (org_id, position) values (${organizationId}, ${next})`,
      )
      expect(await world.feed.positionSince(organizationId, 0)).toBe(next)
    }))

  test('Events of one transaction come in the order in which they were published, also over pages that end among them', () =>
    within(async (world, organizationId) => {
      const many = labels('burst', 50)
      await publishOn(world.database.write, organizationId, many)
      expect((await drain(world, organizationId, { limit: 7 })).labels).toEqual(many)
    }))

  test('An effect comes after its cause, also where its transaction is older', () =>
    within(async (world, organizationId) => {
      const older = await world.connect()
      await older.query('begin')
      await older.query('select pg_current_xact_id()')
      await publishOn(world.database.write, organizationId, ['cause'])
      await publishOn(queriesOf(older), organizationId, ['effect'])
      await older.query('commit')
      expect((await drain(world, organizationId)).labels).toEqual(['cause', 'effect'])
    }))

  test('What is published after a savepoint that was rolled back is not skipped, and what was in it never comes', () =>
    within(async (world, organizationId) => {
      const client = await world.connect()
      await client.query('begin; savepoint s')
      await publishOn(queriesOf(client), organizationId, ['rolled back'])
      await client.query('rollback to s')
      await publishOn(world.database.write, organizationId, ['between'])
      await publishOn(queriesOf(client), organizationId, ['after'])
      const { next } = await drain(world, organizationId)
      await publishOn(world.database.write, organizationId, ['last'])
      await drain(world, organizationId, { after: next })
      await client.query('commit')
      expect((await drain(world, organizationId)).labels).toEqual(['between', 'after', 'last'])
    }))

  test('Positions keep their order past powers of ten and past 2^32', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, ['first'])
      const expected = ['first']
      for (const position of [4_999_999_995, 8_589_934_588, 9_999_999_990]) {
        await world.database.write.rows(sql`select setval('positions', ${position})`)
        const burst = labels(`${position}`, 20)
        await publishOn(world.database.write, organizationId, burst)
        expected.push(...burst)
      }
      expect((await drain(world, organizationId, { limit: 3 })).labels).toEqual(expected)
    }))

  test(
    'Two readers get every event once and in the same order while writers hold transactions open',
    { timeout: 60_000 },
    () =>
      within(async (world, organizationId) => {
        const committed: string[] = []
        const until = Date.now() + 4_000
        const write = async (writer: number) => {
          const client = await world.connect()
          const queries = queriesOf(client)
          for (let turn = 0; Date.now() < until; turn++) {
            const own = labels(`${writer}.${turn}`, turn % 5 === 0 ? 50 : 1)
            await client.query('begin')
            if (turn % 3 === 0) await client.query('select pg_current_xact_id()')
            await publishOn(queries, organizationId, own)
            await wait(turn % 4 === 0 ? Math.random() * 200 : Math.random() * 3)
            const isKept = Math.random() > 0.1
            await client.query(isKept ? 'commit' : 'rollback')
            if (isKept) committed.push(...own)
          }
        }
        let isOver = false
        const read = async (limit: number) => {
          const got: string[] = []
          let after: number | undefined
          for (;;) {
            const isLast = isOver
            const page = await drain(world, organizationId, { ...(after === undefined ? {} : { after }), limit })
            got.push(...page.labels)
            after = page.next
            if (isLast) return got
            await wait(5)
          }
        }
        const readers = [read(7), read(100)]
        await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
        isOver = true
        const [one = [], other] = await Promise.all(readers)
        expect(committed.length).toBeGreaterThan(500)
        expect(one).toEqual(other)
        expect(one.toSorted()).toEqual(committed.toSorted())
      }),
  )
})

describe.concurrent('Epochs', () => {
  test('Whoever publishes first after a start of PostgreSQL enters the epoch, and several at once make one', () =>
    within(async (world, organizationId) => {
      const { database, positions } = world
      await database.write.rows(
        sql`update position_epochs set server_started_at = server_started_at - interval '1 day'`,
      )
      const unaided = await world.connect()
      await expect(publishOn(queriesOf(unaided), organizationId, ['refused'])).rejects.toMatchObject({ code: 'SG001' })
      const publish = (label: string) => publishOn(database.write, organizationId, [label])
      const inTransaction = database.transaction((tx) => publishOn(tx, organizationId, ['in a transaction']))
      await Promise.all([publish('one'), publish('two'), inTransaction, positions.enter(), positions.enter()])
      const rows = await database.read.rows(sql<{ first: number }>`
        select first_position as first from position_epochs order by first_position`)
      expect(rows.map(({ first }) => first)).toEqual([2 ** 32, 2 * 2 ** 32])
      expect((await drain(world, organizationId)).labels.toSorted()).toEqual(['in a transaction', 'one', 'two'])
    }))

  test('After another start of PostgreSQL the next event has a higher position, and a reader that had seen lost ones is told', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, labels('kept', 3))
      const { next } = await drain(world, organizationId)
      const [kept, lost, beyond] = await Promise.all([next, next + 1, next + 40].map(world.feed.cursorOf))
      // Drawn, and rolled back.
      await world.database.write.rows(sql`select setval('positions', ${next}::bigint + 1)`)
      await world.database.write.rows(
        sql`update position_epochs set server_started_at = server_started_at - interval '1 day'`,
      )
      await publishOn(world.database.write, organizationId, ['after the failover'])
      // Of the second the sequence may already have been written ahead when PostgreSQL crashed.
      for (const cursor of [lost, beyond])
        await expect(world.feed.positionOf(organizationId, cursor as string)).rejects.toMatchObject({ status: 410 })
      const after = await world.feed.positionOf(organizationId, kept as string)
      expect((await drain(world, organizationId, { after })).labels).toEqual(['after the failover'])
      const [last] = await world.database.read.rows(
        sql<{ position: number }>`select max(position) as position from events`,
      )
      expect(last?.position).toBe(2 * 2 ** 32 + 1)
      expect(await world.feed.positionOf(organizationId, await world.feed.cursorOf(last?.position ?? 0))).toBe(
        last?.position,
      )
    }))

  test('A process that did not enter the epoch itself gives cursors of it', () =>
    within(async (world, organizationId) => {
      const other = await openFeed(world.connection)
      const before = other.positions.epoch()
      await publishOn(world.database.write, organizationId, ['before'])
      await world.database.write.rows(
        sql`update position_epochs set server_started_at = server_started_at - interval '1 day'`,
      )
      await publishOn(world.database.write, organizationId, ['after'])
      const { next } = await drain(other, organizationId)
      expect(other.positions.epoch()).not.toBe(before)
      expect(await world.feed.positionOf(organizationId, await other.feed.cursorOf(next))).toBe(next)
      await other.drop()
    }))

  test('A copy of the database on the same server refuses a cursor that the original gave after it was copied', async () => {
    const { drop, ...original } = await testDatabase()
    const organizationId = makeId(Date.now())
    const server = inDatabase(original, 'postgres')
    const copy = makeName(original.database)
    /** Publishes, and gives what comes after `cursor`, and the cursor after that; without leaving connections. */
    const publish = async (published: string[], cursor?: string) => {
      const world = await openFeed(original)
      try {
        await publishOn(world.database.write, organizationId, published)
        const after = cursor === undefined ? undefined : await world.feed.positionOf(organizationId, cursor)
        const found = await drain(world, organizationId, after === undefined ? {} : { after })
        return { labels: found.labels, next: await world.feed.cursorOf(found.next ?? 0) }
      } finally {
        await world.drop()
      }
    }
    const { next: kept } = await publish(labels('before', 3))
    await administer(server, `create database ${copy} template ${original.database}`)
    const { next } = await publish(labels('lost', 10))
    await administer(server, `drop database ${original.database} with (force)`)
    await administer(server, `alter database ${copy} rename to ${original.database}`)
    await expect(publish(labels('new', 5), next)).rejects.toMatchObject({ status: 410 })
    expect((await publish([], kept)).labels).toEqual(labels('new', 5))
    await drop()
  })
})

describe.concurrent('Cursors and retention', () => {
  const cursorOf = (text: string) => Buffer.from(`events ${text}`).toString('base64url')
  const gone = (text: string) => expect.objectContaining({ status: 410, message: expect.stringContaining(text) })

  test('A cursor of another database, or of a history that a restore has ended, is refused with the oldest one', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, labels('event', 3))
      const { next } = await drain(world, organizationId)
      const oldest = await world.feed.cursorOf(2 ** 32)
      const foreign = cursorOf(`0199a3f2-5c00-4000-8000-0242ac120002.${next}`)
      await expect(world.feed.positionOf(organizationId, foreign)).rejects.toEqual(gone(oldest))
      await endHistoryAt(world.database.write, next - 1)
      const restored = await openFeed(world.connection)
      const [kept, lost] = [await restored.feed.cursorOf(next - 1), await restored.feed.cursorOf(next)]
      expect(await restored.feed.positionOf(organizationId, kept)).toBe(next - 1)
      await expect(restored.feed.positionOf(organizationId, lost)).rejects.toEqual(gone(oldest))
      await restored.drop()
    }))

  test('Text that is no cursor of the feed is refused with 400', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, ['event'])
      const [, key] =
        /^events (.*)\./.exec(Buffer.from(await world.feed.cursorOf(2 ** 32), 'base64url').toString()) ?? []
      const wrong = ['', 'x', cursorOf(''), cursorOf(`${key}.01`), cursorOf(`${key}.1`), cursorOf(`${key}.-1`)]
      for (const cursor of [...wrong, cursorOf(`${key}.${'9'.repeat(16)}`), `${await world.feed.cursorOf(2 ** 32)}=`])
        await expect(world.feed.positionOf(organizationId, cursor), cursor).rejects.toMatchObject({ status: 400 })
    }))

  test('A dropped partition is a 410 for those who had not read it, and nothing for a quiet organization', () =>
    within(async (world, organizationId) => {
      const quiet = makeId(Date.now())
      await publishOn(world.database.write, quiet, ['old'])
      const idle = (await drain(world, quiet)).next
      await publishOn(world.database.write, organizationId, labels('dropped', 3))
      const { next } = await drain(world, organizationId)
      const partition = await partitionToday(world)
      await world.database.transaction(async (tx) => {
        await noteDropped(tx, partition)
        await tx.rows({ name: '', text: `drop table ${partition}`, values: [] })
      })
      const read = (organization: string, after?: number) =>
        world.feed.readPage(organization, { after, names: undefined, limit: 10, bytes: 1_000 })
      await expect(read(organizationId, next - 1)).rejects.toEqual(gone(await world.feed.cursorOf(next)))
      expect(await read(organizationId, next)).toEqual({ events: [], next, hasMore: false })
      expect(await read(organizationId)).toEqual({ events: [], next, hasMore: false })
      expect((await read(quiet, idle)).events).toEqual([])
    }))

  test('A partition is not dropped while readers are held back before one of its events', () =>
    within(async (world, organizationId) => {
      const holder = await world.connect()
      await holder.query('begin')
      await holder.query(drawPosition)
      await publishOn(world.database.write, organizationId, ['unread'])
      const drop = () => partitionToday(world).then((name) => world.database.transaction((tx) => noteDropped(tx, name)))
      await expect(drop()).rejects.toThrow('is kept, because readers of the feed are held back')
      expect(await world.database.read.rows(sql`select from event_low_watermarks`)).toEqual([])
      await holder.query('rollback')
      await drop()
      expect(await world.database.read.rows(sql`select from event_low_watermarks`)).toHaveLength(1)
    }))

  const partitionToday = async ({ database }: FeedWorld) => {
    const [row] = await database.read.rows(
      sql<{ name: string }>`select tableoid::regclass::text as name from events limit 1`,
    )
    return row?.name ?? ''
  }
})

describe.concurrent('Names', () => {
  test('A rare name is found scan by scan, and the cursor moves past what has other names', () =>
    within(async (world, organizationId) => {
      await fill(world, organizationId, 25_000)
      await publishOn(world.database.write, organizationId, ['rare'], 'PersonDeleted_v1')
      await fill(world, organizationId, 5)
      const names = ['PersonDeleted_v1' as const]
      const page = await world.feed.readPage(organizationId, { after: undefined, names, limit: 10, bytes: 1_000 })
      const end = await findEnd(world.database.read)
      expect(page).toMatchObject({ events: [{ payload: '"rare"' }], next: end, hasMore: false })
      const first = await world.feed.readPage(organizationId, { after: undefined, names, limit: 1, bytes: 1_000 })
      expect(first.hasMore).toBe(false)
      expect(await world.feed.readPage(organizationId, { after: page.next, names, limit: 10, bytes: 1_000 })).toEqual({
        events: [],
        next: end,
        hasMore: false,
      })
    }))
})
