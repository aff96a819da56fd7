import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt, importJWK, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { AttemptEnd } from '../../src/delivery/queue/delivery.ts'
import { type NewRequest, openSender, type Sender } from '../../src/delivery/queue/sender/sender.ts'
import type { RequestTemplate } from '../../src/delivery/queue/sender/thread.ts'
import { importSigningKey, makeSigningKey } from '../../src/ground/keys/signing-key.ts'
import { monotonicNow } from '../../src/ground/runtime/clock.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const { publicJwk, privateKey } = makeSigningKey()
const key = importSigningKey(privateKey)
let receiver: Receiver
let senders: Sender[] = []
let errors: unknown[] = []

beforeAll(async () => {
  receiver = await startReceiver()
})

afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.close()))
  senders = []
  errors = []
})

afterAll(() => receiver.stop())

function openUnstarted(limits: Partial<Parameters<typeof openSender>[0]['limits']> = {}): Sender {
  const sender = openSender({
    egressOptions: {
      resolve: new Map([[`${receiver.host}:${receiver.port}`, ['127.0.0.1']]]),
      allowCidrs: [],
      maxConnections: 20,
      certificateAuthorities: [readFileSync(receiver.caFile, 'utf8')],
    },
    limits: { perWebhook: 10, perOrganization: 20, total: 20, ...limits },
    reportsBegun: true,
    onError: (error) => errors.push(error),
  })
  senders.push(sender)
  return sender
}

async function open(limits?: Parameters<typeof openUnstarted>[0]): Promise<Sender> {
  const sender = openUnstarted(limits)
  await sender.start()
  return sender
}

type Given = Partial<RequestTemplate> & {
  path?: string
  timeoutMs?: number
  keepBodyBytes?: unknown
  payload?: string
}

/** A request, and how it ends. */
function newRequest({
  path = '/fine',
  timeoutMs = 10_000,
  keepBodyBytes = 1_024,
  payload = '{}',
  ...template
}: Given = {}) {
  const { promise, resolve } = Promise.withResolvers<AttemptEnd>()
  const made = {
    payload,
    template: {
      organizationId: 'o',
      webhookId: path,
      isHealthy: true,
      key,
      since: monotonicNow(),
      concurrency: { maxRequests: Infinity, failures: 0 },
      beginWithinMs: 60_000,
      call: { url: receiver.url(path), headers: [], timeoutMs, keepBodyBytes: keepBodyBytes as number },
      ...template,
    },
    ended: promise,
    hasEnded: false,
    hasBegun: false,
    onBegun: () => {
      made.hasBegun = true
    },
    onSetAside: () => {},
    onEnded: (end: AttemptEnd) => {
      made.hasEnded = true
      resolve(end)
    },
  }
  return made
}

const toNewRequest = ({
  payload,
  template,
  onBegun,
  onSetAside,
  onEnded,
}: ReturnType<typeof newRequest>): NewRequest => ({
  payload,
  template,
  onBegun,
  onSetAside,
  onEnded,
})

/** Ordered in one turn. */
function send(sender: Sender, ...requests: ReturnType<typeof newRequest>[]) {
  sender.send(requests.map(toNewRequest))
  return requests
}

/** On a busy machine. */
const soon = { timeout: 10_000 }
const answered = (status: number) =>
  expect.objectContaining({ kind: 'completed', outcome: expect.objectContaining({ kind: 'answered', status }) })
const interrupted = { kind: 'released', reason: 'interrupted' }

test('Requests of several turns are sent, each with what was signed for it, and each gets its own outcome', async () => {
  const sender = await open()
  const made = Array.from({ length: 40 }, (_, n) => newRequest({ path: `/each/${n}`, payload: `{"n":${n}}` }))
  for (const [n] of made.entries()) receiver.behave(`/each/${n}`, { status: n % 3 === 0 ? 500 : 200 })
  send(sender, ...made.slice(0, 20))
  for (const each of made.slice(20)) send(sender, each)
  const publicKey = await importJWK(publicJwk)
  for (const [n, { ended }] of made.entries()) {
    expect(await ended).toEqual(answered(n % 3 === 0 ? 500 : 200))
    const [{ body = '' } = {}] = receiver.received(`/each/${n}`)
    expect((await jwtVerify(body, publicKey)).payload).toEqual({ n })
  }
  expect(made.every(({ hasBegun }) => hasBegun)).toBe(true)
})

