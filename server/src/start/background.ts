import type { CountEvents } from '../delivery/statistics/index.ts'
import type { Database } from '../ground/database/database.ts'
import { followDatabaseTime } from '../ground/database/database-time.ts'
import { makePartitions } from '../ground/database/time-partitions.ts'
import type { createAnswerSweep } from '../ground/idempotency/index.ts'
import type { Keys } from '../ground/keys/index.ts'
import { type Clock, hourMs, type SettableClock } from '../ground/runtime/clock.ts'
import { runEvery } from '../ground/runtime/interval.ts'
import type { Issuers } from '../identity/issuer/index.ts'
import { purgeDeletedOrganizations } from '../identity/organizations/index.ts'
import { endStalledFlows, type SignInDependencies } from '../identity/sign-in/index.ts'
import { removeExpired } from './remove-expired.ts'
import { removeOld } from './retention.ts'

const minuteMs = 60_000

type Dependencies = {
  database: Database
  /** Retention shares the connections of delivery, not those of requests. */
  workerDatabase: Database
  clock: Clock
  /** Set to the database's time; undefined where a test sets the clock. */
  ownClock: SettableClock | undefined
  retentionMs: number
  auditRetentionMs: number
  keys: Keys
  issuers: Issuers
  countEvents: CountEvents
  answers: ReturnType<typeof createAnswerSweep>
  signIn: SignInDependencies
  onError: (error: unknown) => void
}

/** Everything that runs at intervals, in every process; each piece of work is safe to run in several at once. */
export function startBackground(dependencies: Dependencies) {
  const { database, workerDatabase, clock, ownClock, keys, issuers, countEvents, answers, signIn, onError } =
    dependencies
  const retention = { ...dependencies, database: workerDatabase }
  return [
    runEvery(minuteMs, () => purgeDeletedOrganizations(database, clock), onError),
    runEvery(minuteMs, countEvents.run, onError),
    runEvery(minuteMs, answers.run, onError),
    runEvery(hourMs, () => makePartitions(database, clock.now()), onError),
    runEvery(hourMs, (signal) => removeOld(retention, signal), onError, { atOnce: true }),
    runEvery(10 * minuteMs, keys.rotateDueKeys, onError),
    runEvery(minuteMs, (signal) => endStalledFlows(signIn, signal), onError),
    runEvery(10 * minuteMs, issuers.rotateDueKeys, onError),
    runEvery(5 * minuteMs, issuers.sweep, onError),
    runEvery(5 * minuteMs, (signal) => removeExpired(database.write, clock, signal), onError),
    ...(ownClock ? [runEvery(minuteMs, () => followDatabaseTime(ownClock, database.read), onError)] : []),
  ]
}
