import { describe, expect, test } from 'vitest'
import { importSigningKey, makeSigningKey } from '../keys/signing-key.ts'
import { type Clock, readTogether, runningClock } from '../runtime/clock.ts'
import { type ClaimedDelivery, nameOfLane } from './delivery.ts'
import { makeOrders, type Prepared } from './prepare.ts'

const signer = { key: importSigningKey(makeSigningKey().privateKey), goodForMs: () => 5_000 }

const delivery = (webhookId: string) =>
  ({
    organizationId: 'o',
    webhookId,
    laneName: nameOfLane({ organizationId: 'o', webhookId }),
    eventId: 'e',
    leaseEndsAt: at + 25_000,
  }) as ClaimedDelivery

const prepared = (webhookId: string, given: Partial<Prepared> = {}): Prepared => ({
  ...{
    delivery: delivery(webhookId),
    targetUrl: 'https://r.example',
    headers: [],
    timeoutMs: 0,
    payload: '{}',
    signer,
  },
  ...given,
})

const at = Date.UTC(2026, 10, 22)
const still = { now: () => at }
const keepBusy = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}
const make = (all: Prepared[], clock: Clock = still) => makeOrders(all, { clock, baseUrl: 'https://s.example' })

test('those of a webhook share their terms, and each has a token of its own', () => {
  const [a, b, other] = make([prepared('a'), prepared('a'), prepared('b')])
  expect(a?.order.terms).toBe(b?.order.terms)
  expect(a?.order.terms).not.toBe(other?.order.terms)
  expect(a?.ordered.jti).not.toBe(b?.ordered.jti)
  expect(a?.order.payload).not.toBe(b?.order.payload)
})

test('an event of up to 16,000 characters counts as one delivery, and a larger one as several', () => {
  const ofLength = (length: number) => make([prepared('a', { payload: 'x'.repeat(length) })])[0]?.ordered.weight
  expect([2, 16_000, 16_001, 110_000].map(ofLength)).toEqual([1, 1, 2, 7])
})

describe('the wait of each counts from the time that it was ordered at', () => {
  const clock = runningClock(at)

  /** In ms, of the time that it was ordered at from the one that its wait counts from. */
  const differences = (all: Prepared[], read: Clock = clock) =>
    make(all, read).map(({ ordered, order }) => {
      const { now, monotonic } = readTogether(clock)
      return Math.abs(now - (monotonic - order.terms.since) - ordered.at)
    })

  test('however long the making takes', () => {
    const slow: Prepared = {
      ...prepared('slow'),
      get headers() {
        keepBusy(50)
        return []
      },
    }
    for (const difference of differences([prepared('first'), slow, prepared('last')]))
      expect(difference).toBeLessThan(20)
  })

  test('also when the process is put aside right after it read its clock', () => {
    let timesPutAside = 2
    const now = () => {
      const read = clock.now()
      if (timesPutAside-- > 0) keepBusy(50)
      return read
    }
    expect(differences([prepared('a')], { now })[0]).toBeLessThan(20)
  })
})

test('nothing begins that could not be settled within its lease, nor when its key was looked up too long ago', () => {
  const beginWithinMs = (given: Partial<Prepared>) => make([prepared('w', given)])[0]?.order.terms.beginWithinMs ?? 0
  expect(beginWithinMs({})).toBe(5_000)
  const fresh = { ...signer, goodForMs: () => 60_000 }
  expect(beginWithinMs({ signer: fresh })).toBe(25_000 - 500 - 10_000)
  expect(beginWithinMs({ signer: fresh, timeoutMs: 20_000 })).toBe(25_000 - 500 - 20_000)
})
