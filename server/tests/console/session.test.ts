import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import type { Keyring } from '../../src/ground/keys/index.ts'
import { isUuid } from '../../src/ground/runtime/identifiers.ts'
import { noOrganization } from '../../src/identity/console/session-cookie.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { type ConsoleService, cookieOf, holderOf, ownPage, startConsole, suffixOf } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { openStream, type StreamClient } from '../support/event-stream.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'

const hourMs = 3_600_000
const session = '/console/session'
const ended = refused(401, 'Cookie: the session of the console has ended')
const withoutKey = refused(401, 'Service-API-Key: is required')
const withoutOperatorKey = refused(401, 'Service-Operator-Key: is required')
const notOfConsole = refused(401, 'Service-Console: must be 1, in a request that a page of this service itself sends')
/** The service listens on a loopback address, where every name of this machine is its own. */
const baseUrl = 'https://id.example.com/identity'
/** The tests share one address with the attempts of each other. */
const trusting = { SIGNET_TRUSTED_PROXIES: '127.0.0.1' }

let ahead = 0
const clock = { now: () => Date.now() + ahead }
let database: Awaited<ReturnType<typeof testDatabase>>
let inside: Database
let keyring: Keyring
let service: ConsoleService
let secure: ConsoleService
let ours: Organization
let lastAddress = 0

const start = (env: Record<string, string> = {}) =>
  startConsole({ connection: database, keyring, clock, env: { ...trusting, ...env } })

beforeAll(async () => {
  database = await testDatabase()
  inside = openDatabase(database)
  keyring = makeKeyring()
  service = await start()
  secure = await start({ SIGNET_BASE_URL: baseUrl })
})

afterAll(async () => {
  await Promise.all([service?.stop(), secure?.stop(), inside?.close()])
  await database?.drop()
})

beforeEach(async () => {
  ahead = 0
  ours = await service.organization({ name: 'Ours' })
})

const newAddress = () => `192.0.2.${++lastAddress}`
const keysOf = ({ id, apiKey }: Organization) => ({ organization_id: id, api_key: apiKey })
const signIn = (body: unknown, headers = {}, at = service) =>
  at.send('POST', session, { ...ownPage, 'x-forwarded-for': newAddress(), ...headers }, body)
/** The ids of sessions, by cookie, and the newest by what the name of the cookie ends with. */
const ids = new Map<string, string>()
async function cookieFor(body: unknown) {
  const cookie = cookieOf(await signIn(body))
  const reply = await service.send('GET', session, { ...ownPage, ...holderOf(cookie), cookie })
  for (const name of [cookie, suffixOf(cookie)]) ids.set(name, reply.body.result.id)
  return cookie
}
/** As a page of the console sends it. */
const ask = (cookie: string, method: string, path: string, headers = {}, body?: unknown) =>
  service.send(method, path, { ...ownPage, ...pageOf(cookie, path), cookie, ...headers }, body)
const pageOf = (cookie: string, path: string) => ({
  ...holderOf(cookie),
  ...(path.startsWith(session) ? {} : { 'service-console': ids.get(cookie) ?? ids.get(suffixOf(cookie)) ?? 'none' }),
})
const statusOf = async (cookie: string, headers = {}) => (await ask(cookie, 'GET', session, headers)).status

/** The key is checked every fifteen seconds, unless the last check is still in progress. */
const untilOver = (stream: StreamClient) =>
  expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(15_000)
      return stream.isOver()
    })
    .toBe(true)

