import { setBounded } from './bounded-map.ts'
import type { Clock } from './clock.ts'

/** A change that another process made is seen after so long. */
export const cacheTtlMs = 2_000

/** By a key of one part or several. */
export type Cache<Key extends string[], Found> = {
  find(...key: Key): Promise<Found | undefined>
  /** It was changed: whoever asks from now on is told of that. */
  forget(...key: Key): void
}

/**
 * What was found answers for two seconds after it was looked up, and whoever asks while it is being looked up is given the
 * same. It is kept of `most` keys; the one found longest ago goes first. What there is not, or what fails, is looked up by
 * the next one who asks.
 */
export function createCache<Key extends string[], Found>(
  clock: Clock,
  most: number,
  lookUp: (...key: Key) => Promise<Found | undefined>,
): Cache<Key, Found> {
  const kept = new Map<string, { found: Found; since: number }>()
  /** Of each key the last one begun, unless the key was forgotten since. */
  const underWay = new Map<string, Promise<Found | undefined>>()

  const begin = (key: Key, name: string, since: number) => {
    const finding = lookUp(...key)
    underWay.set(name, finding)
    const end = (found?: Found) => {
      if (underWay.get(name) !== finding) return
      underWay.delete(name)
      if (found !== undefined) setBounded(kept, name, { found, since }, most)
    }
    finding.then(end, () => end())
    return finding
  }

  return {
    async find(...key) {
      const name = key.join(' ')
      const now = clock.now()
      const known = kept.get(name)
      // A clock that is set back makes things old as well.
      if (known && Math.abs(now - known.since) < cacheTtlMs) return known.found
      return underWay.get(name) ?? begin(key, name, now)
    },
    forget(...key) {
      kept.delete(key.join(' '))
      underWay.delete(key.join(' '))
    },
  }
}
