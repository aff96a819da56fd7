import { afterEach, beforeEach, expect, test } from 'vitest'
import { judged } from '../../src/delivery/queue/capacity.ts'
import type { ClaimedDelivery, Concurrency, LaneKey, Settlement } from '../../src/delivery/queue/delivery.ts'
import { createOverdue } from '../../src/delivery/queue/in-flight.ts'
import { resumeLane } from '../../src/delivery/queue/index.ts'
import { createSettler } from '../../src/delivery/queue/settler.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { rescueDeliveries } from '../../src/delivery/queue/store/rescue.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { attempt, claimable, type Queue, testQueue } from '../support/queue.ts'

const perWebhook = 4
const unlimited: Concurrency = { maxRequests: Infinity, failures: 0 }
const down: Concurrency = { maxRequests: 1, failures: 5 }
const [workerId, other] = [makeId(Date.now()), makeId(Date.now())]

let queue: Queue
let now: number
let settler: ReturnType<typeof createSettler>
let errors: unknown[]

beforeEach(async () => {
  queue = await testQueue(2)
  now = Date.now()
  errors = []
  settler = createSettler({
    overdue: createOverdue(),
    database: queue.database,
    clock: { now: () => now },
    workerId,
    requestsPerWebhook: perWebhook,
    cooldownMs: 1_000,
    failingAfterMs: 60_000,
    pauseAfterMs: 432_000_000,
    onDue: () => {},
    onSettled: () => {},
    onError: (error) => errors.push(error),
  })
})

afterEach(async () => {
  expect(errors).toEqual([])
  await queue.drop()
})

const timestamp = (ms: number) => new Date(ms).toISOString()

const wake = () => queue.database.write.rows(sql`update lanes set next_due_at = ${timestamp(now)}`)

async function claim(
  limit: number,
  { by = workerId, ofNew = { maxInFlight: perWebhook, crowded: [] as string[] } } = {},
) {
  const lease = { now: timestamp(now), leaseEnd: timestamp(now + 25_000), leaseToken: makeId(now), workerId: by }
  return (await claimDeliveries(queue.database.write, { ...lease, claimable: { ...claimable(limit), ofNew } }))
    .deliveries
}

async function publish(count: number, name = 'PersonCreated_v1') {
  await queue.publish(count, { now })
  await queue.database.write.rows(
    sql`update deliveries set trigger_name = ${name} where attempts_count = 0 and trigger_name = 'PersonCreated_v1'`,
  )
  now += 1
  await wake()
}

const end = (delivery: ClaimedDelivery, succeeded: boolean, concurrency: Concurrency, inMs = 60_000): Settlement => ({
  delivery,
  attempt,
  concurrency,
  observation: { succeeded, tookMs: 5 },
  ...(succeeded ? { status: 'succeeded' as const } : { retryAt: timestamp(now + inMs) }),
})

const lane = async () => (await queue.database.write.rows(sql<Record<string, unknown>>`select * from lanes`))[0]

/** A receiver that has answered. */
async function healthyLane(): Promise<LaneKey> {
  const [key] = (await queue.addWebhooks(1)) as [LaneKey]
  await publish(1)
  for (const delivery of await claim(1)) await settler.settle(end(delivery, true, unlimited))
  expect(await lane()).toMatchObject({ healthy: true, in_flight: 0, max_requests: null, failures: 0 })
  return key
}

test('A failure among successes halves the limit, and leaves the receiver healthy and due', async () => {
  await healthyLane()
  await publish(10)
  const [first] = (await claim(4)) as [ClaimedDelivery]
  await settler.settle(end(first, false, { maxRequests: 2, failures: 1 }))
  expect(await lane()).toMatchObject({ healthy: true, max_requests: 2, failures: 1, saturated: false })
  const [next] = (await claim(100)) as [ClaimedDelivery]
  expect(next).toMatchObject({ isHealthy: true, concurrency: { maxRequests: 2, failures: 1 } })
})

test('After five failures in a row a receiver gets one delivery at a time after a pause, and a resumption lets it start afresh', async () => {
  const { organizationId, webhookId } = await healthyLane()
  await publish(20)
  const claimed = await claim(5)
  expect(claimed.length).toBeGreaterThan(4)
  let concurrency = unlimited
  const settlements = claimed.map((delivery) => {
    concurrency = judged(concurrency, { succeeded: false, isFirst: true }, perWebhook)
    return end(delivery, false, concurrency)
  })
  await Promise.all(settlements.map(settler.settle))
  expect(await lane()).toMatchObject({ healthy: false, failures: claimed.length, in_flight: 0 })
  expect(await claim(100)).toEqual([])
  now += 1_000
  const [tried] = (await claim(100)) as [ClaimedDelivery]
  expect(await claim(100)).toEqual([])
  await settler.settle(end(tried, false, judged(concurrency, { succeeded: false, isFirst: true }, perWebhook)))
  await queue.database.write.rows(sql`update lanes set paused_reason = 'failing'`)
  await queue.database.transaction((tx) => resumeLane(tx, organizationId, webhookId, timestamp(now)))
  const resumed = await claim(100)
  expect(resumed).toHaveLength(perWebhook)
  expect(resumed[0]).toMatchObject({ concurrency: unlimited })
})

