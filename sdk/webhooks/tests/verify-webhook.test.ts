import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import type { TokenMinted as MintedByTheService } from '../../../server/src/delivery/hooks/token-minted.ts'
import {
  createKeySet,
  type Events,
  type TokenMinted,
  type Triggers,
  verifyWebhook,
  WebhookError,
} from '../src/index.ts'
import { sharedKeySet } from '../src/key-set.ts'
import { createTestSender, type TestSender } from '../src/testing.ts'
import { startKeySetServer } from './key-set-server.ts'

let keySetServer: Awaited<ReturnType<typeof startKeySetServer>>
let receiver: { issuer: string; organizationId: string; targetUrl: string }
let sender: TestSender

beforeEach(async () => {
  keySetServer = await startKeySetServer()
  const organizationId = crypto.randomUUID()
  receiver = { issuer: keySetServer.address, organizationId, targetUrl: 'https://hooks.example.com/signet' }
  sender = await createTestSender(receiver)
})
afterEach(() => keySetServer.stop())

const person = { person_id: crypto.randomUUID(), region: 'local', handles: [], groups: ['staff'] }
const signed = () => sender.sign('PersonDeleted_v1', person)

describe('The key set', () => {
  // Proves 4.8/6.
  test('The key set is fetched from its published location, once for all calls of a receiver (4.8, 6.3)', async () => {
    keySetServer.answerWith({ status: 200, body: sender.published })
    for (let call = 0; call < 3; call++) await verifyWebhook(await signed(), { ...receiver })
    const path = '/organizations/webhooks/verification-jwks'
    expect(keySetServer.fetches).toEqual([{ path, organizationId: receiver.organizationId }])
  })

  test('Each organization has a key set of its own', async () => {
    keySetServer.answerWith({ status: 200, body: sender.published })
    await verifyWebhook(await signed(), receiver)
    const other = { ...receiver, organizationId: crypto.randomUUID() }
    await expect(verifyWebhook(await signed(), other)).rejects.toMatchObject({ code: 'wrong_audience' })
    expect(keySetServer.fetches.map(({ organizationId }) => organizationId)).toEqual([
      receiver.organizationId,
      other.organizationId,
    ])
  })

  test('A key set that is too large is not read to its end', async () => {
    keySetServer.answerWith({ status: 200, body: { ...sender.published, more: 'A'.repeat(100_000) } })
    const refusal = await verifyWebhook(await signed(), receiver).catch((error) => error)
    expect(refusal).toMatchObject({ code: 'keys_unavailable', cause: { code: 'too_large' } })
  })

  test.each([
    ['no JSON', 'keys'],
    ['no list of keys', { keys: {} }],
    ['no keys', { keys: [] }],
    ['keys of other kinds alone', { keys: [{ kty: 'RSA', kid: 'rsa', n: 'AQAB', e: 'AQAB' }, null, 'key'] }],
    ['a key without its name', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] }],
    ['a key that is no point of the curve', { keys: [{ kty: 'EC', crv: 'P-256', kid: 'a', x: 'AA', y: 'AA' }] }],
  ])('A key set with %s does not replace the keys that were there', async (_, body) => {
    let now = Date.now()
    const keySet = createKeySet({ ...receiver, patienceMs: 30_000, now: () => now })
    keySetServer.answerWith({ status: 200, body: sender.published })
    const webhook = await signed()
    await verifyWebhook(webhook, { ...receiver, keySet })
    now += 400_000
    keySetServer.answerWith({ status: 200, body })
    await verifyWebhook(webhook, { ...receiver, keySet })
    expect(keySetServer.fetches).toHaveLength(2)
  })

  test('A key set may hold keys of other kinds, and keys with more members', async () => {
    const [key] = sender.published.keys
    const others = [
      { kty: 'RSA', kid: 'rsa', n: 'AQAB', e: 'AQAB' },
      { kty: 'OKP', crv: 'Ed25519', kid: 'ed', x: 'AA' },
    ]
    keySetServer.answerWith({ status: 200, body: { keys: [...others, { ...key, ext: 1, more: true }] } })
    await verifyWebhook(await signed(), receiver)
  })
})