test('The next request of a webhook begins with the end of the one before, whatever the service does', async () => {
  const sender = await open({ perWebhook: 1 })
  receiver.behave('/in-turn', { delayMs: 100 })
  const made = send(sender, ...Array.from({ length: 5 }, () => newRequest({ path: '/in-turn' })))
  await expect.poll(() => made[0]?.hasBegun, soon).toBe(true)
  const until = performance.now() + 2_000
  while (performance.now() < until);
  // The others have begun meanwhile: they would come two seconds later otherwise.
  await Promise.all(made.map(({ ended }) => ended))
  const [first, , , , last] = await receiver.waitFor('/in-turn', 5)
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(1_900)
})

test('A revocation is done when the released requests were reported, and leaves those of others and those that have begun', async () => {
  const sender = await open({ perWebhook: 1 })
  receiver.behave('/revoked', { delayMs: 600 })
  receiver.behave('/other', { delayMs: 600 })
  const [first, second, third] = send(sender, ...Array.from({ length: 3 }, () => newRequest({ path: '/revoked' })))
  const others = send(sender, ...Array.from({ length: 2 }, () => newRequest({ path: '/other' })))
  await expect.poll(() => first?.hasBegun, soon).toBe(true)
  await sender.revoke('/revoked')
  expect([first, second, third].map((each) => each?.hasEnded)).toEqual([false, true, true])
  expect(await second?.ended).toEqual({ kind: 'released', reason: 'revoked' })
  expect(others.map(({ hasEnded }) => hasEnded)).toEqual([false, false])
  expect(await first?.ended).toEqual(answered(200))
  expect(await others[1]?.ended).toEqual(answered(200))
})

test('A request that comes before the thread is ready waits for it', async () => {
  const sender = openUnstarted()
  const [early] = send(sender, newRequest())
  await sender.start()
  expect(await early?.ended).toEqual(answered(200))
})

test('Requests of the same turn are revoked by organization before they are sent', async () => {
  const sender = await open()
  const [own, other] = send(
    sender,
    newRequest({ organizationId: 'a', path: '/never' }),
    newRequest({ organizationId: 'b' }),
  )
  await sender.revoke('a')
  expect(await own?.ended).toEqual({ kind: 'released', reason: 'revoked' })
  expect(await other?.ended).toEqual(answered(200))
  expect(receiver.received('/never')).toEqual([])
})

test('A request that is too old is released and never begun', async () => {
  const sender = await open()
  const [old, young] = send(
    sender,
    newRequest({ path: '/old', since: monotonicNow() - 1_000, beginWithinMs: 999 }),
    newRequest({ since: monotonicNow() - 1_000, beginWithinMs: 60_000 }),
  )
  expect(await old?.ended).toEqual({ kind: 'released', reason: 'too_late' })
  const end = await young?.ended
  expect(end?.kind === 'completed' && end.afterMs).toBeGreaterThan(1_000)
  expect(receiver.received('/old')).toEqual([])
})

test('A request that waits for a second for its own receiver is released with that reason', async () => {
  const sender = await open({ perWebhook: 1 })
  receiver.behave('/slow', { delayMs: 2_500 })
  const down = { path: '/slow', concurrency: { maxRequests: 1, failures: 5 } }
  const [first, second] = send(sender, newRequest(down), newRequest(down))
  await expect.poll(() => first?.hasBegun, soon).toBe(true)
  expect(await second?.ended).toEqual({ kind: 'released', reason: 'waited_too_long', observation: { waitedMs: 1_000 } })
  expect(first?.hasEnded).toBe(false)
})

test('A thread that crashes loses its requests; later ones wait for the next thread', async () => {
  const sender = await open()
  receiver.behave('/silent', { hang: true })
  const [silent] = send(sender, newRequest({ path: '/silent' }))
  await expect.poll(() => silent?.hasBegun, soon).toBe(true)
  // A bigint and a number cannot be compared by `Math.max`.
  const [deadly] = send(sender, newRequest({ keepBodyBytes: 1n }))
  expect(await Promise.all([silent?.ended, deadly?.ended])).toEqual([
    { kind: 'released', reason: 'sender_failed' },
    { kind: 'released', reason: 'sender_failed' },
  ])
  expect(errors).toEqual([expect.any(TypeError)])
  const failedAt = performance.now()
  const [waiting] = send(sender, newRequest({ path: '/after' }))
  const [revoked] = send(sender, newRequest({ path: '/never-either' }))
  await sender.revoke('/never-either')
  expect(await revoked?.ended).toEqual({ kind: 'released', reason: 'revoked' })
  expect(await waiting?.ended).toEqual(answered(200))
  expect(performance.now() - failedAt).toBeGreaterThan(900)
  expect(receiver.received('/never-either')).toEqual([])
  expect(errors).toHaveLength(1)
})

