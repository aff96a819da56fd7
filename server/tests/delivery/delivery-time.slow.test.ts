import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { sweepLanes } from '../../src/delivery/queue/store/rescue.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { dayMs as day, toDay } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { claimable } from '../support/queue.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { prepareWakeUp } from '../support/wake-worker.ts'
import { addWebhook } from '../support/webhooks.ts'

const second = 1_000
const minute = 60_000
const keyring = makeKeyring()

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let organization: Organization
let wakeUp: Awaited<ReturnType<typeof prepareWakeUp>>

/** Stands still, and moves when a test moves it. */
const clock = { now: () => now }
let now: number

beforeAll(async () => {
  receiver = await startReceiver()
})

afterAll(() => receiver?.stop())

beforeEach(async () => {
  now = Math.floor(Date.now() / day) * day + day / 2
  database = await testDatabase()
  service = await start()
  organization = await service.organization()
  wakeUp = await prepareWakeUp(service, receiver)
})

afterEach(async () => {
  await service.stop()
  await database.drop()
})

const start = (roles = 'api,worker') =>
  startService({ connection: database, receiver, clock, keyring, env: { SIGNET_ROLES: roles } })

async function restart(roles: string) {
  await service.stop()
  service = await start(roles)
}

async function subscribe(name: string, fields = {}) {
  const path = `/${organization.id}/${name}`
  const id = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'], fields)
  return { path, id }
}

async function publish(): Promise<string> {
  const { body } = await service.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  return body.result[0].event_id
}

const wakeWorker = () => wakeUp(service)

/** A worker that has just started begins when its thread is ready. */
const fromStart = { timeout: 10_000 }

/** What became of all that was claimed is written: only then may the clock be moved, or what a claim finds be changed. */
const settled = () => expect.poll(() => query('select from deliveries where is_leased')).toEqual([])

/** So many calls have come. */
async function attempted(path: string, count: number) {
  const requests = await receiver.waitFor(path, count)
  await settled()
  return requests
}

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query<Row>(text).finally(() => client.end())
  return rows
}

const finished = (webhookId: string) =>
  query<{ status: string; reason: string | null; attempts_count: number }>(
    `select status, reason, attempts_count from finished_deliveries where webhook_id = '${webhookId}'`,
  )

const minutesOf = (path: string, from: number) =>
  receiver.received(path).map(({ body }) => ((decodeJwt(body).iat ?? 0) - Math.floor(from / second)) / 60)

/** Calls that fail, through the whole schedule; gives when they were made, in minutes after the first. */
async function followSchedule(path: string): Promise<number[]> {
  const first = now
  for (const [index, after] of [1, 3, 7, 15, 25].entries()) {
    await attempted(path, index + 1)
    now = first + after * minute - 1
    await wakeWorker()
    expect(receiver.received(path)).toHaveLength(index + 1)
    now = first + after * minute
    await wakeWorker()
  }
  await attempted(path, 6)
  for (const after of [30, 35, 120]) {
    now = first + after * minute
    await wakeWorker()
  }
  return minutesOf(path, first)
}

describe('The standard schedule (6.2, rule 4)', () => {
  // Proves 6.2, rule 4/2, 6.2, rule 4/3, 8/8.
  test('A delivery is attempted at 0, 1, 3, 7, 15 and 25 minutes, then dropped', async () => {
    const { path, id } = await subscribe('failing')
    receiver.behave(path, { status: 500 })
    await publish()
    expect(await followSchedule(path)).toEqual([0, 1, 3, 7, 15, 25])
    await expect
      .poll(() => finished(id))
      .toEqual([{ status: 'dropped', reason: 'retry_window_over', attempts_count: 6 }])
  })

  test('A success at the last attempt is a success', async () => {
    const { path, id } = await subscribe('late')
    receiver.behave(path, { first: { times: 5, status: 500 } })
    await publish()
    expect(await followSchedule(path)).toEqual([0, 1, 3, 7, 15, 25])
    await expect.poll(() => finished(id)).toEqual([{ status: 'succeeded', reason: null, attempts_count: 6 }])
  })
})

