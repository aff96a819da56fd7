import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Queries } from '../src/database/database.ts'
import { type ClaimedDelivery, claimDeliveries } from '../src/delivery/claim-store.ts'
import { armLanes, type LaneKey, nextLaneDue, sweepLanes } from '../src/delivery/lane-store.ts'
import { rescueDeliveries } from '../src/delivery/rescue-store.ts'
import type { Settlement } from '../src/delivery/settle-store.ts'
import { loadPayloads } from '../src/events/event-store.ts'
import { makeId } from '../src/identifiers.ts'
import { writeLog } from './support/log.ts'
import { explainingConnection, faultsOf } from './support/plans.ts'
import { attempt, claimable, type Queue, settle, testQueue } from './support/queue.ts'

/** Of one webhook, beside others with ten each. */
const backlog = 50_000
const webhooks = 101
const room = 10
const owner = makeId(Date.now())
/** A claim takes 400 deliveries at most; no step of any statement may look at many more. */
const maxRows = 1_000

let queue: Queue
let lanes: LaneKey[]

beforeEach(async () => {
  queue = await testQueue(2)
  lanes = await queue.addWebhooks(webhooks)
})

afterEach(() => queue.drop())

describe('no statement of the worker scans the queue, the log or the events', () => {
  test('by plans that were made while they were nearly empty', async () => {
    await queue.publish(1)
    await run('analyze')
    const connection = await explainingConnection(queue.connection)
    await work(connection.queries)
    await fill()
    await expectFrugal(connection)
  })

  test('by plans that were made with the statistics of a long backlog', async () => {
    await fill()
    await run('analyze')
    await expectFrugal(await explainingConnection(queue.connection))
  })
})

async function expectFrugal({ queries, plans, end }: Explaining) {
  plans.length = 0
  const done = await work(queries)
  expect(done).toMatchObject({ ofBacklog: 8, rescued: expect.toSatisfy((count) => count > 100) })
  expect(plans.map((plan) => faultsOf(plan, maxRows))).toEqual(Array(8).fill([]))
  await end()
}

type Explaining = Awaited<ReturnType<typeof explainingConnection>>

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** Everything a worker asks of the queue, in an order in which each statement has something to do. */
async function work(queries: Queries) {
  const claim = (leaseMs: number) => {
    const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + leaseMs) }
    return claimDeliveries(queries, { ...times, claim: makeId(Date.now()), owner, claimable: claimable(200) })
  }
  await armLanes(queries, lanes, timestamp(), owner)
  const { deliveries: claimed } = await claim(25_000)
  const organizationIds = claimed.map((delivery) => delivery.organizationId)
  const eventIds = claimed.map((delivery) => delivery.eventId)
  await loadPayloads(queries, organizationIds, eventIds)
  await settle(queries, claimed.map(conclude), room)
  await claim(-1)
  const rescued = await rescueDeliveries(queries, timestamp(), timestamp())
  await sweepLanes(queries, timestamp())
  await nextLaneDue(queries, owner, claimable(200))
  return { ofBacklog: claimed.filter((delivery) => delivery.webhookId === lanes[0]?.webhookId).length, rescued }
}

/** Half of them succeed, half are to be tried again. */
const conclude = (delivery: ClaimedDelivery, index: number): Settlement =>
  index % 2 ? { delivery, attempt, status: 'succeeded' } : { delivery, attempt, retryAt: timestamp() }

/** One webhook with the backlog, the others with a few deliveries each, and a log; every lane is due. */
async function fill() {
  const start = makeId(Date.now()).slice(0, 24)
  const numbered = (count: number) => `(select ('${start}' || to_char(i, 'fm000000000000'))::uuid as id
    from generate_series(1, ${count}) i)`
  const ids = lanes.map((lane) => lane.webhookId)
  await run(`
    insert into events (org_id, id, name, payload)
    select '${queue.organizationId}', id, 'PersonCreated_v1', '{}' from ${numbered(backlog)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, due_at)
    select '${queue.organizationId}', '${ids[0]}', id, 'PersonCreated_v1', now() from ${numbered(backlog)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, due_at)
    select '${queue.organizationId}', webhook_id, id, 'PersonCreated_v1', now()
      from unnest('{${ids.slice(1, -1)}}'::uuid[]) webhook_id, ${numbered(10)} e;
    update lanes set in_flight = 0, room = ${room}, is_full = false, quick = true, next_due_at = now();
    update lanes set next_due_at = 'epoch' where webhook_id = '${ids[0]}'`)
  const eventIds = (await run<{ id: string }>('select id from events')).map(({ id }) => id)
  await writeLog(queue.database.write, lanes.at(-1) as LaneKey, eventIds)
}

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
