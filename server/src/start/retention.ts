import { noteDropped } from '../delivery/events/index.ts'
import {
  expireDeliveries,
  findOverdue,
  keptSince,
  oldestEndedSince,
  removeAttemptCounts,
  removeCounts,
  removeMinuteCounts,
} from '../delivery/queue/index.ts'
import { removeEventCounts } from '../delivery/statistics/index.ts'
import type { Database, Queries, Transaction } from '../ground/database/database.ts'
import { dropPartitions } from '../ground/database/time-partitions.ts'
import { answerKeptMs, organizationsWithAnswersBefore, removeAnswers } from '../ground/idempotency/index.ts'
import { type Clock, dayMs, toDay, toTimestamp } from '../ground/runtime/clock.ts'
import { firstIdAt, timeOf } from '../ground/runtime/identifiers.ts'

/** Rows per statement, each its own transaction. */
const batchRows = 1_000
/** Webhooks per run, those with the oldest events first; the others wait for the next run. */
const maxWebhooks = 10_000
/** Organizations per run whose answers are removed. */
const maxOrganizations = 10_000
/** Counts are kept for a year, and the month before to compare with. */
const countsKeptMs = 400 * dayMs

type Dependencies = {
  database: Database
  clock: Clock
  retentionMs: number
  auditRetentionMs: number
  /** Receives each failure; the next run tries again. */
  onError: (error: unknown) => void
}

/**
 * Removes data past its retention: first unfinished deliveries end as expired, a day later the partitions of events and log
 * are dropped; those of the audit log once the newest entry that they can have is past its own. No step depends on the success of another one.
 */
export async function removeOld(
  { database, clock, retentionMs, auditRetentionMs, onError }: Dependencies,
  signal: AbortSignal,
) {
  const now = clock.now()
  const since = keptSince(now, retentionMs)
  const queries = database.write
  await expireOld(queries, since, now, signal).catch(onError)
  await dropDays(database, since - dayMs, now, onError).catch(onError)
  await removeOldCounts(queries, now, signal).catch(onError)
  await removeOldMinutes(queries, since, signal).catch(onError)
  await dropMonths(database, now - auditRetentionMs, onError).catch(onError)
  await removeOldAnswers(queries, now - answerKeptMs, signal).catch(onError)
}

async function dropDays(database: Database, since: number, now: number, onError: Dependencies['onError']) {
  const day = Math.floor(since / dayMs) * dayMs
  const beforeDrop = async (tx: Transaction, { table, name }: { table: string; name: string }) => {
    if (table === 'events') await noteDropped(tx, name)
  }
  const needed = await neededSince(database.write, day, now)
  await dropPartitions(database, { events: needed, finished_deliveries: needed }, { beforeDrop, onError })
}

const dropMonths = (database: Database, since: number, onError: Dependencies['onError']) =>
  dropPartitions(database, { audit_entries: since }, { beforeDrop: async () => {}, onError })

/**
 * Drops the unfinished deliveries, held or pending, of events from before `since` (milliseconds), with the reason `expired`.
 * Safe in several processes at once, each of which may be killed or stopped.
 */
export async function expireOld(queries: Queries, since: number, now: number, signal: AbortSignal) {
  const before = firstIdAt(since)
  const batch = { before, now: toTimestamp(now), limit: batchRows }
  for (const { organizationId, webhookId } of await findOverdue(queries, before, maxWebhooks))
    while (!signal.aborted && (await expireDeliveries(queries, organizationId, webhookId, batch)) === batchRows);
}

/**
 * The time (milliseconds) from which events and log are needed: `since`, or earlier if a delivery of an earlier event is
 * unfinished, or ended without success in the last day, so that its owner can still read the reason.
 */
export async function neededSince(queries: Queries, since: number, now: number): Promise<number> {
  const before = firstIdAt(since)
  const [unfinished] = await findOverdue(queries, before, 1)
  const ended = await oldestEndedSince(queries, before, toTimestamp(now - dayMs))
  const ids = [unfinished?.eventId, ended].filter((id) => id !== undefined)
  return Math.min(since, ...ids.map(timeOf))
}

async function removeOldCounts(queries: Queries, now: number, signal: AbortSignal) {
  const day = toDay(now - countsKeptMs)
  while (!signal.aborted && (await removeCounts(queries, day, batchRows)) === batchRows);
}

/** Statistics reach back as far as events, by the step that is longest a day. */
async function removeOldMinutes(queries: Queries, since: number, signal: AbortSignal) {
  const minute = toTimestamp(since - dayMs)
  for (const remove of [removeMinuteCounts, removeEventCounts, removeAttemptCounts])
    while (!signal.aborted && (await remove(queries, minute, batchRows)) === batchRows);
}

/** Removes what repeated calls are answered from before `since` (milliseconds), of organizations with the oldest ones first. */
async function removeOldAnswers(queries: Queries, since: number, signal: AbortSignal) {
  const time = toTimestamp(since)
  for (const organizationId of await organizationsWithAnswersBefore(queries, time, maxOrganizations))
    while (!signal.aborted && (await removeAnswers(queries, organizationId, time, batchRows)) === batchRows);
}
