import type { Database } from '../database/database.ts'
import { tooManyRequests } from '../errors.ts'
import { callerAt } from '../http/rate-limit.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { addAttempt, takeBackAttempt } from './failed-attempt-store.ts'

/** `most`: failures of one client address in `periodMs`, which begins with the first of them. `kind`: what the limit counts. */
type Limit = { kind: string; most: number; periodMs: number }

/**
 * Gives what `attempt` gives, which counts if it throws. At the limit it is not begun, even if it would succeed: 429 with `Retry-After`.
 * Each counts as failed while it lasts, so that attempts made at once do not pass the limit together.
 */
export const createFailedAttemptLimit =
  ({ database, clock }: { database: Database; clock: Clock }, { kind, most, periodMs }: Limit) =>
  async <Result>(clientAddress: string, attempt: () => Promise<Result>): Promise<Result> => {
    const [now, caller] = [clock.now(), callerAt(clientAddress)]
    const times = { now: toTimestamp(now), endsAt: toTimestamp(now + periodMs) }
    const waitsUntil = await addAttempt(database.write, kind, caller, { ...times, most })
    if (waitsUntil) throw tooManyRequests(Math.max(1, Math.ceil((waitsUntil.getTime() - now) / 1000)))
    const result = await attempt()
    // What was done is done; if this cannot be written, it counts as one more failure.
    await takeBackAttempt(database.write, kind, caller).catch(() => {})
    return result
  }
