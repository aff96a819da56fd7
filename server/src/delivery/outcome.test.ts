import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toTimestamp } from '../runtime/clock.ts'
import { firstIdAt } from '../runtime/identifiers.ts'
import type { AttemptEnd, ClaimedDelivery, Observation, ReleaseReason, Settlement } from './delivery.ts'
import { logOutcome, release, settlementOf } from './outcome.ts'
import { nextAttempt } from './retry-schedule.ts'

const at = Date.UTC(2026, 10, 22)
const retry = { initialMs: 60_000, maxMs: 900_000, windowMs: 1_800_000 }
const minuteMs = 60_000
const delivery = {
  attemptNumber: 3,
  windowAttempts: 1,
  windowOpenedAt: at,
  eventId: firstIdAt(at - minuteMs),
} as ClaimedDelivery
const settle = (end: AttemptEnd, now = at + 1_000) =>
  settlementOf({ delivery, jti: 'j', at }, end, { clock: { now: () => now }, retry })
const answered = (status: number) =>
  ({ kind: 'answered', status, durationMs: 20, answer: 'no', truncated: false }) as const
const sawSuccess = { succeeded: true, tookMs: 15 }
const sawFailure = { succeeded: false, tookMs: 15 }

const waits = (ms: number) => ({ delivery, attempt: null, retryAt: toTimestamp(at + 1_000 + ms) })

const released = (reason: ReleaseReason, observation?: Observation) =>
  settle({ kind: 'released', reason, ...(observation && { observation }) })

test('what was not called is due again: as it was published, or after a minute what cannot be signed', () => {
  const inItsPlace = waits(-minuteMs - 1_000)
  for (const reason of [
    'waited_too_long',
    'too_late',
    'revoked',
    'stopping',
    'interrupted',
    'unreadable',
    'not_sent',
  ] as const)
    expect(released(reason)).toEqual({ ...inItsPlace, released: reason })
  expect(released('waited_too_long', { waitedMs: 1 })).toMatchObject({ ...inItsPlace, observation: { waitedMs: 1 } })
  for (const reason of ['no_signing_key', 'unreadable_headers', 'not_signed'] as const)
    expect(released(reason)).toMatchObject(waits(60_000))
})

test('what was tried before and is released is due at once', () => {
  expect(release({ ...delivery, windowAttempts: 2 }, 'revoked', at)).toMatchObject({ retryAt: toTimestamp(at) })
})

test('what was lost with the sender is due in a minute or two, each at a time of its own', () => {
  const times = Array.from({ length: 50 }, () => {
    const settlement = released('sender_failed')
    return 'retryAt' in settlement ? Date.parse(settlement.retryAt) - at - 1_000 : 0
  })
  expect(Math.min(...times)).toBeGreaterThanOrEqual(60_000)
  expect(Math.max(...times)).toBeLessThanOrEqual(120_000)
  expect(new Set(times).size).toBeGreaterThan(40)
})

test('an attempt started when its order had waited, and never later than now', () => {
  const startedAt = (now?: number) =>
    settle({ kind: 'completed', afterMs: 250, outcome: answered(200), observation: sawSuccess }, now).attempt
      ?.started_at
  expect(startedAt()).toBe(toTimestamp(at + 250))
  expect(startedAt(at + 100)).toBe(toTimestamp(at + 100))
})

test('the first attempt opens the window when it begins, however long it has waited', () => {
  const first = { ...delivery, windowOpenedAt: null }
  const failedAfter = (afterMs: number, of: ClaimedDelivery) =>
    settlementOf(
      { delivery: of, jti: 'j', at },
      { kind: 'completed', afterMs, outcome: answered(500), observation: sawFailure },
      { clock: { now: () => at + afterMs }, retry: { ...retry, windowMs: minuteMs } },
    )
  expect(failedAfter(3_000, first)).toMatchObject({ retryAt: toTimestamp(at + minuteMs + 3_000) })
  expect(failedAfter(3_000, delivery)).toMatchObject({ status: 'dropped', reason: 'retry_window_over' })
})

test('a success ends it, a failure is tried again a minute after its start', () => {
  const succeeded = settle({ kind: 'completed', afterMs: 0, outcome: answered(204), observation: sawSuccess })
  expect(succeeded).toMatchObject({ status: 'succeeded', observation: sawSuccess })
  const settlement = settle({ kind: 'completed', afterMs: 0, outcome: answered(500), observation: sawFailure })
  expect(settlement).toMatchObject({ attempt: { number: 3, status_code: 500, answer: 'no' } })
  expect('retryAt' in settlement && settlement.retryAt).toBe(toTimestamp(at + 60_000))
  expect(settlement.observation).toEqual(sawFailure)
})

