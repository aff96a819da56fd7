/** Writes what became of deliveries. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { codeOf } from '../database/postgres-error.ts'
import { createBackoff } from '../runtime/backoff.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { type FirstDue, lockedDelay, nameOfLane, type Settlement } from './delivery.ts'
import { settleDeliveries } from './queue/settle.ts'
import { createLatencies, reportLanes } from './receiver-health.ts'

/** Settlements in one statement. */
const maxBatch = 600
/**
 * After a statement the next batch gathers so long, unless it is full already: a statement costs PostgreSQL as much as 30 rows of
 * it. After one of many it gathers longer: one webhook 1.05 times as many deliveries a second, 1,000 webhooks and single events
 * 1.03, in place of 16 ms and batches of 100 to 200 (measured). A process that dies makes the calls of so long once more. After
 * one of few it does not wait longer, for what is published while its lane is settled has to be woken and claimed.
 */
const gatherMs = { afterFew: 16, afterMany: 50 }
const many = 16
const fullBatch = 500
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
  /** When the first of the lanes that were written are due. */
  onDue: (first: FirstDue) => void
  /** A batch is committed. */
  onSettled: () => void
  onError: (error: unknown) => void
}

/** `againMs`: until it is tried again when its lane is locked. */
type Waiting = { settlement: Settlement; done: () => void; againMs: number }

/**
 * Writes settlements in batches: a single one at once, and while one statement is under way the next batch gathers, so
 * that batches grow with the load. What is of a lane that somebody has locked is tried again, and holds up no other. Each
 * promise resolves once its settlement is committed.
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
  let isUnsure = false

  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size)
      try {
        finish(batch, await write(batch))
        if (waiting.length < fullBatch) await sleep(batch.length < many ? gatherMs.afterFew : gatherMs.afterMany)
      } catch (error) {
        onError(error)
        isUnsure = true
        await makeSmaller(batch, error)
      }
    }
    isWriting = false
  }

  /** What was refused may be one row's fault, and what took too long the fault of many: half of it is tried next. */
  const makeSmaller = async (batch: Waiting[], error: unknown) => {
    const isAlone = batch.length === 1
    if (isAlone && isRefusedForGood(error)) return finish(batch)
    // Behind the others, which may be written all the same.
    if (isAlone) waiting = [...waiting.slice(1), ...batch]
    else size = Math.ceil(batch.length / 2)
    if (isAlone || !isRefused(error)) await sleep(backoff.next())
  }

  const finish = (batch: Waiting[], locked: Waiting[] = []) => {
    waiting = waiting.slice(batch.length)
    if (locked.length > 0) tryLockedAgain(locked)
    const isLocked = new Set(locked)
    for (const entry of batch) if (!isLocked.has(entry)) entry.done()
    size = Math.min(maxBatch, 2 * size)
    backoff.reset()
  }

  /** Others are written meanwhile. So what was seen of a receiver may be written in another order; its next call mends that. */
  const tryLockedAgain = (locked: Waiting[]) => {
    const ms = Math.max(...locked.map(({ againMs }) => againMs))
    for (const entry of locked) entry.againMs = Math.min(2 * ms, lockedDelay.maxMs)
    setTimeout(() => add(locked), ms)
  }

  const add = (entries: Waiting[]) => {
    waiting.push(...entries)
    if (!isWriting) void writeAll()
  }

  /** Gives what could not be written, because somebody has locked its lane. */
  const write = async (batch: Waiting[]): Promise<Waiting[]> => {
    const now = clock.now()
    const settlements = batch.map(({ settlement }) => settlement)
    const reports = reportLanes(settlements, latencies, callsPerWebhook)
    const settled = await settleDeliveries(database.write, settlements, reports, {
      now: toTimestamp(now),
      restUntil: toTimestamp(now + pauses.restMs),
      failingBefore: toTimestamp(now - pauses.failingAfterMs),
      pauseBefore: toTimestamp(now - pauses.pauseAfterMs),
    })
    if (settled.locked.length < reports.length) onSettled()
    // What was written before, and only the answer was lost, is not told again.
    onDue(isUnsure ? { healthy: now, unhealthy: now } : settled.firstDue)
    isUnsure = false
    const locked = new Set(settled.locked.map(nameOfLane))
    return batch.filter(({ settlement }) => locked.has(settlement.delivery.laneName))
  }

  return {
    /** Bounded by what the worker has claimed, each of which settles once. */
    settle: (settlement: Settlement) =>
      new Promise<void>((resolve) => {
        if (settlement.observation) latencies.note(settlement.delivery.laneName, settlement.observation)
        add([{ settlement, done: resolve, againMs: lockedDelay.initialMs }])
      }),
  }
}

/** PostgreSQL answered, and not that it is busy, away, or in conflict with others (classes 08, 40, 53, 55 and 57). */
const isRefused = (error: unknown) => /^(?!08|40|53|55|57)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '')

/** Class 22 or 23: it will not take this row, however often it is asked. Its lease runs out, and the rescue takes it back. */
const isRefusedForGood = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')
