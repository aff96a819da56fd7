import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimedDelivery, LaneKey } from '../../src/delivery/queue/delivery.ts'
import { enqueue, type PublishClaim } from '../../src/delivery/queue/enqueue.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import {
  findLostWorkers,
  queueUnsent,
  rescueUnqueued,
  sayUnqueuedSince,
} from '../../src/delivery/queue/store/unqueued.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { attempt, claimable, publishClaim, publishIn, type Queue, settle, testQueue } from '../support/queue.ts'

const maxInFlight = 10
const workerId = makeId(Date.now())
const stranger = makeId(Date.now())
let queue: Queue
let lane: LaneKey

beforeEach(async () => {
  queue = await testQueue(4)
  lane = (await queue.addWebhooks(1, maxInFlight))[0] as LaneKey
})

afterEach(() => queue.drop())

const newEvent = () => ({ id: makeId(Date.now()), name: 'PersonCreated_v1', payload: '{}' }) as const
const timestamp = (ms = Date.now()) => new Date(ms).toISOString()
const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
const setLanes = (state: string) => run(`update lanes set ${state}`)
const allLanes = () => run('select * from lanes order by org_id, webhook_id')
const nothingOf = (...lanes: LaneKey[]) => ({
  claimed: [],
  targets: new Map(),
  waiting: lanes.map(({ webhookId }) => webhookId),
})

type Lane = { in_flight: number; leased_by: string | null; saturated: boolean; next_due_at: Date | number }
const laneOf = async ({ organizationId, webhookId }: LaneKey) =>
  (
    await queue.database.write.rows(sql<Lane>`
      select in_flight, leased_by, saturated, next_due_at from lanes where org_id = ${organizationId} and webhook_id = ${webhookId}`)
  )[0]

const deliveries = () =>
  run<Record<string, unknown>>(`
    select ctid as "rowLocation", webhook_id, event_id, is_leased, available_at, lease_token, attempts_count, window_attempts, window_opened_at
      from deliveries order by webhook_id, event_id`)

/** What its worker has; all of it was claimed. */
async function publishClaimed(count: number, claim: PublishClaim) {
  const { claimed, waiting } = await queue.publish(count, { claim })
  expect({ claimed: claimed.length, waiting }).toEqual({ claimed: count, waiting: [] })
  return claimed
}

async function claimWoken(...lanes: LaneKey[]) {
  await wakeLanes(queue.database.write, lanes, timestamp(), workerId)
  const claim = { now: timestamp(), leaseEnd: timestamp(Date.now() + 25_000), leaseToken: makeId(Date.now()), workerId }
  return (await claimDeliveries(queue.database.write, { ...claim, claimable: claimable(20) })).deliveries
}

