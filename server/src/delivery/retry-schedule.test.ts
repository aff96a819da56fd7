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
    const next = nextAttempt({ tries: times.length, windowOpenedAt: 0, startedAt }, settings)
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
    expect(nextAttempt({ tries: 6, windowOpenedAt: 0, startedAt: 20 * minute }, standard)).toBe(30 * minute)
    expect(nextAttempt({ tries: 6, windowOpenedAt: 0, startedAt: 20 * minute + 1 }, standard)).toBe('drop')
  })

  test('the backoff is between the initial and the maximal one, and never decreases', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 1e9 }), (tries, startedAt) => {
        const settings = { ...standard, windowMs: Number.MAX_SAFE_INTEGER }
        const at = nextAttempt({ tries, windowOpenedAt: 0, startedAt }, settings) as number
        const later = nextAttempt({ tries: tries + 1, windowOpenedAt: 0, startedAt }, settings) as number
        expect(at - startedAt).toBeGreaterThanOrEqual(minute)
        expect(at - startedAt).toBeLessThanOrEqual(10 * minute)
        expect(later).toBeGreaterThanOrEqual(at)
      }),
    )
  })
})
