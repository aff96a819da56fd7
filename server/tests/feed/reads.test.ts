import { describe, expect, test } from 'vitest'
import { noteDropped } from '../../src/delivery/events/index.ts'
import { createFeed } from '../../src/delivery/feed/index.ts'
import type { Database } from '../../src/ground/database/database.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { drain, type FeedWorld, fill, openFeed, publishOn } from '../support/feed.ts'
import { explainingConnection, mayExplain, nodesOf, type Plan } from '../support/plans.ts'

async function within(run: (world: FeedWorld, organizationId: string) => Promise<void>) {
  const world = await openFeed()
  await run(world, makeId(Date.now())).finally(world.drop)
}
const labels = ['one', 'two', 'three']
const names = ['PersonDeleted_v1' as const]
const gone = { status: 410, message: expect.stringContaining('is older than the events that are kept') }

async function dropToday({ database }: FeedWorld) {
  await database.transaction(async (tx) => {
    const run = <Row>(text: string) => tx.rows<Row>({ name: '', text, values: [] })
    const [today] = await run<{ name: string }>('select tableoid::regclass::text as name from events limit 1')
    if (!today) throw new Error('there is no event')
    await noteDropped(tx, today.name)
    await run(`drop table ${today.name}`)
  })
}

/** The feed, in which the day is dropped before the statement of a page with that number is sent, or after the last one. */
function droppingBefore(world: FeedWorld, number: number) {
  let sent = 0
  const dropAt = async (moment: number) => void (moment === number && (await dropToday(world)))
  const pages: Database['pages'] = {
    rows: async (statement) => {
      await dropAt(sent++)
      const rows = await world.database.pages.rows(statement)
      if (number < 0) await dropAt(-sent)
      return rows
    },
  }
  return createFeed({ database: { ...world.database, pages }, positions: world.positions })
}

describe.concurrent('A day that is dropped while a page is read', () => {
  test.each([
    ['before the rows are read', 0],
    ['between the rows and what was dropped', -1],
  ])('A day that is dropped %s is a 410 to a reader that had not read it, and no gap', (_, moment) =>
    within(async (world, organizationId) => {
      await publishOn(world.database.write, organizationId, labels)
      const { next = 0 } = await drain(world, organizationId, {})
      const feed = droppingBefore(world, moment)
      const read = feed.readPage(organizationId, { after: next - 1, names: undefined, limit: 10, bytes: 1e9 })
      await expect(read).rejects.toMatchObject(gone)
      expect(
        await world.feed.readPage(organizationId, { after: next, names: undefined, limit: 10, bytes: 1e9 }),
      ).toMatchObject({
        events: [],
        next,
      })
    }),
  )

  test.each([0, 1, 2, 3])(
    'A reader from the oldest event on gets all events of a day or none of it, dropped before statement %d of its page',
    (moment) =>
      within(async (world, organizationId) => {
        await publishOn(world.database.write, organizationId, ['first'], 'PersonDeleted_v1')
        await fill(world, organizationId, 10_000)
        await publishOn(world.database.write, organizationId, ['last'], 'PersonDeleted_v1')
        const feed = droppingBefore(world, moment)
        const { labels } = await drain({ feed }, organizationId, { names })
        expect(labels).toEqual([])
      }),
  )
})

/** The same feed on one connection, whose plans are told. */
async function explained({ connection, positions }: FeedWorld) {
  const { queries, plans, end } = await explainingConnection(connection, 'work')
  const database = { read: queries, pages: queries } as Database
  return { feed: createFeed({ database, positions }), plans, end }
}

/** In words: what is read in another way than by an index of each partition, and what is sorted. */
const faultsOf = (plan: Plan) =>
  nodesOf(plan)
    .map((node) => [node['Node Type'], node['Relation Name']].join(' '))
    .filter(
      (text) =>
        !/^(Limit|Aggregate|WindowAgg|Merge Append|Subquery Scan|Index (Only )?Scan \w+) ?$/.test(`${text.trim()} `),
    )

const rowsOf = (plans: Plan[]) =>
  plans
    .flatMap(nodesOf)
    .filter((node) => node['Relation Name']?.startsWith('events_2'))
    .reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    )

describe.skipIf(!mayExplain)('The plans of the feed', { concurrent: true }, () => {
  test.each(['of a young database', 'of one whose statistics are known'])(
    'Pages and windows %s are read by the index of positions in every partition, and nothing is sorted',
    (state) =>
      within(async (world, organizationId) => {
        await fill(world, organizationId, 12_000)
        await fill(world, makeId(Date.now()), 3_000)
        if (state !== 'of a young database') await (await world.connect()).query('analyze events')
        const { feed, plans, end } = await explained(world)
        // More often than the five times after which PostgreSQL may keep one plan for all values.
        let after: number | undefined
        for (let page = 0; page < 8; page++) {
          const { next } = await feed.readPage(organizationId, { after, names: undefined, limit: 100, bytes: 1e9 })
          await feed.readPage(organizationId, { after, names, limit: 100, bytes: 1e9 })
          await feed.newestPosition(organizationId)
          after = next
        }
        await end()
        expect(plans.length).toBeGreaterThan(40)
        expect(plans.flatMap(faultsOf)).toEqual([])
      }),
  )

  test('A page reads as many rows as it gives, and one of a rare name each row of its windows at most twice', () =>
    within(async (world, organizationId) => {
      await fill(world, organizationId, 12_000)
      await publishOn(world.database.write, organizationId, ['rare'], 'PersonDeleted_v1')
      await fill(world, makeId(Date.now()), 3_000)
      const { feed, plans, end } = await explained(world)
      await feed.readPage(organizationId, { after: undefined, names: undefined, limit: 100, bytes: 1e9 })
      expect(rowsOf(plans)).toBe(101)
      plans.length = 0
      const { events } = await feed.readPage(organizationId, { after: undefined, names, limit: 100, bytes: 1e9 })
      expect(events.map(({ payload }) => payload)).toEqual(['"rare"'])
      expect(rowsOf(plans)).toBeLessThanOrEqual(2 * 12_001)
      await end()
    }))
})
