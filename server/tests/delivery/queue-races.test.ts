import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { ClaimedDelivery, LaneKey, Settlement } from '../../src/delivery/queue/delivery.ts'
import { nextLaneDue } from '../../src/delivery/queue/store/lanes.ts'
import { rescueDeliveries, sweepLanes } from '../../src/delivery/queue/store/rescue.ts'
import { rescueUnqueued } from '../../src/delivery/queue/store/unqueued.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { claimable, isBlocked, keepLock, publishClaim, settleOnce } from '../support/queue.ts'
import {
  claim,
  countDeliveries,
  dropQueue,
  maxInFlight,
  openQueue,
  queue,
  rescue,
  settleAll,
  succeeded,
  timestamp,
  toRetry,
  wake,
  wakeAll,
  workerId,
  wrongLanes,
} from '../support/raced-queue.ts'

beforeEach(openQueue)
afterEach(dropQueue)

/** No row security policy holds up a superuser. */
const obeysPolicies = inject('superuser')?.user !== inject('postgres').user

const sweep = (from?: LaneKey) =>
  sweepLanes(queue.database.write, { now: timestamp(), lapsedBefore: timestamp(), workerId }, from)

/** Lanes that sleep, or will, although they have a delivery to claim by then and may have more in flight. */
const sleepingLanes = () =>
  queue.database.write.rows(sql`
    select webhook_id from lanes l
     where in_flight < max_in_flight and not saturated and exists (select from deliveries d where d.org_id = l.org_id and d.webhook_id = l.webhook_id
                      and not d.is_leased and l.next_due_at > greatest(d.available_at, ${timestamp()}))`)

describe('Deliveries that nobody might wake', () => {
  test('A delivery committed while its lane is being claimed is not forgotten: the waker is told to wake the lane again', async () => {
    const lanes = await queue.addWebhooks(1, maxInFlight)
    await queue.publish(1)
    await wake(lanes)
    await queue.database.transaction(async (tx) => {
      expect(await claim(20, { queries: tx })).toHaveLength(1)
      await queue.publish(1)
      expect(await wake(lanes)).toMatchObject({ isForeign: false, locked: lanes })
    })
    expect(await wake(lanes)).toMatchObject({ isForeign: false, locked: [] })
    expect(await sleepingLanes()).toEqual([])
    expect(await claim(20)).toHaveLength(1)
  })

  test('A wake-up and a settlement say which dispatcher has something to claim', async () => {
    const [healthy, other] = (await queue.addWebhooks(2, 1)) as [LaneKey, LaneKey]
    await queue.database.write.rows(sql`update lanes set healthy = (webhook_id = ${healthy.webhookId})`)
    await queue.publish(2)
    expect(await wake([healthy])).toEqual({ isForeign: false, unhealthyDue: Infinity, locked: [] })
    const soon = expect.toSatisfy((at) => at <= Date.now())
    expect(await wake([healthy, other])).toEqual({ isForeign: false, unhealthyDue: soon, locked: [] })
    const claimed = await claim(2)
    const settleFor = async ({ webhookId }: LaneKey, outcome: (delivery: ClaimedDelivery) => Settlement) => {
      const settlements = claimed.filter((delivery) => delivery.webhookId === webhookId).map(outcome)
      return (await settleOnce(queue.database.write, settlements, 1)).firstDue
    }
    const failed = (delivery: ClaimedDelivery) => toRetry(delivery, 60_000)
    expect(await settleFor(healthy, succeeded)).toEqual({ healthy: soon, unhealthy: Infinity })
    expect(await settleFor(other, failed)).toEqual({ healthy: Infinity, unhealthy: soon })
  })

  test('A lane that a process of an older version left both healthy and failing is claimed', async () => {
    const lanes = await queue.addWebhooks(1, maxInFlight)
    await queue.database.write.rows(sql`update lanes set healthy = true, failing = true`)
    await queue.publish(1)
    await wake(lanes)
    expect(await nextLaneDue(queue.database.write, workerId, claimable(20))).toBeLessThanOrEqual(Date.now())
    expect(await claim(20)).toHaveLength(1)
  })

  test('A lane is woken although a lane of another webhook is locked', async () => {
    const [lane, ...others] = (await queue.addWebhooks(3, maxInFlight)) as [LaneKey, ...LaneKey[]]
    await queue.publish(1)
    await queue.database.transaction(async (tx) => {
      await tx.rows(sql`select from lanes where webhook_id = ${lane.webhookId} for update`)
      expect(await wake([lane, ...others])).toMatchObject({ isForeign: false, locked: [lane] })
      expect(await claim(20)).toHaveLength(2)
    })
  })

  test.runIf(obeysPolicies)(
    'A delivery that was committed and announced between a claim and its locks, the lane being due already, is not forgotten',
    async () => {
      const lanes = await queue.addWebhooks(1, maxInFlight)
      await wake(lanes)
      const held = await holdClaim()
      await queue.publish(1)
      await wake(lanes)
      expect(await held.release()).toEqual([])
      expect(await sleepingLanes()).toEqual([])
      expect(await claim(20)).toHaveLength(1)
    },
  )
})