async function newKey(fields: object): Promise<Organization & { keyId: string }> {
  const { body } = await service.as(ours, 'POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}

describe('Signing in', () => {
  // Proves console/7, console/16.
  test('A key is exchanged for a cookie that only requests of this site carry, and that no script reads', async () => {
    const { status, headers, text } = await signIn(keysOf(ours))
    expect({ status, text, cache: headers['cache-control'] }).toEqual({ status: 204, text: '', cache: 'no-store' })
    const hex = ours.id.replaceAll('-', '')
    const name = `signet-console-${ours.id}`
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^${name}=${hex}[0-9a-f]{32}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict$`),
      ),
    ])
    const hashes = await inside.read.rows(sql<{ token_hash: Buffer }>`select token_hash from console_sessions`)
    expect(hashes.map(({ token_hash: hash }) => hash.length)).toEqual([32])
  })

  // Proves console/6.
  test('Where the base URL is https the cookie is secure, and no neighbouring host can set it', async () => {
    const own = { host: 'id.example.com' }
    const reply = await signIn(keysOf(ours), own, secure)
    const name = `__Host-signet-console-${ours.id}`
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^${name}=.*; Path=/; .*; HttpOnly; SameSite=Strict; Secure$`)),
    ])
    const cookie = cookieOf(reply)
    const sent = { ...ownPage, ...own, ...holderOf(cookie) }
    expect((await secure.send('GET', session, { ...sent, cookie })).status).toBe(200)
    const without = cookie.replace('__Host-', '')
    expect(await secure.send('GET', session, { ...sent, cookie: without })).toMatchObject(ended)
  })

  test('A session tells whose it is, what it may do, and when it ends', async () => {
    const key = await newKey({ name: 'Support', scopes: ['persons:read', 'audit-log:read'] })
    const { body } = await ask(await cookieFor(keysOf(key)), 'GET', session)
    const { id, expires_at: expiresAt, ...result } = body.result
    expect(result).toEqual({
      organization_id: ours.id,
      name: 'Ours',
      by: { type: 'key', id: key.keyId, name: 'Support' },
      scopes: ['persons:read', 'audit-log:read'],
    })
    expect(isUuid(id)).toBe(true)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 8 * hourMs)).toBeLessThan(60_000)
  })

  test('A body that is neither a key with its organization nor the operator key is refused, and is no attempt', async () => {
    const refusals: [body: unknown, status: number][] = [
      [undefined, 400],
      ['{', 400],
      [{}, 400],
      [{ organization_id: '01890000-0000-7000-8000-000000000000' }, 400],
      [{ api_key: 'x', operator_key: 'x' }, 400],
      [{ operator_key: 'x', remember: true }, 400],
      [{ organization_id: 'ours', api_key: 'x' }, 400],
      [{ operator_key: 1 }, 400],
      [{ operator_key: 'x'.repeat(4_096) }, 413],
    ]
    const address = { 'x-forwarded-for': newAddress() }
    // Three are refused only after the schema: more than ten of these.
    for (let time = 0; time < 4; time++)
      for (const [body, status] of refusals)
        expect((await signIn(body, address)).status, JSON.stringify(body)).toBe(status)
  })

  test('A key that is wrong, expired, of another organization, or not configured, is refused', async () => {
    const other = await service.organization()
    const soon = await newKey({ expires_at: new Date(Date.now() + hourMs).toISOString() })
    const wrong = { organization_id: other.id, api_key: ours.apiKey }
    expect(await signIn(wrong)).toMatchObject(refused(401, 'api_key: is not valid for this organization'))
    expect(await signIn({ operator_key: ours.apiKey })).toMatchObject(refused(401, 'operator_key: is not valid'))
    ahead = hourMs
    expect(await signIn(keysOf(soon))).toMatchObject(refused(401, 'api_key: has expired'))
  })

  // Proves console/5.
  test('A cookie that was there before is neither taken over nor given out (fixation)', async () => {
    const planted = await cookieFor(keysOf(ours))
    const chosen = `signet-console-${ours.id}=${ours.id.replaceAll('-', '')}${'0'.repeat(32)}`
    for (const cookie of [planted, chosen]) {
      const given = cookieOf(await signIn(keysOf(ours), { cookie }))
      expect(given).not.toBe(cookie)
      expect(await statusOf(given)).toBe(200)
    }
    expect(await statusOf(chosen)).toBe(401)
  })

  test('Of a hundred and one sessions of a key, the oldest has ended', async () => {
    const cookies = [await cookieFor(keysOf(ours)), await cookieFor(keysOf(ours))]
    await inside.write.rows(sql`
      insert into console_sessions (org_id, id, token_hash, api_key_id, created_at, used_at, ends_at)
      select org_id, gen_random_uuid(), i::text::bytea, api_key_id, created_at, used_at, ends_at
        from generate_series(1, 98) i,
             (select * from console_sessions where org_id = ${ours.id} order by created_at desc limit 1) latest`)
    expect(await Promise.all(cookies.map((cookie) => statusOf(cookie)))).toEqual([200, 200])
    await signIn(keysOf(ours))
    expect(await Promise.all(cookies.map((cookie) => statusOf(cookie)))).toEqual([401, 200])
  })
})

