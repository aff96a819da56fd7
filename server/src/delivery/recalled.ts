import { leaseMs } from './lease.ts'

/**
 * What was recalled within a lease. Nothing is begun of a claim that is older, so older recalls are forgotten: that bounds
 * them. `now` and `since` are of the process's own time, in milliseconds.
 */
export function createRecalled() {
  /** Ids of webhooks and organizations, the latest last. */
  const times = new Map<string, number>()
  return {
    add(id: string, now: number) {
      times.delete(id)
      times.set(id, now)
      for (const [earlier, at] of times) {
        if (now - at <= leaseMs) break
        times.delete(earlier)
      }
    },
    wasRecalled: (id: string, since: number) => (times.get(id) ?? Number.NEGATIVE_INFINITY) >= since,
  }
}
