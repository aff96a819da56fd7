/** Writes the outcomes of deliveries in batches. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import { codeOf } from '../../ground/database/postgres-error.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isDown } from './capacity.ts'
import {
  type ClaimedDelivery,
  type Concurrency,
  type FirstDue,
  lockedDelay,
  nameOfLane,
  type Settlement,
} from './delivery.ts'
import type { Overdue } from './in-flight.ts'
import { createLatencies, reportLanes, reportOf } from './receiver-health.ts'
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
/** Until a delivery is attempted again whose outcome the database refuses. */
const refusedDelayMs = 60_000

type Dependencies = {
  database: Database
  clock: Clock
  workerId: string
  requestsPerWebhook: number
  overdue: Overdue
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
/** A delivery of a lane in which room is to be made. */
type Crowded = { delivery: ClaimedDelivery; concurrency: Concurrency }

type State = ReturnType<typeof openState>

/**
 * A single settlement is written at once; while a statement is under way the next batch gathers, so batches grow with the load.
 * Settlements whose lane is locked are tried again and hold up no others.
 */
export function createSettler(dependencies: Dependencies) {
  const state = openState(dependencies)
  return {
    /** Resolves once it is committed. What waits is bounded by what the worker has claimed. */
    settle: (settlement: Settlement) =>
      new Promise<void>((resolve) => {
        state.overdue.remove(settlement.delivery)
        if (settlement.observation) state.latencies.note(settlement.delivery.laneName, settlement.observation)
        add(state, [{ settlement, done: resolve, lockedDelayMs: lockedDelay.initialMs }])
      }),

    /** Its request is overdue and counts no more: others may follow. Where its receiver is down, it counts all the same. */
    setAside(delivery: ClaimedDelivery, concurrency: Concurrency) {
      state.overdue.add(delivery)
      if (!isDown(concurrency)) makeRoomSoon(state, [{ delivery, concurrency }])
    },
  }
}

const openState = (dependencies: Dependencies) => ({
  ...dependencies,
  /** It writes for all, so it does not run in the async context of the first, whose organization may have used up its connections. */
  inOwnContext: AsyncLocalStorage.snapshot(),
  latencies: createLatencies(),
  backoff: createBackoff(retryDelay),
  waiting: [] as Waiting[],
  /** By lane. */
  crowded: new Map<string, Crowded>(),
  batchSize: maxBatch,
  isWriting: false,
  mayHaveSettledBefore: false,
})

function add(state: State, entries: Waiting[]) {
  state.waiting.push(...entries)
  if (!state.isWriting) void state.inOwnContext(writeAll, state)
}

async function writeAll(state: State) {
  state.isWriting = true
  while (state.waiting.length > 0 || state.crowded.size > 0) {
    if (state.crowded.size > 0) await makeRoomNow(state).catch(state.onError)
    if (state.waiting.length > 0) await writeBatch(state, state.waiting.slice(0, state.batchSize))
  }
  state.isWriting = false
}

async function writeBatch(state: State, batch: Waiting[]) {
  try {
    finish(state, batch, await write(state, batch))
    if (state.waiting.length < fullBatch)
      await sleep(batch.length < largeBatch ? batchWaitMs.afterFew : batchWaitMs.afterMany)
  } catch (error) {
    state.onError(error)
    state.mayHaveSettledBefore = true
    await shrink(state, batch, error)
  }
}

/** Returns the settlements that were not written because their lane is locked. */
async function write(state: State, batch: Waiting[]): Promise<Waiting[]> {
  const now = state.clock.now()
  const settlements = batch.map(({ settlement }) => settlement)
  const reports = reportLanes(settlements, state)
  const settled = await settleDeliveries(state.database.write, settlements, reports, {
    now: toTimestamp(now),
    cooldownUntil: toTimestamp(now + state.cooldownMs),
    failingBefore: toTimestamp(now - state.failingAfterMs),
    pauseBefore: toTimestamp(now - state.pauseAfterMs),
  })
  if (settled.locked.length < reports.length) state.onSettled()
  // An earlier batch may have been written although its reply was lost, and then made lanes due.
  state.onDue(state.mayHaveSettledBefore ? { healthy: now, unhealthy: now } : settled.firstDue)
  state.mayHaveSettledBefore = false
  const locked = new Set(settled.locked.map(nameOfLane))
  return batch.filter(({ settlement }) => locked.has(settlement.delivery.laneName))
}

function finish(state: State, batch: Waiting[], locked: Waiting[] = []) {
  state.waiting = state.waiting.slice(batch.length)
  if (locked.length > 0) retryLocked(state, locked)
  const isLocked = new Set(locked)
  for (const entry of batch) if (!isLocked.has(entry)) entry.done()
  state.batchSize = Math.min(maxBatch, 2 * state.batchSize)
  state.backoff.reset()
}

/** Observations of a receiver may thus be written out of order; its next request corrects that. */
function retryLocked(state: State, locked: Waiting[]) {
  const ms = Math.max(...locked.map(({ lockedDelayMs }) => lockedDelayMs))
  for (const entry of locked) entry.lockedDelayMs = Math.min(2 * ms, lockedDelay.maxMs)
  setTimeout(add, ms, state, locked)
}

/** One row may be at fault when a batch was refused, and their number when it took too long: half of it is tried next. */
async function shrink(state: State, batch: Waiting[], error: unknown) {
  const isAlone = batch.length === 1
  if (isAlone && isRefusedForGood(error)) return finish(state, batch, queuedInstead(state, batch[0] as Waiting))
  // Behind the others, which may be written all the same.
  if (isAlone) state.waiting = [...state.waiting.slice(1), ...batch]
  else state.batchSize = Math.ceil(batch.length / 2)
  if (isAlone || !isRefused(error)) await sleep(state.backoff.next())
}

/** What has no row in the queue has no lease that runs out: it is to be attempted again, without the attempt that was refused. */
function queuedInstead({ clock }: State, entry: Waiting): Waiting[] {
  const { delivery, attempt } = entry.settlement
  if (delivery.rowLocation !== null || attempt === null) return []
  entry.settlement = {
    delivery,
    attempt: null,
    released: 'unreadable',
    retryAt: toTimestamp(clock.now() + refusedDelayMs),
  }
  return [entry]
}

function makeRoomSoon(state: State, lanes: Crowded[]) {
  for (const lane of lanes)
    if (state.overdue.of(lane.delivery.laneName) > 0) state.crowded.set(lane.delivery.laneName, lane)
  add(state, [])
}

/** What is not written for an error is written with the next settlement of the lane. */
async function makeRoomNow(state: State) {
  const lanes = [...state.crowded.values()]
  state.crowded.clear()
  const reports = lanes.map(({ delivery, concurrency }) => reportOf(delivery, { concurrency, succeeded: null }, state))
  const now = state.clock.now()
  const keys = await makeRoom(state.database.write, reports, toTimestamp(now), state.workerId)
  state.onDue({ healthy: now, unhealthy: Infinity })
  const locked = new Set(keys.map(nameOfLane))
  const again = lanes.filter(({ delivery }) => locked.has(delivery.laneName))
  if (again.length > 0) setTimeout(makeRoomSoon, lockedDelay.maxMs, state, again)
}

/** PostgreSQL answered, and not that it is busy, unavailable, or in conflict with others (classes 08, 40, 53, 55 and 57). */
const isRefused = (error: unknown) => /^(?!08|40|53|55|57)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '')

/** Class 22 or 23: it will never take this row. Its lease runs out, and the rescue takes it back. */
const isRefusedForGood = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')