describe('The age of the key set, measured in elapsed time, with that in which the machine sleeps', () => {
  const dayMs = 86_400_000
  /** Milliseconds that have passed since the start. */
  let passed = 0
  beforeEach(() => {
    passed = 0
    const start = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => start + passed)
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const [kid, next] = ['kid-of-today', 'kid-of-tomorrow']
  const setOf = async (name: string) => ({
    keys: [{ ...(await createTestSender(receiver)).published.keys[0], kid: name }],
  })

  test('A clock that was a day ahead and is corrected accepts no withdrawn key, and refuses no new one', async () => {
    vi.setSystemTime(Date.now() + dayMs)
    const keySet = createKeySet(receiver)
    keySetServer.answerWith({ status: 200, body: await setOf(kid) })
    await keySet.key(kid)
    vi.setSystemTime(Date.now() - dayMs)
    passed = 31_000
    keySetServer.answerWith({ status: 200, body: await setOf(next) })
    await keySet.key(next)
    await expect(keySet.key(kid)).rejects.toMatchObject({ code: 'unknown_key' })
    passed = 340_000
    keySetServer.answerWith({ status: 200, body: await setOf('kid-of-the-day-after') })
    await expect(keySet.key(next)).rejects.toMatchObject({ code: 'unknown_key' })
    expect(keySetServer.fetches).toHaveLength(4)
  })

  test('A key set from before the machine slept is not fresh, and is fetched again', async () => {
    const keySet = createKeySet(receiver)
    keySetServer.answerWith({ status: 200, body: await setOf(kid) })
    await keySet.key(kid)
    vi.setSystemTime(Date.now() + dayMs)
    keySetServer.answerWith({ status: 200, body: await setOf(next) })
    await expect(keySet.key(kid)).rejects.toMatchObject({ code: 'unknown_key' })
    expect(keySetServer.fetches).toHaveLength(2)
  })

  test('A sleep counts against the hour for which keys are used without Signet', async () => {
    const keySet = createKeySet(receiver)
    keySetServer.answerWith({ status: 200, body: await setOf(kid) })
    await keySet.key(kid)
    keySetServer.answerWith({ status: 503 })
    vi.setSystemTime(Date.now() + 400_000)
    await keySet.key(kid)
    vi.setSystemTime(Date.now() + 3_600_000)
    await expect(keySet.key(kid)).rejects.toMatchObject({ code: 'keys_unavailable' })
  })

  test('Clocks that drift apart by the rounding of milliseconds make no key older than it is', async () => {
    const keySet = createKeySet(receiver)
    keySetServer.answerWith({ status: 200, body: await setOf(kid) })
    await keySet.key(kid)
    for (passed = 0; passed < 299_000; passed += 100) {
      vi.setSystemTime(Date.now() + (passed % 200 === 0 ? 101 : 99))
      await keySet.key(kid)
    }
    expect(keySetServer.fetches).toHaveLength(1)
  })

  test('The times of a webhook are judged by the clock of the machine', async () => {
    const body = await signed()
    vi.setSystemTime(Date.now() + dayMs)
    await expect(verifyWebhook(body, { ...receiver, keySet: sender.keySet })).rejects.toMatchObject({ code: 'expired' })
    vi.setSystemTime(Date.now() - 2 * dayMs)
    await expect(verifyWebhook(body, { ...receiver, keySet: sender.keySet })).rejects.toMatchObject({
      code: 'not_yet_valid',
    })
  })
})

describe('Requests and the fetches of other requests', () => {
  beforeEach(() => vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' }))
  afterEach(() => vi.unstubAllGlobals())

  const codeOf = ({ reason }: PromiseSettledResult<unknown> & { reason?: { code: string } }) => reason?.code

  test('Unknown kids cost one fetch, and no request is told that there is no such key before the fetch has ended', async () => {
    const keySet = createKeySet({ ...receiver })
    keySetServer.answerWith({ status: 200, body: sender.published })
    const asked = await Promise.allSettled(Array.from({ length: 500 }, (_, n) => keySet.key(`made-up-${n}`)))
    expect(keySetServer.fetches).toHaveLength(1)
    expect(asked.map(codeOf)).toEqual(['unknown_key', ...Array(499).fill('keys_unavailable')])
    await verifyWebhook(await signed(), { ...receiver, keySet })
    expect(keySetServer.fetches).toHaveLength(1)
  })

  test('A stale key waits for the fetch of another request without touching it', async () => {
    let now = Date.now()
    const answers: object[] = [sender.published, (await createTestSender(receiver)).published]
    const fetch = async () => Response.json(answers.shift())
    const keySet = createKeySet({ ...receiver, fetch, now: () => now })
    const webhook = await signed()
    await verifyWebhook(webhook, { ...receiver, keySet })
    now += 400_000
    const asked = await Promise.allSettled(
      Array.from({ length: 2 }, () => verifyWebhook(webhook, { ...receiver, keySet })),
    )
    expect(asked.map(codeOf)).toEqual(['unknown_key', 'unknown_key'])
    expect(answers).toEqual([])
  })
})

test('A key set in constant use is not evicted for a thousand others', () => {
  const ours = sharedKeySet(keySetServer.address, receiver.organizationId)
  for (let other = 0; other < 1_500; other++) {
    sharedKeySet(keySetServer.address, `other-${other}`)
    expect(sharedKeySet(keySetServer.address, receiver.organizationId)).toBe(ours)
  }
})

test('The rest of a refused key set response is discarded, so that its connection is free', async () => {
  let isGivenUp = false
  const endless = () =>
    new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(1)),
      cancel: () => {
        isGivenUp = true
      },
    })
  const keySet = createKeySet({ ...receiver, fetch: async () => new Response(endless(), { status: 503 }) })
  await expect(keySet.key('any')).rejects.toMatchObject({ code: 'keys_unavailable' })
  expect(isGivenUp).toBe(true)
})

