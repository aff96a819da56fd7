import express from 'express'
import fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import {
  createKeySet,
  deny,
  fastifyPlugin,
  fetchHandler,
  type HandlerOptions,
  nodeHandler,
  type TokenMinted,
  type Webhook,
} from '../src/index.ts'
import { createTestSender } from '../src/testing.ts'
import {
  addresses,
  afterEncoding,
  encoding,
  inExpress,
  person,
  post,
  type Running,
  sceneOfEachTest,
  serve,
} from './handler-scene.ts'

type Start = (options: HandlerOptions) => Promise<Running>

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

/** The receiver may close the connection while the rest is still being sent; then its answer is lost. */
function cutOff(error: Error & { cause?: { code?: string } }): { status: number } {
  if (error.cause?.code === 'ECONNRESET' || error.cause?.code === 'EPIPE') return { status: 413 }
  throw error
}

const servers: [string, Start][] = [
  ['node:http', (options) => serve(nodeHandler(options))],
  ['node:http after setEncoding', (options) => serve(afterEncoding('utf8', nodeHandler(options)))],
  ['Express', (options) => inExpress(options)],
  ['Express after setEncoding', (options) => inExpress(options, encoding('latin1'))],
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

const scene = sceneOfEachTest()

describe.each(servers)('A receiver on %s', (_, start) => {
  const startWith = async (changes: Partial<HandlerOptions> = {}) => {
    scene.running = await start(scene.options(changes))
    return scene.running
  }

  test('A receiver handles a verified event and answers 204', async () => {
    const { post } = await startWith()
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(scene.handled).toMatchObject([{ trigger_name: 'PersonDeleted_v1', trigger_content: { groups: ['Grüße'] } }])
    expect(scene.errors).toEqual([])
  })

  // Proves 6.2, rule 5/3.
  test('A receiver answers a hook with claims, or with nothing (6.2, rule 5)', async () => {
    let claims: { plan: string } | undefined = { plan: 'free' }
    const { post } = await startWith({ handle: () => claims })
    expect(await post(await scene.sender.sign('token_minted', minted))).toEqual({
      status: 200,
      body: '{"plan":"free"}',
    })
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    claims = undefined
    expect(await post(await scene.sender.sign('token_minted', minted))).toEqual({ status: 204, body: '' })
  })

  test('A receiver answers a hook with a refusal, with and without a code (6.2, rule 5)', async () => {
    const refusals = [deny('Your "plan" has\nended: 100 % 🙂'), deny('Not you.', 'not_you')]
    const { post } = await startWith({ handle: () => refusals.shift() })
    for (const expected of [{ reason: 'Your "plan" has\nended: 100 % 🙂' }, { reason: 'Not you.', code: 'not_you' }]) {
      const { status, body } = await post(await scene.sender.sign('token_minted', minted))
      expect({ status, answer: JSON.parse(body) }).toEqual({ status: 200, answer: { deny: expected } })
    }
  })

  test('A receiver refuses an unverified request with 401, says why, and does not handle it', async () => {
    const { post } = await startWith()
    const bodies = [
      await scene.sender.sign('PersonDeleted_v1', person, { aud: 'other' }),
      await scene.sender.sign('PersonDeleted_v1', person, { exp: 0 }),
      await (await createTestSender(addresses)).sign('PersonDeleted_v1', person),
      '',
      '{}',
    ]
    for (const body of bodies) expect(await post(body)).toEqual({ status: 401, body: '' })
    const codes = ['wrong_audience', 'expired', 'unknown_key', 'malformed', 'malformed']
    expect(scene.errors).toMatchObject(codes.map((code) => ({ code })))
    expect(scene.handled).toEqual([])
  })

  test('A receiver answers 503 while it has no keys, so that Signet calls again', async () => {
    const fetch = async () => new Response(null, { status: 500 })
    const { post } = await startWith({ keySet: createKeySet({ ...addresses, fetch }) })
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 503, body: '' })
    expect(scene.errors).toMatchObject([{ code: 'keys_unavailable' }])
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
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    const lines = log.mock.calls.map((errors) => errors.map((error) => error.message))
    log.mockRestore()
    expect(lines).toEqual(expected)
  })

  test('A receiver answers 500 when `handle` returns something that is no JSON', async () => {
    const { post } = await startWith({ handle: () => ({ account: 1n }) })
    expect(await post(await scene.sender.sign('token_minted', minted))).toEqual({ status: 500, body: '' })
    expect(scene.errors).toEqual([expect.any(TypeError)])
  })

  test('A receiver answers 500 when it cannot handle an event, or cannot say whether the event is new', async () => {
    const broken = new Error('the database is down')
    const fail = () => Promise.reject(broken)
    const first = await startWith({ handle: fail })
    expect(await first.post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 500, body: '' })
    await first.stop()
    const { post } = await startWith({ seen: fail })
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 500, body: '' })
    expect(scene.errors).toEqual([broken, broken])
    expect(scene.handled).toEqual([])
  })

  // Proves 6.2, rule 4/4.
  test('A receiver handles a sub once where it has a store of seen subs, but answers each attempt of a hook (6.2, rules 4 and 5)', async () => {
    const subs = new Set<string>()
    const handle = ({ sub }: Webhook) => {
      subs.add(sub)
      return { attempt: subs.size }
    }
    const { post } = await startWith({ handle, seen: (sub) => subs.has(sub) })
    const event = () => scene.sender.sign('PersonDeleted_v1', person, { sub: 'event' })
    const hook = () => scene.sender.sign('token_minted', minted, { sub: 'run' })
    for (const body of [await event(), await event()]) expect(await post(body)).toEqual({ status: 204, body: '' })
    for (const body of [await hook(), await hook()])
      expect(await post(body)).toEqual({ status: 200, body: '{"attempt":2}' })
  })

  test('A receiver does not read an oversized body to its end, and goes on serving', async () => {
    const { post } = await startWith()
    const giant = await post('A'.repeat(4_000_000)).catch(cutOff)
    expect(giant.status).toBe(413)
    expect(await post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({ status: 204, body: '' })
    expect(scene.handled).toHaveLength(1)
  })
})

test('A receiver without a name of its own does not start', () => {
  for (const name of ['issuer', 'organizationId', 'targetUrl'])
    expect(() => nodeHandler(scene.options({ [name]: '' }))).toThrow(`${name}: is required`)
})

test.each([
  ['issuer', 'signet.example.com'],
  ['issuer', 'signet.example.com:8080'],
  ['organizationId', `${addresses.organizationId}\n`],
])('A receiver whose %s is %j, with which no keys can be fetched, does not start', (name, value) => {
  expect(() => nodeHandler(scene.options({ [name]: value }))).toThrow(`${name}: must be`)
})
