import type { Clock } from './clock.ts'

/** Wakes one loop from its sleep. What is given between `listen` and `sleep` ends that sleep at once. */
export function createSignal(clock: Clock) {
  let signal = Promise.withResolvers<void>()
  let isGiven = false
  /** By the clock; while nobody sleeps, whatever is due at any time is news. */
  let wakesAt = Number.POSITIVE_INFINITY
  const give = () => {
    isGiven = true
    signal.resolve()
  }
  return {
    listen: () => {
      signal = Promise.withResolvers()
      isGiven = false
    },
    give,
    /** Since `listen`: a sleep would end at once. */
    isGiven: () => isGiven,
    /** Something is due at that time of the clock, which may have been set since the sleep began. */
    giveIfBefore: (at: number) => {
      if (at < wakesAt || at <= clock.now()) give()
    },
    /** Until it is given when `ms` is infinity. */
    async sleep(ms: number) {
      wakesAt = clock.now() + ms
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(give, Math.max(0, ms))
      await signal.promise
      clearTimeout(timer)
      wakesAt = Number.POSITIVE_INFINITY
    },
  }
}

export type Signal = ReturnType<typeof createSignal>
