import { describe, expect, test } from 'vitest'
import { noteDropped } from '../../src/delivery/events/index.ts'
import { createFeed, eventsPerScan, maxScans } from '../../src/delivery/feed/feed.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { drain, type FeedWorld, openFeed, publishOn } from '../support/feed.ts'

async function within(run: (world: FeedWorld, organizationId: string) => Promise<void>) {
  const world = await openFeed()
  await run(world, makeId(Date.now())).finally(world.drop)
}

const rare = ['PersonDeleted_v1' as const]
const all = { after: undefined, names: undefined, limit: 10, bytes: 1_000_000 }

/** So many events that are not rare. */
const fill = ({ database }: FeedWorld, organizationId: string, count: number) =>
  database.write.rows({
    name: '',
    text: `insert into events (org_id, id, name, payload, position)
           select '${organizationId}', (substr('${makeId(Date.now())}', 1, 24) || to_char(i, 'fm000000000000'))::uuid,
                  'PersonCreated_v1', '"x"', nextval('positions') from generate_series(1, ${count}) i`,
    values: [],
  })

describe.concurrent('A page of the feed', () => {
  test.each([undefined, rare])('A page of the feed ends with the event that reaches the bytes, of names %s', (names) =>
    within(async (world, organizationId) => {
      // Each payload has 100 bytes.
      const labels = Array.from({ length: 10 }, (_, index) => String(index).padEnd(98, 'x'))
      await publishOn(world.database.write, organizationId, labels, 'PersonDeleted_v1')
      const lengths = async (bytes: number, limit = 1_000) => {
        const page = await world.feed.readPage(organizationId, { after: undefined, names, limit, bytes })
        return [page.events.length, page.hasMore]
      }
      expect(await lengths(1)).toEqual([1, true])
      expect(await lengths(300)).toEqual([3, true])
      expect(await lengths(301)).toEqual([4, true])
      expect(await lengths(301, 2)).toEqual([2, true])
      expect(await lengths(1_000)).toEqual([10, false])
      expect((await drain(world, organizationId, { bytes: 250, ...(names && { names }) })).labels).toEqual(labels)
    }),
  )

  test('A page of the feed looks at so many events for a rare name and then says that there is more', () =>
    within(async (world, organizationId) => {
      await fill(world, organizationId, eventsPerScan * maxScans)
      await publishOn(world.database.write, organizationId, ['rare'], 'PersonDeleted_v1')
      const first = await world.feed.readPage(organizationId, { ...all, names: rare })
      expect(first).toMatchObject({ events: [], hasMore: true })
      const second = await world.feed.readPage(organizationId, { ...all, names: rare, after: first.next })
      expect(second).toMatchObject({ events: [{ payload: '"rare"' }], hasMore: false })
    }))

  test('The first page has no gap where retention drops a day while it is read', () =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, ['first'], 'PersonDeleted_v1')
      await fill(world, organizationId, eventsPerScan)
      await publishOn(world.database.write, organizationId, ['dropped'], 'PersonDeleted_v1')
      let statements = 0
      const { database, positions } = world
      // Between the first scan, which has found an event, and the second.
      const pages: typeof database.pages = {
        rows: async (statement) => {
          if (++statements === 3) await dropToday(world)
          return database.pages.rows(statement)
        },
      }
      const feed = createFeed({ database: { read: database.read, pages }, positions })
      expect(await feed.readPage(organizationId, { ...all, names: rare })).toMatchObject({ events: [], hasMore: false })
    }))
})

async function dropToday({ database }: FeedWorld) {
  const [row] = await database.read.rows<{ name: string }>({
    name: '',
    text: 'select tableoid::regclass::text as name from events limit 1',
    values: [],
  })
  await database.transaction(async (tx) => {
    await noteDropped(tx, row?.name ?? '')
    await tx.rows({ name: '', text: `drop table ${row?.name}`, values: [] })
  })
}
