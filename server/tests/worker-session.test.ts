import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ask } from '../src/database/ask.ts'
import type { Queries } from '../src/database/database.ts'
import { sql } from '../src/database/sql.ts'
import { claimDeliveries } from '../src/delivery/claim-store.ts'
import type { LaneKey } from '../src/delivery/lane-key.ts'
import { armLanes } from '../src/delivery/lane-store.ts'
import { rescueDeliveries } from '../src/delivery/rescue-store.ts'
import { forgetLost, lookAtWorkers, registerWorker } from '../src/delivery/worker-session-store.ts'
import { makeId } from '../src/identifiers.ts'
import { claimable, type Queue, testQueue } from './support/queue.ts'

let queue: Queue

beforeEach(async () => {
  queue = await testQueue(4)
})

afterEach(() => queue.drop())

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** A process with a session of its own. `registeredMs`: so long ago. */
async function startWorker({ registeredMs = 60_000 } = {}) {
  const owner = makeId(Date.now())
  const open = async () => {
    const client = new pg.Client(queue.connection)
    client.on('error', () => {})
    onTestFinished(() => client.end())
    await client.connect()
    const queries: Queries = { rows: (statement) => ask(client, statement) }
    await registerWorker(queries, owner)
    return { client, queries }
  }
  let session = await open()
  await run(
    `update workers set registered_at = now() - interval '${registeredMs} milliseconds' where owner = '${owner}'`,
  )
  return {
    owner,
    look: () => lookAtWorkers(session.queries, owner),
    die: async () => {
      await session.client.end()
      await expect.poll(() => holdsLock(owner)).toBe(false)
    },
    registerAgain: async () => {
      session = await open()
    },
  }
}

async function holdsLock(owner: string) {
  const [row] = await queue.database.write.rows(sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${owner}::uuid::text, 0)) as is_free`)
  return !row?.is_free
}

const passTime = (ms: number) => run(`update workers set lost_at = lost_at - interval '${ms} milliseconds'`)

async function claim(owner: string, lanes: LaneKey[]) {
  await armLanes(queue.database.write, lanes, timestamp(), owner)
  const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + 25_000) }
  const options = { ...times, owner, claim: makeId(Date.now()), claimable: claimable(100) }
  return (await claimDeliveries(queue.database.write, options)).deliveries
}

const giveBack = (lostOwner: string) =>
  rescueDeliveries(queue.database.write, { before: 'infinity', lostOwner }, timestamp())

test('a worker is lost once it has no session, and has five seconds from when that was first seen', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  expect(await one.look()).toMatchObject({ lost: [] })
  await other.die()
  const lost = [{ owner: other.owner, leftMs: 5_000 }]
  expect(await one.look()).toMatchObject({ lost })
  await passTime(4_000)
  expect(await one.look()).toMatchObject({ lost: [{ leftMs: expect.toSatisfy((ms) => ms > 0 && ms <= 1_000) }] })
  await passTime(1_000)
  expect(await one.look()).toMatchObject({ lost: [{ leftMs: expect.toSatisfy((ms) => ms <= 0) }] })
})

test('one that registers again is not lost, and has all its time when it loses its session once more', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  await other.die()
  await one.look()
  await passTime(10_000)
  await other.registerAgain()
  expect(await one.look()).toMatchObject({ lost: [] })
  await other.die()
  expect(await one.look()).toMatchObject({ lost: [{ leftMs: 5_000 }] })
})

test('who has only just registered gives all others their time, however long they were lost before', async () => {
  const [gone, one] = [await startWorker(), await startWorker()]
  await gone.die()
  await one.look()
  await passTime(60_000)
  const late = await startWorker({ registeredMs: 1_000 })
  expect(await late.look()).toMatchObject({
    lost: [{ owner: gone.owner, leftMs: expect.toSatisfy((ms) => ms > 0 && ms <= 4_000) }],
  })
})

test('what a lost worker holds is given back, nothing of others, and then it is forgotten', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  const lanes = await queue.addWebhooks(2, 10)
  await queue.publish(3)
  expect(await claim(one.owner, lanes.slice(0, 1))).toHaveLength(3)
  expect(await claim(other.owner, lanes.slice(1))).toHaveLength(3)
  await other.die()
  await one.look()
  await forgetLost(queue.database.write, other.owner)
  expect(await run('select from workers')).toHaveLength(2)
  expect(await giveBack(other.owner)).toBe(3)
  const inFlight = await run<{ webhook_id: string }>('select distinct webhook_id from deliveries where in_flight')
  expect(inFlight.map(({ webhook_id }) => webhook_id)).toEqual([lanes[0]?.webhookId])
  await forgetLost(queue.database.write, other.owner)
  expect(await run('select owner from workers')).toEqual([{ owner: one.owner }])
})

test('nothing is taken from a worker that has registered again since it was found lost', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  const lanes = await queue.addWebhooks(1, 10)
  await queue.publish(3)
  await claim(other.owner, lanes)
  await other.die()
  await one.look()
  await passTime(5_000)
  await other.registerAgain()
  expect(await giveBack(other.owner)).toBe(0)
  await run(`update workers set lost_at = 'epoch'`)
  expect(await giveBack(other.owner)).toBe(0)
  await run(`update workers set lost_at = null`)
  await other.die()
  expect(await giveBack(other.owner)).toBe(0)
})

test('a look tells when a lane is due that may be claimed, of each kind, and whether anything is in flight', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  expect(await one.look()).toEqual({ lost: [], isBusy: false, firstDue: { quick: Infinity, notQuick: Infinity } })
  const [quick] = (await queue.addWebhooks(1, 10)) as [LaneKey]
  const [notQuick] = (await queue.addWebhooks(1)) as [LaneKey]
  await run(`update lanes set next_due_at = '2030-01-01Z' where webhook_id = '${quick.webhookId}'`)
  await run(`update lanes set next_due_at = '2031-01-01Z' where webhook_id = '${notQuick.webhookId}'`)
  const firstDue = { quick: Date.parse('2030-01-01Z'), notQuick: Date.parse('2031-01-01Z') }
  expect(await one.look()).toEqual({ lost: [], isBusy: false, firstDue })
  await queue.publish(1)
  await claim(other.owner, [quick])
  await run(`update lanes set next_due_at = '2030-01-01Z' where webhook_id = '${quick.webhookId}'`)
  expect(await one.look()).toMatchObject({ isBusy: true, firstDue: { ...firstDue, quick: Infinity } })
})
