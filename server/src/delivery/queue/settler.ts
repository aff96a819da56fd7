/** Writes the outcomes of deliveries in batches. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import { codeOf } from '../../ground/database/postgres-error.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import {
  type ClaimedDelivery,
  type Concurrency,
  type FirstDue,
  lockedDelay,
  nameOfLane,
  type Settlement,
} from './delivery.ts'
import { isDown } from './receiver-concurrency.ts'
import { createLatencies, createOverdue, reportLanes, reportOf } from './receiver-health.ts'
import { makeRoom } from './store/lanes.ts'
import { settleDeliveries } from './store/settle.ts'

/** Settlements in one statement. */
const maxBatch = 600
/**
 * After a statement the next batch gathers so long, unless it is full already. A process that dies repeats the requests of so long;
 * and what is published while its lane is settled has to be woken and claimed, so the wait is short after a batch of few.
 */
const batchWaitMs = { afterFew: 16, afterMany: 50 }
const largeBatch = 16
const fullBatch = 500
/** Between tries while the database is unavailable. Leases run out meanwhile; a settlement that comes late changes nothing. */
const retryDelay = { initialMs: 100, maxMs: 5_000 }

type Dependencies = {
  database: Database
  clock: Clock
  workerId: string
  requestsPerWebhook: number
  /** A receiver that failed gets no request for so long. */
  cooldownMs: number
  /** A receiver that has failed for so long counts as failing, and is paused. */
  failingAfterMs: number
  pauseAfterMs: number
  /** When the first of the lanes that were written are due. */
  onDue: (first: FirstDue) => void
  /** A batch is committed. */
  onSettled: () => void
  onError: (error: unknown) => void
}

/** `lockedDelayMs`: until it is tried again when its lane is locked. */
type Waiting = { settlement: Settlement; done: () => void; lockedDelayMs: number }

/**
 * A single settlement is written at once; while a statement is under way the next batch gathers, so batches grow with the load.
 * Settlements whose lane is locked are tried again and hold up no others.
 */
