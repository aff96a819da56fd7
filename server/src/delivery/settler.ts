import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { codeOf } from '../database/postgres-error.ts'
import type { Conclusion } from './attempt.ts'
import { createBackoff } from './backoff.ts'
import { reportLanes } from './lane-report.ts'
import { createLatencies } from './latencies.ts'
import { settleDeliveries } from './settle-store.ts'

/** Settlements in one statement. */
const maxBatch = 200
/** While one statement follows another the next batch gathers so long, unless it is of that size before. */
const gatherMs = 8
const fullBatch = 100
/** Between tries when the database is away. The leases run out meanwhile; a settlement that comes late changes nothing. */
const retryDelay = { initialMs: 100, maxMs: 5_000 }

type Dependencies = {
  database: Database
  clock: Clock
  callsPerWebhook: number
  /** A receiver that failed is not called again before. */
  restMs: number
  /** A receiver that failed for so long counts as failing, and is paused. */
  failingAfterMs: number
  pauseAfterMs: number
  /** By what was written a lane is due from then on, in milliseconds. */
  onDue: (at: number) => void
  /** A batch is committed. */
  onSettled: () => void
  onError: (error: unknown) => void
}

type Waiting = { conclusion: Conclusion; done: () => void }

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
  const latencies = createLatencies()
  const backoff = createBackoff(retryDelay)
  let waiting: Waiting[] = []
  let size = maxBatch
  let isWriting = false

  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size)
      try {
        await write(batch.map((entry) => entry.conclusion))
        finish(batch)
        if (waiting.length < fullBatch) await sleep(gatherMs)
      } catch (error) {
        onError(error)
        if (!isRefused(error)) await sleep(backoff.next())
        else if (batch.length > 1) size = Math.ceil(batch.length / 2)
        else finish(batch)
      }
    }
    isWriting = false
  }

  const finish = (batch: Waiting[]) => {
    waiting = waiting.slice(batch.length)
    for (const { done } of batch) done()
    size = maxBatch
    backoff.reset()
  }

  const write = async (conclusions: Conclusion[]) => {
    const now = clock.now()
    const settlements = conclusions.map((conclusion) => conclusion.settlement)
    const dueAt = await settleDeliveries(
      database.write,
      settlements,
      reportLanes(conclusions, latencies, callsPerWebhook),
      {
        now: toTimestamp(now),
        restUntil: toTimestamp(now + pauses.restMs),
        failingBefore: toTimestamp(now - pauses.failingAfterMs),
        pauseBefore: toTimestamp(now - pauses.pauseAfterMs),
      },
    )
    onSettled()
    onDue(dueAt)
  }

  return {
    /** Bounded by what the worker has claimed, each of which settles once. */
    settle: (conclusion: Conclusion) =>
      new Promise<void>((resolve) => {
        waiting.push({ conclusion, done: resolve })
        if (!isWriting) void writeAll()
      }),
  }
}

/**
 * Class 22 or 23: PostgreSQL will not take this row, however often it is asked. The batch is halved until the row is
 * alone; its lease then runs out and the rescue takes it back, so one bad row holds up nobody.
 */
const isRefused = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')