describe('Forty minutes without a worker', () => {
  // Proves 6.2, rule 4/3.
  test('Deliveries that waited forty minutes for a worker all arrive, and none is dropped untried', async () => {
    const webhooks = [await subscribe('a'), await subscribe('b')]
    await restart('api')
    const published: string[] = []
    for (let index = 0; index < 30; index++) {
      published.push(await publish())
      now += minute
    }
    now += 10 * minute
    await restart('worker')
    for (const { path, id } of webhooks) {
      const claims = (await receiver.waitFor(path, 30)).map(({ body }) => decodeJwt(body))
      expect(claims.map(({ sub }) => sub).sort()).toEqual(published.sort())
      for (const { iat } of claims) expect(iat).toBe(Math.floor(now / 1000))
      await expect.poll(() => finished(id)).toHaveLength(30)
      expect((await finished(id)).every(({ status }) => status === 'succeeded')).toBe(true)
    }
  })

  // Proves 6.2, rule 4/3.
  test('The window of a delivery opens with the first attempt, however late that is', async () => {
    const { path, id } = await subscribe('failing')
    receiver.behave(path, { status: 500 })
    await restart('api')
    await publish()
    now += 40 * minute
    await restart('api,worker')
    expect(await followSchedule(path)).toEqual([0, 1, 3, 7, 15, 25])
    await expect.poll(() => finished(id)).toMatchObject([{ status: 'dropped', attempts_count: 6 }])
  })

  test('A delivery that was attempted before the outage gets one more attempt, and is dropped only when that fails', async () => {
    const [recovered, failing] = [await subscribe('recovered'), await subscribe('failing')]
    for (const { path } of [recovered, failing]) receiver.behave(path, { status: 500 })
    await publish()
    for (const { path } of [recovered, failing]) await attempted(path, 1)
    await restart('api')
    receiver.behave(recovered.path, { status: 200 })
    now += 40 * minute
    await restart('api,worker')
    for (const { path } of [recovered, failing]) await attempted(path, 2)
    await expect.poll(() => finished(recovered.id)).toMatchObject([{ status: 'succeeded', attempts_count: 2 }])
    await expect.poll(() => finished(failing.id)).toMatchObject([{ status: 'dropped', attempts_count: 2 }])
  })
})

describe('A worker that died with a delivery', () => {
  test('A dead worker keeps its delivery until the lease of 25 s is over; then another one sends it, with a whole window', async () => {
    const { path, id } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await restart('api')
    const eventId = await publish()
    // Its lane is locked while it is woken.
    await expect.poll(claimAndDie).toMatchObject([{ eventId, attemptNumber: 1 }])
    now += 25 * second
    await restart('api,worker')
    await wakeWorker()
    expect(receiver.received(path)).toEqual([])
    await restart('api')
    now += 10 * minute
    await restart('api,worker')
    expect(await followSchedule(path)).toEqual([0, 1, 3, 7, 15, 25])
    await expect.poll(() => finished(id)).toMatchObject([{ status: 'dropped', attempts_count: 7 }])
  })
})

/** What a worker does before its process is killed. */
async function claimAndDie() {
  const worker = openDatabase(database)
  const [at, leaseEnd] = [now, now + 25 * second].map((ms) => new Date(ms).toISOString()) as [string, string]
  await sweepLanes(worker.write, { now: at, lapsedBefore: at, workerId: makeId(now) })
  const options = { now: at, leaseEnd, leaseToken: makeId(now), workerId: makeId(now), claimable: claimable(10) }
  const { deliveries } = await claimDeliveries(worker.write, options).finally(() => worker.close())
  return deliveries
}

