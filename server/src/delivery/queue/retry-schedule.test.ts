import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextAttempt } from './retry-schedule.ts'

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

describe('The retry schedule (6.2, rule 4)', () => {
  test('The schedule attempts at 0, 1, 3, 7, 15 and 25 minutes, then drops', () => {
    expect(attemptTimes(0).map((time) => time / minute)).toEqual([0, 1, 3, 7, 15, 25])
  })

  test('A receiver that takes its whole timeout does not shift the schedule', () => {
    expect(attemptTimes(20_000).map((time) => time / minute)).toEqual([0, 1, 3, 7, 15, 25])
  })

  test('A delivery at thirty minutes is attempted, and a millisecond later dropped', () => {
    expect(nextAttempt({ windowAttempts: 6, windowOpenedAt: 0, startedAt: 20 * minute }, standard)).toBe(30 * minute)
    expect(nextAttempt({ windowAttempts: 6, windowOpenedAt: 0, startedAt: 20 * minute + 1 }, standard)).toBe('drop')
  })

  test('The backoff is between the initial and the maximal one, and never decreases', () => {
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
