import { setBounded } from './bounded-map.ts'
import type { Clock } from './clock.ts'

/** A change made by another process is seen after this time at the latest. */
export const cacheTtlMs = 2_000

/** A key has one part or several. */
export type Cache<Key extends string[], Found> = {
  find(...key: Key): Promise<Found | undefined>
  /** Call after a change: the next `find` looks it up again. */
  forget(...key: Key): void
}

/**
 * Caches what was found for `cacheTtlMs`; callers that come during a look-up share it. Holds `maxKeys` keys and evicts the
 * one found longest ago. Misses and failures are not cached.
 */
export function createCache<Key extends string[], Found>(
  clock: Clock,
  maxKeys: number,
  lookUp: (...key: Key) => Promise<Found | undefined>,
): Cache<Key, Found> {
  const cached = new Map<string, { found: Found; since: number }>()
  /** The latest look-up of each key, unless the key was forgotten since. */
  const pending = new Map<string, Promise<Found | undefined>>()

  const begin = (key: Key, name: string, since: number) => {
    const finding = lookUp(...key)
    pending.set(name, finding)
    const end = (found?: Found) => {
      if (pending.get(name) !== finding) return
      pending.delete(name)
      if (found !== undefined) setBounded(cached, name, { found, since }, maxKeys)
    }
    finding.then(end, () => end())
    return finding
  }

  return {
    async find(...key) {
      const name = key.join(' ')
      const now = clock.now()
      const known = cached.get(name)
      // A clock that is set back expires entries too.
      if (known && Math.abs(now - known.since) < cacheTtlMs) return known.found
      return pending.get(name) ?? begin(key, name, now)
    },
    forget(...key) {
      cached.delete(key.join(' '))
      pending.delete(key.join(' '))
    },
  }
}
