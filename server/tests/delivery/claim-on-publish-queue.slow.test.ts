import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimedDelivery, LaneKey } from '../../src/delivery/queue/delivery.ts'
import type { PublishClaim } from '../../src/delivery/queue/enqueue.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { rescueDeliveries } from '../../src/delivery/queue/store/rescue.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import {
  attempt,
  claimable,
  isBlocked,
  keepLock,
  publishClaim,
  publishIn,
  type Queue,
  settle,
  testQueue,
} from '../support/queue.ts'

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
  test('A delivery that is claimed on publish is leased like any other, and its lane counts it', async () => {
    const now = Date.now() - 5_000
    const claim = publishClaim(workerId, { now })
    const { claimed, targets, waiting } = await queue.publish(2, { claim, now })
    const rows = await deliveries()
    expect(waiting).toEqual([])
    expect(rows).toHaveLength(2)
    for (const row of rows)
      expect(row).toMatchObject({
        is_leased: true,
        lease_token: claim.leaseToken,
        available_at: new Date(now + 25_000),
        attempts_count: 1,
        window_attempts: 1,
        window_opened_at: null,
      })
    expect(await laneOf(lane)).toEqual({
      in_flight: 2,
      leased_by: workerId,
      saturated: false,
      next_due_at: Number.POSITIVE_INFINITY,
    })
    const [trigger] = await run<{ created_at: Date }>('select created_at from triggers')
    const common = {
      webhookId: lane.webhookId,
      triggerName: 'PersonCreated_v1',
      triggerCreatedAt: Number(trigger?.created_at),
    }
    expect(claimed.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1))).toMatchObject(
      rows.map(({ event_id, rowLocation }) => ({ ...common, eventId: event_id, rowLocation, maxInFlight })),
    )
    const target = { target_url: lane.webhookId, timeout_ms: 0, custom_headers: null }
    expect(Object.fromEntries(targets)).toEqual({ [lane.webhookId]: expect.objectContaining(target) })
  })

  test.each([
    ['half of its max in flight is taken then', `in_flight = 3, leased_by = '${workerId}'`, 5],
    ['its max in flight is odd', 'max_in_flight = 5', 2],
    ['the worker has more of it in flight', `in_flight = 1, leased_by = '${workerId}'`, 3],
    ['another worker had it, which has nothing of it in flight any more', `leased_by = '${stranger}'`, 2],
    ['its cooldown is over', `cooldown_until = now() - interval '1 second'`, 2],
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
    expect([await laneOf(lane), await laneOf(slow)]).toMatchObject([
      { in_flight: 1 },
      { in_flight: 0, leased_by: null },
    ])
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
  ['is leased by another worker', `in_flight = 1, leased_by = '${stranger}'`],
  ['would be more than half full', `in_flight = 4, leased_by = '${workerId}'`],
  ['would be more than half full, with an odd max in flight', 'max_in_flight = 3'],
] as const

describe('A lane of which nothing is claimed on publish', () => {
  test.each(hindrances)('A delivery waits, and its publisher for nobody, when its lane %s', async (_, state) => {
    await setLanes(state)
    const before = await allLanes()
    await expectWaiting(2, await queue.publish(2, { claim: publishClaim(workerId) }), { before })
  })

  test.each(hindrances)('A delivery waits when its lane %s since its publisher read it', async (_, state) => {
    const publishing = await publishSlowly(2)
    await setLanes(state)
    const before = await allLanes()
    await expectWaiting(2, await publishing.go(), { before })
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

test('Claim on publish counts what others had in flight when the lane was locked, not what was read before', async () => {
  const publishing = await publishSlowly(2)
  await publishClaimed(1, publishClaim(workerId))
  expect((await publishing.go()).claimed).toHaveLength(2)
  expect(await laneOf(lane)).toMatchObject({ in_flight: 3, leased_by: workerId })
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

  test('A delivery that was claimed on publish is rescued after its lease and not before; a late worker changes nothing', async () => {
    const [delivery] = (await publishClaimed(1, publishClaim(workerId))) as [ClaimedDelivery]
    const rescueAt = (ms: number) => rescueDeliveries(queue.database.write, { before: timestamp(ms) }, timestamp())
    expect(await rescueAt(delivery.leaseEndsAt)).toBe(0)
    expect(await rescueAt(delivery.leaseEndsAt + 1)).toBe(1)
    expect(await laneOf(lane)).toMatchObject({ in_flight: 0 })
    expect(await claimWoken(lane)).toMatchObject([{ eventId: delivery.eventId, attemptNumber: 2, windowAttempts: 1 }])
    await settleAll([{ delivery, attempt, status: 'succeeded' }])
    expect(await laneOf(lane)).toMatchObject({ in_flight: 1 })
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
  expect(await laneOf(lane)).toMatchObject({ in_flight: 2 })
  expect(await run('select distinct org_id from deliveries')).toEqual([{ org_id: queue.organizationId }])
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

/** Begins to publish, and holds the statement after it has taken its snapshot and before it looks for a lane. */
async function publishSlowly(count: number) {
  await run(`
    create function hold() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(1); return null; end';
    create trigger held before insert on events for each statement
      when (current_setting('application_name') = 'slow') execute function hold()`)
  const release = await keepLock(queue.database)
  const publishing = queue.database.transaction(async (tx) => {
    await tx.rows(sql`set local application_name = 'slow'`)
    return publishIn(tx, queue.organizationId, count, { claim: publishClaim(workerId) })
  })
  await expect.poll(() => isBlocked(queue.database.write)).toBe(true)
  return {
    go: async () => {
      await release()
      return publishing
    },
  }
}
