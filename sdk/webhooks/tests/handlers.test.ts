import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createKeySet,
  fastifyPlugin,
  fetchHandler,
  type HandlerOptions,
  nodeHandler,
  type TokenMinted,
  type Webhook,
} from '../src/index.ts'
import { createTestSender, type TestSender } from '../src/testing.ts'

type Answer = { status: number; body: string }
/** A receiver that is running. */
type Running = { post(body: string): Promise<Answer>; stop(): Promise<unknown> }
type Start = (options: HandlerOptions) => Promise<Running>

const addresses = {
  issuer: 'https://signet.example.com',
  organizationId: '019ab3c5-8e00-7000-8000-000000000001',
  targetUrl: 'https://hooks.example.com/signet',
}
const person = { person_id: '019ab3c5-8e00-7000-8000-000000000003', region: 'local', handles: [], groups: ['Grüße'] }
const minted: TokenMinted = {
  aud: 'app',
  sub: person.person_id,
  iss: `${addresses.issuer}/oidc/${addresses.organizationId}`,
  region: 'local',
  first_token: true,
  authentications: [{ method: 'oidc', timestamp: '2027-01-15T08:00:00.000Z' }],
  groups_claim_name: 'groups',
  groups: ['staff'],
  request_metadata: { client_ip_address: '192.0.2.1', user_agent: 'Test' },
}

async function post(url: string, body: string): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/jwt' }, body })
  return { status: response.status, body: await response.text() }
}

/** The receiver may close the connection while the rest is still being sent; then its answer is lost. */
function cutOff(error: Error & { cause?: { code?: string } }): { status: number } {
  if (error.cause?.code === 'ECONNRESET' || error.cause?.code === 'EPIPE') return { status: 413 }
  throw error
}

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, post: (body: string) => post(url, body), stop: () => new Promise((stopped) => server.close(stopped)) }
}

const inExpress = (options: HandlerOptions, ...parsers: express.Handler[]) => {
  const app = express()
  for (const parser of parsers) app.use(parser)
  return serve(app.post('/hook', nodeHandler(options)))
}

const servers: [string, Start][] = [
  ['node:http', (options) => serve(nodeHandler(options))],
  ['Express', (options) => inExpress(options)],
  ['Express after express.json', (options) => inExpress(options, express.json())],
  ['Express after express.text', (options) => inExpress(options, express.text({ type: '*/*', limit: '8mb' }))],
  ['Express after express.raw', (options) => inExpress(options, express.raw({ type: '*/*', limit: '8mb' }))],
  [
    'Fastify',
    async (options) => {
      const app = fastify()
      app.register(fastifyPlugin({ path: '/hook', ...options }))
      const address = await app.listen({ port: 0, host: '127.0.0.1' })
      return { post: (body) => post(`${address}/hook`, body), stop: () => app.close() }
    },
  ],
  [
    'Fetch',
    async (options) => {
      const handle = fetchHandler(options)
      const ask = async (body: string) => {
        const response = await handle(new Request(addresses.targetUrl, { method: 'POST', body }))
        return { status: response.status, body: await response.text() }
      }
      return { post: ask, stop: async () => {} }
    },
  ],
]

let sender: TestSender
let handled: Webhook[]
let errors: unknown[]
let running: Running | undefined

beforeEach(async () => {
  sender = await createTestSender(addresses)
  ;[handled, errors] = [[], []]
})
afterEach(() => running?.stop())

const optionsWith = (changes: Partial<HandlerOptions>): HandlerOptions => ({
  ...addresses,
  keySet: sender.keySet,
  handle: (webhook) => {
    handled.push(webhook)
  },
  onError: (error) => errors.push(error),
  ...changes,
})

