import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { addLogoutApplication, openLogouts, verifyLogout } from '../support/logouts.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const person = '0199a3f2-5c00-7000-8000-0242ac120009'
const unknownId = '01890000-0000-7000-8000-000000000000'

let receiver: Receiver
let names: NameServer
let signet: OwnSignet
let logouts: ReturnType<typeof openLogouts>
let ours: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  names = await startNameServer({ 'private.test': { A: ['10.255.255.1'] } })
  signet = await startOwnSignet({
    receiver,
    nodeOptions: ['--import', join(import.meta.dirname, '../faults/support/own-resolver.ts')],
    env: { FAULT_NAME_SERVER: names.address, SIGNET_LOG_LEVEL: 'info' },
  })
  logouts = openLogouts(signet.database)
})

beforeEach(async () => {
  ours = await signet.organization()
})

afterAll(async () => {
  await logouts?.close()
  await Promise.all([signet?.stop(), receiver?.stop(), names?.stop()])
})

const ask = (method: string, path: string, body?: unknown, organization = ours) =>
  signet.as(organization, method, path, body)

/** An application with an address of its own. */
async function application(name = 'app', fields: object = {}) {
  const path = `/${ours.id}/${name}`
  const clientId = await addLogoutApplication(signet, ours, receiver.url(path), fields)
  const resource = `/organizations/applications/${clientId}`
  return { path, clientId, resource, deliveries: `${resource}/deliveries` }
}
type Logout = { id: string; status: string; sid?: string; next_attempt_at?: string; [field: string]: unknown }
type Application = Awaited<ReturnType<typeof application>>

const listed = async ({ deliveries }: Application, query = '') =>
  (await ask('GET', `${deliveries}${query}`)).body.result as Logout[]

/** The only one of an application, once it has ended; what was cancelled ends with the next sweep. */
async function ended(of: Application, status: string) {
  await expect.poll(async () => (await listed(of)).map((each) => each.status), { timeout: 30_000 }).toEqual([status])
  const [{ id = '' } = {}] = await listed(of)
  return { id, ...(await ask('GET', `${of.deliveries}/${id}`)).body.result }
}

async function inFlight(clientId: string) {
  const database = openDatabase(signet.database, 1)
  const rows = await database.read.rows(sql`select in_flight from lanes where webhook_id = ${clientId}`)
  await database.close()
  return rows
}

describe('What is sent', () => {
  test('An application gets a logout token that jose verifies with the key set of ID tokens', async () => {
    const app = await application()
    await logouts.end(ours, { clientId: app.clientId, subject: person, sid: 'a-session' })
    const [request] = await receiver.waitFor(app.path, 1)
    expect(request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect(request?.headers['user-agent']).toMatch(/^Signet\//)
    const body = request?.body ?? ''
    expect([...new URLSearchParams(body).keys()]).toEqual(['logout_token'])
    const { payload, protectedHeader } = await verifyLogout(signet, ours, app.clientId, { body })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'logout+jwt', kid: expect.any(String) })
    const { iat = 0 } = payload
    expect(payload).toEqual({
      iss: `${signet.baseUrl}/oidc/${ours.id}`,
      aud: app.clientId,
      sub: person,
      sid: 'a-session',
      iat,
      exp: iat + 120,
      jti: expect.any(String),
      events: { [logoutEvent]: {} },
    })
    const delivery = await ended(app, 'succeeded')
    expect(delivery).toMatchObject({
      client_id: app.clientId,
      trigger_type: 'logout',
      trigger_name: 'logout',
      sub: person,
      sid: 'a-session',
      attempts_count: 1,
      last_status_code: 200,
      attempts: [
        { number: 1, jti: payload.jti, status_code: 200, request: { kid: protectedHeader.kid, claims: payload } },
      ],
    })
  })

  test('The token is signed with the algorithm of the application, and says no more than it was given', async () => {
    const app = await application('es256', { id_token_signed_response_alg: 'ES256' })
    receiver.behave(app.path, { status: 204 })
    await logouts.end(ours, { clientId: app.clientId, subject: person })
    const [request] = await receiver.waitFor(app.path, 1)
    const { payload, protectedHeader } = await verifyLogout(signet, ours, app.clientId, { body: request?.body ?? '' })
    expect(protectedHeader.alg).toBe('ES256')
    expect(payload).not.toHaveProperty('sid')
    expect(payload).not.toHaveProperty('nonce')
    expect(await ended(app, 'succeeded')).toMatchObject({ last_status_code: 204 })
  })

  test('An application without an address, of another organization, or unknown is told nothing', async () => {
    const app = await application()
    const silent = await addLogoutApplication(signet, ours, undefined)
    const theirs = await signet.organization()
    const foreign = { clientId: app.clientId, sid: 'foreign' }
    await logouts.end(theirs, foreign)
    await logouts.end(
      ours,
      { clientId: silent, sid: 'a' },
      { clientId: unknownId, sid: 'b' },
      { clientId: app.clientId, sid: 'c' },
    )
    const [request] = await receiver.waitFor(app.path, 1)
    expect((await verifyLogout(signet, ours, app.clientId, { body: request?.body ?? '' })).payload.sid).toBe('c')
    await ended(app, 'succeeded')
    expect((await ask('GET', `/organizations/applications/${silent}/deliveries`)).body.result).toEqual([])
    expect(await ask('GET', app.deliveries, undefined, theirs)).toMatchObject(refused(404, 'application: not found'))
  })

  test('A private address is refused, as for a webhook', async () => {
    const clientId = await addLogoutApplication(signet, ours, 'https://private.test/logout')
    await logouts.end(ours, { clientId, sid: 'a' })
    const list = () => ask('GET', `/organizations/applications/${clientId}/deliveries`)
    await expect.poll(async () => (await list()).body.result[0].last_error).toBe('name_not_found')
    // The owner is not told what is in the operator's network; the operator is.
    const line = signet
      .output()
      .split('\n')
      .find((text) => text.includes(clientId) && text.includes('forbidden_address'))
    expect(line).toBeDefined()
  })
})