describe('The order of a claim', () => {
  test('A claim gives first the deliveries of the lane that has waited longest', async () => {
    const longestFirst = (await queue.addWebhooks(12, maxInFlight)).map(({ webhookId }) => webhookId).toReversed()
    await queue.publish(3)
    await queue.database.write.rows(sql`
      update lanes set next_due_at = now() - interval '1 minute' + n * interval '1 ms'
        from unnest(${longestFirst}::uuid[]) with ordinality as due (id, n) where webhook_id = id`)

    const claimed = await claim(100)

    expect(claimed.map(({ webhookId }) => webhookId)).toEqual(longestFirst.flatMap((id) => [id, id, id]))
  })

  test('A claim gives each delivery as its row has it, and of a lane the oldest first, also among retries', async () => {
    const lanes = await queue.addWebhooks(2, maxInFlight)
    await queue.publish(3)
    await wakeAll(lanes)
    const first = await claim(100)
    await settleAll(first.map((delivery, index) => (index % 3 ? toRetry(delivery, -1_000) : succeeded(delivery))))
    await queue.publish(2)
    await wakeAll(lanes)

    const claimed = await claim(100)

    const rows = await queue.database.write.rows(sql<object>`
      select webhook_id as "webhookId", event_id as "eventId", ctid as "rowLocation", attempts_count as "attemptNumber", window_attempts as "windowAttempts"
        from deliveries where is_leased`)
    expect(rows).toHaveLength(8)
    expect(claimed).toHaveLength(rows.length)
    expect(claimed).toEqual(expect.arrayContaining(rows.map((row) => expect.objectContaining(row))))
    expect(claimed.map(({ attemptNumber }) => attemptNumber)).toEqual([2, 2, 1, 1, 2, 2, 1, 1])
  })
})

test.runIf(obeysPolicies)(
  'A delivery is not claimed before it is due by a claim that read the queue before it was deferred',
  async () => {
    const lanes = await queue.addWebhooks(1, maxInFlight)
    await queue.publish(1)
    await wake(lanes)
    const held = await holdClaim({ clockAheadMs: 200 })
    const [delivery] = await claim(20)
    await settleAll([toRetry(delivery as ClaimedDelivery, 60_000)])
    await wake(lanes)
    expect(await held.release()).toEqual([])
    expect(await wrongLanes()).toEqual([])
  },
)

