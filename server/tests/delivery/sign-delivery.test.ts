import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { dayMs as day } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { writeLog } from '../support/log.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let inside: Database
let service: Service
let organization: Organization
let path: string
let webhook: string

/** Of today; moves when a test moves it. */
const noon = Math.floor(Date.now() / day) * day + day / 2
let now = noon

beforeAll(async () => {
  receiver = await startReceiver()
  database = await testDatabase()
  inside = openDatabase(database, 1)
  service = await startService({ connection: database, receiver, clock: { now: () => now }, keyring: makeKeyring() })
})
afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop(), inside?.close()])
  await database?.drop()
})
beforeEach(async () => {
  now = noon
  organization = await service.organization()
  path = `/${organization.id}/hook`
  const id = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  webhook = `/organizations/webhooks/${id}`
})

const ask = (method: string, address: string, body?: unknown, headers = {}) =>
  service.as(organization, method, address, body, headers)
const get = async (id: string) => (await ask('GET', `${webhook}/deliveries/${id}`)).body.result
const sign = (id: string, headers = {}) => ask('POST', `${webhook}/deliveries/${id}/sign`, undefined, headers)
const untilStatus = (id: string, status: string) => expect.poll(async () => (await get(id)).status).toBe(status)

async function publish(): Promise<string> {
  const { body } = await ask('POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  return body.result[0].event_id
}

const idIn = (address: string) => address.split('/').at(-1) as string

/** As the receiver does it. */
async function verify(token: string) {
  const { body } = await ask('GET', '/organizations/webhooks/verification-jwks')
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(body), {
    audience: organization.id,
    currentDate: new Date(now),
  })
  return { payload, kid: protectedHeader.kid }
}

test('A delivery is signed anew as the next attempt would be, and nothing is sent or counted', async () => {
  const id = await publish()
  await untilStatus(id, 'succeeded')
  const before = await get(id)
  const moved = receiver.url(`${path}/moved`)
  await ask('PATCH', webhook, { target_url: moved })
  now += 60_000
  const { status, headers, body } = await sign(id)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  const { token, kid, claims } = body.result
  const [sent] = receiver.received(path).map((request) => decodeJwt(request.body))
  const signed = await verify(token)
  expect(signed.kid).toBe(kid)
  expect(signed.payload).toEqual({
    ...sent,
    jti: expect.not.stringMatching(sent?.jti ?? ''),
    iat: now / 1000,
    exp: now / 1000 + 300,
    target_url: moved,
  })
  expect({ ...claims, trigger_content: sent?.trigger_content }).toEqual(signed.payload)
  expect(await get(id)).toEqual(before)
  expect(receiver.all().filter(({ path: at }) => at.startsWith(path))).toHaveLength(1)
})

test('A delivery is signed anew in each state that waits or ended', async () => {
  receiver.behave(path, { status: 500 })
  const pending = await publish()
  await expect.poll(async () => (await get(pending)).attempts).toHaveLength(1)
  expect((await sign(pending)).status).toBe(200)
  await ask('PATCH', webhook, { enabled: false })
  const held = await publish()
  expect((await get(held)).status).toBe('held')
  expect((await sign(held)).status).toBe(200)
  await ask('DELETE', `${webhook}/triggers?trigger_type=event&trigger_name=PersonCreated_v1`)
  await ask('PATCH', webhook, { enabled: true })
  await untilStatus(held, 'cancelled')
  expect((await sign(held)).status).toBe(200)
})

test('Of a hook run, of what is no delivery, and of an event that is older than events are kept, nothing is signed', async () => {
  const id = makeId(now)
  const hook = { status: 'dropped', triggerType: 'sync_hook', triggerName: 'token_minted' }
  await writeLog(inside.write, { organizationId: organization.id, webhookId: idIn(webhook) }, [id], hook)
  expect(await sign(id)).toMatchObject(refused(400, 'delivery: is a hook run, whose content is not kept'))
  expect(await sign(makeId(now))).toMatchObject(refused(404, 'delivery: not found'))
  const elsewhere = `/organizations/webhooks/${makeId(now)}/deliveries/${id}/sign`
  expect(await ask('POST', elsewhere)).toMatchObject(refused(404, 'webhook: not found'))
  const old = await publish()
  await untilStatus(old, 'succeeded')
  now += 31 * day
  expect(await sign(old)).toMatchObject({ status: 409 })
})

test('Only admin keys have a delivery signed, each time anew; the audit log says who and which token, and nothing keeps it', async () => {
  const id = await publish()
  await untilStatus(id, 'succeeded')
  const { body } = await ask('POST', '/organizations/api-keys', { scopes: ['deliveries:write', 'events:write'] })
  const narrow = { id: organization.id, apiKey: body.result.api_key }
  expect(await service.as(narrow, 'POST', `${webhook}/deliveries/${id}/sign`)).toMatchObject({ status: 403 })
  const repeated = { 'Idempotency-Key': 'once' }
  const answers = [await sign(id, repeated), await sign(id, repeated)]
  const signed = answers.map((answer) => answer.body.result)
  expect(signed[0].token).not.toBe(signed[1].token)
  expect(answers[1]?.headers.has('idempotent-replayed')).toBe(false)
  const log = (await ask('GET', '/organizations/audit-log?action=signDelivery')).body.result
  expect(log).toMatchObject(
    signed.toReversed().map(({ kid, claims: { jti, exp } }) => ({
      target: { type: 'delivery', id },
      after: { webhook_id: idIn(webhook), trigger_name: 'PersonCreated_v1', kid, jti, exp },
    })),
  )
  for (const { token } of signed) expect(JSON.stringify(log)).not.toContain(token.split('.')[2])
})
