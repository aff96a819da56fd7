import { expect, test } from 'vitest'
import { toTimestamp } from '../clock.ts'
import { firstIdAt } from '../identifiers.ts'
import type { End } from './calls.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { concludeAttempt, handBack } from './conclusion.ts'
import type { Lost } from './start-sender-thread.ts'

const at = Date.UTC(2026, 10, 22)
const retry = { initialMs: 60_000, maxMs: 900_000, windowMs: 1_800_000 }
const minuteMs = 60_000
const delivery = { number: 3, tries: 1, windowOpenedAt: at, eventId: firstIdAt(at - minuteMs) } as ClaimedDelivery
const conclude = (end: End | Lost, now = at + 1_000) =>
  concludeAttempt({ delivery, jti: 'j', at, weight: 1 }, end, { clock: { now: () => now }, retry })
const answered = (status: number) =>
  ({ kind: 'answered', status, durationMs: 20, answer: 'no', truncated: false }) as const
const sawSuccess = { succeeded: true, tookMs: 15 }
const sawFailure = { succeeded: false, tookMs: 15 }

const waits = (ms: number) => ({ settlement: { delivery, attempt: null, retryAt: toTimestamp(at + 1_000 + ms) } })

test('what was not called is due again: as it was published, or after a minute what cannot be signed', () => {
  const inItsPlace = waits(-minuteMs - 1_000)
  expect(conclude({ kind: 'handed_back' })).toEqual(inItsPlace)
  expect(conclude({ kind: 'handed_back', seen: { waitedMs: 1 } })).toEqual({ ...inItsPlace, seen: { waitedMs: 1 } })
  expect(conclude({ kind: 'not_signed', problem: 'p' })).toEqual(waits(60_000))
  const stopped = { kind: 'failed', error: 'stopped', durationMs: 5 } as const
  expect(conclude({ kind: 'called', afterMs: 1, outcome: stopped, seen: sawFailure })).toEqual(inItsPlace)
})

test('what was tried before and is handed back is due at once', () => {
  expect(handBack({ ...delivery, tries: 2 }, at)).toMatchObject({ settlement: { retryAt: toTimestamp(at) } })
})

test('what was lost is due in a minute or two, each at a time of its own', () => {
  const times = Array.from({ length: 50 }, () => {
    const { settlement } = conclude({ kind: 'lost' })
    return 'retryAt' in settlement ? Date.parse(settlement.retryAt) - at - 1_000 : 0
  })
  expect(Math.min(...times)).toBeGreaterThanOrEqual(60_000)
  expect(Math.max(...times)).toBeLessThanOrEqual(120_000)
  expect(new Set(times).size).toBeGreaterThan(40)
})

test('an attempt started when its order had waited, and never later than now', () => {
  const startedAt = (now?: number) =>
    conclude({ kind: 'called', afterMs: 250, outcome: answered(200), seen: sawSuccess }, now).settlement.attempt
      ?.started_at
  expect(startedAt()).toBe(toTimestamp(at + 250))
  expect(startedAt(at + 100)).toBe(toTimestamp(at + 100))
})

test('the first attempt opens the window when it begins, however long it has waited', () => {
  const first = { ...delivery, windowOpenedAt: null }
  const failedAfter = (afterMs: number, of: ClaimedDelivery) =>
    concludeAttempt(
      { delivery: of, jti: 'j', at, weight: 1 },
      { kind: 'called', afterMs, outcome: answered(500), seen: sawFailure },
      { clock: { now: () => at + afterMs }, retry: { ...retry, windowMs: minuteMs } },
    ).settlement
  expect(failedAfter(3_000, first)).toMatchObject({ retryAt: toTimestamp(at + minuteMs + 3_000) })
  expect(failedAfter(3_000, delivery)).toMatchObject({ status: 'dropped', reason: 'retry_window_over' })
})

test('a success ends it, a failure is tried again a minute after its start', () => {
  const succeeded = conclude({ kind: 'called', afterMs: 0, outcome: answered(204), seen: sawSuccess })
  expect(succeeded).toMatchObject({ settlement: { status: 'succeeded' }, seen: sawSuccess })
  const { settlement, seen } = conclude({ kind: 'called', afterMs: 0, outcome: answered(500), seen: sawFailure })
  expect(settlement).toMatchObject({ attempt: { number: 3, status_code: 500, answer: 'no' } })
  expect('retryAt' in settlement && settlement.retryAt).toBe(toTimestamp(at + 60_000))
  expect(seen).toEqual(sawFailure)
})

test('what no descriptor was left for is due again in a second, as if it had not been claimed', () => {
  const { settlement, seen } = conclude({ kind: 'no_descriptors' })
  expect(settlement).toMatchObject({ attempt: null, retryAt: toTimestamp(at + 2_000) })
  expect(seen).toBeUndefined()
})

test('a forbidden address is told to the operator alone', () => {
  const outcome = { kind: 'failed', error: 'forbidden_address', durationMs: 1 } as const
  const { settlement, error } = conclude({ kind: 'called', afterMs: 0, outcome, seen: sawFailure })
  expect(settlement.attempt).toMatchObject({ error: 'name_not_found' })
  expect(error).toBe('forbidden_address')
})
