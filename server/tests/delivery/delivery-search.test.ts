import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allIds, type Search, searchDeliveries } from '../../src/delivery/log/delivery-search-store.ts'
import { reopenDeliveries } from '../../src/delivery/queue/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { explainingConnection, faultsOf, mayExplain } from '../support/plans.ts'
import { type Queue, testQueue } from '../support/queue.ts'

/** Of events, each with a delivery that is finished for two webhooks and one that waits for the third. */
const eventsCount = 12_000
/** So many rows of each range one page may look at, and the last of them once more. */
const maxRows = 10_001

let queue: Queue
let webhookIds: string[]
let eventIds: string[]

beforeAll(async () => {
  queue = await testQueue(2)
  const lanes = await queue.addWebhooks(3)
  webhookIds = lanes.map(({ webhookId }) => webhookId)
  await fill()
})

afterAll(() => queue?.drop())

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })

/** Nearly all succeeded with 200, the fifth with 202; each thousandth of the first webhook was dropped, answered with 503 or not at all. */
async function fill() {
  const org = queue.organizationId
  eventIds = Array.from({ length: eventsCount }, () => makeId(Date.now()))
  await run(`
    create table wanted as select id, number from unnest('{${eventIds}}'::uuid[]) with ordinality e (id, number);
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
    select '${org}', '${webhookIds[0]}', id, 'PersonCreated_v1',
           case when number % 1000 = 1 then 'dropped' else 'succeeded' end, 1,
           case when number % 2000 = 1 then '[{"number": 1, "status_code": 503}]'
                when number % 1000 = 1 then '[{"number": 1, "error": "timeout"}]'
                when number = 5 then '[{"number": 1, "status_code": 202}]'
                else '[{"number": 1, "status_code": 500}, {"number": 2, "status_code": 200}]' end::jsonb, now() from wanted;
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
    select '${org}', '${webhookIds[1]}', id, case when number = 1 then 'PersonDeleted_v1' else 'VirtualPageLoaded_v1' end,
           case when number = 2 then 'cancelled' else 'succeeded' end, 0, '[]', now() from wanted;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, is_leased)
    select '${org}', '${webhookIds[2]}', id, 'PersonCreated_v1', now(), number = 3 from wanted;
    analyze`)
}

const search = (fields: Partial<Search> = {}, organizationId = queue.organizationId) =>
  searchDeliveries(queue.database.pages, organizationId, { ...allIds, limit: 100, ...fields })

/** All pages. */
async function all(fields: Partial<Search>, between = async () => {}) {
  const found: string[] = []
  for (let before: Search['before'] | undefined = allIds.before; before; ) {
    const page = await search({ ...fields, before })
    found.push(...page.deliveries.map(({ event_id, webhook_id }) => `${event_id} ${webhook_id}`))
    before = page.next
    await between()
  }
  return found
}

const at = (...numbers: number[]) => numbers.map((number) => eventIds[number - 1])
const thousands = Array.from({ length: eventsCount / 1000 }, (_, index) => index * 1000 + 1).toReversed()