describe('Failed attempts', () => {
  // Proves console/13.
  test('After ten within a minute an address waits, at every process, even with the right key; others do not', async () => {
    const address = { 'x-forwarded-for': newAddress() }
    for (let time = 0; time < 11; time++) expect((await signIn(keysOf(ours), address)).status).toBe(204)
    const wrong = { ...keysOf(ours), api_key: 'signet_wrong' }
    const attempts = Array.from({ length: 16 }, (_, at) => signIn(wrong, address, at % 2 ? secure : service))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(6).fill(429)])
    const late = await signIn(keysOf(ours), address)
    expect(late.status).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await signIn(keysOf(ours))).status).toBe(204)
    ahead = 60_000
    expect((await signIn(keysOf(ours), address)).status).toBe(204)
  })

  // Proves console/15.
  test('An address that floods a process is refused before an attempt reaches the database', async () => {
    const narrow = await start({ SIGNET_RATE_PUBLIC: '3/3' })
    onTestFinished(narrow.stop)
    const address = newAddress()
    const attempts = Array.from({ length: 6 }, () =>
      signIn({ operator_key: 'x' }, { 'x-forwarded-for': address }, narrow),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort()
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429])
    const counted = await inside.write.rows(sql<{ count: number }>`
      select count from failed_attempts where client_address = ${address}`)
    expect(counted).toEqual([{ count: 3 }])
  })

  // Proves console/14.
  test('Requests of other sites use up no attempts of the browser that they are sent by', async () => {
    const address = { 'x-forwarded-for': newAddress() }
    const wrong = { operator_key: 'x' }
    for (let time = 0; time < 11; time++)
      expect(await signIn(wrong, { ...address, 'sec-fetch-site': 'cross-site' })).toMatchObject(notOfConsole)
    expect((await signIn(wrong, address)).status).toBe(401)
  })
})