describe.each(servers)('A receiver on %s', (_, start) => {
  const startWith = async (changes: Partial<HandlerOptions> = {}) => {
    running = await start(optionsWith(changes))
    return running
  }

  test('A receiver handles a verified event and answers 204', async () => {
    const { post } = await startWith()
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(handled).toMatchObject([{ trigger_name: 'PersonDeleted_v1', trigger_content: { groups: ['Grüße'] } }])
    expect(errors).toEqual([])
  })

  test('A receiver answers a hook with claims, or with nothing (6.2, rule 5)', async () => {
    let claims: { plan: string } | undefined = { plan: 'free' }
    const { post } = await startWith({ handle: () => claims })
    expect(await post(await sender.sign('token_minted', minted))).toEqual({ status: 200, body: '{"plan":"free"}' })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    claims = undefined
    expect(await post(await sender.sign('token_minted', minted))).toEqual({ status: 204, body: '' })
  })

  test('A receiver refuses an unverified request with 401, says why, and does not handle it', async () => {
    const { post } = await startWith()
    const bodies = [
      await sender.sign('PersonDeleted_v1', person, { aud: 'other' }),
      await sender.sign('PersonDeleted_v1', person, { exp: 0 }),
      await (await createTestSender(addresses)).sign('PersonDeleted_v1', person),
      '',
      '{}',
    ]
    for (const body of bodies) expect(await post(body)).toEqual({ status: 401, body: '' })
    const codes = ['wrong_audience', 'expired', 'unknown_key', 'malformed', 'malformed']
    expect(errors).toMatchObject(codes.map((code) => ({ code })))
    expect(handled).toEqual([])
  })

  test('A receiver answers 503 while it has no keys, so that Signet calls again', async () => {
    const fetch = async () => new Response(null, { status: 500 })
    const { post } = await startWith({ keySet: createKeySet({ ...addresses, fetch }) })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 503, body: '' })
    expect(errors).toMatchObject([{ code: 'keys_unavailable' }])
  })

  const told = ['body: must be a signed JWT in its compact form', 'no log']
  test.each<[string, () => unknown, string[][]]>([
    [
      'throws',
      () => {
        throw new Error('no log')
      },
      [told],
    ],
    ['rejects', () => Promise.reject(new Error('no log')), [told]],
    ['never settles', () => new Promise(() => {}), []],
  ])('A receiver still answers when onError %s, and writes the error to the console', async (_, onError, expected) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const { post } = await startWith({ onError })
    expect(await post('{}')).toEqual({ status: 401, body: '' })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    const lines = log.mock.calls.map((errors) => errors.map((error) => error.message))
    log.mockRestore()
    expect(lines).toEqual(expected)
  })

  test('A receiver answers 500 when `handle` returns something that is no JSON', async () => {
    const { post } = await startWith({ handle: () => ({ account: 1n }) })
    expect(await post(await sender.sign('token_minted', minted))).toEqual({ status: 500, body: '' })
    expect(errors).toEqual([expect.any(TypeError)])
  })

  test('A receiver answers 500 when it cannot handle an event, or cannot say whether the event is new', async () => {
    const broken = new Error('the database is down')
    const fail = () => Promise.reject(broken)
    const first = await startWith({ handle: fail })
    expect(await first.post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 500, body: '' })
    await first.stop()
    const { post } = await startWith({ seen: fail })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 500, body: '' })
    expect(errors).toEqual([broken, broken])
    expect(handled).toEqual([])
  })

  test('A receiver handles a sub once where it has a store of seen subs, but answers each attempt of a hook (6.2, rules 4 and 5)', async () => {
    const subs = new Set<string>()
    const handle = ({ sub }: Webhook) => {
      subs.add(sub)
      return { attempt: subs.size }
    }
    const { post } = await startWith({ handle, seen: (sub) => subs.has(sub) })
    const event = () => sender.sign('PersonDeleted_v1', person, { sub: 'event' })
    const hook = () => sender.sign('token_minted', minted, { sub: 'run' })
    for (const body of [await event(), await event()]) expect(await post(body)).toEqual({ status: 204, body: '' })
    for (const body of [await hook(), await hook()])
      expect(await post(body)).toEqual({ status: 200, body: '{"attempt":2}' })
  })

  test('A receiver does not read an oversized body to its end, and goes on serving', async () => {
    const { post } = await startWith()
    const giant = await post('A'.repeat(4_000_000)).catch(cutOff)
    expect(giant.status).toBe(413)
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(handled).toHaveLength(1)
  })
})