describe('What becomes of it', () => {
  test('400 is the final word of an application: dropped, with what it said, and not tried again', async () => {
    const app = await application()
    receiver.behave(app.path, { status: 400, body: '{"error":"invalid_request"}' })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    const delivery = await ended(app, 'dropped')
    expect(delivery).toMatchObject({
      reason: 'refused_by_application',
      attempts: [{ status_code: 400, answer: '{"error":"invalid_request"}' }],
    })
    expect(delivery).not.toHaveProperty('next_attempt_at')
  })

  test('Another status is tried again after ten seconds', async () => {
    const app = await application()
    receiver.behave(app.path, { status: 500 })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    await expect.poll(async () => (await listed(app))[0]).toMatchObject({ status: 'pending', attempts_count: 1 })
    const [{ id = '', next_attempt_at: next = '' } = {} as Partial<Logout>] = await listed(app)
    const { attempts } = (await ask('GET', `${app.deliveries}/${id}`)).body.result
    expect(Date.parse(next) - Date.parse(attempts[0].started_at)).toBe(10_000)
  })

  test('One that is delivered again is signed anew, and only once it has ended', async () => {
    const app = await application()
    receiver.behave(app.path, { inTurn: [{ status: 400 }, { status: 500 }] })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    const { id } = await ended(app, 'dropped')
    const again = () => ask('POST', `${app.deliveries}/${id}/redeliver`)
    expect(await again()).toMatchObject({ status: 202 })
    const requests = await receiver.waitFor(app.path, 2)
    const tokens = await Promise.all(requests.map((request) => verifyLogout(signet, ours, app.clientId, request)))
    expect(new Set(tokens.map(({ payload }) => payload.jti)).size).toBe(2)
    expect(tokens.map(({ payload }) => payload.sid)).toEqual(['a', 'a'])
    await expect.poll(async () => (await listed(app))[0]).toMatchObject({ status: 'pending', attempts_count: 2 })
    expect(await again()).toMatchObject({ status: 409 })
    expect(await ask('POST', `${app.deliveries}/${unknownId}/redeliver`)).toMatchObject(
      refused(404, 'delivery: not found'),
    )
    const { body } = await ask('GET', '/organizations/audit-log?action=redeliverLogout')
    expect(body.result).toMatchObject([{ target: { type: 'delivery', id }, after: { client_id: app.clientId } }])
  })

  test('An attempt goes to the present address; without one, or without its application, it is cancelled', async () => {
    const app = await application()
    receiver.behave(app.path, { status: 400 })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    const { id } = await ended(app, 'dropped')
    const moved = `${app.path}-moved`
    receiver.behave(moved, { status: 500 })
    await ask('PATCH', app.resource, { backchannel_logout_uri: receiver.url(moved) })
    await ask('POST', `${app.deliveries}/${id}/redeliver`)
    await receiver.waitFor(moved, 1)
    await expect.poll(async () => (await listed(app))[0]).toMatchObject({ status: 'pending' })
    await ask('PATCH', app.resource, { backchannel_logout_uri: null })
    expect(await ended(app, 'cancelled')).toMatchObject({ reason: 'logout_uri_removed' })
    expect(await ask('POST', `${app.deliveries}/${id}/redeliver`)).toMatchObject({ status: 409 })
    expect(await ask('DELETE', app.resource)).toMatchObject({ status: 204 })
    expect(await ask('GET', app.deliveries)).toMatchObject(refused(404, 'application: not found'))
    expect(receiver.received(moved)).toHaveLength(1)
  })

  test('An address that is taken away and given back while a token is on its way leaves nothing of it in flight', async () => {
    const app = await application()
    receiver.behave(app.path, { delayMs: 2_000 })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    await receiver.waitFor(app.path, 1)
    for (const backchannel_logout_uri of [null, receiver.url(app.path)])
      await ask('PATCH', app.resource, { backchannel_logout_uri })
    await ended(app, 'succeeded')
    // Counted otherwise, no other process would ever take the lane over.
    const lanes = await inFlight(app.clientId)
    expect(lanes).toEqual([{ in_flight: 0 }])
  })

  test('A list has the newest first, by state and page by page', async () => {
    const app = await application()
    receiver.behave(app.path, { inTurn: [{ status: 400 }, { status: 200 }] })
    await logouts.end(ours, { clientId: app.clientId, sid: '0' })
    await ended(app, 'dropped')
    for (const sid of ['1', '2']) await logouts.end(ours, { clientId: app.clientId, sid })
    await expect.poll(async () => (await listed(app, '?status=succeeded')).length).toBe(2)
    expect((await listed(app)).map(({ sid }) => sid)).toEqual(['2', '1', '0'])
    expect((await listed(app, '?status=dropped')).map(({ sid }) => sid)).toEqual(['0'])
    const { body } = await ask('GET', `${app.deliveries}?limit=2`)
    expect((await listed(app, `?limit=2&after=${body.meta.next}`)).map(({ sid }) => sid)).toEqual(['0'])
  })
})