describe('An event that is published for a healthy lane with free capacity', () => {
  test('A delivery that is claimed on publish is in flight without a row in the queue, and its lane is leased', async () => {
    const now = Date.now() - 5_000
    const claim = publishClaim(workerId, { now })
    const { claimed, targets, waiting } = await queue.publish(2, { claim, now })
    expect(waiting).toEqual([])
    expect(await deliveries()).toEqual([])
    const unqueued = await run<{ event_id: string }>('select * from unqueued_deliveries order by event_id')
    expect(unqueued).toMatchObject(Array(2).fill({ webhook_id: lane.webhookId, claimed_by: workerId }))
    expect(await laneOf(lane)).toEqual({
      in_flight: 0,
      leased_by: workerId,
      saturated: false,
      next_due_at: Number.POSITIVE_INFINITY,
    })
    const [trigger] = await run<{ created_at: Date }>('select created_at from triggers')
    const common = {
      webhookId: lane.webhookId,
      triggerName: 'PersonCreated_v1',
      triggerCreatedAt: Number(trigger?.created_at),
      rowLocation: null,
      leaseToken: claim.leaseToken,
      leaseEndsAt: now + 25_000,
      maxInFlight,
    }
    expect(claimed.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1))).toMatchObject(
      unqueued.map(({ event_id }) => ({ ...common, eventId: event_id })),
    )
    const target = { target_url: lane.webhookId, timeout_ms: 0, custom_headers: null }
    expect(Object.fromEntries(targets)).toEqual({ [lane.webhookId]: expect.objectContaining(target) })
  })

  test('A lane that the worker has already is neither locked nor written', async () => {
    await publishClaimed(1, publishClaim(workerId))
    const before = await run('select xmin, * from lanes')
    await queue.database.transaction(async (tx) => {
      await tx.rows(sql`select from lanes for update`)
      await publishClaimed(2, publishClaim(workerId))
    })
    expect(await run('select xmin, * from lanes')).toEqual(before)
  })

  test.each([
    ['its max in flight is odd', 'max_in_flight = 5', 0],
    ['the worker has more of it in flight', `in_flight = 1, leased_by = '${workerId}'`, 1],
    ['another worker had it, which has ended', `leased_by = '${stranger}'`, 0],
    ['its cooldown is over', `cooldown_until = now() - interval '1 second'`, 0],
  ])('A delivery is claimed on publish when %s', async (_, state, inFlight) => {
    await setLanes(state)
    await publishClaimed(2, publishClaim(workerId))
    expect(await laneOf(lane)).toMatchObject({ in_flight: inFlight, leased_by: workerId })
  })

  test.each([1, 2])('Deliveries up to the limit are claimed on publish, for %d webhooks', async (webhooks) => {
    await queue.addWebhooks(webhooks - 1, maxInFlight)
    const { claimed, waiting } = await queue.publish(2, { claim: publishClaim(workerId, { limit: 2 * webhooks }) })
    expect({ claimed: claimed.length, waiting }).toEqual({ claimed: 2 * webhooks, waiting: [] })
  })

  test('A delivery is claimed on publish while that of another webhook, which is not healthy, waits', async () => {
    const [slow] = (await queue.addWebhooks(1)) as [LaneKey]
    const { claimed, waiting } = await queue.publish(1, { claim: publishClaim(workerId) })
    expect(claimed.map(({ webhookId }) => webhookId)).toEqual([lane.webhookId])
    expect(waiting).toEqual([slow.webhookId])
    expect([await laneOf(lane), await laneOf(slow)]).toMatchObject([{ leased_by: workerId }, { leased_by: null }])
    expect(await claimWoken(lane, slow)).toMatchObject([
      { webhookId: slow.webhookId, attemptNumber: 1, windowAttempts: 1 },
    ])
  })
})

/** Nothing was claimed, and the lane is as it was; as soon as it may be, everything is claimed by whoever wakes it. */
async function expectWaiting(count: number, published: unknown, { before }: { before: unknown }) {
  expect(published).toEqual(nothingOf(lane))
  expect(await allLanes()).toEqual(before)
  for (const row of await deliveries())
    expect(row).toMatchObject({
      is_leased: false,
      lease_token: null,
      attempts_count: 0,
      window_attempts: 0,
      window_opened_at: null,
    })
  await setLanes(`in_flight = 0, leased_by = null, paused_reason = null, cooldown_until = '-infinity'`)
  const claimed = await claimWoken(lane)
  expect(claimed.map(({ attemptNumber, windowAttempts }) => ({ attemptNumber, windowAttempts }))).toEqual(
    Array(count).fill({ attemptNumber: 1, windowAttempts: 1 }),
  )
}

const hindrances = [
  ['is not healthy', 'healthy = false'],
  ['is paused', `paused_reason = 'requested'`],
  ['is in cooldown', `cooldown_until = now() + interval '1 minute'`],
  ['has something due already', `next_due_at = now() - interval '1 second'`],
  ['has something in flight at another worker', `in_flight = 1, leased_by = '${stranger}'`],
  ['would be more than half full', 'max_in_flight = 3'],
] as const