export function createSettler({
  database,
  clock,
  workerId,
  requestsPerWebhook,
  onDue,
  onSettled,
  onError,
  ...after
}: Dependencies) {
  /** It writes for all, so it does not run in the async context of the first, whose organization may have used up its connections. */
  const inOwnContext = AsyncLocalStorage.snapshot()
  const latencies = createLatencies()
  const overdue = createOverdue()
  const known = { latencies, overdue, requestsPerWebhook }
  /** A delivery of each lane in which room is to be made. */
  const roomFor = new Map<string, { delivery: ClaimedDelivery; concurrency: Concurrency }>()
  const backoff = createBackoff(retryDelay)
  let waiting: Waiting[] = []
  let size = maxBatch
  let isWriting = false
  let mayHaveSettledBefore = false

  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0 || roomFor.size > 0) {
      if (roomFor.size > 0) await makeRoomNow().catch(onError)
      if (waiting.length === 0) continue
      const batch = waiting.slice(0, size)
      try {
        finish(batch, await write(batch))
        if (waiting.length < fullBatch)
          await sleep(batch.length < largeBatch ? batchWaitMs.afterFew : batchWaitMs.afterMany)
      } catch (error) {
        onError(error)
        mayHaveSettledBefore = true
        await shrink(batch, error)
      }
    }
    isWriting = false
  }

  /** One row may be at fault when a batch was refused, and their number when it took too long: half of it is tried next. */
  const shrink = async (batch: Waiting[], error: unknown) => {
    const isAlone = batch.length === 1
    if (isAlone && isRefusedForGood(error)) return finish(batch)
    // Behind the others, which may be written all the same.
    if (isAlone) waiting = [...waiting.slice(1), ...batch]
    else size = Math.ceil(batch.length / 2)
    if (isAlone || !isRefused(error)) await sleep(backoff.next())
  }

  const finish = (batch: Waiting[], locked: Waiting[] = []) => {
    waiting = waiting.slice(batch.length)
    if (locked.length > 0) retryLocked(locked)
    const isLocked = new Set(locked)
    for (const entry of batch) if (!isLocked.has(entry)) entry.done()
    size = Math.min(maxBatch, 2 * size)
    backoff.reset()
  }

  /** Observations of a receiver may thus be written out of order; its next request corrects that. */
  const retryLocked = (locked: Waiting[]) => {
    const ms = Math.max(...locked.map(({ lockedDelayMs }) => lockedDelayMs))
    for (const entry of locked) entry.lockedDelayMs = Math.min(2 * ms, lockedDelay.maxMs)
    setTimeout(() => add(locked), ms)
  }

  const add = (entries: Waiting[]) => {
    waiting.push(...entries)
    if (!isWriting) void inOwnContext(writeAll)
  }

  /** What is not written for an error is written with the next settlement of the lane. */
  const makeRoomNow = async () => {
    const lanes = [...roomFor.values()]
    roomFor.clear()
    const reports = lanes.map(({ delivery, concurrency }) =>
      reportOf(delivery, { concurrency, succeeded: null }, known),
    )
    const now = clock.now()
    const locked = new Set((await makeRoom(database.write, reports, toTimestamp(now), workerId)).map(nameOfLane))
    onDue({ healthy: now, unhealthy: Infinity })
    if (locked.size > 0)
      setTimeout(
        makeRoomSoon,
        lockedDelay.maxMs,
        lanes.filter(({ delivery }) => locked.has(delivery.laneName)),
      )
  }

  const makeRoomSoon = (lanes: { delivery: ClaimedDelivery; concurrency: Concurrency }[]) => {
    for (const lane of lanes) if (overdue.of(lane.delivery.laneName) > 0) roomFor.set(lane.delivery.laneName, lane)
    add([])
  }

  /** Returns the settlements that were not written because their lane is locked. */
  const write = async (batch: Waiting[]): Promise<Waiting[]> => {
    const now = clock.now()
    const settlements = batch.map(({ settlement }) => settlement)
    const reports = reportLanes(settlements, known)
    const settled = await settleDeliveries(database.write, settlements, reports, {
      now: toTimestamp(now),
      cooldownUntil: toTimestamp(now + after.cooldownMs),
      failingBefore: toTimestamp(now - after.failingAfterMs),
      pauseBefore: toTimestamp(now - after.pauseAfterMs),
    })
    if (settled.locked.length < reports.length) onSettled()
    // An earlier batch may have been written although its reply was lost, and then made lanes due.
    onDue(mayHaveSettledBefore ? { healthy: now, unhealthy: now } : settled.firstDue)
    mayHaveSettledBefore = false
    const locked = new Set(settled.locked.map(nameOfLane))
    return batch.filter(({ settlement }) => locked.has(settlement.delivery.laneName))
  }

  return {
    /** Resolves once it is committed. The queue is bounded by what the worker has claimed. */
    settle: (settlement: Settlement) =>
      new Promise<void>((resolve) => {
        overdue.remove(settlement.delivery)
        if (settlement.observation) latencies.note(settlement.delivery.laneName, settlement.observation)
        add([{ settlement, done: resolve, lockedDelayMs: lockedDelay.initialMs }])
      }),

    /** Its request is overdue and counts no more: others may follow. Where its receiver is down, it counts all the same. */
    setAside(delivery: ClaimedDelivery, concurrency: Concurrency) {
      overdue.add(delivery)
      if (!isDown(concurrency)) makeRoomSoon([{ delivery, concurrency }])
    },
  }
}

/** PostgreSQL answered, and not that it is busy, unavailable, or in conflict with others (classes 08, 40, 53, 55 and 57). */
const isRefused = (error: unknown) => /^(?!08|40|53|55|57)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '')

/** Class 22 or 23: it will never take this row. Its lease runs out, and the rescue takes it back. */
const isRefusedForGood = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')
