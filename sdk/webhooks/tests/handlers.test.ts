import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

async function serve(listener: RequestListener): Promise<Running> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { post: (body) => post(url, body), stop: () => new Promise((stopped) => server.close(stopped)) }
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

describe.each(servers)('a receiver on %s', (_, start) => {
  const startWith = async (changes: Partial<HandlerOptions> = {}) => {
    running = await start(optionsWith(changes))
    return running
  }

  test('handles what is verified, and answers 204', async () => {
    const { post } = await startWith()
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(handled).toMatchObject([{ trigger_name: 'PersonDeleted_v1', trigger_content: { groups: ['Grüße'] } }])
    expect(errors).toEqual([])
  })

  test('answers a hook with claims, or with nothing (6.2, rule 5)', async () => {
    let claims: { plan: string } | undefined = { plan: 'free' }
    const { post } = await startWith({ handle: () => claims })
    expect(await post(await sender.sign('token_minted', minted))).toEqual({ status: 200, body: '{"plan":"free"}' })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    claims = undefined
    expect(await post(await sender.sign('token_minted', minted))).toEqual({ status: 204, body: '' })
  })

  test('refuses what is not verified with 401, says why, and handles nothing', async () => {
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

  test('answers 503 while there are no keys, so that Signet calls again', async () => {
    const fetch = async () => new Response(null, { status: 500 })
    const { post } = await startWith({ keySet: createKeySet({ ...addresses, fetch }) })
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 503, body: '' })
    expect(errors).toMatchObject([{ code: 'keys_unavailable' }])
  })

  test('answers 500 when it cannot handle an event, or cannot say whether it is new', async () => {
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

  test('handles a sub once where it is told what was seen, but answers each attempt of a hook (6.2, rules 4 and 5)', async () => {
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

  test('does not read what is giant to its end, and goes on', async () => {
    const { post } = await startWith()
    const giant = await post('A'.repeat(4_000_000)).catch(() => ({ status: 413 }))
    expect(giant.status).toBe(413)
    expect(await post(await sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(handled).toHaveLength(1)
  })
})

test('a receiver without a name of its own does not start', () => {
  for (const name of ['issuer', 'organizationId', 'targetUrl'])
    expect(() => nodeHandler(optionsWith({ [name]: '' }))).toThrow(`${name}: is required`)
})