describe('Beside webhooks', () => {
  test('It is no webhook and no event: not listed, not matched, not in the feed', async () => {
    const app = await application()
    const hook = `/${ours.id}/hook`
    const webhookId = await addWebhook(signet, ours, receiver.url(hook), eventNames)
    receiver.behave(app.path, { status: 500 })
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    await receiver.waitFor(app.path, 1)
    receiver.behave(app.path, { status: 400 })
    await logouts.end(ours, { clientId: app.clientId, sid: 'b' })
    await expect.poll(async () => (await listed(app)).map(({ status }) => status)).toEqual(['dropped', 'pending'])
    const [{ id = '' } = {}] = await listed(app)
    const webhooks = (await ask('GET', '/organizations/webhooks')).body.result as { id: string }[]
    expect(webhooks.map((each) => each.id)).toEqual([webhookId])
    for (const query of ['', '?status=dropped', '?status=pending', `?webhook_id=${app.clientId}`])
      expect((await ask('GET', `/organizations/deliveries${query}`)).body.result).toEqual([])
    expect((await ask('GET', '/events')).body.result).toEqual([])
    const asWebhook = `/organizations/webhooks/${app.clientId}`
    for (const path of [asWebhook, `${asWebhook}/deliveries`, `${asWebhook}/deliveries/${id}`])
      expect(await ask('GET', path)).toMatchObject({ status: 404 })
    expect(await ask('POST', `${asWebhook}/deliveries/${id}/redeliver`)).toMatchObject({ status: 404 })
    expect(await ask('PATCH', asWebhook, { enabled: false })).toMatchObject({ status: 404 })
    expect(await ask('GET', `${app.deliveries}?status=wrong`)).toMatchObject({ status: 400 })
    expect(receiver.received(hook)).toEqual([])
  })

  test('Statistics count logout tokens apart from deliveries, one that is sent once more where it ended last', async () => {
    const app = await application()
    const since = new Date(Date.now() - 600_000).toISOString()
    const counted = async () => {
      const { body } = await ask('GET', `/organizations/statistics?since=${since}&step=10m`)
      return { deliveries: body.result.deliveries.succeeded, logouts: body.result.logouts.succeeded }
    }
    const { deliveries, logouts: before } = await counted()
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    const { id } = await ended(app, 'succeeded')
    expect(await counted()).toEqual({ deliveries, logouts: before + 1 })
    await ask('POST', `${app.deliveries}/${id}/redeliver`)
    await receiver.waitFor(app.path, 2)
    await ended(app, 'succeeded')
    expect(await counted()).toEqual({ deliveries, logouts: before + 1 })
  })

  test('An application that never answers does not delay another one of its organization', async () => {
    const dead = await application('dead')
    const live = await application('live')
    receiver.behave(dead.path, { hang: true })
    const of = ({ clientId }: Application, count: number) =>
      Array.from({ length: count }, (_, n) => ({ clientId, sid: `${n}` }))
    await logouts.end(ours, ...of(dead, 40))
    await receiver.waitFor(dead.path, 1)
    await logouts.end(ours, ...of(live, 20))
    await receiver.waitFor(live.path, 20)
    expect((await listed(dead, '?status=succeeded')).length).toBe(0)
    await expect.poll(async () => (await listed(live, '?status=succeeded')).length).toBe(20)
  })

  test('A paused webhook, and one that is deleted, leave logout tokens as they were', async () => {
    const app = await application()
    const webhookId = await addWebhook(signet, ours, receiver.url(`/${ours.id}/gone`), ['PersonCreated_v1'])
    await ask('PATCH', `/organizations/webhooks/${webhookId}`, { enabled: false })
    await ask('DELETE', `/organizations/webhooks/${webhookId}`)
    await logouts.end(ours, { clientId: app.clientId, sid: 'a' })
    await ended(app, 'succeeded')
  })
})