describe('The cookie in place of a key', () => {
  let cookie: string
  beforeEach(async () => {
    cookie = await cookieFor(keysOf(ours))
  })

  test('It stands for the key, where the request names its organization', async () => {
    expect((await ask(cookie, 'GET', '/groups')).status).toBe(200)
    const unnamed = { 'service-orgid': undefined }
    expect(await ask(cookie, 'GET', '/groups', unnamed)).toMatchObject(refused(400, 'Service-OrgID: is required'))
    expect(await ask(cookie, 'GET', session, unnamed)).toMatchObject(ended)
    const malformed = refused(400, 'Service-OrgID: must be a UUID')
    for (const path of ['/groups', session])
      expect(await ask(cookie, 'GET', path, { 'service-orgid': 'x' })).toMatchObject(malformed)
    expect((await ask(cookie, 'GET', '/groups', { 'service-orgid': ours.id.toUpperCase() })).status).toBe(200)
    expect((await ask(cookie, 'POST', '/groups', {}, { name: 'engineering' })).status).toBe(201)
  })

  // Proves console/1.
  test('Without the header of the console it stands for nothing', async () => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin', 'service-orgid': ours.id }
    expect(await service.send('GET', '/groups', headers)).toMatchObject(withoutKey)
    expect(await service.send('GET', '/groups', { ...headers, 'service-console': '' })).toMatchObject(withoutKey)
    for (const value of [undefined, '', ids.get(cookie)])
      expect(await service.send('GET', session, { ...headers, 'service-console': value })).toMatchObject(notOfConsole)
    expect(await service.send('DELETE', session, headers)).toMatchObject(notOfConsole)
    expect(await statusOf(cookie)).toBe(200)
  })

  // Proves console/1, console/2, console/4.
  test.each(['cross-site', 'same-site', 'none', 'same-origin, cross-site', ''])(
    'From another page it stands for nothing: Sec-Fetch-Site is %j',
    async (site) => {
      const from = { 'sec-fetch-site': site, origin: `http://${service.host}` }
      expect(await ask(cookie, 'GET', '/groups', from)).toMatchObject(withoutKey)
      expect(await ask(cookie, 'DELETE', session, from)).toMatchObject(notOfConsole)
      expect(await signIn(keysOf(ours), from)).toMatchObject(notOfConsole)
      expect(await statusOf(cookie)).toBe(200)
    },
  )

  // Proves console/2.
  test('Where a browser does not tell the site, the origin has to be the very origin of the request', async () => {
    const { host } = service
    const from = (origin: object) => service.send('GET', '/groups', { ...pageOf(cookie, '/groups'), cookie, ...origin })
    expect((await from({ origin: `http://${host}` })).status).toBe(200)
    for (const origin of [`https://${host}`, `http://x.${host}`, 'http://127.0.0.1', 'http://localhost', 'null', ''])
      expect(await from({ origin })).toMatchObject(withoutKey)
    expect(await from({})).toMatchObject(withoutKey)
  })

  // Proves console/3.
  test.each([
    'id.example.com',
    'rebound.example.net:8080',
    'localhost.example.net',
    '127.0.0.1.example.net',
    '10.0.0.1',
  ])('Under another name of this address it stands for nothing (DNS rebinding): Host is %j', async (host) => {
    expect(await ask(cookie, 'GET', '/groups', { host })).toMatchObject(withoutKey)
    expect(await ask(cookie, 'GET', session, { host })).toMatchObject(notOfConsole)
  })

  test('Under the names of this machine it counts, and where the base URL has another one, under that', async () => {
    for (const host of ['localhost:8080', 'LOCALHOST', 'signet.localhost', '[::1]:8080'])
      expect((await ask(cookie, 'GET', '/groups', { host })).status).toBe(200)
    const sent = { ...ownPage, ...pageOf(cookie, '/groups'), cookie: `__Host-${cookie}` }
    for (const host of ['id.example.com', 'ID.example.com:443', 'localhost'])
      expect((await secure.send('GET', '/groups', { ...sent, host })).status).toBe(200)
    for (const host of ['id.example.com:8443', 'www.example.com'])
      expect(await secure.send('GET', '/groups', { ...sent, host })).toMatchObject(withoutKey)
  })

  test('A key in the header wins, also where it is wrong', async () => {
    const other = await service.organization()
    const mixed = { 'service-orgid': other.id, 'service-api-key': other.apiKey }
    await ask(cookie, 'POST', '/groups', mixed, { name: 'theirs' })
    expect((await service.as(other, 'GET', '/groups')).body.result).toEqual(['theirs'])
    const wrong = { 'service-orgid': ours.id, 'service-api-key': other.apiKey }
    expect((await ask(cookie, 'GET', '/groups', wrong)).status).toBe(401)
    expect((await ask(cookie, 'GET', '/groups', { 'service-orgid': ours.id, 'service-api-key': '' })).status).toBe(401)
  })

  // Proves console/9.
  test('It says nothing of another organization', async () => {
    const other = await service.organization()
    expect(await ask(cookie, 'GET', '/groups', { 'service-orgid': other.id })).toMatchObject(withoutKey)
    const renamed = cookie.replace(ours.id, other.id)
    expect(await ask(renamed, 'GET', '/groups')).toMatchObject(withoutKey)
    const moved = renamed.replace(ours.id.replaceAll('-', ''), other.id.replaceAll('-', ''))
    expect(await ask(moved, 'GET', '/groups')).toMatchObject(ended)
  })

  // Proves console/6.
  test.each([
    ['of two', (one: string) => `${one}; ${one}`, withoutKey],
    ['of two, the other empty', (one: string) => `${one.replace(/=.*/, '=')}; ${one}`, withoutKey],
    ['cut short', (one: string) => one.slice(0, -1), withoutKey],
    ['with more', (one: string) => `${one}0`, withoutKey],
    ['very long', (one: string) => one + '0'.repeat(8_000), withoutKey],
    ['in capitals', (one: string) => one.replace(/=.*/, (value) => value.toUpperCase()), withoutKey],
    ['empty', (one: string) => one.replace(/=.*/, '='), withoutKey],
    ['none', () => 'other=1', withoutKey],
    ['made up', (one: string) => `${one.slice(0, -8)}00000000`, ended],
  ])('A cookie that is %s is refused', async (_, change, refusal) => {
    const page = { 'service-orgid': ours.id, 'service-console': ids.get(cookie) }
    expect(await ask(change(cookie), 'GET', '/groups', page)).toMatchObject(refusal)
  })

  // Proves console/1.
  test('It is nothing to those who ask without a key', async () => {
    const { headers, status } = await ask(cookie, 'POST', '/sdk/events', {}, {})
    expect({ status, headers }).toMatchObject({ status: 400 })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    const preflight = { ...ownPage, origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answer = await service.send('OPTIONS', session, preflight)
    expect(answer.status).toBe(404)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  // Proves console/8.
  test('It can do what its key can now, and no more', async () => {
    const key = await newKey({ scopes: ['groups:read'] })
    const narrow = await cookieFor(keysOf(key))
    expect((await ask(narrow, 'GET', '/groups')).status).toBe(200)
    expect(await ask(narrow, 'POST', '/groups', {}, { name: 'engineering' })).toMatchObject({ status: 403 })
    await inside.write.rows(sql`update api_keys set scopes = '{persons:read}' where id = ${key.keyId}`)
    expect(await ask(narrow, 'GET', '/groups')).toMatchObject({ status: 403 })
    expect(await ask(narrow, 'GET', '/organizations')).toMatchObject(withoutOperatorKey)
  })

  // Proves console/12.
  test('An event stream goes on with it, and ends with its words once the session has ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const url = `${service.baseUrl}/events`
    const stream = await openStream(url, { headers: { ...ownPage, ...pageOf(cookie, '/events'), cookie } })
    expect(stream.status).toBe(200)
    await service.as(ours, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
    await stream.waitFor(1)
    await vi.advanceTimersByTimeAsync(15_000)
    await ask(cookie, 'DELETE', session)
    expect(stream.isOver()).toBe(false)
    await untilOver(stream)
    const [, last] = stream.messages()
    expect(last).toMatchObject({ event: 'error', data: JSON.stringify(ended.body) })

    const next = await cookieFor(keysOf(ours))
    const idle = await openStream(url, { headers: { ...ownPage, ...pageOf(next, '/events'), cookie: next } })
    ahead = 4 * hourMs
    await vi.advanceTimersByTimeAsync(15_000)
    await service.as(ours, 'GET', '/groups')
    expect(idle.isOver()).toBe(false)
    ahead = 8 * hourMs
    await untilOver(idle)
    expect((await openStream(url, { headers: { ...holderOf(next), cookie: next } })).status).toBe(401)
  })
})

describe('The end of a session', () => {
  test('Signing out removes it and its cookie', async () => {
    const cookie = await cookieFor(keysOf(ours))
    const { status, headers } = await ask(cookie, 'DELETE', session)
    expect(status).toBe(204)
    expect(headers['set-cookie']).toEqual([`signet-console-${ours.id}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`])
    expect(await ask(cookie, 'GET', '/groups')).toMatchObject(ended)
    expect(await ask(cookie, 'DELETE', session)).toMatchObject(ended)
  })

  // Proves console/12.
  test('It ends after eight hours without use, and after twenty-four however it is used', async () => {
    const [used, idle] = [await cookieFor(keysOf(ours)), await cookieFor(keysOf(ours))]
    for (const hour of [7.9, 15.8, 23.7]) {
      ahead = hour * hourMs
      const { body } = await ask(used, 'GET', session)
      const untilEnd = (24 - hour) * hourMs
      expect(Date.parse(body.result.expires_at) - clock.now()).toBeLessThanOrEqual(Math.min(8 * hourMs, untilEnd))
    }
    expect(await ask(idle, 'GET', '/groups')).toMatchObject(ended)
    ahead = 24 * hourMs
    expect(await ask(used, 'GET', '/groups')).toMatchObject(ended)
  })

  // Proves console/8.
  test('It ends with its key: revoked, expired, or of a deleted organization', async () => {
    const soon = await newKey({ expires_at: new Date(Date.now() + hourMs).toISOString() })
    const [revoked, expired] = [await newKey({}), await cookieFor(keysOf(soon))]
    const cookie = await cookieFor(keysOf(revoked))
    await service.as(ours, 'DELETE', `/organizations/api-keys/${revoked.keyId}`)
    expect(await ask(cookie, 'GET', '/groups')).toMatchObject(ended)
    ahead = hourMs
    expect(await ask(expired, 'GET', '/groups')).toMatchObject(ended)
    const left = await cookieFor(keysOf(ours))
    await service.operate('DELETE', `/organizations/${ours.id}`)
    expect(await ask(left, 'GET', '/groups')).toMatchObject(ended)
    expect(await ask(left, 'GET', session)).toMatchObject(ended)
  })

  test('What has ended is swept', async () => {
    const cookie = await cookieFor(keysOf(ours))
    const ids = () => inside.read.rows(sql`select id from console_sessions where org_id = ${ours.id}`)
    const sweep = () => removeExpired(inside.write, clock, new AbortController().signal)
    await sweep()
    expect(await statusOf(cookie)).toBe(200)
    ahead = 24 * hourMs
    await sweep()
    expect(await ids()).toEqual([])
  })
})

describe("The operator's session", () => {
  // Proves console/9.
  test('It stands for the operator key alone, and tells no organization', async () => {
    const cookie = await cookieFor({ operator_key: service.operatorKey })
    expect(cookie).toMatch(/^signet-console-operator=0{32}[0-9a-f]{32}$/)
    expect((await ask(cookie, 'GET', '/organizations')).status).toBe(200)
    expect((await ask(cookie, 'GET', session)).body.result).toEqual({
      id: ids.get(cookie),
      by: { type: 'operator' },
      scopes: [],
      expires_at: expect.any(String),
    })
    for (const id of [ours.id, noOrganization])
      expect(await ask(cookie, 'GET', '/groups', { 'service-orgid': id })).toMatchObject(withoutKey)
    // A page of an organization is none of the operator's.
    expect(await ask(cookie, 'GET', '/organizations', { 'service-orgid': ours.id })).toMatchObject(withoutOperatorKey)
    expect(await service.send('GET', '/organizations', { cookie })).toMatchObject(withoutOperatorKey)
    expect((await ask(cookie, 'DELETE', session)).status).toBe(204)
    expect(await ask(cookie, 'GET', '/organizations')).toMatchObject(ended)
  })

  // Proves console/8.
  test('It ends when that key changes', async () => {
    const cookie = await cookieFor({ operator_key: service.operatorKey })
    const changed = await start({ SIGNET_OPERATOR_KEY: 'another-key-of-the-operator-012' })
    const sent = { ...ownPage, ...pageOf(cookie, '/organizations'), cookie }
    expect(await changed.send('GET', '/organizations', sent).finally(changed.stop)).toMatchObject(ended)
    expect((await ask(cookie, 'GET', '/organizations')).status).toBe(200)
  })
})

describe('The audit log', () => {
  test('It has the key that signed in, what was changed by its session, and that it signed out', async () => {
    const key = await newKey({ name: 'Support' })
    const cookie = await cookieFor(keysOf(key))
    await ask(cookie, 'POST', '/groups', {}, { name: 'engineering' })
    await ask(cookie, 'DELETE', session)
    const { body } = await service.as(ours, 'GET', '/organizations/audit-log?actor=console')
    const [out, change, into] = body.result
    const actor = { type: 'console', id: key.keyId, name: 'Support' }
    const target = { type: 'console_session', id: into.target.id }
    const shown = { id: target.id, ends_at: expect.any(String) }
    expect([out, change, into]).toMatchObject([
      { actor, target, action: 'deleteConsoleSession', before: shown, after: null },
      { actor, target: { type: 'group', id: 'engineering' }, action: 'createGroup' },
      { actor, target, action: 'createConsoleSession', before: null, after: shown },
    ])
    expect(body.result).toHaveLength(3)
    const filtered = await service.as(ours, 'GET', '/organizations/audit-log?action=createConsoleSession')
    expect(filtered.body.result).toEqual([into])
    expect(JSON.stringify(body)).not.toContain(cookie.slice(-32))
  })

  test("What the operator's session does is the operator's", async () => {
    const cookie = await cookieFor({ operator_key: service.operatorKey })
    await ask(cookie, 'PATCH', `/organizations/${ours.id}`, {}, { name: 'Renamed' })
    const { body } = await service.as(ours, 'GET', '/organizations/audit-log?action=changeOrganization')
    expect(body.result).toMatchObject([{ actor: { type: 'operator', id: null, name: null } }])
  })
})
