import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimedDelivery, FirstDue, LaneKey } from '../../src/delivery/queue/delivery.ts'
import { createOverdue } from '../../src/delivery/queue/in-flight.ts'
import { createSettler } from '../../src/delivery/queue/settler.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { settleOnce } from '../support/queue.ts'
import {
  claim,
  countDeliveries,
  dropQueue,
  maxInFlight,
  openQueue,
  queue,
  settleAll,
  succeeded,
  toRetry,
  wake,
  wakeAll,
  wrongLanes,
} from '../support/raced-queue.ts'

beforeEach(openQueue)
afterEach(dropQueue)

const patient = { timeout: 20_000 }

const locations = () =>
  queue.database.write.rows(sql<{ eventId: string; rowLocation: string }>`
    select event_id as "eventId", ctid as "rowLocation" from deliveries order by ctid`)

const byWebhook = (one: LaneKey, other: LaneKey) => (one.webhookId < other.webhookId ? -1 : 1)

test('A settlement changes nothing of a delivery that was moved to the row location of its own, though one claim has both', async () => {
  await queue.addWebhooks(1, 6)
  const { waiting } = await queue.publish(3)
  await wakeAll(waiting.map((webhookId) => ({ organizationId: queue.organizationId, webhookId })))
  const claimed = await claim(25_000)
  const rewrite = () => queue.database.write.rows(sql`vacuum full deliveries`)
  // Else what the claim has left of the rows before stands between them.
  await expect
    .poll(async () => {
      await rewrite()
      return (await locations()).map(({ rowLocation }) => rowLocation)
    }, patient)
    .toEqual(['(0,1)', '(0,2)', '(0,3)'])
  const byPlace = (await locations()).map(({ eventId, rowLocation }) => ({
    ...(claimed.find((each) => each.eventId === eventId) as ClaimedDelivery),
    rowLocation,
  }))
  const [first, second, third] = byPlace as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
  await settleAll([succeeded(first)])
  // A vacuum moves nothing while a snapshot of this database, such as autovacuum's own as it analyzes, still sees the first.
  const vacuumed = async () => {
    await rewrite()
    return queue.database.write.rows(sql`
      select event_id as "eventId" from deliveries where ctid = ${second.rowLocation}::tid`)
  }
  await expect.poll(vacuumed, patient).toEqual([{ eventId: third.eventId }])
  await settleAll([succeeded(second)])
  expect(await countDeliveries()).toMatchObject({ finished: 1, pending: 2 })
  expect(await wrongLanes()).toEqual([])
})

test('A settlement waits for nobody: deliveries of a locked lane are returned, all others are written', async () => {
  const lanes = (await queue.addWebhooks(3, maxInFlight)) as [LaneKey, LaneKey, LaneKey]
  await queue.publish(1)
  await wake(lanes)
  const settlements = (await claim(20)).map((delivery) =>
    delivery.webhookId === lanes[2].webhookId ? toRetry(delivery, 60_000) : succeeded(delivery),
  )
  const settleUnlocked = () => settleOnce(queue.database.write, settlements, maxInFlight)
  await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = any(${[lanes[0].webhookId, lanes[2].webhookId]}) for update`)
    expect((await settleUnlocked()).locked.toSorted(byWebhook)).toEqual([lanes[0], lanes[2]].toSorted(byWebhook))
    expect(await countDeliveries()).toMatchObject({ finished: 1, pending: 2 })
    expect(await wrongLanes()).toEqual([])
  })
  expect((await settleUnlocked()).locked).toEqual([])
  expect(await countDeliveries()).toMatchObject({ finished: 2, pending: 1 })
  expect(await wrongLanes()).toEqual([])
})

test('Outcomes that a settler could not write for a locked lane hold up no other one, and are written as soon as possible', async () => {
  const [locked, other] = (await queue.addWebhooks(2, maxInFlight)) as [LaneKey, LaneKey]
  await queue.publish(1)
  await wake([locked, other])
  const claimed = await claim(20)
  const { settleSoon, statements } = openSettler()
  const done: string[] = []
  const settleEach = () =>
    claimed.map(async (delivery) => {
      await settleSoon(delivery)
      done.push(delivery.webhookId)
    })
  const settling = await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${locked.webhookId} for update`)
    const begun = settleEach()
    await expect.poll(() => done).toEqual([other.webhookId])
    const before = statements()
    await expect.poll(statements).toBeGreaterThan(before + 1)
    expect(done).toEqual([other.webhookId])
    return [begun]
  })
  await Promise.all(settling.flat())
  expect(await countDeliveries()).toMatchObject({ finished: 2, pending: 0 })
  expect(await wrongLanes()).toEqual([])
})

