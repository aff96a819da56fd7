import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

/** Far less than the sweep, which would find the delivery after up to 20 s. */
const promptMs = 5_000
/** A stop finds the lane locked for so long: it tries again and again, of which nothing shows from outside, for several seconds. */
const lockedMs = 1_000

let database: Awaited<ReturnType<typeof testDatabase>>
let receiver: Receiver
let api: Signet
let worker: Signet

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  api = await startSignet({
    databaseUrl: database.url,
    receiver,
    env: { SIGNET_ROLES: 'api', SIGNET_RATE_TEST_EVENTS: '100000/100000' },
  })
  const env = { SIGNET_ROLES: 'worker', SIGNET_BASE_URL: api.baseUrl }
  worker = await startSignet({ databaseUrl: database.url, receiver, env })
})

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()])
  await receiver?.stop()
  await database?.drop()
})

test('An event that one process accepts is delivered by another at once, also after its listening connection broke', async () => {
  const organization = await api.organization()
  await addWebhook(api, organization, receiver.url('/split'), ['PersonCreated_v1'])
  await api.as(organization, 'POST', '/persons', {})
  await receiver.waitFor('/split', 1, promptMs)
  await breakListener()
  await api.as(organization, 'POST', '/persons', {})
  await receiver.waitFor('/split', 2, promptMs)
})

/** Publications that claim, and wait for a lock: by the statement for it, of which PostgreSQL shows the beginning. */
async function publishersWaiting() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rowCount } = await client.query(`
    select from pg_stat_activity where wait_event_type = 'Lock' and query like '%with named as materialized%'`)
  await client.end()
  return rowCount
}

async function registeredWorkers() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rowCount } = await client.query('select from workers')
  await client.end()
  return rowCount
}

test('Deliveries that a process claims on publish while it stops are sent by another at once', async () => {
  const stopping = await startSignet({ databaseUrl: database.url, receiver, env: { SIGNET_BASE_URL: api.baseUrl } })
  const organization = await stopping.organization()
  // Its worker begins some time after it is ready; before, what it publishes is not claimed.
  await expect.poll(registeredWorkers, { timeout: promptMs }).toBe(2)
  await addWebhook(stopping, organization, receiver.url('/claiming'), ['PersonCreated_v1'])
  for (let times = 1; times <= 2; times++) {
    await stopping.as(organization, 'POST', '/persons', {})
    await receiver.waitFor('/claiming', times, promptMs)
  }
  const { posted, stopped } = await withEventsLocked(async () => {
    const posted = stopping.as(organization, 'POST', '/persons', {})
    await vi.waitFor(async () => expect(await publishersWaiting()).toBe(1), promptMs)
    const stopped = stopping.stop()
    // Its worker has ended by then, and waits for nothing but requests.
    await wait(500)
    return { posted, stopped }
  })
  expect(await posted).toMatchObject({ status: 201 })
  await stopped
  await receiver.waitFor('/claiming', 3, promptMs)
})

/** Nothing can be published meanwhile. */
async function withEventsLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const locker = new pg.Client({ connectionString: database.url })
  await locker.connect()
  try {
    await locker.query('begin; lock table events in share mode')
    return await work()
  } finally {
    await locker.end()
  }
}

test('Events that a stopping process could not wake a worker for are delivered by another process at once', async () => {
  const env = { SIGNET_ROLES: 'api', SIGNET_BASE_URL: api.baseUrl }
  const stopping = await startSignet({ databaseUrl: database.url, receiver, env })
  const organization = await stopping.organization()
  await addWebhook(stopping, organization, receiver.url('/stopping'), ['PersonCreated_v1'])
  const locker = new pg.Client({ connectionString: database.url })
  await locker.connect()
  let stopped: Promise<unknown> | undefined
  try {
    await locker.query('begin; select from lanes for update')
    await stopping.as(organization, 'POST', '/persons', {})
    stopped = stopping.stop()
    await wait(lockedMs)
  } finally {
    await locker.end()
    await (stopped ?? stopping.stop())
  }
  await receiver.waitFor('/stopping', 1, promptMs)
})

type ToCall = (id: string) => [method: string, path: string, body?: object]
const deleting: ToCall = (id) => ['DELETE', `/organizations/webhooks/${id}`]

test.each<[what: string, toCall: ToCall]>([
  ['its webhook is deleted', deleting],
  [
    'its trigger is deleted',
    (id) => ['DELETE', `${deleting(id)[1]}/triggers?trigger_type=event&trigger_name=PersonCreated_v1`],
  ],
  ['its webhook is paused', (id) => ['PATCH', deleting(id)[1], { enabled: false }] as const],
])('A delivery that another process has claimed is not sent any more once %s', async (what, toCall) => {
  const organization = await api.organization()
  const path = `/${what}`.replaceAll(' ', '-')
  const id = await addWebhook(api, organization, receiver.url(path), ['PersonCreated_v1'])
  const publish = (count: number) =>
    api.as(organization, 'POST', '/test-events', Array(count).fill({ event_name: 'PersonCreated_v1' }))
  await publish(1)
  await receiver.waitFor(path, 1)
  // Ten calls at once: some forty are taken up and wait, far less than a second's worth.
  receiver.behave(path, { delayMs: 100 })
  for (let call = 0; call < 4; call++) await publish(50)
  await receiver.waitFor(path, 15)
  await api.as(organization, ...toCall(id))
  const answered = receiver.received(path).length
  await expect.poll(() => unsettled(id), { timeout: 10_000 }).toBe(0)
  // Those that were being called, and what began while the other process was told.
  expect(receiver.received(path).length).toBeLessThanOrEqual(answered + 20)
})

test('A process that only works serves its health, and nothing else', async () => {
  expect((await worker.call('GET', '/readyz')).status).toBe(200)
  expect((await worker.call('GET', '/groups')).status).toBe(404)
})

async function unsettled(webhookId: string): Promise<number> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(`select from deliveries where is_leased and webhook_id = '${webhookId}'`)
  await client.end()
  return rows.length
}

async function breakListener() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory' and objsubid = 1)`,
  )
  await client.end()
  expect(rowCount).toBe(1)
}
