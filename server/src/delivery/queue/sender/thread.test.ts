import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importSigningKey, makeSigningKey } from '../../../ground/keys/signing-key.ts'
import type { Outcome } from '../../../ground/outbound/index.ts'
import { monotonicNow } from '../../../ground/runtime/clock.ts'
import type { AttemptEnd } from '../delivery.ts'
import { createRequests, createRunningTime, tickMs } from './thread.ts'

const key = importSigningKey(makeSigningKey().privateKey)
const aDayMs = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** One request is in flight, and another waits for it, or for a free slot. */
function sendTwice(limits = { perWebhook: 1, perOrganization: 10, total: 10 }, beginWithinMs = aDayMs) {
  const { promise: answered, resolve: answer } = Promise.withResolvers<Outcome>()
  const ends: AttemptEnd[] = []
  const requests = createRequests({
    egress: { post: () => answered },
    limits,
    onBegun: () => {},
    onSetAside: () => {},
    onEnded: (_, end) => ends.push(end),
  })
  const template = {
    organizationId: 'o',
    webhookId: 'w',
    isHealthy: true,
    // It is down: what is overdue counts as well.
    concurrency: { maxRequests: 1, failures: 5 },
    key,
    since: monotonicNow(),
    beginWithinMs,
    call: { url: 'https://receiver.example.com', headers: [], timeoutMs: 10_000, keepBodyBytes: 0 },
  }
  requests.add([1, 2].map((id) => ({ id, payload: '{}', template })))
  return { requests, ends, answer }
}

test('A thread that stands still makes no request long, and releases none that waits', async () => {
  const { requests, ends, answer } = sendTwice()
  vi.advanceTimersByTime(60_000)
  requests.tick()
  expect(ends).toEqual([])
  answer({ kind: 'answered', status: 200, headers: {}, durationMs: 60_000, answer: '', truncated: false, isText: true })
  await vi.advanceTimersByTimeAsync(0)
  const [first] = ends
  expect(first?.kind === 'completed' && first.observation.succeeded).toBe(true)
  expect(first?.kind === 'completed' && first.observation.tookMs).toBeLessThan(2 * tickMs)
})

test('A request without a descriptor says nothing of its receiver, whose next request begins', async () => {
  const { ends, answer } = sendTwice()
  answer({ kind: 'failed', error: 'no_descriptors', durationMs: 1 })
  await vi.advanceTimersByTimeAsync(0)
  expect(ends).toEqual(Array(2).fill({ kind: 'released', reason: 'no_descriptors' }))
})

test('A request that waits for a second while the thread runs is released', () => {
  const { requests, ends } = sendTwice()
  expect(Array.from({ length: 4 }, () => endedAfterTick(requests, ends))).toEqual([0, 0, 0, 1])
  expect(ends).toEqual([{ kind: 'released', reason: 'waited_too_long', observation: { waitedMs: 1_000 } }])
})

test('A request that is too late is released while it waits for a slot alone, and its receiver is not judged by it', () => {
  const { requests, ends } = sendTwice({ perWebhook: 10, perOrganization: 10, total: 1 }, 2 * tickMs)
  expect(Array.from({ length: 3 }, () => endedAfterTick(requests, ends))).toEqual([0, 0, 1])
  expect(ends).toEqual([{ kind: 'released', reason: 'too_late' }])
})

function endedAfterTick(requests: Pick<ReturnType<typeof createRequests>, 'tick'>, ends: AttemptEnd[]) {
  vi.advanceTimersByTime(tickMs)
  requests.tick()
  return ends.length
}

test('The running time counts all that a thread runs, and of a stall one interval and a little', () => {
  const time = createRunningTime(250)
  const run = () => {
    vi.advanceTimersByTime(250)
    time.tick()
  }
  for (let n = 0; n < 4; n++) run()
  vi.advanceTimersByTime(100)
  expect(time.now()).toBeCloseTo(1_100)
  vi.advanceTimersByTime(60_000)
  expect(time.now()).toBeCloseTo(1_300)
  time.tick()
  for (let n = 0; n < 4; n++) run()
  expect(time.now()).toBeCloseTo(2_300)
})
