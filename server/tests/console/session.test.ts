import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { isUuid } from '../../src/ground/runtime/identifiers.ts'
import { noOrganization } from '../../src/identity/console/session-cookie.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { cookieOf, holderOf, ownPage } from '../support/console.ts'
import {
  ask,
  clock,
  closeConsole,
  cookieFor,
  ended,
  hourMs,
  ids,
  inside,
  keysOf,
  newAddress,
  newKey,
  newOrganization,
  notOfConsole,
  openConsole,
  ours,
  pageOf,
  secure,
  service,
  session,
  signIn,
  start,
  statusOf,
  withoutKey,
  withoutOperatorKey,
} from '../support/own-console.ts'
import { refused } from '../support/refused.ts'

beforeAll(openConsole)
afterAll(closeConsole)
beforeEach(newOrganization)

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
    const { id, expires_at: expiresAt, authenticated_at: authenticatedAt, ...result } = body.result
    expect(result).toEqual({
      organization_id: ours.id,
      name: 'Ours',
      by: { type: 'key', id: key.keyId, name: 'Support' },
      scopes: ['persons:read', 'audit-log:read'],
    })
    expect(isUuid(id)).toBe(true)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 8 * hourMs)).toBeLessThan(60_000)
    expect(Math.abs(Date.parse(authenticatedAt) - Date.now())).toBeLessThan(60_000)
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
    clock.aheadMs = hourMs
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
    clock.aheadMs = 60_000
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
      clock.aheadMs = hour * hourMs
      const { body } = await ask(used, 'GET', session)
      const untilEnd = (24 - hour) * hourMs
      expect(Date.parse(body.result.expires_at) - clock.now()).toBeLessThanOrEqual(Math.min(8 * hourMs, untilEnd))
    }
    expect(await ask(idle, 'GET', '/groups')).toMatchObject(ended)
    clock.aheadMs = 24 * hourMs
    expect(await ask(used, 'GET', '/groups')).toMatchObject(ended)
  })

  // Proves console/8.
  test('It ends with its key: revoked, expired, or of a deleted organization', async () => {
    const soon = await newKey({ expires_at: new Date(Date.now() + hourMs).toISOString() })
    const [revoked, expired] = [await newKey({}), await cookieFor(keysOf(soon))]
    const cookie = await cookieFor(keysOf(revoked))
    await service.as(ours, 'DELETE', `/organizations/api-keys/${revoked.keyId}`)
    expect(await ask(cookie, 'GET', '/groups')).toMatchObject(ended)
    clock.aheadMs = hourMs
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
    clock.aheadMs = 24 * hourMs
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
      authenticated_at: expect.any(String),
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

test('A session takes no Idempotency-Key: each call is one of its own, however the header reads', async () => {
  const cookie = await cookieFor(keysOf(ours))
  for (const key of ['once', 'once', 'no key'])
    expect(await ask(cookie, 'POST', '/persons', { 'idempotency-key': key }, {})).toMatchObject({ status: 201 })
  const { body } = await service.as(ours, 'GET', '/persons')
  expect(body.meta.pagination.total_count).toBe(3)
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
