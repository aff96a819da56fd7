import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { monotonicNow } from '../clock.ts'
import { makeSigningKey, openSigningKey } from '../keys/signing-key.ts'
import type { Outcome } from '../outbound/index.ts'
import { createCalls, type End, tickMs } from './calls.ts'

const key = openSigningKey(makeSigningKey().privateKey)
const aDayMs = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** One call is under way, and another waits for it. */
function callTwice() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<Outcome>()
  const ends: End[] = []
  const calls = createCalls({
    door: { post: () => answered, get: () => answered, close: async () => {} },
    caps: { perWebhook: 1, perOrganization: 10, inAll: 10 },
    onBegun: () => {},
    onEnded: (_, end) => ends.push(end),
  })
  const terms = {
    ...{
      organizationId: 'o',
      webhookId: 'w',
      isQuick: true,
      room: 10,
      key,
      since: monotonicNow(),
      beginWithinMs: aDayMs,
    },
    call: { url: 'https://receiver.example.com', headers: [], timeoutMs: 10_000, keepAnswerBytes: 0 },
  }
  calls.add([1, 2].map((id) => ({ id, payload: '{}', terms })))
  return { calls, ends, answer }
}

test('what a thread stands still makes no call long, and hands back nothing that waits', async () => {
  const { calls, ends, answer } = callTwice()
  vi.advanceTimersByTime(60_000)
  calls.tick()
  expect(ends).toEqual([])
  answer({ kind: 'answered', status: 200, headers: {}, durationMs: 60_000, answer: '', truncated: false })
  await vi.advanceTimersByTimeAsync(0)
  const [first] = ends
  expect(first?.kind === 'called' && first.seen.succeeded).toBe(true)
  expect(first?.kind === 'called' && first.seen.tookMs).toBeLessThan(2 * tickMs)
})

test('what waits for a second while the thread runs is handed back', () => {
  const { calls, ends } = callTwice()
  const elapsed = () => {
    vi.advanceTimersByTime(tickMs)
    calls.tick()
    return ends.length
  }
  expect([elapsed(), elapsed(), elapsed(), elapsed()]).toEqual([0, 0, 0, 1])
  expect(ends).toEqual([{ kind: 'handed_back', seen: { waitedMs: 1_000 } }])
})
