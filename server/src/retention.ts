import { type Clock, dayMs } from './clock.ts'
import type { Database } from './database/database.ts'
import { dropPartitions } from './database/day-partitions.ts'
import { expireOld, keptSince, neededSince, removeOldCounts } from './delivery/index.ts'

type Dependencies = {
  database: Database
  clock: Clock
  retentionMs: number
  /** Told each failure; the next run tries again. */
  onError: (error: unknown) => void
}

/**
 * Removes what is older than it is kept: first what still waits ends as expired, a day later the days of events and log
 * are dropped. None of the steps waits for another one to succeed: each looks at what is there.
 */
export async function removeOld({ database, clock, retentionMs, onError }: Dependencies, signal: AbortSignal) {
  const now = clock.now()
  const since = keptSince(now, retentionMs)
  const queries = database.write
  await expireOld(queries, since, now, signal).catch(onError)
  await dropDays(database, since - dayMs, now, onError).catch(onError)
  await removeOldCounts(queries, now, signal).catch(onError)
}

async function dropDays(database: Database, since: number, now: number, onError: Dependencies['onError']) {
  const day = Math.floor(since / dayMs) * dayMs
  await dropPartitions(database, await neededSince(database.write, day, now), onError)
}
