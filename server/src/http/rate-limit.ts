import type { Clock } from '../clock.ts'
import { tooManyRequests } from '../errors.ts'

/** Callers remembered at once; the one idle for longest is forgotten first. */
const maxCallers = 100_000

export type Rate = { perMinute: number; burst: number }

type Bucket = { tokens: number; at: number }

/**
 * A token bucket for each caller, in this process: `take(caller)` throws a 429 with `Retry-After` when it is empty.
 * Refused calls cost nothing.
 */
export function createRateLimit(clock: Clock, { perMinute, burst }: Rate) {
  const buckets = new Map<string, Bucket>()
  const perMs = perMinute / 60_000

  return {
    take(caller: string) {
      const now = clock.now()
      const { tokens: before, at } = buckets.get(caller) ?? { tokens: burst, at: now }
      const tokens = Math.min(burst, before + Math.max(0, now - at) * perMs)
      if (tokens < 1) throw tooManyRequests(Math.ceil((1 - tokens) / perMs / 1000))
      buckets.delete(caller)
      buckets.set(caller, { tokens: tokens - 1, at: now })
      if (buckets.size > maxCallers) buckets.delete(buckets.keys().next().value as string)
    },
  }
}
