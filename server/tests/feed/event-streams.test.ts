import { once } from 'node:events'
import { request as call, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fragment } from '../../src/ground/database/sql.ts'
import { keyNotValid, unavailable } from '../../src/ground/errors.ts'
import { buildApp } from '../../src/ground/http/app.ts'
import { createEventStreams, type MessageSource } from '../../src/ground/http/chain/event-streams.ts'
import { operation } from '../../src/ground/http/chain/operation.ts'
import { createCallerLimit } from '../../src/ground/http/socket/rate-limit.ts'
import type { Message } from '../../src/ground/http/socket/stream-pieces.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { openStream, type StreamClient } from '../support/event-stream.ts'

const keyRefused = { errors: [{ httpcode: 401, message: 'Service-API-Key: is not valid for this organization' }] }

const organizationId = '0199a3f2-5c00-7000-8000-0242ac120001'
/** Of keys; the others are of the first one. */
const organizations: Record<string, string> = {
  foreign: '0199a3f2-5c00-7000-8000-0242ac120002',
  foreign2: '0199a3f2-5c00-7000-8000-0242ac120002',
  distant: '0199a3f2-5c00-7000-8000-0242ac120003',
  last: '0199a3f2-5c00-7000-8000-0242ac120004',
}
const commentMs = 15_000
/** A quarter of all may be one organization's, rounded up: two, and one of the listeners. */
const limits = { total: 5, perKey: 1 }
const listenersLimits = { total: 3, perKey: 1 }
const clock = runningClock()
const idle = () => new Promise<Message[]>(() => {})
const messageOf = (number: number): Message => ({ id: `c${number}`, event: 'Counted', data: `{"number":${number}}` })

/** What the stream under test is made of; each test sets its own. */
let source: MessageSource
let opened: string[]
let keys: Record<string, 'valid' | 'revoked' | 'unknown'>
let app: Awaited<ReturnType<typeof buildApp>>
let streams: ReturnType<typeof createEventStreams>
const clients: StreamClient[] = []

const counted = operation({
  id: 'listCounted',
  method: 'GET',
  path: '/counted',
  access: 'key',
  scope: 'events:read',
  tag: 'Events',
  status: 200,
  summary: 'Counts',
  eventStream: 'optional',
  result: Type.String(),
  handle: async ({ live }) => {
    if (!live) return 'counted'
    opened.push(live.lastEventId ?? 'none')
    return source
  },
} as Parameters<typeof operation>[0])
const alwaysCounted = { ...counted, id: 'follow', path: '/followed', eventStream: 'always' } as typeof counted
const listened = { ...alwaysCounted, id: 'listen', path: '/listened', streamKind: 'listeners' } as typeof counted

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  opened = []
  keys = {}
  for (const key of ['one', 'other', 'another', ...Object.keys(organizations)]) keys[key] = 'valid'
  source = { next: idle, position: () => '' }
  streams = createEventStreams({ streams: limits, listeners: listenersLimits })
  const authenticateKey = async (_: string, keyId: string) => {
    if (keys[keyId] === 'unknown') throw unavailable()
    return keys[keyId] === 'valid'
      ? { type: 'key', id: keyId, name: null, scopes: [], isAdmin: true, expiresAt: null, limits: {} }
      : undefined
  }
  app = await buildApp({
    clock,
    operations: [counted, alwaysCounted, listened],
    baseUrl: 'http://localhost',
    home: () => '/docs',
    isProxy: () => false,
    streams,
    answerOnce: () => Promise.reject(unavailable()),
    tracer: untraced,
    errorPageFor: () => undefined,
    log: pino({ level: 'silent' }),
    isAccessLogged: false,
    everywhere: undefined,
    authentication: {
      authenticateKey,
      refuseIfMoving: async () => {},
      organizationExists: async () => true,
      isOperatorKey: () => false,
      findSession: async () => undefined,
    },
    bounds: { connections: 1_000, connectionsOfAddress: 1_000, sendTimeoutMs: 60_000 },
    anonymous: createCallerLimit(clock, { perMinute: 1_000, burst: 1_000 }),
    recordAs: () => Object.assign(async () => {}, { within: () => fragment`` }),
    describeWebhookRequests: async () => ({ requests: [], schemas: {} }),
  } as Parameters<typeof buildApp>[0])
  await app.listen({ host: '127.0.0.1', port: 0 })
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.cut()
  await app.close()
  vi.useRealTimers()
})