test('A settler that has hundreds of outcomes for a locked lane asks seldom, and writes those of another lane at once', async () => {
  const [locked, other] = (await queue.addWebhooks(2, 800)) as [LaneKey, LaneKey]
  await queue.publish(300)
  await wakeAll([locked, other])
  const claimed = await claim(600)
  const { held = [], free = [] } = Object.groupBy(claimed, (each) =>
    each.webhookId === locked.webhookId ? 'held' : 'free',
  )
  expect([held.length, free.length]).toEqual([300, 300])
  const { settleSoon, statements } = openSettler()
  const settling = await queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${locked.webhookId} for update`)
    const begun = held.map(settleSoon)
    await expect.poll(statements).toBeGreaterThan(1)
    const before = statements()
    const began = performance.now()
    for (const delivery of free.slice(0, 10)) await settleSoon(delivery)
    await wait(500)
    expect(statements() - before).toBeLessThan((performance.now() - began) / 5)
    return [begun]
  })
  await Promise.all(settling.flat())
  expect(await countDeliveries()).toMatchObject({ finished: 310 })
})

test('A settlement whose reply was lost reports its deliveries as due at once, and neither writes nor reports them again', async () => {
  const lanes = await queue.addWebhooks(1, 1)
  await queue.publish(2)
  await wake(lanes)
  const [delivery] = (await claim(1)) as [ClaimedDelivery]
  const reported: FirstDue[] = []
  const settler = openSettler({ lostAnswers: 1, onDue: (first) => reported.push(first) })
  await settler.settleSoon(delivery)
  const soon = expect.toSatisfy((at) => at <= Date.now())
  expect(reported).toEqual([{ healthy: soon, unhealthy: soon }])
  expect(settler.statements()).toBe(2)
})

/** Counts its statements; the first of them are written, but it does not hear of that. */
function openSettler({ lostAnswers = 0, onDue = (_: FirstDue) => {} } = {}) {
  const ignored = () => {}
  let count = 0
  const write: Queries = {
    rows: async (statement) => {
      count++
      const rows = await queue.database.write.rows(statement)
      if (count <= lostAnswers) throw new Error('the answer is lost')
      return rows
    },
  }
  const settler = createSettler({
    overdue: createOverdue(),
    database: { ...queue.database, write },
    clock: runningClock(),
    requestsPerWebhook: maxInFlight,
    onDue,
    workerId: makeId(Date.now()),
    cooldownMs: 0,
    failingAfterMs: 60_000,
    pauseAfterMs: 60_000,
    onSettled: ignored,
    onError: ignored,
  })
  return {
    settleSoon: (delivery: ClaimedDelivery) => settler.settle(succeeded(delivery)),
    statements: () => count,
  }
}

test('A delivery that was taken over while its first worker logged it leaves the queue when it ends, and stays in the log once', async () => {
  await queue.addWebhooks(1, maxInFlight)
  const { waiting } = await queue.publish(1)
  await wakeAll(waiting.map((webhookId) => ({ organizationId: queue.organizationId, webhookId })))
  const [delivery] = (await claim(25_000)) as [ClaimedDelivery]
  await queue.database.write.rows(sql`
    insert into finished_deliveries (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
    select org_id, webhook_id, event_id, trigger_name, 'succeeded', 1, '[]', now() from deliveries`)
  await settleAll([succeeded(delivery)])
  expect(await countDeliveries()).toMatchObject({ finished: 1, pending: 0 })
  expect(await wrongLanes()).toEqual([])
})
