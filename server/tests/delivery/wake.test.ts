import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LaneKey } from '../../src/delivery/queue/delivery.ts'
import { createLaneWaker, createWake, type LaneWaker, wakeIntervalMs } from '../../src/delivery/queue/wake.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { type Queue, testQueue } from '../support/queue.ts'

const patience = { timeout: 10_000, interval: 5 }

let queue: Queue
let lanes: LaneKey[]
let wakings: number
let laneWaker: LaneWaker
let wake: () => void
let allWoken: () => Promise<void>

/** A process without a worker. */
beforeEach(async () => {
  queue = await testQueue(4)
  lanes = await queue.addWebhooks(2)
  wakings = 0
  const errors: unknown[] = []
  const onFailpoint = (failpoint: string) => {
    if (failpoint === 'woken') wakings += 1
  }
  const { database, organizationId } = queue
  const workerId = makeId(Date.now())
  const onError = (error: unknown) => errors.push(error)
  laneWaker = createLaneWaker({ database, clock: runningClock(), workerId, isAlone: false, onFailpoint, onError })
  const waking = createWake({ database, laneWaker, worker: undefined, onFailpoint })
  const webhookIds = lanes.map(({ webhookId }) => webhookId)
  wake = () => waking.wake(organizationId, webhookIds)
  allWoken = waking.allWoken
  return () => expect(errors).toEqual([])
})

afterEach(async () => {
  await allWoken()
  await queue.drop()
})

const asleep = async () =>
  (await queue.database.write.rows(sql`select from lanes where next_due_at = 'infinity'`)).length

test('Lanes are woken at once, and then as often as the other processes are told', async () => {
  const began = performance.now()
  wake()
  await expect.poll(() => wakings, { ...patience, interval: 1 }).toBe(1)
  expect(await asleep()).toBe(0)
  const wakeAndCount = () => {
    wake()
    return wakings
  }
  await expect.poll(wakeAndCount, patience).toBeGreaterThan(3)
  expect(wakings).toBeLessThanOrEqual(1 + (performance.now() - began) / (wakeIntervalMs - 1))
})

test('Lanes published to right after a waking are woken by the next one, which a stop waits for', async () => {
  wake()
  await expect.poll(() => wakings, { ...patience, interval: 1 }).toBe(1)
  await queue.database.write.rows(sql`update lanes set next_due_at = 'infinity'`)
  wake()
  await allWoken()
  expect(await asleep()).toBe(0)
})

test('At most 5,000 lanes of one organization wait to be woken, and those of others still find room', async () => {
  const [one, other] = [makeId(Date.now()), makeId(Date.now())] as const
  for (let count = 0; count < 6_000; count++) laneWaker.add({ organizationId: one, webhookId: makeId(Date.now()) })
  laneWaker.add({ organizationId: other, webhookId: makeId(Date.now()) })
  const woken: unknown[] = []
  const queries: Queries = {
    rows: (statement) => {
      woken.push(...(statement.values[0] as string[]))
      return queue.database.write.rows(statement)
    },
  }
  await laneWaker.wakeAll(queries, () => true)
  expect([one, other].map((id) => woken.filter((each) => each === id).length)).toEqual([5_000, 1])
  for (let count = 0; count < 2; count++) laneWaker.add({ organizationId: one, webhookId: makeId(Date.now()) })
  await laneWaker.wakeAll(queries, () => true)
  expect(woken).toHaveLength(5_003)
})

test('A lane that another transaction has locked is woken once it is free, and the others at once', async () => {
  const free = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = queue.database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${lanes[0]?.webhookId} for update`)
    locked.resolve()
    await free.promise
  })
  await locked.promise
  const other = new pg.Client(queue.connection)
  try {
    wake()
    await expect.poll(asleep, patience).toBe(1)
    const channels: string[] = []
    other.on('notification', ({ channel }) => channels.push(channel))
    await other.connect()
    await other.query('listen signet_due')
    const before = wakings
    await expect.poll(() => wakings, patience).toBeGreaterThan(before + 5)
    // But for what may still be said of the other lane: nothing became due.
    expect(channels.length).toBeLessThan(2)
  } finally {
    free.resolve()
    await Promise.all([locking, other.end()])
  }
  await expect.poll(asleep, patience).toBe(0)
})