const url = (path = '/counted') => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`
const withKey = (key: string, others = {}) => ({
  'service-orgid': organizations[key] ?? organizationId,
  'service-api-key': key,
  ...others,
})

async function open(headers = {}, { path = '/counted', key = 'one' } = {}): Promise<StreamClient> {
  const client = await openStream(url(path), { headers: withKey(key, headers) })
  clients.push(client)
  return client
}

/** Gives these messages, and waits. */
function give(...messages: Message[]) {
  const batches = [messages]
  let place = ''
  source = {
    next: async () => {
      const batch = batches.shift()
      if (!batch) return idle()
      place = batch.at(-1)?.id ?? place
      return batch
    },
    position: () => place,
  }
}

describe('An event stream', () => {
  test('An event stream begins at once, and forbids caches and proxies to keep it', async () => {
    const client = await open()
    await expect.poll(client.text).toBe(': connected\n\n')
    expect(client.status).toBe(200)
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      vary: 'Accept',
      'x-request-id': expect.any(String),
    })
    expect(client.headers['content-encoding']).toBeUndefined()
  })

  test('An event stream writes each message with id, event and data', async () => {
    give(messageOf(1), messageOf(2))
    const client = await open()
    await client.waitFor(2)
    expect(client.text()).toContain('id: c1\nevent: Counted\ndata: {"number":1}\n\nid: c2\n')
  })

  test('An event stream says first where to resume, where that is known before the first message', async () => {
    source = { next: idle, position: () => 'c7' }
    const client = await open()
    await expect.poll(client.text).toBe(': connected\nid: c7\n\n')
  })

  test.each([
    [{ 'last-event-id': 'c5' }, 'c5'],
    [{ 'last-event-id': '' }, 'none'],
    [{}, 'none'],
  ])('An event stream is opened with %j', async (headers, lastEventId) => {
    await open(headers)
    expect(opened).toEqual([lastEventId])
  })

  test('The head of an event stream is sent to a client that asks for no more', async () => {
    const request = call(url(), { method: 'HEAD', headers: withKey('one', { accept: 'text/event-stream' }) }).end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream'])
    await once(response.resume(), 'end')
    expect(streams.count()).toBe(0)
  })

  test('An event stream is for those who ask for it', async () => {
    for (const accept of ['*/*', 'text/*, */*;q=0.1', 'application/json', undefined]) {
      const response = await fetch(url(), { headers: withKey('one', accept ? { accept } : {}) })
      expect(await response.json()).toEqual({ result: 'counted' })
    }
    for (const accept of ['text/html', 'text/*']) {
      const refused = await fetch(url(), { headers: withKey('one', { accept }) })
      expect([refused.status, refused.headers.get('vary'), await refused.json()]).toEqual([
        ...[406, 'Accept'],
        { errors: [{ httpcode: 406, message: 'Accept: must allow application/json or text/event-stream' }] },
      ])
    }
    expect((await open({ accept: '*/*' }, { path: '/followed' })).headers['content-type']).toBe('text/event-stream')
  })

  test('An event stream is refused in the envelope to a caller without a valid key', async () => {
    const response = await fetch(url(), { headers: withKey('third', { accept: 'text/event-stream' }) })
    expect([response.status, await response.json()]).toEqual([401, keyRefused])
  })
})

describe('A silent event stream', () => {
  test('A silent event stream sends a comment every 15 seconds, with the place to resume where that has moved', async () => {
    let place = 'c1'
    source = { next: idle, position: () => place }
    const client = await open()
    await expect.poll(client.text).toBe(': connected\nid: c1\n\n')
    vi.advanceTimersByTime(commentMs)
    await expect.poll(client.text).toMatch(/c1\n\n:\n\n$/)
    place = 'c2'
    vi.advanceTimersByTime(commentMs)
    await expect.poll(client.text).toMatch(/:\n\n:\nid: c2\n\n$/)
    expect(client.messages()).toEqual([])
  })

  test('A silent event stream ends with the words of the 401 once its key is revoked', async () => {
    const client = await open()
    const other = await open({}, { key: 'other' })
    keys.one = 'revoked'
    vi.advanceTimersByTime(commentMs)
    const [last] = await client.waitFor(1)
    expect(last).toEqual({ id: '', event: 'error', data: JSON.stringify({ ...keyRefused, codes: ['key_not_valid'] }) })
    await expect.poll(client.isOver).toBe(true)
    expect(other.isOver()).toBe(false)
  })

  test('A silent event stream goes on while the database cannot tell whether its key is valid', async () => {
    const client = await open()
    keys.one = 'unknown'
    vi.advanceTimersByTime(commentMs)
    await expect.poll(client.text).toMatch(/\n:\n\n$/)
    keys.one = 'revoked'
    await expect
      .poll(() => {
        vi.advanceTimersByTime(commentMs)
        return client.isOver()
      })
      .toBe(true)
  })
})

describe('A reader that is slow', () => {
  test('A reader that is slow is given no more than it takes, and nothing is lost', async () => {
    let given = 0
    const filling = 'x'.repeat(10_000)
    source = {
      next: async () => [{ id: `c${++given}`, event: 'Filled', data: filling }],
      position: () => `c${given}`,
    }
    const client = await open()
    client.pause()
    // What the sockets of both sides hold is the system's: until nothing more is asked for.
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = before === given
          before = given
          return isStill
        },
        { interval: 250 },
      )
      .toBe(true)
    const stoppedAt = given
    vi.advanceTimersByTime(commentMs)
    client.resume()
    const messages = await client.waitFor(stoppedAt + 10)
    expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => `c${index + 1}`))
  })

  test('A reader that does not take a message in its time is disconnected', async () => {
    const filling = 'x'.repeat(1_000_000)
    source = { next: async () => [{ id: 'c1', data: filling, sentWithinMs: () => 100 }], position: () => 'c1' }
    const client = await open()
    client.pause()
    await expect.poll(streams.count).toBe(0)
  })

  test('A message whose time is over before its turn has come is not sent', async () => {
    let left = 2
    source = {
      next: async () => (left-- > 0 ? [{ id: `c${left}`, data: 'x', sentWithinMs: () => left * 1_000 }] : idle()),
      position: () => '',
    }
    const client = await open()
    await expect.poll(client.isOver).toBe(true)
    expect(client.text()).toContain('id: c1\n')
    expect(client.text()).not.toContain('id: c0\n')
  })
})

describe('Errors of an event stream', () => {
  test('An error within an event stream is its last message', async () => {
    source = { next: () => Promise.reject(keyNotValid()), position: () => '' }
    const client = await open()
    await client.waitFor(1)
    await expect.poll(client.isOver).toBe(true)
    expect(client.text()).toContain('event: error\ndata: {"errors":[{"httpcode":401,')
  })

  test('An error of the service names the request in the log, and nothing of the inside', async () => {
    source = { next: () => Promise.reject(new Error('secret')), position: () => '' }
    const client = await open({ 'x-request-id': 'my-request' })
    const [last] = await client.waitFor(1)
    expect(last?.data).toBe(
      JSON.stringify({
        errors: [{ httpcode: 500, message: 'internal error; request id my-request' }],
        codes: ['internal_error'],
      }),
    )
  })

  test('An event stream goes on once the database is available again', async () => {
    let tries = 0
    source = {
      next: async () => (++tries === 1 ? Promise.reject(unavailable()) : tries === 2 ? [messageOf(1)] : idle()),
      position: () => '',
    }
    const client = await open()
    await client.waitFor(1)
    expect(client.isOver()).toBe(false)
  })
})

describe('The number of event streams', () => {
  test('The number of event streams is limited for a key, for an organization and in all, and ended ones count no more', async () => {
    const first = await open()
    const refusal = async (key: string) => {
      const response = await fetch(url(), { headers: withKey(key, { accept: 'text/event-stream' }) })
      return [
        response.status,
        response.headers.get('retry-after'),
        ((await response.json()) as { errors: unknown }).errors,
      ]
    }
    const problem = (limit: string) => [{ httpcode: 429, message: `event streams: at most ${limit} at once` }]
    expect(await refusal('one')).toEqual([429, '10', problem('1 with one key')])
    await open({}, { key: 'other' })
    expect(await refusal('another')).toEqual([429, '10', problem('2 of one organization')])
    for (const key of ['foreign', 'foreign2', 'distant']) await open({}, { key })
    expect(await refusal('last')).toEqual([429, '10', problem('5 in all')])
    first.cut()
    await expect.poll(streams.count).toBe(4)
    expect((await open()).status).toBe(200)
  })

  test('The number of listeners has limits of its own, and counts against none of event streams', async () => {
    const listen = (key: string) => open({}, { path: '/listened', key })
    const refusal = async (key: string) => {
      const response = await fetch(url('/listened'), { headers: withKey(key, { accept: 'text/event-stream' }) })
      return [response.status, ((await response.json()) as { errors: { message: string }[] }).errors[0]?.message]
    }
    await listen('one')
    expect(await refusal('one')).toEqual([429, 'listeners: at most 1 with one key at once'])
    expect(await refusal('other')).toEqual([429, 'listeners: at most 1 of one organization at once'])
    for (const key of ['foreign', 'distant']) await listen(key)
    expect(await refusal('last')).toEqual([429, 'listeners: at most 3 in all at once'])
    for (const key of ['one', 'other']) expect((await open({}, { key })).status).toBe(200)
  })

  test('A refused event stream counts no more', async () => {
    source = { next: idle, position: () => '' }
    for (let count = 0; count < 2 * limits.perKey; count++)
      await fetch(url('/counted?unknown=1'), { headers: withKey('one', { accept: 'text/event-stream' }) })
    expect((await open()).status).toBe(200)
  })
})

test('Event streams end when the service stops, and delay it by nothing, be their readers slow or not', async () => {
  const ready = await open()
  source = { next: async () => [{ id: 'c1', data: 'x'.repeat(100_000) }], position: () => '' }
  const slow = await open({}, { key: 'other' })
  slow.pause()
  await expect.poll(ready.text).toBe(': connected\n\n')
  // The slow reader would delay it by the whole time for sending, which is as long as a test may take.
  await app.close()
  await expect.poll(ready.isOver).toBe(true)
  expect(ready.text()).toBe(': connected\n\n')
})
