import { decodeProtectedHeader } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { addLogoutApplication, openLogouts, verifyLogout } from '../support/logouts.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { prepareWakeUp } from '../support/wake-worker.ts'

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute
const keyring = makeKeyring()
const baseUrl = 'http://localhost:8080'

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let ours: Organization
let logouts: ReturnType<typeof openLogouts>
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
  // Retries of webhooks have a schedule of their own.
  const env = {
    SIGNET_RETRY_INITIAL: '5s',
    SIGNET_RETRY_MAX: '5s',
    SIGNET_RETRY_WINDOW: '7s',
    SIGNET_BASE_URL: baseUrl,
  }
  service = await startService({ connection: database, receiver, clock, keyring, env })
  ours = await service.organization()
  logouts = openLogouts(database, clock)
  wakeUp = await prepareWakeUp(service, receiver)
})

afterEach(async () => {
  await logouts.close()
  await service.stop()
  await database.drop()
})

async function query(text: string) {
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query(text).finally(() => client.end())
  return rows
}

/** What became of all that was claimed is written: only then may the clock be moved. */
async function attempted(path: string, count: number) {
  const requests = await receiver.waitFor(path, count)
  await expect.poll(() => query('select from deliveries where is_leased')).toEqual([])
  return requests
}

async function application() {
  const path = `/${ours.id}/app`
  const clientId = await addLogoutApplication(service, ours, receiver.url(path))
  const deliveries = `/organizations/applications/${clientId}/deliveries`
  const only = async () => (await service.as(ours, 'GET', deliveries)).body.result[0]
  return { path, clientId, deliveries, only }
}

/** A moment before it nothing is sent. */
async function passTo(at: number, path: string) {
  const before = receiver.received(path).length
  now = at - 1
  await wakeUp()
  expect(receiver.received(path)).toHaveLength(before)
  now = at
  await wakeUp()
}

test('Attempts are made at 0, 10 s, 1, 5, 15 and 30 minutes, whatever the schedule of webhooks is; then it is dropped', async () => {
  const { path, clientId, deliveries, only } = await application()
  receiver.behave(path, { status: 503 })
  const first = now
  await logouts.end(ours, { clientId, sid: 'a' })
  for (const [index, after] of [10 * second, minute, 5 * minute, 15 * minute, 30 * minute].entries()) {
    await attempted(path, index + 1)
    await passTo(first + after, path)
  }
  await attempted(path, 6)
  const { id, ...delivery } = await only()
  expect(delivery).toMatchObject({ status: 'dropped', reason: 'retry_window_over', attempts_count: 6 })
  const { attempts } = (await service.as(ours, 'GET', `${deliveries}/${id}`)).body.result
  const begun = attempts.map(({ started_at }: { started_at: string }) => (Date.parse(started_at) - first) / second)
  expect(begun).toEqual([0, 10, 60, 300, 900, 1800])
  expect(new Set(attempts.map(({ jti }: { jti: string }) => jti)).size).toBe(6)
})

test('An attempt is signed with the key of that moment, also after the keys were rotated between two', async () => {
  const { path, clientId } = await application()
  receiver.behave(path, { first: { times: 1, status: 500 } })
  const first = now
  await logouts.end(ours, { clientId, sid: 'a' })
  await attempted(path, 1)
  // Keys are rotated once they are some seconds old.
  now += 5 * second
  const rotated = await service.as(ours, 'POST', '/organizations/sso/oidc/signing-keys/rotate', { emergency: true })
  expect(rotated.status).toBe(202)
  await passTo(first + 10 * second, path)
  const requests = await attempted(path, 2)
  const kids = requests.map(
    ({ body }) => decodeProtectedHeader(new URLSearchParams(body).get('logout_token') ?? '').kid,
  )
  expect(new Set(kids).size).toBe(2)
  const checked = { currentDate: new Date(now), issuer: `${baseUrl}/oidc/${ours.id}` }
  const [former, present] = requests.map((request) => verifyLogout(service, ours, clientId, request, checked))
  await expect(former).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  expect((await present)?.payload).toMatchObject({ sid: 'a', iat: now / second })
})

test('An application that has failed for days is told of the next sign-out all the same: it is never held', async () => {
  const { path, clientId, only } = await application()
  receiver.behave(path, { status: 500 })
  await logouts.end(ours, { clientId, sid: 'a' })
  await attempted(path, 1)
  now += 10 * day
  await wakeUp()
  await attempted(path, 2)
  expect(await query(`select paused_reason from lanes where webhook_id = '${clientId}'`)).toEqual([
    { paused_reason: null },
  ])
  receiver.behave(path, { status: 200 })
  now += minute
  await logouts.end(ours, { clientId, sid: 'b' })
  await attempted(path, 3)
  expect(await only()).toMatchObject({ sid: 'b', status: 'succeeded' })
})
