import type { Clock } from '../clock.ts'

/** Wakes one loop from its sleep. What rings between `listen` and `sleep` ends that sleep at once. */
export function createBell(clock: Clock) {
  let signal = Promise.withResolvers<void>()
  let hasRung = false
  /** By the clock; while nobody sleeps, whatever is due at any time is news. */
  let wakesAt = Number.POSITIVE_INFINITY
  const ring = () => {
    hasRung = true
    signal.resolve()
  }
  return {
    listen: () => {
      signal = Promise.withResolvers()
      hasRung = false
    },
    ring,
    /** Since `listen`: a sleep would end at once. */
    hasRung: () => hasRung,
    /** Something is due at that time of the clock, which may have been set since the sleep began. */
    ringIfBefore: (at: number) => {
      if (at < wakesAt || at <= clock.now()) ring()
    },
    /** Until it rings when `ms` is infinity. */
    async sleep(ms: number) {
      wakesAt = clock.now() + ms
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(ring, Math.max(0, ms))
      await signal.promise
      clearTimeout(timer)
      wakesAt = Number.POSITIVE_INFINITY
    },
  }
}
