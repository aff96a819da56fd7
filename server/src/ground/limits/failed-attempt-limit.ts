import type { Database } from '../database/database.ts'
import { tooManyRequests } from '../errors.ts'
import { callerAt } from '../http/socket/rate-limit.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { addAttempt, findEndOfWait, takeBackAttempt } from './failed-attempt-store.ts'

/** `most`: failures of one client address in `periodMs`, which begins with the first of them. `kind`: what the limit counts. */
type Limit = { kind: string; most: number; periodMs: number }
type Dependencies = { database: Database; clock: Clock }

/**
 * Gives what `attempt` gives, which counts if it throws. At the limit it is not begun, even if it would succeed: 429 with `Retry-After`.
 * Each counts as failed while it lasts, so that attempts made at once do not pass the limit together.
 */
export function createFailedAttemptLimit(dependencies: Dependencies, limit: Limit) {
  const { count, takeBack } = createGuessLimit(dependencies, limit)
  return async <Result>(clientAddress: string, attempt: () => Promise<Result>): Promise<Result> => {
    await count(clientAddress)
    const result = await attempt()
    await takeBack(clientAddress)
    return result
  }
}

/**
 * For secrets of which is known whether one is right before it is used. Each throws a 429 with `Retry-After` at the limit: `count` for
 * one that is wrong, `check` for one that is right, which counts as nothing.
 */
export function createGuessLimit({ database, clock }: Dependencies, { kind, most, periodMs }: Limit) {
  const refuseUntil = (waitsUntil: Date | undefined, now: number) => {
    if (waitsUntil) throw tooManyRequests(Math.max(1, Math.ceil((waitsUntil.getTime() - now) / 1000)))
  }
  return {
    async count(clientAddress: string) {
      const now = clock.now()
      const times = { now: toTimestamp(now), endsAt: toTimestamp(now + periodMs) }
      refuseUntil(await addAttempt(database.write, kind, callerAt(clientAddress), { ...times, most }), now)
    },
    async check(clientAddress: string) {
      const now = clock.now()
      const reached = { now: toTimestamp(now), most }
      refuseUntil(await findEndOfWait(database.write, kind, callerAt(clientAddress), reached), now)
    },
    /** What was done is done; if this cannot be written, it counts as one more failure. */
    takeBack: (clientAddress: string) => takeBackAttempt(database.write, kind, callerAt(clientAddress)).catch(() => {}),
  }
}
