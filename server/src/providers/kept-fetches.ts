import { setBounded } from '../runtime/bounded-map.ts'
import type { Clock } from '../runtime/clock.ts'
import { ProviderFailure } from './failure.ts'

export type Kept<Value> = { value: Value; fetchedAt: number; triedAt: number }

export type KeptFetches<Value> = {
  get(key: string): Kept<Value> | undefined
  /**
   * Who asks at the same time shares the answer. A failure is thrown, and what was kept stays. Of a provider that wants to be
   * left alone nobody asks again before: all are told the same failure.
   */
  fetch(key: string, read: () => Promise<Value>): Promise<Value>
}

/** What providers say of themselves, at most `maxKept` of it: what was used least recently goes first. */
export function keepFetches<Value>(maxKept: number, clock: Clock): KeptFetches<Value> {
  const kept = new Map<string, Kept<Value>>()
  const running = new Map<string, Promise<Value>>()
  const resting = new Map<string, { until: number; failure: ProviderFailure }>()

  const fetchAnew = async (key: string, read: () => Promise<Value>): Promise<Value> => {
    const before = kept.get(key)
    const now = clock.now()
    const rest = resting.get(key)
    if (rest && now < rest.until) throw rest.failure
    if (before) before.triedAt = now
    const value = await read().catch((failure) => {
      if (failure instanceof ProviderFailure && failure.waitMs > 0)
        setBounded(resting, key, { until: clock.now() + failure.waitMs, failure }, maxKept)
      throw failure
    })
    setBounded(kept, key, { value, fetchedAt: now, triedAt: now }, maxKept)
    return value
  }

  return {
    get: (key) => {
      const entry = kept.get(key)
      if (entry) setBounded(kept, key, entry, maxKept)
      return entry
    },
    fetch: (key, read) => {
      const shared = running.get(key)
      if (shared) return shared
      const fetching = fetchAnew(key, read).finally(() => running.delete(key))
      running.set(key, fetching)
      return fetching
    },
  }
}