test('what no descriptor was left for is due again in a second, as if it had not been claimed', () => {
  const settlement = released('no_descriptors')
  expect(settlement).toMatchObject({ attempt: null, retryAt: toTimestamp(at + 2_000) })
  expect(settlement.observation).toBeUndefined()
})

test('a forbidden address is told to the operator alone', () => {
  const outcome = { kind: 'failed', error: 'forbidden_address', durationMs: 1 } as const
  const settlement = settle({ kind: 'completed', afterMs: 0, outcome, observation: sawFailure })
  expect(settlement.attempt).toMatchObject({ error: 'name_not_found' })
  expect(settlement.error).toBe('forbidden_address')
})

const logged = {
  organizationId: 'o',
  webhookId: 'w',
  eventId: 'e',
  triggerName: 'PersonCreated_v1',
} as ClaimedDelivery
const saw = (succeeded: boolean): Settlement => ({
  ...release(logged, 'revoked', 0),
  observation: { succeeded, tookMs: 1 },
})

function linesOf(settlement: Settlement, level: string): string[] {
  const lines: string[] = []
  const as = (name: string) => (fields: object) => lines.push(`${name} ${Object.keys(fields)}`)
  logOutcome({ level, info: as('info'), debug: as('debug') }, settlement)
  return lines
}

const fields = 'organization_id,webhook_id,event_id,trigger_name,released,next'

test('what failed is told at info, and what did not at debug alone', () => {
  expect(linesOf(saw(false), 'info')).toEqual([`info ${fields}`])
  expect(linesOf(saw(true), 'info')).toEqual([])
  expect(linesOf(saw(true), 'debug')).toEqual([`debug ${fields}`])
  expect(linesOf(release(logged, 'revoked', 0), 'debug')).toEqual([`debug ${fields}`])
})

test('the error is told in the word of the operator', () => {
  const settlement = {
    ...{ delivery: logged, attempt: { error: 'name_not_found' }, retryAt: '' },
    ...{ observation: { succeeded: false, tookMs: 1 }, error: 'forbidden_address' },
  } as unknown as Settlement
  const lines: object[] = []
  const log = { level: 'info', info: (line: object) => lines.push(line), debug: () => {} }
  logOutcome(log, settlement)
  expect(lines).toMatchObject([{ error: 'forbidden_address' }])
})

const minute = 60_000
const standard = { initialMs: minute, maxMs: 10 * minute, windowMs: 30 * minute }

/** Follows the schedule of a receiver that always fails, each attempt taking `durationMs`. */
function attemptTimes(durationMs: number, settings = standard): number[] {
  const times = [0]
  for (;;) {
    const startedAt = times.at(-1) as number
    const next = nextAttempt({ windowAttempts: times.length, windowOpenedAt: 0, startedAt }, settings)
    if (next === 'drop') return times
    times.push(Math.max(next, startedAt + durationMs))
  }
}

describe('retry schedule (6.2, rule 4)', () => {
  test('attempts at 0, 1, 3, 7, 15 and 25 minutes, then dropped', () => {
    expect(attemptTimes(0).map((time) => time / minute)).toEqual([0, 1, 3, 7, 15, 25])
  })

  test('a receiver that takes its whole time does not shift the schedule', () => {
    expect(attemptTimes(20_000).map((time) => time / minute)).toEqual([0, 1, 3, 7, 15, 25])
  })

  test('the edge of thirty minutes: at it tried, a millisecond later dropped', () => {
    expect(nextAttempt({ windowAttempts: 6, windowOpenedAt: 0, startedAt: 20 * minute }, standard)).toBe(30 * minute)
    expect(nextAttempt({ windowAttempts: 6, windowOpenedAt: 0, startedAt: 20 * minute + 1 }, standard)).toBe('drop')
  })

  test('the backoff is between the initial and the maximal one, and never decreases', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 0, max: 1e9 }),
        (windowAttempts, startedAt) => {
          const settings = { ...standard, windowMs: Number.MAX_SAFE_INTEGER }
          const at = nextAttempt({ windowAttempts, windowOpenedAt: 0, startedAt }, settings) as number
          const later = nextAttempt(
            { windowAttempts: windowAttempts + 1, windowOpenedAt: 0, startedAt },
            settings,
          ) as number
          expect(at - startedAt).toBeGreaterThanOrEqual(minute)
          expect(at - startedAt).toBeLessThanOrEqual(10 * minute)
          expect(later).toBeGreaterThanOrEqual(at)
        },
      ),
    )
  })
})