describe('Verified webhooks', () => {
  test('A verified webhook has all claims of 6.3, and its content by its trigger_name', async () => {
    const body = await signed()
    const webhook = await verifyWebhook(body, { ...receiver, keySet: sender.keySet })
    expect(webhook).toEqual(JSON.parse(Buffer.from(body.split('.')[1] ?? '', 'base64url').toString()))
    if (webhook.trigger_name !== 'PersonDeleted_v1') throw new Error('another one')
    expectTypeOf(webhook.trigger_content.groups).toEqualTypeOf<string[]>()
    expectTypeOf(webhook.trigger_type).toEqualTypeOf<'event'>()
    expect(webhook.trigger_content.event_metadata.event_id).toBe(webhook.sub)
  })

  test('A verified webhook is typed as the service writes it', () => {
    expectTypeOf<MintedByTheService>().toExtend<TokenMinted>()
    expectTypeOf<Omit<TokenMinted, 'is_test'>>().toExtend<MintedByTheService>()
    expectTypeOf<keyof Triggers>().toEqualTypeOf<keyof Events | 'token_minted'>()
    type Failed = Events['AuthenticationFailed_v1']
    // Only if (6.1): what may be absent must not be relied on.
    expectTypeOf<Failed['authenticated_methods']>().toEqualTypeOf<string[] | undefined>()
    expectTypeOf<Failed['browser_metadata']>().toEqualTypeOf<
      Events['VirtualPageLoaded_v1']['browser_metadata'] | undefined
    >()
    expectTypeOf<Events['PersonCreated_v1']['person_id']>().toEqualTypeOf<string>()
  })
})