test('A receiver without a name of its own does not start', () => {
  for (const name of ['issuer', 'organizationId', 'targetUrl'])
    expect(() => nodeHandler(optionsWith({ [name]: '' }))).toThrow(`${name}: is required`)
})

/** Listens with `listener`, and posts a good event to it by a raw connection, which the test ends. */
async function startRaw(listener: RequestListener) {
  const server = await serve(listener)
  running = server
  const jwt = await sender.sign('PersonDeleted_v1', person)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = `POST /hook HTTP/1.1\r\nhost: a\r\ncontent-type: application/jwt\r\ncontent-length: ${jwt.length}\r\n\r\n`
  return { socket, head, jwt }
}

describe('The promise of nodeHandler, whose rejection would end the process of the receiver', () => {
  /** Of the one request that comes. */
  const ended = () => Promise.withResolvers<void>()
  const settling = (options: HandlerOptions, settled: PromiseWithResolvers<void>): RequestListener => {
    const handler = nodeHandler(options)
    return (request, response) => void handler(request, response).then(settled.resolve, settled.reject)
  }

  test.each(['headers', 'the whole answer'])(
    'The promise of nodeHandler does not reject when something else has sent %s already',
    async (sent) => {
      const settled = ended()
      const slow = Promise.withResolvers<void>()
      const handler = settling(optionsWith({ handle: () => slow.promise }), settled)
      running = await serve((request, response) => {
        handler(request, response)
        response.writeHead(503)
        if (sent === 'headers') response.flushHeaders()
        else response.end()
        slow.resolve()
        void settled.promise.finally(() => response.end())
      })
      expect(await running.post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 503, body: '' })
      await settled.promise
      expect(errors).toMatchObject([{ code: 'ERR_HTTP_HEADERS_SENT' }])
    },
  )

  test('The promise of nodeHandler does not reject when something else has answered already and `handle` fails after that', async () => {
    const settled = ended()
    const slow = Promise.withResolvers<void>()
    const handle = async () => {
      await slow.promise
      throw new Error('too late')
    }
    const handler = settling(optionsWith({ handle }), settled)
    running = await serve((request, response) => {
      handler(request, response)
      response.writeHead(503).end()
    })
    expect(await running.post(await sender.sign('PersonDeleted_v1', person))).toMatchObject({ status: 503 })
    slow.resolve()
    await settled.promise
    expect(errors).toMatchObject([{ message: 'too late' }, { code: 'ERR_HTTP_HEADERS_SENT' }])
  })

  test('The promise of nodeHandler does not reject when the sender disconnects in the middle of the body', async () => {
    const settled = ended()
    const { socket, head, jwt } = await startRaw(settling(optionsWith({}), settled))
    socket.write(head + jwt.slice(0, 20), () => socket.destroy())
    await settled.promise
    expect(errors).toMatchObject([{ code: 'ECONNRESET' }])
    expect(handled).toEqual([])
  })

  test('The promise of nodeHandler does not reject when the sender disconnects while the event is handled', async () => {
    const [settled, closed] = [ended(), Promise.withResolvers<void>()]
    const handler = settling(optionsWith({ handle: () => closed.promise }), settled)
    const { socket, head, jwt } = await startRaw((request, response) => {
      response.on('close', closed.resolve)
      handler(request, response)
      socket.destroy()
    })
    socket.write(head + jwt)
    await settled.promise
  })

  test.each([
    ['good', 204],
    ['bad', 401],
    ['giant', 413],
  ])('The promise of nodeHandler does not reject over HTTP/2, for a body that is %s', async (kind, status) => {
    const server = createHttp2Server(nodeHandler(optionsWith({}))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': '/hook' })
    stream.on('error', () => {})
    const bodies: Record<string, string> = {
      good: await sender.sign('PersonDeleted_v1', person),
      giant: 'A'.repeat(4_000_000),
    }
    stream.end(bodies[kind] ?? '{}')
    const [head] = await once(stream, 'response')
    expect(head[':status']).toBe(status)
    session.destroy()
    await new Promise((closed) => server.close(closed))
  })
})