test.each([
  ['succeeded', succeeded],
  ['failed', (delivery: ClaimedDelivery) => toRetry(delivery, 60_000)],
])('A worker that comes after its lease with a request that %s changes nothing', async (_, outcome) => {
  const lanes = await queue.addWebhooks(1, maxInFlight)
  await queue.publish(1)
  await wake(lanes)
  const [late] = await claim(1, { leaseMs: -1 })
  expect(await rescue()).toBe(1)
  await settleAll([outcome(late as ClaimedDelivery)])
  const [again] = await claim(1)
  expect(again).toMatchObject({ eventId: late?.eventId, attemptNumber: 2, windowAttempts: 1 })
  await settleAll([outcome(late as ClaimedDelivery)])
  expect(await wrongLanes()).toEqual([])
  expect(await countDeliveries()).toMatchObject({ finished: 0, pending: 1 })
  await settleAll([succeeded(again as ClaimedDelivery)])
  expect(await countDeliveries()).toMatchObject({ finished: 1, pending: 0, attempts: 2 })
})

test('A rescue waits for nobody: deliveries of a locked lane are left to the next rescue', async () => {
  const lanes = await queue.addWebhooks(2, maxInFlight)
  const [locked] = lanes as [LaneKey, LaneKey]
  await queue.publish(2)
  await wakeAll(lanes)
  await claim(20, { leaseMs: -1 })
  await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${locked.webhookId} for update`)
    expect(await rescue()).toBe(2)
    expect(await rescue()).toBe(0)
  })
  expect(await rescue()).toBe(2)
  expect(await wrongLanes()).toEqual([])
  expect(await sleepingLanes()).toEqual([])
})

test('What is taken back from a lost worker while its lane is locked is in the queue, and due with the next sweep', async () => {
  const [lane] = (await queue.addWebhooks(1, maxInFlight)) as [LaneKey]
  const { claimed } = await queue.publish(1, { claim: publishClaim(workerId) })
  expect(claimed).toHaveLength(1)
  await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${lane.webhookId} for update`)
    expect(await rescueUnqueued(queue.database.write, workerId, Date.now(), timestamp())).toBe(1)
    expect(await sweep()).toMatchObject({ woken: 0 })
  })
  expect(await sleepingLanes()).toEqual([lane.webhookId].map((webhook_id) => ({ webhook_id })))
  expect(await sweep()).toMatchObject({ woken: 1 })
  expect(await sleepingLanes()).toEqual([])
  expect(await claim(1)).toMatchObject([{ eventId: claimed[0]?.eventId, attemptNumber: 2 }])
})

