import { describe, expect, test } from 'vitest'
import { importSigningKey, makeSigningKey } from '../../ground/keys/signing-key.ts'
import { type Clock, readTogether, runningClock } from '../../ground/runtime/clock.ts'
import { untraced } from '../../ground/runtime/tracer.ts'
import { makeRequests, type Prepared } from './attempt.ts'
import { type ClaimedDelivery, nameOfLane } from './delivery.ts'

const signer = { key: importSigningKey(makeSigningKey().privateKey), goodForMs: () => 5_000 }

const delivery = (webhookId: string) =>
  ({
    organizationId: 'o',
    webhookId,
    laneName: nameOfLane({ organizationId: 'o', webhookId }),
    eventId: 'e',
    leaseEndsAt: at + 25_000,
  }) as ClaimedDelivery

const prepared = (webhookId: string, overrides: Partial<Prepared> = {}): Prepared => ({
  delivery: delivery(webhookId),
  targetUrl: 'https://r.example',
  headers: [],
  timeoutMs: 0,
  payload: '{}',
  signer,
  ...overrides,
})

const at = Date.UTC(2026, 10, 22)
const still = { now: () => at }
const keepBusy = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}
const make = (all: Prepared[], clock: Clock = still) =>
  makeRequests(all, { clock, baseUrl: 'https://s.example', tracer: untraced })

test('Requests of one webhook share a template, and each has a token of its own', () => {
  const [a, b, other] = make([prepared('a'), prepared('a'), prepared('b')])
  expect(a?.request.template).toBe(b?.request.template)
  expect(a?.request.template).not.toBe(other?.request.template)
  expect(a?.attempt.jti).not.toBe(b?.attempt.jti)
  expect(a?.request.payload).not.toBe(b?.request.payload)
})

test('An event of up to 16,000 characters counts as one delivery, and a larger one as several', () => {
  const ofLength = (length: number) => make([prepared('a', { payload: 'x'.repeat(length) })])[0]?.attempt.weight
  expect([2, 16_000, 16_001, 110_000].map(ofLength)).toEqual([1, 1, 2, 7])
})

describe('The wait of a request', () => {
  const clock = runningClock(at)

  /** In ms: how far the time of the attempt is from the time that its wait counts from. */
  const differences = (all: Prepared[], read: Clock = clock) =>
    make(all, read).map(({ attempt, request }) => {
      const { now, monotonic } = readTogether(clock)
      return Math.abs(now - (monotonic - request.template.since) - attempt.at)
    })

  test('The wait of a request counts from when it was made, however long the making takes', () => {
    const slow: Prepared = {
      ...prepared('slow'),
      get headers() {
        keepBusy(50)
        return []
      },
    }
    for (const difference of differences([prepared('first'), slow, prepared('last')]))
      expect(difference).toBeLessThan(45)
  })

  test('The wait of a request counts from when it was made, also when the process is suspended right after it read its clock', () => {
    let timesPutAside = 2
    const now = () => {
      const read = clock.now()
      if (timesPutAside-- > 0) keepBusy(50)
      return read
    }
    expect(differences([prepared('a')], { now })[0]).toBeLessThan(45)
  })
})

test('No request begins that could not be settled within its lease, nor when its key was looked up too long ago', () => {
  const beginWithinMs = (overrides: Partial<Prepared>) =>
    make([prepared('w', overrides)])[0]?.request.template.beginWithinMs ?? 0
  expect(beginWithinMs({})).toBe(5_000)
  const fresh = { ...signer, goodForMs: () => 60_000 }
  expect(beginWithinMs({ signer: fresh })).toBe(25_000 - 500 - 10_000)
  expect(beginWithinMs({ signer: fresh, timeoutMs: 20_000 })).toBe(25_000 - 500 - 20_000)
})
