/**
 * What a worker says of the deliveries that it makes without a row in the queue (`store/unqueued.ts`): from which event on it may have
 * any. It gives back lanes that it has not used for a while, and puts into the queue what may have been published although nobody was
 * told.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'
import { createSignal } from '../../ground/runtime/signal.ts'
import type { LogLine } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { leaseMs } from './lease.ts'
import {
  hasOpenPublication,
  queueUnsent,
  releaseLanes,
  removeUnqueuedSince,
  sayUnqueuedSince,
} from './store/unqueued.ts'

/** Between two words of a worker that has lanes. What one that is idle says goes with its sweep, which costs no further statement. */
const sayMs = 2_000
/** A lane that was not used for so long is given back, so many in one statement. */
const idleMs = 4_000
const maxReleased = 1_000
/** Publications of which nobody knows yet whether they are committed. With more, none is claimed. */
const maxUnsent = 1_000
/** Before the first look for what was published, and between two looks. */
const lookDelay = { initialMs: 50, maxMs: 5_000 }

type Dependencies = { database: Database; clock: Clock; workerId: string; log: { info: LogLine; error: LogLine } }
type Parts = { inFlight: Pick<InFlight, 'oldestUnqueued' | 'lanes'>; claimSoon: () => void }

export type Unqueued = ReturnType<typeof createUnqueued>

export function createUnqueued({ database, clock, workerId, log }: Dependencies, { inFlight, claimSoon }: Parts) {
  const signal = createSignal(clock)
  const unsent = createUnsent({ database, clock, log }, claimSoon)
  /** The greatest time that may stand in the database; undefined before the first. */
  let saidMs: number | undefined
  let hasSaid = false
  let hasSaidBusy = false
  let running: Promise<void> | undefined
  let isStopping = false

  const isBusy = () => !inFlight.lanes.isEmpty() || unsent.count() > 0
  /** And has said so. */
  const isIdle = () => hasSaid && !hasSaidBusy && !isBusy()

  /** The others look more often whether a busy worker lives, and take the lanes of one that is frozen. */
  const begin = () => {
    if (!hasSaidBusy) signal.give()
  }

  const least = () => Math.min(clock.now(), inFlight.oldestUnqueued(), unsent.oldest())
  /** Where the clock was set back, what stands in the database is later until `ms` is written. */
  const raise = (ms: number) => {
    saidMs = Math.max(ms, saidMs ?? ms)
    return firstIdAt(ms)
  }

  const say = async () => {
    hasSaid = false
    await release(idleMs)
    const ms = least()
    hasSaidBusy = isBusy()
    await sayUnqueuedSince(database.write, workerId, raise(ms), hasSaidBusy)
    saidMs = ms
    hasSaid = true
  }

  const release = async (unusedMs: number) => {
    const idle = inFlight.lanes.idle(unusedMs, maxReleased)
    if (idle.length > 0) await releaseLanes(database.write, workerId, idle)
    inFlight.lanes.forget(idle)
  }

  const run = async () => {
    while (!isStopping) {
      signal.listen()
      await say().catch((err) => log.error({ err }, 'a worker could not say since when it delivers; will retry'))
      await signal.sleep(isIdle() ? Infinity : sayMs)
    }
  }

  return {
    start() {
      running = run()
    },
    /** Another worker may have found this one lost. */
    saySoon: signal.give,
    /** Whether what is published `now` may be delivered without a row: what was said holds also where the clock was set back. */
    isOpen: (now: number) => !isStopping && saidMs !== undefined && now >= saidMs && unsent.count() < maxUnsent,
    /** What the sweep says of it while it is idle. */
    idleSince: () => (isIdle() ? raise(least()) : undefined),
    /** It has lanes again, and says so at once. */
    begin,
    /** Nobody knows whether these events were committed. */
    lose(...publication: Parameters<typeof unsent.add>) {
      unsent.add(...publication)
      begin()
    },
    /** Of what it claims no more. */
    releaseAll: () => release(0).catch(() => {}),
    /** Once nothing is in flight any more, as far as this process could write it. */
    async stop() {
      isStopping = true
      signal.give()
      await running
      const hasNone = inFlight.oldestUnqueued() === Infinity && unsent.count() === 0
      unsent.stop()
      if (hasNone) await removeUnqueuedSince(database.write, workerId).catch(() => {})
    },
  }
}

type Unsent = { organizationId: string; eventIds: string[]; at: number }

/** Publications whose reply was lost: PostgreSQL may have committed them, or may yet. */
function createUnsent({ database, clock, log }: Omit<Dependencies, 'workerId'>, claimSoon: () => void) {
  const backoff = createBackoff(lookDelay)
  let all: Unsent[] = []
  let isLooking = false

  const lookUntilNone = async () => {
    isLooking = true
    while (all.length > 0) {
      await sleep(backoff.next(), undefined, { ref: false })
      for (const one of [...all]) await look(one).catch(() => {})
    }
    isLooking = false
  }

  const look = async (one: Unsent) => {
    const isKnown = await isOver(one)
    const queued = await queueUnsent(database.write, one.organizationId, one.eventIds, toTimestamp(clock.now()))
    if (queued > 0) {
      log.info({ queued }, 'queued deliveries whose publication had lost its reply')
      claimSoon()
    }
    if (isKnown || queued > 0) all = all.filter((other) => other !== one)
  }

  /** No transaction of that time is open; read before what it may have committed is looked for. */
  const isOver = async ({ at }: Unsent) =>
    clock.now() - at > leaseMs && !(await hasOpenPublication(database.read, toTimestamp(at + leaseMs)))

  return {
    add(organizationId: string, eventIds: string[], at: number) {
      all.push({ organizationId, eventIds, at })
      backoff.reset()
      if (!isLooking) void lookUntilNone()
    },
    count: () => all.length,
    oldest: () => Math.min(Infinity, ...all.map(({ at }) => at)),
    stop() {
      all = []
    },
  }
}
