/**
 * Every time that is stored, or compared with a stored one, comes from this clock, never from `Date.now()` or SQL's `now()`.
 * Durations within a process are measured with `performance.now()`.
 *
 * In the service it runs on the monotonic timer and is set to the database's time, so that nodes whose system clocks
 * differ by minutes agree on what is due. Tests pass a clock that they set.
 */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export type SettableClock = Clock & {
  /** Sets the clock to `now` (milliseconds since the epoch); it runs on from there. */
  set(now: number): void
}

export function runningClock(startAt: number = Date.now()): SettableClock {
  let offset = startAt - performance.now()
  return {
    now: () => performance.now() + offset,
    set: (now) => {
      offset = now - performance.now()
    },
  }
}

/** Milliseconds that are comparable between the threads of a process; `performance.now()` starts at 0 in each. */
export const monotonicNow = () => Number(process.hrtime.bigint()) / 1e6

/** If two readings are further apart, the process may have been preempted in between. */
const togetherMs = 0.1
const maxReadings = 5

/**
 * Reads `clock` and `monotonicNow` at one moment. A busy machine may preempt the process between the two readings: of 631
 * pairs 2 were 7 and 18 ms apart (measured). Then it reads again, `maxReadings` times at most, and returns the last pair.
 */
export function readTogether(clock: Clock): { now: number; monotonic: number } {
  for (let reading = 1; ; reading++) {
    const before = monotonicNow()
    const now = clock.now()
    const monotonic = monotonicNow()
    if (monotonic - before < togetherMs || reading === maxReadings) return { now, monotonic }
  }
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** RFC 3339 in UTC, milliseconds. */
export const toTimestamp = (now: number) => new Date(now).toISOString()

/** The day in UTC: `2026-11-21`. */
export const toDay = (now: number) => toTimestamp(now).slice(0, 10)

/** RFC 3339 in UTC with nine decimals (6.1, `timestamp`). */
export function toNanosecondTimestamp(now: number): string {
  const fraction = Math.floor((now - Math.floor(now)) * 1e6)
  return `${new Date(now).toISOString().slice(0, -1)}${String(fraction).padStart(6, '0')}Z`
}