describe('A lane of which nothing is claimed on publish', () => {
  test.each(hindrances)('A delivery waits, and its publisher for nobody, when its lane %s', async (_, state) => {
    await setLanes(state)
    const before = await allLanes()
    await expectWaiting(2, await queue.publish(2, { claim: publishClaim(workerId) }), { before })
  })

  test('A delivery waits when another worker has its lane, which has nothing of it in flight', async () => {
    await sayUnqueuedSince(queue.database.write, stranger, makeId(Date.now()), true)
    await setLanes(`leased_by = '${stranger}'`)
    const before = await allLanes()
    await expectWaiting(2, await queue.publish(2, { claim: publishClaim(workerId) }), { before })
  })

  test('A delivery waits when enough of its webhook is in flight already', async () => {
    const before = await allLanes()
    const claim = { ...publishClaim(workerId), crowded: [lane.webhookId] }
    await expectWaiting(2, await queue.publish(2, { claim }), { before })
  })

  test('A delivery waits when its worker was found lost by another one', async () => {
    await publishClaimed(1, publishClaim(workerId))
    expect(await findLostWorkers(queue.database.write, stranger, true)).toEqual([{ workerId, isOver: false }])
    const published = await queue.database.transaction((tx) =>
      enqueue(tx, queue.organizationId, [newEvent()], timestamp(), publishClaim(workerId)),
    )
    expect(published).toEqual(nothingOf(lane))
  })

  test('A delivery waits, and its publisher for nobody, when its lane is locked by another transaction', async () => {
    const before = await allLanes()
    const published = await queue.database.transaction(async (tx) => {
      await tx.rows(sql`select from lanes for update`)
      return queue.publish(2, { claim: publishClaim(workerId) })
    })
    await expectWaiting(2, published, { before })
  })

  test('A delivery waits when no worker in the process may claim it', async () => {
    const before = await allLanes()
    await expectWaiting(2, await queue.publish(2), { before })
  })
})

test('Nothing is claimed on publish when more is published than may be, for however many webhooks', async () => {
  const lanes = [lane, ...(await queue.addWebhooks(1, maxInFlight))]
  const before = await allLanes()
  const { claimed, waiting } = await queue.publish(2, { claim: publishClaim(workerId, { limit: 3 }) })
  expect(claimed).toEqual([])
  expect(waiting.toSorted()).toEqual(lanes.map(({ webhookId }) => webhookId).toSorted())
  expect(await allLanes()).toEqual(before)
  expect(await claimWoken(...lanes)).toHaveLength(4)
})

test('An event without a trigger is claimed by nobody, and nobody waits for it', async () => {
  await run('delete from triggers')
  expect(await queue.publish(1, { claim: publishClaim(workerId) })).toEqual(nothingOf())
  expect(await laneOf(lane)).toMatchObject({ in_flight: 0, leased_by: null })
})

