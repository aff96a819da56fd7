import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { pauseAllLanes } from '../../src/delivery/queue/index.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const busy = refused(409, 'webhook: an attempt is under way, or is about to begin')

let database: Awaited<ReturnType<typeof testDatabase>>
let receiver: Receiver
let api: Signet
let organization: Organization
let resource: string
let path: string
let ids: string[]

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  api = await startSignet({
    databaseUrl: database.url,
    receiver,
    env: { SIGNET_ROLES: 'api', SIGNET_RATE_TEST_EVENTS: '100000/100000' },
  })
})

afterAll(async () => {
  await api?.stop()
  await receiver?.stop()
  await database?.drop()
})

/** Three that are held. */
beforeEach(async () => {
  organization = await api.organization()
  path = `/${organization.id}`
  resource = `/organizations/webhooks/${await addWebhook(api, organization, receiver.url(path), ['PersonCreated_v1'])}`
  await ask('PATCH', resource, { enabled: false })
  const { body } = await ask('POST', '/test-events', Array(3).fill({ event_name: 'PersonCreated_v1' }))
  ids = body.result.map(({ event_id }: { event_id: string }) => event_id)
})

const ask = (method: string, at: string, body?: unknown) => api.as(organization, method, at, body)
const tryOne = () => ask('POST', `${resource}/try`)
const read = async (id: string | undefined) => (await ask('GET', `${resource}/deliveries/${id}`)).body.result

async function startWorker(others: object = {}) {
  const env = { SIGNET_ROLES: 'worker', SIGNET_BASE_URL: api.baseUrl, ...others }
  const worker = await startSignet({ databaseUrl: database.url, receiver, env })
  onTestFinished(() => worker.stop().then(() => {}))
  return worker
}

test('A try that no worker was told of is made, once, by the one that starts next', async () => {
  expect(await tryOne()).toMatchObject({ status: 200, body: { result: { delivery_id: ids[0] } } })
  expect(await tryOne()).toMatchObject(busy)
  await Promise.all([startWorker(), startWorker()])
  await expect.poll(async () => (await read(ids[0])).status, { timeout: 20_000 }).toBe('succeeded')
  expect(receiver.received(path)).toHaveLength(1)
  expect((await read(ids[1])).status).toBe('held')
})

test('Workers in other processes are told of a try at once, and one of them makes it', async () => {
  await Promise.all([startWorker(), startWorker()])
  for (const [index, id] of ids.entries()) {
    await expect.poll(async () => (await tryOne()).status).toBe(200)
    await receiver.waitFor(path, index + 1, 5_000)
    await expect.poll(async () => (await read(id)).status).toBe('succeeded')
  }
  expect(receiver.received(path)).toHaveLength(3)
})

test('Tries of many webhooks are made one after the other, without a pause between those that can be made', async () => {
  const add = async (_: unknown, number: number) => {
    const id = await addWebhook(api, organization, receiver.url(`${path}/${number}`), ['PersonCreated_v1'])
    await ask('PATCH', `/organizations/webhooks/${id}`, { enabled: false })
    return id
  }
  const webhooks = await Promise.all(Array.from({ length: 60 }, add))
  await ask('POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  for (const id of webhooks) expect((await ask('POST', `/organizations/webhooks/${id}/try`)).status).toBe(200)
  await startWorker()
  const made = () => webhooks.filter((_, number) => receiver.received(`${path}/${number}`).length > 0)
  await expect.poll(() => made().length, { timeout: 10_000 }).toBe(60)
})

test('A worker that is killed during a try leaves the delivery held, and one can be tried again', async () => {
  receiver.behave(path, { inTurn: [{ hang: true }, { status: 200 }] })
  const doomed = await startWorker()
  expect((await tryOne()).status).toBe(200)
  await receiver.waitFor(path, 1, 10_000)
  expect(await tryOne()).toMatchObject(busy)
  const ended = once(doomed.process, 'exit')
  doomed.process.kill('SIGKILL')
  await ended
  await startWorker()
  await expect.poll(async () => (await read(ids[0])).status, { timeout: 40_000 }).toBe('held')
  const { body } = await tryOne()
  await expect.poll(async () => (await read(body.result.delivery_id)).status, { timeout: 10_000 }).toBe('succeeded')
  expect(receiver.received(path)).toHaveLength(2)
  await ask('PATCH', resource, { enabled: true })
  for (const id of ids) await expect.poll(async () => (await read(id)).status, { timeout: 10_000 }).toBe('succeeded')
  expect(receiver.received(path)).toHaveLength(4)
})

test('A webhook that is paused before a worker takes the try is left alone', async () => {
  await tryOne()
  await ask('PATCH', resource, { enabled: false })
  await startWorker()
  expect(await tryOne()).toMatchObject({ status: 200 })
  await expect.poll(async () => (await read(ids[0])).status, { timeout: 20_000 }).toBe('succeeded')
  expect(receiver.received(path)).toHaveLength(1)
})

test('In a copy that was restored from a backup, what was held before is sent only once its webhook is resumed', async () => {
  const restoring = openDatabase(database)
  await restoring.transaction(pauseAllLanes).finally(restoring.close)
  await startWorker()
  const notHere =
    'webhook: is paused because this database is a copy or its organization moves; it must be resumed first'
  expect(await tryOne()).toMatchObject(refused(409, notHere))
  expect(receiver.received(path)).toHaveLength(0)
  await ask('PATCH', resource, { enabled: true })
  await expect.poll(async () => (await read(ids[0])).status, { timeout: 20_000 }).toBe('succeeded')
})
