import type { Clock } from './clock.ts'
import { keepNewest } from './keep-newest.ts'

/** A change that another process made is seen after so long. */
const keptMs = 2_000

export type LookUps<Found> = {
  find(key: string): Promise<Found | undefined>
  /** It was changed: whoever asks from now on is told of that. */
  forget(key: string): void
}

/**
 * What was found for a key is kept for two seconds: of `most` keys, of which the one looked up longest ago is forgotten
 * first. Whoever asks while it is being looked up is given the same. What there is not, or what fails, is not kept.
 */
export function createLookUps<Found>(
  clock: Clock,
  most: number,
  lookUp: (key: string) => Promise<Found | undefined>,
): LookUps<Found> {
  const kept = new Map<string, { found: Promise<Found | undefined>; since: number }>()

  const begin = (key: string, since: number) => {
    const entry = { found: lookUp(key), since }
    keepNewest(kept, key, entry, most)
    const drop = () => kept.get(key) === entry && kept.delete(key)
    entry.found.then((found) => found === undefined && drop(), drop)
    return entry.found
  }

  return {
    find(key) {
      const now = clock.now()
      const known = kept.get(key)
      return known && Math.abs(now - known.since) < keptMs ? known.found : begin(key, now)
    },
    forget: (key) => void kept.delete(key),
  }
}
