import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  belowPath,
  closeHttp,
  closing,
  credentials,
  openHttp,
  organization,
  signet,
  speak,
  unknownId,
} from '../support/own-http.ts'
import { refused } from '../support/refused.ts'

beforeAll(openHttp)
afterAll(closeHttp)

const json = ['Content-Type: application/json', 'Content-Length: 13', 'Connection: close', '', '{"name":"ab"}']
const posted = () => ['POST /groups HTTP/1.1', 'Host: localhost', ...credentials()]

describe('A request that HTTP does not allow', () => {
  test.each<[string, number, string, () => string[]]>([
    ['no Host (RFC 9112, 3.2)', 400, 'Host: is required', () => ['GET /livez HTTP/1.1', ...closing]],
    [
      'two Host lines (RFC 9112, 3.2)',
      400,
      'Host: must be given once',
      () => ['GET /livez HTTP/1.1', 'Host: a', 'Host: b', ...closing],
    ],
    [
      'a Host that is none',
      400,
      'Host: must be a host, perhaps with a port',
      () => ['GET /livez HTTP/1.1', 'Host: a/b', ...closing],
    ],
    [
      'an expectation that is not known (RFC 9110, 10.1.1)',
      417,
      'Expect: must be 100-continue',
      () => ['GET /livez HTTP/1.1', 'Host: a', 'Expect: tea', ...closing],
    ],
    [
      'a transfer coding besides chunked (RFC 9112, 6.1)',
      501,
      'Transfer-Encoding: must be chunked',
      () => [...posted(), 'Transfer-Encoding: gzip, chunked', 'Content-Type: application/json', '', '0', '', ''],
    ],
    [
      'two Content-Type lines',
      400,
      'Content-Type: must be given once',
      () => [...posted(), 'Content-Type: text/plain', ...json],
    ],
    [
      'two Service-OrgID lines',
      400,
      'Service-OrgID: must be given once',
      () => ['GET /groups HTTP/1.1', 'Host: a', ...credentials(), ...credentials().slice(0, 1), ...closing],
    ],
    [
      'two Service-API-Key lines',
      400,
      'service-api-key: must be given once',
      () => ['GET /groups HTTP/1.1', 'Host: a', ...credentials(), 'service-api-key: x', ...closing],
    ],
    ['a start line that is no HTTP', 400, 'request: must be well-formed HTTP', () => ['hello', '', '']],
  ])(
    'A request with %s is refused in the envelope, and the reply is not to be stored',
    async (_name, status, message, lines) => {
      const answer = await speak(...lines())
      expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual(refused(status, message))
      expect(answer.head).toContain('cache-control: no-store')
    },
  )

  test('A request by HTTP/1.0 needs no Host', async () => {
    expect((await speak('GET /livez HTTP/1.0', '', '')).status).toBe(200)
  })

  test.each([
    ['431', ['HEAD /livez HTTP/1.1', 'Host: a', `x: ${'x'.repeat(33_000)}`, '', '']],
    ['400', ['HEAD /livez HTTP/1.1', 'Host : a', '', '']],
    ['404', ['HEAD /nothing HTTP/1.1', 'Host: a', ...closing]],
  ])('The reply %s to HEAD has no body (RFC 9110, 9.3.2)', async (status, lines) => {
    const answer = await speak(...lines)
    expect({ status: String(answer.status), body: answer.body }).toEqual({ status, body: '' })
    expect(answer.head).toMatch(/content-length: [1-9]/)
  })

  test('A request whose headers are too large is answered, however large they are', async () => {
    const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
    socket.write(`GET /oidc/x/authorize HTTP/1.1\r\nHost: a\r\n`)
    await once(socket, 'connect')
    socket.write(`Cookie: ${'x'.repeat(400_000)}\r\n\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1.1 431 [\s\S]*clear-site-data: "cookies"\r\n[\s\S]*<h1>Please sign in again<\/h1>/)
    expect(answer.toLowerCase()).toContain('cache-control: no-store')
  })

  test('A request whose address is too long clears no cookies, for any page could have a browser send it', async () => {
    const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
    socket.write(`GET /oidc/x/authorize?${'a'.repeat(33_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(answer).not.toContain('clear-site-data')
  })
})

describe('The body of a request', () => {
  const post = (body: string, type = 'application/json', path = '/groups') =>
    signet.as(organization, 'POST', path, body, { 'content-type': type })

  test.each(['utf-16', 'iso-8859-1', '"latin1"'])('A body in the charset %s is refused', async (charset) => {
    const answer = await post('{"name":"charset"}', `application/json; charset=${charset}`)
    expect(answer).toMatchObject(refused(415, 'Content-Type: charset must be utf-8'))
  })

  test.each(['utf-8', 'UTF-8', '"utf-8"'])('A body in the charset %s is read', async (charset) => {
    expect((await post('{"name":"charset"}', `application/json; charset=${charset}`)).status).toBe(201)
  })

  test.each([
    ['a member', '{"name":"a1","name":"b1"}', 'name'],
    ['a member in another spelling', '{"name":"a1","n\\u0061me":"b1"}', 'name'],
    ['a member of a member', '{"name":"a1","description":{"x":[{"y":1,"y":2}]}}', 'y'],
  ])('A body that has %s twice is refused', async (_name, body, field) => {
    expect(await post(body)).toMatchObject(refused(400, `${field}: must be given once`))
  })

  test('A body may have one name in several objects, and as a value', async () => {
    const events = '[{"event_name":"PersonCreated_v1"},{"event_name":"PersonCreated_v1","region":"event_name"}]'
    expect((await post(events, 'application/json', '/test-events')).status).toBe(201)
  })

  test.each(['{"name":"a1","__proto__":{}}', '{"name":"a1","constructor":{"prototype":{}}}'])(
    'A body that could change all objects is refused with the reason: %s',
    async (body) => {
      const message = 'body: must not have a member called __proto__, or constructor with a member called prototype'
      expect(await post(body)).toMatchObject(refused(400, message))
    },
  )

  test('A body of an operation without a key has 4 KiB at most', async () => {
    const event = '{"event_name":"VirtualPageLoaded_v1","window_location":"/"}'
    const tell = (size: number) =>
      signet.call('POST', '/sdk/events', { 'Service-OrgID': organization.id }, event.padEnd(size))
    expect((await tell(4_096)).status).toBe(202)
    expect(await tell(4_097)).toMatchObject(refused(413, 'body: must be at most 4 KiB'))
  })

  test('A body to an unknown path is not read', async () => {
    expect(
      await signet.call('POST', '/nothing', { 'content-type': 'text/plain' }, 'x'.repeat(2_000_000)),
    ).toMatchObject(refused(404, 'path: no such operation'))
  })

  test.each<[string, number, () => string]>([
    ['POST', 202, () => '/organizations/webhooks/verification-keys/rotate'],
    ['POST', 201, () => '/organizations/api-keys'],
    ['POST', 201, () => '/persons'],
  ])('A body that is optional may be absent, empty, or {}: %s', async (method, status, path) => {
    const headers = { 'Service-OrgID': organization.id, 'Service-API-Key': organization.apiKey }
    const statuses: number[] = []
    for (const init of [
      {},
      { body: '' },
      { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { body: '', headers: { 'content-type': 'application/json' } },
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ]) {
      const answer = await fetch(signet.baseUrl + path(), { method, ...init, headers: { ...headers, ...init.headers } })
      statuses.push(answer.status)
    }
    // No key may be promoted before its time; what matters is that the body was taken.
    expect(statuses.every((each) => each === status || each === 409)).toBe(true)
    expect(statuses).not.toContain(400)
  })

  test('A body where none is taken may be {}, and nothing else', async () => {
    const path = `/groups/${'no-such-group'}`
    expect(await signet.as(organization, 'DELETE', path, {})).toMatchObject(refused(404, 'group: not found'))
    expect(await signet.as(organization, 'DELETE', path, { x: 1 })).toMatchObject(refused(400, 'body: must be empty'))
  })
})

describe('A trailing slash', () => {
  test.each([
    ['GET', '/groups/'],
    ['POST', '/persons/'],
    ['GET', '/groups/staff/persons/'],
    ['DELETE', '/organizations/settings/'],
  ])(
    'A trailing slash after an operation is 404, and the reply names the path without it: %s %s',
    async (method, path) => {
      const without = path.slice(0, -1)
      const message = `path: no such operation; use ${without}, without the trailing slash`
      expect(await signet.as(organization, method, `${path}?x=y`)).toMatchObject(refused(404, message))
    },
  )

  test('A trailing slash after anything else is an unknown path', async () => {
    expect(await signet.as(organization, 'GET', '/nothing/')).toMatchObject(refused(404, 'path: no such operation'))
  })
})

describe('A path prefix that a proxy strips', () => {
  /** What a browser at the base URL comes to. */
  const follow = async (path: string) => {
    const answer = await fetch(belowPath.baseUrl + path, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': '192.0.2.77' },
    })
    const to = new URL(answer.headers.get('location') ?? '', `https://host.example.com/identity${path}`)
    return { status: answer.status, to: to.href, location: answer.headers.get('location') }
  }

  test('Redirects stay below the prefix, and name no host', async () => {
    const home = await follow('/')
    // The reference where no console was built.
    expect({ ...home, to: home.to.replace('/console', '/docs') }).toMatchObject({
      status: 303,
      to: 'https://host.example.com/identity/docs',
    })
    expect(await follow('/docs')).toMatchObject({ status: 301, to: 'https://host.example.com/identity/docs/' })
    for (const path of ['/', '/docs']) expect((await follow(path)).location).not.toContain('//')
  })

  test('The reference page loads its files from below the prefix', async () => {
    const page = await (
      await fetch(`${belowPath.baseUrl}/docs/`, { headers: { 'x-forwarded-for': '192.0.2.78' } })
    ).text()
    expect(page).toContain('src="js/scalar.js"')
    expect(page).toContain('"url": "../openapi.json"')
    expect(page).not.toMatch(/(?:src|href)="\//)
  })
})

describe('Requests that need no key', () => {
  const from = (address: string, path: string, headers = {}) =>
    fetch(belowPath.baseUrl + path, { redirect: 'manual', headers: { 'x-forwarded-for': address, ...headers } })

  test.each(['/readyz', '/openapi.json', '/docs', '/docs/', '/docs/js/scalar.js', '/'])(
    'A path without a key is rate-limited for each client address: %s',
    async (path) => {
      const address = `198.51.100.${path.length}`
      for (let time = 0; time < 8; time++) expect((await from(address, path)).status).not.toBe(429)
      const late = await from(address, path)
      expect(late.status).toBe(429)
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await from('198.51.100.250', '/livez')).status).toBe(200)
    },
  )

  test('Key sets of organizations that do not exist count towards the rate limit', async () => {
    const path = '/organizations/webhooks/verification-jwks'
    const ask = (at: number) => from('198.51.101.1', path, { 'Service-OrgID': unknownId.slice(0, -2) + (10 + at) })
    for (let at = 0; at < 8; at++) expect((await ask(at)).status).toBe(404)
    expect((await ask(8)).status).toBe(429)
    expect((await from('198.51.101.1', path, { 'Service-OrgID': organization.id })).status).toBe(200)
  })

  test.each([
    ['an IPv4 address with a port', (port: number) => `203.0.113.1:${port}`, '203.0.113.1'],
    ['an IPv6 address with a port', (port: number) => `[2001:db8:1::1]:${port}`, '2001:db8:1::1'],
    ['an IPv6 address in brackets', () => '[2001:db8:2::1]', '2001:db8:2::1'],
    [
      'behind another trusted proxy with a port',
      (port: number) => `203.0.113.2:${port}, 127.0.0.1:${port}`,
      '203.0.113.2',
    ],
  ])('A client is counted by its address, whatever the proxy writes: %s', async (_name, write, address) => {
    for (let port = 1; port <= 8; port++) expect((await from(write(port), '/docs')).status).toBe(301)
    expect((await from(write(9), '/docs')).status).toBe(429)
    expect((await from(address, '/docs')).status).toBe(429)
    expect((await from(`${address.slice(0, 9)}9:1`.replace(/^2.*/, '[2001:db8:9::1]:1'), '/docs')).status).not.toBe(429)
  })
})

test('A request that expects a 100, behind one that is not answered yet, gets an answer with nothing in it', async () => {
  // Made at the first request, and ready before the other answer from then on.
  await (await fetch(`${signet.baseUrl}/docs/`)).text()
  const slower = ['GET /readyz HTTP/1.1', 'Host: a', '']
  const { body } = await speak(...slower, 'GET /docs/ HTTP/1.1', 'Host: a', 'Expect: 100-continue', ...closing)
  const [, reference = ''] = body.split(/(?=HTTP\/1\.1 200)/)
  expect(reference).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(reference).toContain('\r\n\r\n<!doctype html>')
  expect(reference).not.toContain('100 Continue')
})

test('The access log has a line for each request, with its route and never its path, query or body', async () => {
  await signet.as(organization, 'GET', '/groups/secret-name?x=secret-query', undefined, { 'X-Request-Id': 'logged-1' })
  await signet.as(organization, 'POST', '/groups', { name: 'secret-body', x: 1 }, { 'X-Request-Id': 'logged-2' })
  const lines = () =>
    signet
      .output()
      .split('\n')
      .filter((line) => line.includes('"logged-'))
      .map((line) => JSON.parse(line))
  await expect.poll(() => lines().length).toBe(2)
  expect(lines()).toMatchObject([
    { method: 'GET', route: '/groups/:group_name', status: 400, ms: expect.any(Number), requestId: 'logged-1' },
    { method: 'POST', route: '/groups', status: 400, ms: expect.any(Number), requestId: 'logged-2' },
  ])
  expect(signet.output()).not.toContain('secret-')
  expect(signet.output()).not.toContain(organization.apiKey)
})

// Last, for it stops the service.
test('A service that drains says so at /readyz, and answers all other requests until it closes its port', async () => {
  const stopped = belowPath.stop()
  const headers = { 'x-forwarded-for': '192.0.2.99' }
  const ready = () =>
    fetch(`${belowPath.baseUrl}/readyz`, { headers }).then(async (answer) => ({
      status: answer.status,
      body: await answer.json(),
    }))
  await expect.poll(ready, { interval: 300 }).toMatchObject({ status: 503, body: { status: 'draining' } })
  expect((await belowPath.as(organization, 'GET', '/groups')).status).toBe(200)
  expect((await belowPath.call('GET', '/livez')).status).toBe(200)
  expect(await stopped).toBe(0)
  await expect(belowPath.call('GET', '/livez')).rejects.toThrow()
})