test('A locked lane with more deliveries than one rescue takes hides no other lane', async () => {
  const [locked] = (await queue.addWebhooks(1, 1_600)) as [LaneKey]
  await queue.publish(1_200)
  await wakeAll([locked])
  for (let claimed = 0; claimed < 1_200; ) claimed += (await claim(1_200, { leaseMs: -2 })).length
  const [other] = (await queue.addWebhooks(1, maxInFlight)) as [LaneKey]
  await queue.publish(1)
  await wakeAll([other])
  await claim(1, { leaseMs: -1, by: makeId(2) })
  await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${locked.webhookId} for update`)
    expect(await rescue()).toBe(1)
  })
  expect(await rescue()).toBe(1_000)
  expect(await rescue()).toBe(200)
})

test('A delivery that was claimed and certainly not sent counts no attempt', async () => {
  const lanes = await queue.addWebhooks(1, maxInFlight)
  await queue.publish(1)
  await wakeAll(lanes)
  const [lost] = await claim(1)
  const lapsed = { before: 'infinity', leaseTokens: [lost?.leaseToken ?? ''] }
  expect(await rescueDeliveries(queue.database.write, lapsed, timestamp())).toBe(1)
  expect(await claim(1)).toMatchObject([{ attemptNumber: 1, windowAttempts: 1 }])
})

describe('Page events of a webhook', () => {
  const wide = 12
  const run = (text: string) => queue.database.write.rows<object>({ name: '', text, values: [] })
  const name = (count: number, eventName: string) =>
    run(`update deliveries set trigger_name = '${eventName}' where event_id in
           (select event_id from deliveries order by event_id limit ${count})`)
  const namesOf = (claimed: ClaimedDelivery[]) => claimed.map(({ triggerName }) => triggerName)

  test('Page events are claimed behind all other due deliveries, however long they have waited', async () => {
    const lanes = await queue.addWebhooks(1, wide)
    await queue.publish(wide)
    await name(9, 'VirtualPageLoaded_v1')
    await wakeAll(lanes)
    const order = namesOf([...(await claim(8)), ...(await claim(8))])
    expect(order.slice(0, 3)).toEqual(Array(3).fill('PersonCreated_v1'))
    expect(order.slice(3)).toEqual(Array(wide - 3).fill('VirtualPageLoaded_v1'))
  })

  test('Page events are claimed before what is due later, and wake their lane when they are due first', async () => {
    const lanes = await queue.addWebhooks(1, wide)
    await queue.publish(3)
    await name(2, 'VirtualPageLoaded_v1')
    await run(`update deliveries set available_at = now() + interval '1 hour' where trigger_name = 'PersonCreated_v1'`)
    const later = `update deliveries set available_at = '2030-01-01Z' where ctid =
      (select ctid from deliveries where trigger_name = 'VirtualPageLoaded_v1' limit 1)`
    await run(later)
    await wakeAll(lanes)
    expect(namesOf(await claim(maxInFlight))).toEqual(['VirtualPageLoaded_v1'])
    await run(`update deliveries set available_at = '2031-01-01Z' where trigger_name = 'PersonCreated_v1'`)
    await wakeAll(lanes)
    await claim(maxInFlight)
    const dueAt = () => run('select next_due_at from lanes')
    expect(await dueAt()).toEqual([{ next_due_at: new Date('2030-01-01Z') }])
    await run(`update lanes set next_due_at = 'infinity'`)
    await sweep()
    expect(await dueAt()).toEqual([{ next_due_at: new Date('2030-01-01Z') }])
  })
})

describe('A sweep of more than one statement', () => {
  test('A sweep of forgotten lanes goes on where one statement stops', async () => {
    await queue.addWebhooks(5_100, 1)
    await queue.publish(1)
    expect(await sleepingLanes()).toHaveLength(5_100)
    const { next } = await sweep()
    expect(await sleepingLanes()).toHaveLength(100)
    expect(await sweep(next)).toMatchObject({ next: undefined, hasLapsed: false })
    expect(await sleepingLanes()).toEqual([])
  })

  test('A sweep of deliveries whose webhook was removed goes on where one statement stops', async () => {
    const lanes = await queue.addWebhooks(1, 1)
    await queue.publish(1_500)
    await queue.database.write.rows(sql`delete from lanes where webhook_id = ${lanes[0]?.webhookId}`)
    const { next } = await sweep()
    expect(await countDeliveries()).toMatchObject({ pending: 500 })
    expect(await sweep(next)).toMatchObject({ next: undefined, hasLapsed: false })
    expect(await countDeliveries()).toMatchObject({ pending: 0 })
  })
})

/**
 * Begins a claim and holds it after it has taken its snapshot and before it locks a lane: a row security policy waits
 * for a lock that is held here.
 */
async function holdClaim({ clockAheadMs = 0 } = {}) {
  const { connection, database } = queue
  const statements = [
    `create function pause() returns boolean language plpgsql as
       'begin perform pg_advisory_xact_lock_shared(1); return true; end'`,
    'alter table lanes enable row level security, force row level security',
    `create policy paused on lanes using (current_setting('application_name') <> 'held' or pause())`,
  ]
  for (const text of statements) await database.write.rows({ name: '', text, values: [] })
  const release = await keepLock(database)
  const held = openDatabase({ ...connection, application_name: 'held' }, 1)
  const claimed = claim(20, { queries: held.write, now: Date.now() + clockAheadMs })
  await expect.poll(() => isBlocked(database.write)).toBe(true)
  return {
    release: async () => {
      await release()
      const deliveries = await claimed
      await held.close()
      return deliveries
    },
  }
}
