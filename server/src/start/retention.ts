import type { Database, Queries } from '../database/database.ts'
import { dropPartitions } from '../database/day-partitions.ts'
import { expireDeliveries, findOverdue, keptSince, oldestEndedSince, removeCounts } from '../delivery/index.ts'
import { type Clock, dayMs, toDay, toTimestamp } from '../runtime/clock.ts'
import { firstIdAt, timeOf } from '../runtime/identifiers.ts'

/** Rows changed by one statement, which is its own transaction. */
const batchRows = 1_000
/** Webhooks looked after by one run; those whose events are younger wait for the next one. */
const maxWebhooks = 10_000
/** Counts are kept so long: a year, and the month before to compare with. */
const countsKeptMs = 400 * dayMs

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

/**
 * Ends what still waits, held or pending, of events from before `since` (milliseconds): dropped with the reason
 * `expired`. Several processes may do it at once, and each may be killed or stopped.
 */
export async function expireOld(queries: Queries, since: number, now: number, signal: AbortSignal) {
  const before = firstIdAt(since)
  const batch = { before, now: toTimestamp(now), limit: batchRows }
  for (const { organizationId, webhookId } of await findOverdue(queries, before, maxWebhooks))
    while (!signal.aborted && (await expireDeliveries(queries, organizationId, webhookId, batch)) === batchRows);
}

/**
 * The time (milliseconds) from which on events and log are needed: `since`, or earlier if a delivery of an earlier
 * event is unfinished, or ended without success in the last day, so that its owner can still read why.
 */
export async function neededSince(queries: Queries, since: number, now: number): Promise<number> {
  const before = firstIdAt(since)
  const [unfinished] = await findOverdue(queries, before, 1)
  const ended = await oldestEndedSince(queries, before, toTimestamp(now - dayMs))
  const ids = [unfinished?.eventId, ended].filter((id) => id !== undefined)
  return Math.min(since, ...ids.map(timeOf))
}

export async function removeOldCounts(queries: Queries, now: number, signal: AbortSignal) {
  const day = toDay(now - countsKeptMs)
  while (!signal.aborted && (await removeCounts(queries, day, batchRows)) === batchRows);
}
