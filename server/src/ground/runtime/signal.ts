import type { Clock } from './clock.ts'

/** Wakes one loop from its sleep. A signal between `listen` and `sleep` ends that sleep at once. */
export function createSignal(clock: Clock) {
  let signal = Promise.withResolvers<void>()
  let isGiven = false
  /** The end of the present sleep by the clock; infinity while there is none, so that any due time counts as earlier. */
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
    /** True when it was given since `listen`: a sleep would end at once. */
    isGiven: () => isGiven,
    /** Gives the signal if `at` is before the end of the sleep, or past: the clock may have been set since the sleep began. */
    giveIfBefore: (at: number) => {
      if (at < wakesAt || at <= clock.now()) give()
    },
    /** Sleeps for `ms`, which may be infinity, or until the signal is given. */
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
