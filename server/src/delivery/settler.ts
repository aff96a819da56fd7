import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../clock.ts'
import { codeOf, type Database } from '../database/database.ts'
import type { Conclusion, Seen } from './attempt.ts'
import { claimRoom } from './claim-room.ts'
import { type LaneReport, settleDeliveries } from './settle-store.ts'

/** Settlements in one statement. */
const maxBatch = 200
/** While one statement follows another: so long the next batch gathers, unless it is `fullBatch` before. */
const gatherMs = 3
const fullBatch = 100
/** Between tries when the database is away. The leases run out meanwhile; a settlement that comes late changes nothing. */
const retryDelay = { initialMs: 100, maxMs: 5_000 }
/** Receivers whose pace is remembered; for one that was forgotten the pace is found anew. */
const maxPaces = 10_000
/** Share of the newest call in a receiver's average. */
const newestWeight = 0.2

type Dependencies = {
  database: Database
  clock: Clock
  callsPerWebhook: number
  /** A receiver that failed is not called again before. */
  restMs: number
  /** A receiver that failed for so long is paused. */
  pauseAfterMs: number
  /** By what was written a lane is due from then on, in milliseconds. */
  onDue: (at: number) => void
  /** A batch is committed. */
  onSettled: () => void
  onError: (error: unknown) => void
}

/**
 * Writes conclusions in batches: a single one at once, and while one statement is under way the next batch gathers, so
 * that batches grow with the load. Each promise resolves once its settlement is committed.
 */
export function createSettler({
  database,
  clock,
  callsPerWebhook,
  onDue,
  onSettled,
  onError,
  ...pauses
}: Dependencies) {
  const paces = createPaces()
  let waiting: { conclusion: Conclusion; done: () => void }[] = []
  let writing = false

  const writeAll = async () => {
    writing = true
    let size = maxBatch
    let delayMs = retryDelay.initialMs
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size)
      const error = await write(batch.map((entry) => entry.conclusion)).catch(
        (reason) => reason ?? new Error('unknown'),
      )
      const isRefusedAlone = error !== undefined && batch.length === 1 && isRefused(error)
      if (error !== undefined) onError(error)
      if (error === undefined || isRefusedAlone) {
        waiting = waiting.slice(batch.length)
        for (const { done } of batch) done()
        size = maxBatch
        delayMs = retryDelay.initialMs
        if (waiting.length < fullBatch) await sleep(gatherMs)
      } else if (isRefused(error)) {
        size = Math.ceil(batch.length / 2)
      } else {
        await sleep(delayMs)
        delayMs = Math.min(delayMs * 2, retryDelay.maxMs)
      }
    }
    writing = false
  }

  const write = async (conclusions: Conclusion[]): Promise<undefined> => {
    const now = clock.now()
    const settlements = conclusions.map((conclusion) => conclusion.settlement)
    const dueAt = await settleDeliveries(database.write, settlements, reportLanes(conclusions), {
      now: toTimestamp(now),
      restUntil: toTimestamp(now + pauses.restMs),
      failingBefore: toTimestamp(now - pauses.pauseAfterMs),
    })
    onSettled()
    onDue(dueAt)
  }

  /** One success in a batch is enough: the receiver lives. */
  const reportLanes = (conclusions: Conclusion[]): LaneReport[] => {
    const reports = new Map<string, LaneReport>()
    for (const { settlement, seen } of conclusions) {
      const { organizationId, webhookId } = settlement.delivery
      if (seen) paces.note(webhookId, seen)
      const before = reports.get(webhookId)?.succeeded ?? null
      const succeeded = before || (seen?.succeeded ?? before)
      const room = claimRoom(paces.average(webhookId), callsPerWebhook)
      reports.set(webhookId, { organizationId, webhookId, succeeded, room })
    }
    return [...reports.values()]
  }

  return {
    /** Bounded by what the worker holds, each of which settles once. */
    settle: (conclusion: Conclusion) =>
      new Promise<void>((resolve) => {
        waiting.push({ conclusion, done: resolve })
        if (!writing) void writeAll()
      }),
  }
}

/**
 * Class 22 or 23: PostgreSQL will not take this row, however often it is asked. The batch is halved until the row is
 * alone; its lease then runs out and the rescue takes it back, so one bad row holds up nobody.
 */
const isRefused = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')

/** How long a receiver's calls take, in milliseconds, on a moving average. What waited in vain counts in full. */
function createPaces() {
  const averages = new Map<string, number>()
  return {
    note(webhookId: string, { succeeded, durationMs }: Seen) {
      const before = averages.get(webhookId) ?? durationMs
      const weight = succeeded === null ? 1 : newestWeight
      averages.delete(webhookId)
      averages.set(webhookId, before + (durationMs - before) * weight)
      if (averages.size > maxPaces) averages.delete(averages.keys().next().value as string)
    },
    average: (webhookId: string) => averages.get(webhookId) ?? Number.POSITIVE_INFINITY,
  }
}