test('Overdue requests make room in their saturated lane, at the worker that has it, unless the receiver is down', async () => {
  const { webhookId } = await healthyLane()
  const [witness] = (await queue.addWebhooks(1, 100)) as [LaneKey]
  await queue.database.write.rows(sql`update lanes set max_in_flight = ${perWebhook} where webhook_id = ${webhookId}`)
  await publish(30)
  const claimed = await claim(400)
  const ours = claimed.filter((delivery) => delivery.webhookId === webhookId) as [ClaimedDelivery, ClaimedDelivery]
  const others = claimed.filter((delivery) => delivery.webhookId === witness.webhookId)
  const isSaturated = async () => {
    // What was set aside is written before it.
    await settler.settle(end(others.pop() as ClaimedDelivery, true, unlimited))
    return queue.database.write.rows(sql`select saturated, in_flight from lanes where webhook_id = ${webhookId}`)
  }
  settler.setAside(ours[0], down)
  expect(await isSaturated()).toEqual([{ saturated: true, in_flight: perWebhook }])
  await queue.database.write.rows(sql`update lanes set leased_by = ${other}`)
  settler.setAside(ours[0], unlimited)
  expect(await isSaturated()).toEqual([{ saturated: true, in_flight: perWebhook }])
  await queue.database.write.rows(sql`update lanes set leased_by = ${workerId}`)
  settler.setAside(ours[1], unlimited)
  expect(await isSaturated()).toEqual([{ saturated: false, in_flight: perWebhook }])
  expect(await claim(100, { by: other })).toEqual([])
  expect((await claim(100)).filter((delivery) => delivery.webhookId === webhookId).length).toBeGreaterThan(0)
})

test('Fifty overdue requests leave no room for others, and those of a dead worker leave nothing behind', async () => {
  await healthyLane()
  await publish(80)
  const claimed = (await claim(400)).slice(0, 50)
  for (const delivery of claimed) settler.setAside(delivery, unlimited)
  await expect.poll(async () => (await lane())?.max_in_flight).toBe(50)
  expect(await claim(100)).toEqual([])
  now += 26_000
  while ((await rescueDeliveries(queue.database.write, { before: timestamp(now) }, timestamp(now))) > 0);
  expect(await lane()).toMatchObject({ in_flight: 0, saturated: false })
  expect((await claim(400, { by: other })).length).toBeGreaterThan(perWebhook)
})

test('A receiver that has not answered yet has as many deliveries as requests, and one where places are scarce', async () => {
  await queue.addWebhooks(1)
  await publish(20)
  expect(await claim(100, { ofNew: { maxInFlight: perWebhook, crowded: [queue.organizationId] } })).toHaveLength(1)
  await queue.database.write.rows(sql`update lanes set saturated = false`)
  await wake()
  expect(await claim(100)).toHaveLength(perWebhook - 1)
  expect(await claim(100)).toEqual([])
})

test('Of a webhook what is to be tried again goes before first attempts, and page events go last', async () => {
  await healthyLane()
  await publish(2)
  for (const delivery of await claim(2)) await settler.settle(end(delivery, false, { maxRequests: 2, failures: 1 }, 10))
  await publish(1, 'VirtualPageLoaded_v1')
  const [page] = await claim(1)
  await settler.settle(end(page as ClaimedDelivery, false, { maxRequests: 2, failures: 1 }, 10))
  await publish(1, 'VirtualPageLoaded_v1')
  // Older than what is to be tried again, which has become due after it.
  await publish(2)
  now += 20
  await wake()
  const kinds = (await claim(100)).map(({ triggerName, windowAttempts }) => [triggerName, windowAttempts])
  const [created, loaded] = ['PersonCreated_v1', 'VirtualPageLoaded_v1']
  expect(kinds).toEqual([
    [created, 2],
    [created, 2],
    [created, 1],
    [created, 1],
    [loaded, 2],
    [loaded, 1],
  ])
})

test('With few places, what is to be tried again takes them all', async () => {
  await healthyLane()
  await publish(2)
  for (const delivery of await claim(2)) await settler.settle(end(delivery, false, { maxRequests: 2, failures: 1 }, 10))
  await queue.database.write.rows(sql`update lanes set max_in_flight = 3`)
  await publish(5)
  now += 20
  await wake()
  expect((await claim(100)).map(({ windowAttempts }) => windowAttempts)).toEqual([2, 2, 1])
})