test('A request that cannot be sent to the thread ends it, and nobody waits for ever', async () => {
  const sender = await open()
  const [made] = send(sender, newRequest({ path: '/not-sent', keepBodyBytes: () => {} }))
  // Behind what could not be sent, and before the thread has ended.
  const revoking = new Promise((resolve) => setImmediate(resolve)).then(() => sender.revoke('/not-sent'))
  expect(await made?.ended).toEqual({ kind: 'released', reason: 'sender_failed' })
  await revoking
  expect(errors).toEqual([expect.objectContaining({ name: 'DataCloneError' })])
  expect(await send(sender, newRequest())[0]?.ended).toEqual(answered(200))
})

test('A thread that cannot start is reported once a second, and its requests are released', async () => {
  const sender = openSender({
    egressOptions: { resolve: new Map(), allowCidrs: ['no address'], maxConnections: 1 },
    limits: { perWebhook: 1, perOrganization: 1, total: 1 },
    reportsBegun: false,
    onError: (error) => errors.push(error),
  })
  senders.push(sender)
  void sender.start()
  const made: ReturnType<typeof newRequest>[] = []
  const began = performance.now()
  while (performance.now() < began + 2_500 || errors.length < 2) {
    made.push(...send(sender, newRequest()))
    await wait(20)
  }
  expect(errors.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 990)
  expect(made[0]?.hasEnded).toBe(true)
  await sender.close()
  const ends = await Promise.all(made.map(({ ended }) => ended))
  expect(ends.every(({ kind }) => kind === 'released')).toBe(true)
})

test('A sender that is closed aborts what is in flight and releases the rest', async () => {
  const sender = await open({ perWebhook: 1 })
  receiver.behave('/silent', { hang: true })
  const [begun, waiting] = send(sender, newRequest({ path: '/silent' }), newRequest({ path: '/silent' }))
  await expect.poll(() => begun?.hasBegun, soon).toBe(true)
  const [gathered] = send(sender, newRequest({ path: '/too-late' }))
  sender.releaseAll()
  await sender.close()
  const [late] = send(sender, newRequest({ path: '/too-late' }))
  expect(await begun?.ended).toEqual(interrupted)
  for (const each of [waiting, gathered, late])
    expect(await each?.ended).toEqual({ kind: 'released', reason: 'stopping' })
  expect(receiver.received('/too-late')).toEqual([])
  expect(errors).toEqual([])
})

test('A revocation while the sender closes does not end the closing before all is aborted', async () => {
  const sender = await open()
  receiver.behave('/silent', { hang: true })
  const made = send(
    sender,
    ...Array.from({ length: 20 }, (_, n) => newRequest({ path: '/silent', webhookId: `w${n}` })),
  )
  await expect.poll(() => made.every(({ hasBegun }) => hasBegun), soon).toBe(true)
  await Promise.all([sender.close(), sender.revoke('w0')])
  for (const { ended } of made) expect(await ended).toEqual(interrupted)
})

test('A sender that cannot sign a request says why, and signs those that came with it', async () => {
  const sender = await open()
  const bad = { ...key, privateKey: null as never }
  const payloads = Array.from({ length: 20 }, (_, n) => `{"n":${n}}`)
  const made = payloads.map((payload, n) => newRequest({ path: `/signed/${n}`, payload, ...(n === 3 && { key: bad }) }))
  send(sender, ...made)
  for (const [n, { ended }] of made.entries())
    expect(await ended).toEqual(
      n === 3 ? { kind: 'released', reason: 'not_signed', problem: expect.any(String) } : answered(200),
    )
  expect(decodeJwt(receiver.received('/signed/4')[0]?.body ?? '')).toEqual({ n: 4 })
})
