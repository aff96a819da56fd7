import type { Queries } from '../database/database.ts'
import { tooManyRequests } from '../errors.ts'
import { callerAt } from '../http/rate-limit.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { addRefusal, takeBackRefusal } from './refusal-store.ts'

const maxRefused = 10
export const refusalMs = 60_000

export type Refusals = ReturnType<typeof createRefusals>

/** Counted in PostgreSQL, so that all processes share one limit. */
export function createRefusals(queries: Queries, clock: Clock) {
  return {
    /**
     * Counts an attempt to sign in as refused before it is judged, so that attempts made at once do not pass the limit together.
     * Throws a 429 with `Retry-After` after ten within a minute, also for the right key.
     */
    async add(address: string) {
      const now = clock.now()
      const minuteAgo = toTimestamp(now - refusalMs)
      const attempt = { now: toTimestamp(now), minuteAgo, limit: maxRefused }
      const beganAt = await addRefusal(queries, callerAt(address), attempt)
      if (beganAt) throw tooManyRequests(Math.max(1, Math.ceil((beganAt.getTime() + refusalMs - now) / 1000)))
    },
    /** It was accepted. */
    takeBack: (address: string) => takeBackRefusal(queries, callerAt(address)),
  }
}