describe('A body that something else has read', () => {
  const hint = { code: 'malformed', message: expect.stringContaining('let no parser read application/jwt') }
  const refused = { status: 401, body: '' }
  const drain: express.Handler = (request, _response, next) => void request.resume().on('end', next)
  const parse: express.Handler = (request, response, next) =>
    drain(request, response, () => {
      request.body = { parsed: true }
      next()
    })

  test.each([
    ['read and dropped', drain],
    ['parsed', parse],
  ])('A body %s by a middleware is refused in Express, and the error says what to do', async (_, middleware) => {
    running = await inExpress(optionsWith({}), middleware)
    expect(await running.post(await sender.sign('PersonDeleted_v1', person))).toEqual(refused)
    expect(errors).toMatchObject([hint])
  })

  test('A body is read in Express after a parser that leaves an empty object and the body alone, as those of Express 4 do', async () => {
    running = await inExpress(optionsWith({}), (request, _response, next) => {
      request.body = {}
      next()
    })
    expect(await running.post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
  })

  test('A body that was read already is refused in a fetch handler, and the error says what to do', async () => {
    const request = new Request(addresses.targetUrl, {
      method: 'POST',
      body: await sender.sign('PersonDeleted_v1', person),
    })
    await request.text()
    expect(await fetchHandler(optionsWith({}))(request)).toMatchObject({ status: 401 })
    expect(errors).toMatchObject([hint])
  })

  test('A body that a parser of the application made into something else than text is refused in Fastify, and the error says what to do', async () => {
    const app = fastify()
    app.addHook('preHandler', async (request) => {
      request.body = { parsed: true }
    })
    app.register(fastifyPlugin({ path: '/hook', ...optionsWith({}) }))
    const answer = await app.inject({ method: 'POST', url: '/hook', ...(await injected()) })
    expect(answer.statusCode).toBe(401)
    expect(errors).toMatchObject([hint])
    await app.close()
  })
})

const injected = async () => ({
  headers: { 'content-type': 'application/jwt' },
  payload: await sender.sign('PersonDeleted_v1', person),
})

describe('The Fastify plugin', () => {
  test.each<[string, string | RegExp]>([
    ['application/jwt', 'application/jwt'],
    ['every type', '*'],
    ['types that match an expression', /^application\/.*/],
  ])(
    'The plugin starts where the application has a parser for %s, which keeps working on other routes',
    async (_, type) => {
      const app = fastify()
      app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, { parsed: body }))
      app.post('/other', async (request) => request.body)
      app.register(fastifyPlugin({ path: '/hook', ...optionsWith({}) }))
      app.register(fastifyPlugin({ path: '/second', ...optionsWith({}) }))
      const request = await injected()
      for (const url of ['/hook', '/second'])
        expect(await app.inject({ method: 'POST', url, ...request })).toMatchObject({ statusCode: 204 })
      const other = await app.inject({ method: 'POST', url: '/other', ...request })
      expect(other.json()).toEqual({ parsed: request.payload })
      expect(errors).toEqual([])
      await app.close()
    },
  )

  test('The plugin goes on when something else has answered already', async () => {
    const app = fastify()
    app.addHook('preHandler', async (_request, reply) => {
      reply.raw.writeHead(503).end()
    })
    app.register(fastifyPlugin({ path: '/hook', ...optionsWith({}) }))
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
    for (const _ of [1, 2]) expect(await post(url, (await injected()).payload)).toEqual({ status: 503, body: '' })
    await app.close()
  })
})
