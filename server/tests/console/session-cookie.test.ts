import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { holderOf, ownPage } from '../support/console.ts'
import { openStream, type StreamClient } from '../support/event-stream.ts'
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
  statusOf,
  withoutKey,
  withoutOperatorKey,
} from '../support/own-console.ts'
import { refused } from '../support/refused.ts'

beforeAll(openConsole)
afterAll(closeConsole)
beforeEach(newOrganization)

/** The key is checked every fifteen seconds, unless the last check is still in progress. */
const untilOver = (stream: StreamClient) =>
  expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(15_000)
      return stream.isOver()
    })
    .toBe(true)

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
    expect(last).toMatchObject({ event: 'error', data: JSON.stringify({ ...ended.body, codes: ['session_ended'] }) })

    const next = await cookieFor(keysOf(ours))
    const idle = await openStream(url, { headers: { ...ownPage, ...pageOf(next, '/events'), cookie: next } })
    clock.aheadMs = 4 * hourMs
    await vi.advanceTimersByTimeAsync(15_000)
    await service.as(ours, 'GET', '/groups')
    expect(idle.isOver()).toBe(false)
    clock.aheadMs = 8 * hourMs
    await untilOver(idle)
    expect((await openStream(url, { headers: { ...holderOf(next), cookie: next } })).status).toBe(401)
  })
})
