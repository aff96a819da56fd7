import { afterEach, beforeEach, expect, test } from 'vitest'
import { runningClock } from '../src/clock.ts'
import type { Database } from '../src/database/database.ts'
import { claimDeliveries } from '../src/delivery/claim-store.ts'
import { armLanes } from '../src/delivery/lane-store.ts'
import { createSweep } from '../src/delivery/sweep.ts'
import { makeId } from '../src/identifiers.ts'
import { claimable, type Queue, testQueue } from './support/queue.ts'

let queue: Queue

beforeEach(async () => {
  queue = await testQueue(4)
})

afterEach(() => queue.drop())

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** One delivery of a webhook of its own, claimed with a lease of so long. Gives the claim. */
async function claimOne(leaseMs: number) {
  const owner = makeId(Date.now())
  const lanes = await queue.addWebhooks(1)
  await queue.publish(1)
  await armLanes(queue.database.write, lanes, timestamp(), owner)
  const claim = makeId(Date.now())
  const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + leaseMs) }
  await claimDeliveries(queue.database.write, { ...times, owner, claim, claimable: claimable(100) })
  return claim
}

const inFlight = () =>
  queue.database.write.rows<object>({ name: '', text: 'select claim from deliveries where in_flight', values: [] })

/** The first statement that has this text fails. */
function failingOnce(part: string): Database {
  let hasFailed = false
  const rows: Database['write']['rows'] = async (statement) => {
    if (hasFailed || !statement.text.includes(part)) return queue.database.write.rows(statement)
    hasFailed = true
    throw new Error('the database is away')
  }
  return { ...queue.database, write: { rows } }
}

function startSweeps(database: Database, isAlone = false) {
  const told: unknown[] = []
  const log = { info: () => {}, error: (values: object) => told.push(values) }
  let wakes = 0
  const sweep = createSweep({ database, clock: runningClock(), isAlone, log }, () => {
    wakes += 1
  })
  return { run: sweep.begin, stop: sweep.stop, untilNext: sweep.untilNext, wakes: () => wakes, told }
}

test('a sweep that fails after its rescue has told of what is due again, and is tried again within a second', async () => {
  await claimOne(-1)
  const sweeps = startSweeps(failingOnce('recursive pending'))
  await sweeps.run()
  expect(await inFlight()).toEqual([])
  expect(sweeps).toMatchObject({ told: [{ err: expect.objectContaining({ message: 'the database is away' }) }] })
  expect(sweeps.wakes()).toBe(2)
  expect(sweeps.untilNext()).toBeLessThanOrEqual(1_000)
  await expect.poll(sweeps.untilNext, { timeout: 2_000 }).toBeLessThan(0)
  await sweeps.run()
  expect(sweeps.wakes()).toBe(3)
  expect(sweeps.untilNext()).toBeGreaterThan(10_000)
})

test('what a dead process left is taken back at once where no other runs, also when the first sweep fails; nothing of one’s own', async () => {
  const inherited = await claimOne(24_000)
  const sweeps = startSweeps(failingOnce('expired as'), true)
  await sweeps.run()
  expect(await inFlight()).toEqual([{ claim: inherited }])
  const own = await claimOne(25_000)
  await expect.poll(sweeps.untilNext, { timeout: 2_000 }).toBeLessThan(0)
  await sweeps.run()
  expect(await inFlight()).toEqual([{ claim: own }])
})

test('a stop lets it end the statement that is under way, and begin no other', async () => {
  await claimOne(-1)
  const begun: string[] = []
  const rows: Database['write']['rows'] = (statement) => {
    begun.push(statement.text)
    void sweeps.stop()
    return queue.database.write.rows(statement)
  }
  const sweeps = startSweeps({ ...queue.database, write: { rows } })
  await sweeps.run()
  expect(begun).toEqual([expect.stringContaining('expired as')])
  expect(await inFlight()).toEqual([])
})