test.each([
  [{ aud: 'somebody else' }, 'aud: is not this organization'],
  [{ exp: 0 }, 'exp: is past'],
  [{ iat: 9_999_999_999 }, 'iat: is in the future'],
])('The refusal of a webhook with %j says why, and shows nothing of what was sent', async (claims, message) => {
  const body = await sender.sign('PersonDeleted_v1', person, claims)
  const refusal = await verifyWebhook(body, { ...receiver, keySet: sender.keySet }).catch((error) => error)
  expect(refusal).toBeInstanceOf(WebhookError)
  expect(String(refusal)).toBe(`WebhookError: ${message}`)
  expect(inspect(refusal, { depth: 9 })).not.toMatch(/somebody else|staff|PersonDeleted/)
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['what a parser has made of it', { jti: 'a' }],
  ['a list of characters', ['e', 'y']],
  ['a number', 1],
  ['the bare memory of its bytes', new ArrayBuffer(8)],
  ['a promise of it', Promise.resolve('ey')],
  ['a request', new Request('https://hooks.example.com/signet', { method: 'POST', body: 'ey' })],
])('A body that is %s is malformed, and the error says what it has to be', async (_, body) => {
  const refusal = await verifyWebhook(body as string, receiver).catch((error) => error)
  expect(refusal).toBeInstanceOf(WebhookError)
  expect(refusal).toMatchObject({ code: 'malformed', message: expect.stringContaining('a string or a Uint8Array') })
  expect(refusal.message).toContain('let no parser read application/jwt')
})

test('A missing receiver is reported like a receiver without its names', async () => {
  const nobody = undefined as unknown as typeof receiver
  await expect(verifyWebhook('a.b.c', nobody)).rejects.toThrow('issuer: is required')
})

test.each([
  ['a page of HTML', '<!doctype html><title>Sign in to the proxy</title>'],
  ['nothing', ''],
  ['null', 'null'],
  ['an error in JSON', { errors: [{ httpcode: 404, message: 'organization: not found' }] }],
])('A key set response of %s gives no keys, and the error says so', async (_, body) => {
  keySetServer.answerWith({ status: 200, body })
  const refusal = await verifyWebhook(await signed(), receiver).catch((error) => error)
  expect(refusal).toMatchObject({
    code: 'keys_unavailable',
    message: expect.stringMatching(/something that is no key set$/),
  })
})

test.each([
  [
    'an unknown organization',
    404,
    { errors: [{ httpcode: 404, message: 'organization: not found' }] },
    /^organizationId: /,
  ],
  ['no id of one', 400, { errors: [{ httpcode: 400, message: 'Service-OrgID: must be a UUID' }] }, /^organizationId: /],
  [
    'another path of Signet',
    404,
    { errors: [{ httpcode: 404, message: 'there is no GET /a/organizations' }] },
    /^issuer: /,
  ],
  ['another service', 404, '<!doctype html><title>Not found</title>', /^issuer: /],
])(
  'Settings of a receiver that lead to %s are named as wrong, and not taken for an outage',
  async (_, status, body, message) => {
    keySetServer.answerWith({ status, body })
    const refusal = await verifyWebhook(await signed(), receiver).catch((error) => error)
    expect(refusal).toMatchObject({ code: 'wrong_setting', message: expect.stringMatching(message) })
  },
)

test('A slash at the end of the issuer does not matter', async () => {
  keySetServer.answerWith({ status: 200, body: sender.published })
  await verifyWebhook(await signed(), { ...receiver, issuer: `${receiver.issuer}/` })
  expect(keySetServer.fetches.map(({ path }) => path)).toEqual(['/organizations/webhooks/verification-jwks'])
})

test('A receiver that does not say who it is refuses to start, and fetches nothing', async () => {
  const nameless = { ...receiver, organizationId: undefined as unknown as string }
  await expect(verifyWebhook(await signed(), nameless)).rejects.toThrow('organizationId: is required')
  expect(keySetServer.fetches).toEqual([])
})
