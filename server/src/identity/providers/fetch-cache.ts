import { setBounded } from '../../ground/runtime/bounded-map.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { ProviderFailure } from './failure.ts'

type Cached<Value> = { value: Value; fetchedAt: number; attemptedAt: number }

type FetchCache<Value> = {
  get(key: string): Cached<Value> | undefined
  /**
   * Concurrent calls for a key share one `read`. A failure is thrown, and the cached value stays. While a provider that asked
   * to wait is in its cooldown, its failure is thrown without a `read`.
   */
  fetch(key: string, read: () => Promise<Value>): Promise<Value>
}

/** Documents of providers, at most `maxEntries`; the least recently used is dropped first. */
export function createFetchCache<Value>(maxEntries: number, clock: Clock): FetchCache<Value> {
  const cached = new Map<string, Cached<Value>>()
  const running = new Map<string, Promise<Value>>()
  const cooldowns = new Map<string, { until: number; failure: ProviderFailure }>()

  const readAgain = async (key: string, read: () => Promise<Value>): Promise<Value> => {
    const before = cached.get(key)
    const now = clock.now()
    const cooldown = cooldowns.get(key)
    if (cooldown && now < cooldown.until) throw cooldown.failure
    if (before) before.attemptedAt = now
    const value = await read().catch((failure) => {
      if (failure instanceof ProviderFailure && failure.waitMs > 0)
        setBounded(cooldowns, key, { until: clock.now() + failure.waitMs, failure }, maxEntries)
      throw failure
    })
    setBounded(cached, key, { value, fetchedAt: now, attemptedAt: now }, maxEntries)
    return value
  }

  return {
    get: (key) => {
      const entry = cached.get(key)
      if (entry) setBounded(cached, key, entry, maxEntries)
      return entry
    },
    fetch: (key, read) => {
      const shared = running.get(key)
      if (shared) return shared
      const fetching = readAgain(key, read).finally(() => running.delete(key))
      running.set(key, fetching)
      return fetching
    },
  }
}