describe('The search of deliveries', () => {
  test.each<[Partial<Search>, number[], number]>([
    [{ status: 'dropped' }, thousands, 0],
    [{ status: 'cancelled' }, [2], 1],
    [{ status: 'in_flight' }, [3], 2],
    [{ status: 'held' }, [], 2],
    [{ triggerName: 'PersonDeleted_v1' }, [1], 1],
    [{ statusCode: 503 }, thousands.filter((number) => number % 2000 === 1), 0],
    [{ error: 'timeout' }, thousands.filter((number) => number % 2000 !== 1), 0],
    [{ statusCode: 500 }, [], 0],
    [{ statusCode: 202 }, [5], 0],
    [{ status: 'dropped', statusCode: 503, limit: 2 }, thousands.filter((number) => number % 2000 === 1), 0],
  ])('The search of deliveries by %j finds those and no others, over all pages', async (fields, numbers, webhook) => {
    expect(await all(fields)).toEqual(at(...numbers).map((id) => `${id} ${webhookIds[webhook]}`))
  })

  test('The search of deliveries by an event finds those of all webhooks at once, and of another organization none', async () => {
    const [eventId = ''] = at(7)
    const ofEvent = { from: eventId, before: { eventId, webhookId: allIds.before.eventId } }
    const { deliveries, next } = await search(ofEvent)
    expect(deliveries.map(({ webhook_id, status }) => [webhook_id, status])).toEqual([
      [webhookIds[2], 'pending'],
      [webhookIds[1], 'succeeded'],
      [webhookIds[0], 'succeeded'],
    ])
    expect(next).toBeUndefined()
    expect(await search(ofEvent, makeId(0))).toEqual({ deliveries: [], next: undefined })
  })

  test('The search of deliveries shows each once while they move between the queue and the log', async () => {
    const newest = at(eventsCount - 300)[0] as string
    let moved = 0
    const move = async () => {
      // What comes on the next page and what was on the last one, out of the log and into it.
      const [ahead, behind] = [eventsCount - 150 - moved, eventsCount - moved]
      moved++
      await queue.database.transaction((tx) =>
        reopenDeliveries(
          tx,
          queue.organizationId,
          webhookIds[0] as string,
          at(ahead) as string[],
          new Date().toISOString(),
        ),
      )
      await run(`
        with ended as (delete from deliveries where webhook_id = '${webhookIds[2]}' and event_id = '${at(behind)}' returning *)
        insert into finished_deliveries
          (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
        select org_id, webhook_id, event_id, trigger_name, 'succeeded', 1, '[]', now() from ended`)
    }
    const found = await all({ from: newest }, move)
    expect(moved).toBeGreaterThan(5)
    expect(found).toHaveLength(3 * 301)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(found.toSorted().toReversed())
  })
})

describe.runIf(mayExplain)('The plans of the search', () => {
  test('The search looks at a bounded number of rows whatever it is asked for, also on a generic plan', async () => {
    const { queries, plans, end } = await explainingConnection(queue.connection, 'work')
    await queries.rows({ name: '', text: 'set plan_cache_mode = force_generic_plan', values: [] })
    plans.length = 0
    const [webhookId] = webhookIds
    const asked: Partial<Search>[] = [
      ...[{}, { status: 'pending' }, { status: 'in_flight' }, { status: 'succeeded' }, { status: 'dropped' }],
      ...[{ triggerName: 'PersonDeleted_v1' }, { statusCode: 200 }, { statusCode: 503 }, { error: 'timeout' }],
      ...[{ finishedSince: '2020-01-01T00:00:00Z' }, { triggerType: 'sync_hook' }],
      ...[{ webhookId }, { webhookId, status: 'dropped' }, { webhookId, triggerName: 'PersonDeleted_v1' }],
    ] as Partial<Search>[]
    for (const fields of asked)
      await searchDeliveries(queries, queue.organizationId, { ...allIds, limit: 100, ...fields })
    const looks = asked.map((fields, index) => ({ fields, faults: plans[index] && faultsOf(plans[index], maxRows) }))
    expect(looks).toEqual(asked.map((fields) => ({ fields, faults: [] })))
    await end()
  })
})

test('The search finds what ended in a span, whatever its event, and nothing that waits', async () => {
  const [soon, past] = [new Date(Date.now() + 3_600_000).toISOString(), '2020-01-01T00:00:00Z']
  const [first = '', second = ''] = webhookIds
  await run(
    `update finished_deliveries set finished_at = '${soon}' where webhook_id = '${first}' and status = 'dropped'`,
  )
  const dropped = await search({ webhookId: first, status: 'dropped' })
  const ended = await all({ finishedSince: soon })
  expect(ended.toSorted()).toEqual(dropped.deliveries.map(({ event_id }) => `${event_id} ${first}`).toSorted())
  expect(ended.length).toBe(eventsCount / 1_000)
  expect(await all({ finishedSince: past, finishedUntil: soon, webhookId: second })).toHaveLength(eventsCount)
  expect(await all({ finishedUntil: soon, status: 'pending' })).toEqual([])
  expect(await all({ triggerType: 'sync_hook' })).toEqual([])
})