test('Secrets that no master key decrypts for forty minutes cost a delivery no attempt and no time', async () => {
  const { path, id } = await subscribe('hook', { custom_headers: { 'x-token': ['secret'] } })
  receiver.behave(path, { status: 500 })
  const [webhook] = await query(`select encode(custom_headers, 'hex') as encrypted from webhooks where id = '${id}'`)
  await query(`update webhooks set custom_headers = 'unreadable' where id = '${id}'`)
  await publish()
  for (let times = 0; times < 20; times++) {
    now += 2 * minute
    await wakeWorker()
    await settled()
  }
  expect(receiver.received(path)).toEqual([])
  await query(`update webhooks set custom_headers = decode('${webhook?.encrypted}', 'hex') where id = '${id}'`)
  now += minute
  await wakeWorker()
  expect(await followSchedule(path)).toEqual([0, 1, 3, 7, 15, 25])
})

describe('A delivery whose webhook or trigger is deleted', () => {
  const remove = (path: string) => service.as(organization, 'DELETE', `/organizations/webhooks/${path}`)
  const unfinished = (id: string) => query(`select from deliveries where webhook_id = '${id}'`)

  test.each([
    ['pending', {}],
    ['in flight', { delayMs: 500 }],
  ])('No delivery that is %s is left behind when its webhook is deleted', async (_, behaviour) => {
    const { path, id } = await subscribe('hook')
    receiver.behave(path, { status: 500, ...behaviour })
    await publish()
    await attempted(path, 1)
    expect((await remove(id)).status).toBe(204)
    await restart('api,worker')
    await expect.poll(() => finished(id), fromStart).toMatchObject([{ status: 'cancelled', reason: 'webhook_deleted' }])
    expect(await unfinished(id)).toEqual([])
  })

  test('No pending delivery is left behind when its trigger is deleted', async () => {
    const { path, id } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await publish()
    await attempted(path, 1)
    await remove(`${id}/triggers?trigger_type=event&trigger_name=PersonCreated_v1`)
    now += minute
    await wakeWorker()
    await expect.poll(() => finished(id), fromStart).toMatchObject([{ status: 'cancelled', reason: 'trigger_deleted' }])
    expect(await unfinished(id)).toEqual([])
    expect(receiver.received(path)).toHaveLength(1)
  })
})

describe('Day partitions', () => {
  const dayOf = (ms: number) => toDay(ms).replaceAll('-', '')
  const partitionsOf = async (table: string, id: string) => {
    const rows = await query<{ name: string }>(`select tableoid::regclass::text as name from ${table} where ${id}`)
    return rows.map(({ name }) => name)
  }

  test('An event of the last millisecond of a day and one of the next are delivered, each in its partition', async () => {
    const { path } = await subscribe('hook')
    const midnight = Math.ceil(now / day) * day
    for (const at of [midnight - 1, midnight, midnight + 2 * day]) {
      now = at
      const eventId = await publish()
      const arrived = () => receiver.received(path).map(({ body }) => decodeJwt(body).sub)
      await expect.poll(arrived).toContain(eventId)
      expect(await partitionsOf('events', `id = '${eventId}'`)).toEqual([`events_${dayOf(at)}`])
      const log = () => partitionsOf('finished_deliveries', `event_id = '${eventId}'`)
      await expect.poll(log).toEqual([`finished_deliveries_${dayOf(at)}`])
    }
  })

  test('A delivery that failed before midnight is retried after it, with its payload', async () => {
    const { path, id } = await subscribe('hook')
    receiver.behave(path, { first: { times: 1, status: 500 } })
    now = Math.ceil(now / day) * day - 1
    const eventId = await publish()
    await attempted(path, 1)
    now += minute
    await wakeWorker()
    const claims = (await attempted(path, 2)).map(({ body }) => decodeJwt(body))
    expect(claims[1]).toMatchObject({ sub: eventId, trigger_content: claims[0]?.trigger_content })
    await expect.poll(() => finished(id)).toMatchObject([{ status: 'succeeded', attempts_count: 2 }])
  })
})