describe('A delivery that was claimed on publish', () => {
  test('A delivery that was claimed on publish is finished when it has succeeded', async () => {
    const claimed = await publishClaimed(2, publishClaim(workerId))
    await settleAll(claimed.map((delivery) => ({ delivery, attempt, status: 'succeeded' })))
    expect(await deliveries()).toEqual([])
    expect(await laneOf(lane)).toMatchObject({ in_flight: 0 })
    const finished = await run('select event_id, status, attempts_count from finished_deliveries order by event_id')
    expect(finished).toEqual(
      claimed
        .map(({ eventId }) => ({ event_id: eventId, status: 'succeeded', attempts_count: 1 }))
        .toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1)),
    )
  })

  test('A delivery that was claimed on publish is retried in the window that its first attempt opened, as of its start', async () => {
    const [delivery] = (await publishClaimed(1, publishClaim(workerId))) as [ClaimedDelivery]
    await settleAll([{ delivery, attempt, retryAt: timestamp() }])
    expect(await laneOf(lane)).toMatchObject({ in_flight: 0 })
    expect(await claimWoken(lane)).toMatchObject([
      {
        eventId: delivery.eventId,
        attemptNumber: 2,
        windowAttempts: 2,
        windowOpenedAt: Date.parse(attempt.started_at),
      },
    ])
  })

  test('A delivery that was claimed on publish is rescued once its worker is lost; a late worker changes nothing', async () => {
    const [delivery] = (await publishClaimed(1, publishClaim(workerId))) as [ClaimedDelivery]
    const rescueOf = (id: string) => rescueUnqueued(queue.database.write, id, Date.now(), timestamp())
    expect(await rescueOf(stranger)).toBe(0)
    await findLostWorkers(queue.database.write, stranger, true)
    expect(await rescueOf(workerId)).toBe(1)
    expect(await rescueOf(workerId)).toBe(0)
    expect(await claimWoken(lane)).toMatchObject([{ eventId: delivery.eventId, attemptNumber: 2, windowAttempts: 1 }])
    await settleAll([{ delivery, attempt, status: 'succeeded' }])
    await settleAll([{ delivery, attempt, retryAt: timestamp() }])
    expect(await laneOf(lane)).toMatchObject({ in_flight: 1 })
    expect(await run('select from finished_deliveries')).toEqual([])
    expect(await deliveries()).toMatchObject([{ is_leased: true, attempts_count: 2 }])
  })

  test('A delivery that was claimed on publish is queued where the reply to its publication was lost, and counts no attempt', async () => {
    const claimed = await publishClaimed(2, publishClaim(workerId))
    const [delivery] = claimed as [ClaimedDelivery]
    const queueOne = () => queueUnsent(queue.database.write, queue.organizationId, [delivery.eventId], timestamp())
    expect([await queueOne(), await queueOne()]).toEqual([1, 0])
    expect(await deliveries()).toMatchObject([{ event_id: delivery.eventId, is_leased: false, attempts_count: 0 }])
  })

  test('What has lost its trigger when it is rescued is cancelled, also where the trigger was added again', async () => {
    const now = Date.now() - 60_000
    await queue.publish(1, { claim: publishClaim(workerId), now })
    await run(`update triggers set created_at = now()`)
    await findLostWorkers(queue.database.write, stranger, true)
    await rescueUnqueued(queue.database.write, workerId, Date.now(), timestamp())
    expect(await run('select trigger_created_at from deliveries')).toEqual([{ trigger_created_at: new Date(0) }])
  })
})

const settleAll = (settlements: Parameters<typeof settle>[1]) => settle(queue.database.write, settlements, maxInFlight)

test('A transaction that is rolled back leaves the lane as it was, for whoever publishes next', async () => {
  const before = await allLanes()
  const undone = queue.database.transaction(async (tx) => {
    expect((await publishIn(tx, queue.organizationId, 2, { claim: publishClaim(workerId) })).claimed).toHaveLength(2)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await allLanes()).toEqual(before)
  expect(await deliveries()).toEqual([])
  await publishClaimed(2, publishClaim(stranger))
})

test('Nothing of another organization is claimed or changed, even when its webhook has the same id', async () => {
  const twin = { organizationId: await addTwin(), webhookId: lane.webhookId }
  const before = await laneOf(twin)
  await publishClaimed(2, publishClaim(workerId))
  expect(await laneOf(twin)).toEqual(before)
  expect(await laneOf(lane)).toMatchObject({ leased_by: workerId })
  expect(await run('select distinct org_id from unqueued_deliveries')).toEqual([{ org_id: queue.organizationId }])
})

/** Another organization with copies of all webhooks. */
async function addTwin() {
  const id = makeId(Date.now())
  await run(`
    insert into organizations (id, name, pricing_tier, created_at) values ('${id}', 'y', 'unlimited', now());
    insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
    select '${id}', id, target_url, target_key, name, description, timeout_ms, created_at from webhooks;
    insert into lanes (org_id, webhook_id, max_in_flight, healthy) select '${id}', webhook_id, max_in_flight, healthy from lanes;
    insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
    select '${id}', webhook_id, type, name, on_failure, created_at from triggers`)
  return id
}
