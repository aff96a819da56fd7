import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createSweep } from '../../src/delivery/queue/rescue.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import type { Database } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { claimable, type Queue, testQueue } from '../support/queue.ts'

let queue: Queue

beforeEach(async () => {
  queue = await testQueue(4)
})

afterEach(() => queue.drop())

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** One delivery of a webhook of its own, claimed with a lease of so long. Gives the claim. */
async function claimOne(leaseMs: number) {
  const workerId = makeId(Date.now())
  const lanes = await queue.addWebhooks(1)
  await queue.publish(1)
  await wakeLanes(queue.database.write, lanes, timestamp(), workerId)
  const claim = makeId(Date.now())
  const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + leaseMs) }
  await claimDeliveries(queue.database.write, { ...times, workerId, leaseToken: claim, claimable: claimable(100) })
  return claim
}

const inFlight = () =>
  queue.database.write.rows<object>({
    name: '',
    text: 'select lease_token from deliveries where is_leased',
    values: [],
  })

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
  const errors: unknown[] = []
  const log = { info: () => {}, error: (values: object) => errors.push(values) }
  let wakes = 0
  const dependencies = { database, clock: runningClock(), workerId: makeId(Date.now()), isAlone, log }
  const claimSoon = () => {
    wakes += 1
  }
  const sweep = createSweep(dependencies, { claimSoon, trySoon: () => {}, idleSince: () => undefined })
  sweep.start()
  onTestFinished(() => sweep.stop())
  return { ...sweep, wakes: () => wakes, errors }
}

test('A sweep that fails is tried again long before the next one, and reports only what became due', async () => {
  await claimOne(-1)
  const sweeps = startSweeps(failingOnce('expired as'))
  await expect
    .poll(() => sweeps.errors)
    .toEqual([{ err: expect.objectContaining({ message: 'the database is away' }) }])
  expect(sweeps.wakes()).toBe(0)
  await expect.poll(inFlight, { timeout: 10_000 }).toEqual([])
  await expect.poll(sweeps.wakes).toBeGreaterThan(0)
})

test('A sweep wakes a lane that was forgotten, at once when it is asked to', async () => {
  const sweeps = startSweeps(queue.database)
  const [lane] = await queue.addWebhooks(1)
  await queue.publish(1)
  const sleeping = () =>
    queue.database.write.rows(sql`select from lanes where webhook_id = ${lane?.webhookId} and next_due_at = 'infinity'`)
  expect(await sleeping()).toHaveLength(1)
  sweeps.soon()
  await expect.poll(sleeping).toEqual([])
  await expect.poll(sweeps.wakes).toBe(1)
})

test('Leases of a dead process are taken back at once where no other runs, also when the first sweep fails, and none of one’s own', async () => {
  const inherited = await claimOne(24_000)
  const sweeps = startSweeps(failingOnce('recursive pending'), true)
  await expect.poll(() => sweeps.errors).toHaveLength(1)
  expect(await inFlight()).toEqual([{ lease_token: inherited }])
  const own = await claimOne(25_100)
  await expect.poll(inFlight, { timeout: 10_000 }).toEqual([{ lease_token: own }])
})

test('A sweep that is stopped ends the statement that is under way, and begins no other', async () => {
  await claimOne(-1)
  const begun: string[] = []
  const rows: Database['write']['rows'] = (statement) => {
    begun.push(statement.text)
    void sweeps.stop()
    return queue.database.write.rows(statement)
  }
  const sweeps = startSweeps({ ...queue.database, write: { rows } })
  await sweeps.stop()
  expect(begun).toEqual([expect.stringContaining('recursive pending')])
  expect(await inFlight()).toHaveLength(1)
})
