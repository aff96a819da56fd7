import { describe, expect, test } from 'vitest'
import {
  answered,
  expectNoneLeft,
  expectToHaveTaken,
  failed,
  host,
  leadTo,
  listen,
  open,
  openConnected,
  post,
  receiver,
  setUpEgressClients,
  toCall,
} from '../../../tests/support/egress-client.ts'
import { version } from '../runtime/version.ts'
import type { Outcome } from './index.ts'

setUpEgressClients()

describe('A response', () => {
  test.each([
    [200, 'fine'],
    [204, ''],
    [302, ''],
    [410, 'gone'],
    [500, 'broken'],
  ])('A response has status %d and the beginning of the body', async (status, body) => {
    expect(await post(`/${status}`)).toEqual(answered(status, body))
  })

  test('A response has a duration in milliseconds', async () => {
    const { durationMs } = await post('/200')
    expect(durationMs).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(5_000)
  })

  // Proves 6.2, rule 2/2.
  test('A response may come after informational ones, which are none', async () => {
    expect(await post('/early-hints')).toEqual(answered(200))
    expect(await (await openConnected()).post(toCall('/only-early-hints', { timeoutMs: 100 }))).toEqual(
      failed('timeout'),
    )
  })

  test.each(['/continue', '/folded', '/folded-by-line-feeds', '/chunks', '/empty-lines'])(
    'A response may be odd, and is legal: %s',
    async (path) => {
      for (const needsBody of [false, true]) expect(await post(path, { needsBody })).toEqual(answered(200))
    },
  )

  test('A response may end with its connection', async () => {
    for (const needsBody of [false, true])
      expect(await post('/close', { needsBody })).toEqual(answered(200, 'until the end'))
  })

  test.each(['/switch', '/garbage'])('A response is not %s', async (path) => {
    expect(await post(path)).toEqual(failed('bad_response'))
  })

  test.each(['/two-lengths', '/length-and-chunks', '/line-feed-in-chunks'])(
    'A response whose length nobody knows is its status alone, and a failure for callers that need the body: %s',
    async (path) => {
      expect(await post(path)).toMatchObject({ kind: 'answered', status: 200, truncated: true })
      expect(await post(path, { needsBody: true })).toEqual(failed('bad_response'))
    },
  )
})

test('A request sends every header on its line, and the body as it is', async () => {
  const outcome = await post('/echo', {
    headers: ['X-Twice', 'one', 'X-Twice', 'two', 'x-latin', '\u00e9', 'content-type', 'application/jwt'],
    body: 'a.b.c',
  })
  expect(outcome).toEqual(
    answered(
      200,
      [
        'POST /echo HTTP/1.1',
        `host: ${host}:${receiver.port}`,
        'connection: keep-alive',
        'X-Twice: one',
        'X-Twice: two',
        'x-latin: \u00e9',
        'content-type: application/jwt',
        `user-agent: Signet/${version}`,
        'accept-encoding: identity',
        'content-length: 5',
        '',
        'a.b.c',
      ].join('\r\n'),
    ),
  )
})

test.each(['User-Agent', 'user-agent'])('A request names itself as a header says: %s', async (name) => {
  const outcome = await post('/echo', { headers: [name, 'Acme'] })
  const { answer } = outcome as Extract<Outcome, { kind: 'answered' }>
  expect(answer.match(/^(?:user-agent|accept-encoding):.*$/gim)).toEqual([`${name}: Acme`, 'accept-encoding: identity'])
})

test.each(['a\r\nb: c', 'a\0', 'a\u010ab: c', '\ud83d'])(
  'A request sends no header that would begin another line: %j',
  async (value) => {
    expect(await post('/200', { headers: ['x-a', value] })).toEqual(failed('network_error'))
  },
)

describe('The kept body', () => {
  test('The kept body is cut at a byte, but not within a character', async () => {
    expect(await post('/200', { keepBodyBytes: 3 })).toMatchObject({ answer: 'fin', truncated: true })
    expect(await post('/200', { keepBodyBytes: 4 })).toMatchObject({ answer: 'fine', truncated: false })
    expect(await post('/200', { keepBodyBytes: 0 })).toMatchObject({ answer: '', truncated: true })
    expect(await post('/euro', { keepBodyBytes: 5 })).toMatchObject({ answer: '\u20ac', truncated: true })
  })

  test('The kept body is always text', async () => {
    expect(await post('/binary')).toMatchObject({ answer: 'a\ufffd\0', truncated: false })
  })

  test('The kept body may be more than is read otherwise', async () => {
    const more = { keepBodyBytes: 100_000, maxResponseBytes: 200_000 }
    expect(await post('/endless', more)).toMatchObject({ answer: '.'.repeat(100_000) })
  })

  test('The kept body comes from a body that is read to a bound only', async () => {
    for (const needsBody of [false, true])
      expect(await post('/endless', { needsBody })).toMatchObject({
        kind: 'answered',
        answer: '.'.repeat(1_024),
        truncated: true,
      })
    await expectNoneLeft()
  })
})

describe('A response without end', () => {
  test.each([
    ...[
      '/endless',
      '/endless-headers',
      '/endless-header',
      '/endless-extension',
      '/endless-chunks',
      '/endless-trailers',
    ],
    '/endless-500',
  ])('A response without end is its status alone, and closes the connection: %s', async (path) => {
    const status = path.endsWith('500') ? 500 : 200
    for (const needsBody of [false, true])
      expect(await post(path, { needsBody })).toMatchObject({ kind: 'answered', status, truncated: true })
    await expectNoneLeft()
  })

  test.each(['/endless-early-hints', '/endless-reason'])('A response without end has no status: %s', async (path) => {
    for (const needsBody of [false, true]) expect(await post(path, { needsBody })).toEqual(failed('answer_too_large'))
    await expectNoneLeft()
  })

  test.each(['/hang-in-headers', '/drip', '/drip-500'])(
    'A response without end is waited for a second after its status, however long the timeout is: %s',
    async (path) => {
      const outcome = await (await openConnected()).post(toCall(path, { timeoutMs: 20_000 }))
      expect(outcome).toMatchObject({ kind: 'answered', status: path.endsWith('500') ? 500 : 200, truncated: true })
      expect(outcome.durationMs).toBeLessThan(10_000)
    },
  )
})

describe('The deadline', () => {
  test.each([
    ['/silent', false, failed('timeout')],
    ['/drip', true, failed('timeout')],
    ['/drip', false, expect.objectContaining({ kind: 'answered', status: 200, truncated: true })],
    ['/drip-500', false, expect.objectContaining({ kind: 'answered', status: 500, truncated: true })],
  ])('The deadline holds for %s (body needed: %s) and closes the connection', async (path, needsBody, expected) => {
    const egress = await openConnected()
    const outcome = await egress.post(toCall(path, { timeoutMs: 200, needsBody }))
    expect(outcome).toEqual(expected)
    expectToHaveTaken(200, outcome)
    await expectNoneLeft()
  })

  test('The deadline holds for a connection that is accepted and then silent, and closes it', async () => {
    const silent = await listen(() => {})
    const outcome = await open(leadTo(silent)).post(toCall('/', { url: silent.url, timeoutMs: 100 }))
    expect(outcome).toEqual(failed('connect_timeout'))
    expectToHaveTaken(100, outcome)
    await silent.close()
  })

  test('The deadline holds for a name whose servers are silent', async () => {
    const outcome = await post('/', { url: 'https://silent.test', timeoutMs: 100 })
    expect(outcome).toEqual(failed('connect_timeout'))
    expectToHaveTaken(100, outcome)
  })
})
