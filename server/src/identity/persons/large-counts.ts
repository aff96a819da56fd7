import { setBounded } from '../../ground/runtime/bounded-map.ts'

/** Counting so many takes some 10 ms, and more than the page that it belongs to. */
export const largeCount = 100_000
/** How old a large count may be. */
export const freshMs = 10_000
/** Of a process. */
const maxKept = 1_000

/** Large counts are kept a moment in this process; others, which are what somebody watches change, are made anew each time. */
export function createLargeCounts(now = () => performance.now()) {
  const kept = new Map<string, { count: number; at: number }>()

  return async (what: string, count: () => Promise<number>): Promise<number> => {
    const known = kept.get(what)
    if (known && now() - known.at < freshMs) return known.count
    const counted = { at: now(), count: await count() }
    if (counted.count >= largeCount) setBounded(kept, what, counted, maxKept)
    else kept.delete(what)
    return counted.count
  }
}
