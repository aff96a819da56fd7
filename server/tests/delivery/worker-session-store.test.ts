import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { LaneKey } from '../../src/delivery/queue/delivery.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { deleteWorker, lookAtWorkers, registerWorker, rescueDeliveries } from '../../src/delivery/queue/store/rescue.ts'
import { ask } from '../../src/ground/database/ask.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { claimable, type Queue, testQueue } from '../support/queue.ts'

let queue: Queue

beforeEach(async () => {
  queue = await testQueue(4)
})

afterEach(() => queue.drop())

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** A process with a session of its own. `registeredMs`: so long ago. */
async function startWorker({ registeredMs = 60_000 } = {}) {
  const id = makeId(Date.now())
  const open = async () => {
    const client = new pg.Client(queue.connection)
    client.on('error', () => {})
    onTestFinished(() => client.end())
    await client.connect()
    const queries: Queries = { rows: (statement) => ask(client, statement) }
    await registerWorker(queries, id)
    return { client, queries }
  }
  let session = await open()
  await run(`update workers set registered_at = now() - interval '${registeredMs} milliseconds' where id = '${id}'`)
  return {
    id,
    look: () => lookAtWorkers(session.queries, id),
    die: async () => {
      await session.client.end()
      await expect.poll(() => holdsLock(id)).toBe(false)
    },
    registerAgain: async () => {
      session = await open()
    },
  }
}

async function holdsLock(id: string) {
  const [row] = await queue.database.write.rows(sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${id}::uuid::text, 0)) as is_free`)
  return !row?.is_free
}

const passTime = (ms: number) => run(`update workers set missing_since = missing_since - interval '${ms} milliseconds'`)

async function claim(workerId: string, lanes: LaneKey[]) {
  await wakeLanes(queue.database.write, lanes, timestamp(), workerId)
  const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + 25_000) }
  const options = { ...times, workerId, leaseToken: makeId(Date.now()), claimable: claimable(100) }
  return (await claimDeliveries(queue.database.write, options)).deliveries
}

const takeBack = (deadWorker: string) =>
  rescueDeliveries(queue.database.write, { before: 'infinity', deadWorker }, timestamp())

test('A worker is missing once it has no session, and has five seconds from when that was first seen', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  expect(await one.look()).toMatchObject({ missing: [] })
  await other.die()
  const missing = [{ id: other.id, leftMs: 5_000 }]
  expect(await one.look()).toMatchObject({ missing })
  await passTime(4_000)
  expect(await one.look()).toMatchObject({ missing: [{ leftMs: expect.toSatisfy((ms) => ms > 0 && ms <= 1_000) }] })
  await passTime(1_000)
  expect(await one.look()).toMatchObject({ missing: [{ leftMs: expect.toSatisfy((ms) => ms <= 0) }] })
})

test('A worker that registers again is not missing, and has five seconds anew when it loses its session once more', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  await other.die()
  await one.look()
  await passTime(10_000)
  await other.registerAgain()
  expect(await one.look()).toMatchObject({ missing: [] })
  await other.die()
  expect(await one.look()).toMatchObject({ missing: [{ leftMs: 5_000 }] })
})

test('A worker that has only just registered gives all others five seconds, however long they were missing before', async () => {
  const [dead, one] = [await startWorker(), await startWorker()]
  await dead.die()
  await one.look()
  await passTime(60_000)
  const late = await startWorker({ registeredMs: 1_000 })
  expect(await late.look()).toMatchObject({
    missing: [{ id: dead.id, leftMs: expect.toSatisfy((ms) => ms > 0 && ms <= 4_000) }],
  })
})

test('Leases of a dead worker are taken back, none of others, and then its row is deleted', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  const lanes = await queue.addWebhooks(2, 10)
  await queue.publish(3)
  expect(await claim(one.id, lanes.slice(0, 1))).toHaveLength(3)
  expect(await claim(other.id, lanes.slice(1))).toHaveLength(3)
  await other.die()
  await one.look()
  await deleteWorker(queue.database.write, other.id, { isDead: true })
  expect(await run('select from workers')).toHaveLength(2)
  expect(await takeBack(other.id)).toBe(3)
  const inFlight = await run<{ webhook_id: string }>('select distinct webhook_id from deliveries where is_leased')
  expect(inFlight.map(({ webhook_id }) => webhook_id)).toEqual([lanes[0]?.webhookId])
  await deleteWorker(queue.database.write, other.id, { isDead: true })
  expect(await run('select id from workers')).toEqual([{ id: one.id }])
})

test('Nothing is taken from a worker that has registered again since it was found missing', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  const lanes = await queue.addWebhooks(1, 10)
  await queue.publish(3)
  await claim(other.id, lanes)
  await other.die()
  await one.look()
  await passTime(5_000)
  await other.registerAgain()
  expect(await takeBack(other.id)).toBe(0)
  await run(`update workers set missing_since = 'epoch'`)
  expect(await takeBack(other.id)).toBe(0)
  await run(`update workers set missing_since = null`)
  await other.die()
  expect(await takeBack(other.id)).toBe(0)
})

test('A look at the lanes tells when the first of each class is due, and whether any delivery is in flight', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  expect(await one.look()).toEqual({ missing: [], isBusy: false, firstDue: { healthy: Infinity, unhealthy: Infinity } })
  const [healthy] = (await queue.addWebhooks(1, 10)) as [LaneKey]
  const [unhealthy] = (await queue.addWebhooks(1)) as [LaneKey]
  await run(`update lanes set next_due_at = '2030-01-01Z' where webhook_id = '${healthy.webhookId}'`)
  await run(`update lanes set next_due_at = '2031-01-01Z' where webhook_id = '${unhealthy.webhookId}'`)
  const firstDue = { healthy: Date.parse('2030-01-01Z'), unhealthy: Date.parse('2031-01-01Z') }
  expect(await one.look()).toEqual({ missing: [], isBusy: false, firstDue })
  await queue.publish(1)
  await claim(other.id, [healthy])
  await run(`update lanes set next_due_at = '2030-01-01Z' where webhook_id = '${healthy.webhookId}'`)
  expect(await one.look()).toMatchObject({ isBusy: true, firstDue: { ...firstDue, healthy: Infinity } })
})
