import { dayMs, toDay, toTimestamp } from '../clock.ts'
import type { Queries } from '../database/database.ts'
import { firstIdAt, timeOf } from '../identifiers.ts'
import { expireDeliveries, findOverdue, oldestEndedSince, removeCounts } from './expire-store.ts'

/** Rows changed by one statement, which is its own transaction. */
const batchRows = 1_000
/** Webhooks looked after by one run; those whose events are younger wait for the next one. */
const maxWebhooks = 10_000
/** Counts are kept so long: a year, and the month before to compare with. */
const countsKeptMs = 400 * dayMs

/** The millisecond since which events are kept: a delivery of an earlier one is ended, and is not opened again. */
export const keptSince = (now: number, retentionMs: number) => Math.floor(now - retentionMs)

/**
 * Ends what still waits, held or pending, of events from before `since` (milliseconds): dropped with the reason
 * `expired`. Several processes may do it at once, and each may be killed or stopped.
 */
export async function expireOld(queries: Queries, since: number, now: number, signal: AbortSignal) {
  const before = firstIdAt(since)
  const batch = { before, now: toTimestamp(now), most: batchRows }
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
