/**
 * Takes back what nobody will settle, in a sweep every 20 s and after a claim whose answer was lost: expired leases, lanes that
 * nobody woke because their process died, deliveries without a webhook.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { createBackoff } from '../runtime/backoff.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { createSignal } from '../runtime/signal.ts'
import { type LogLine, leaseMs } from './delivery.ts'
import { firstLane, rescueDeliveries, type Swept, sweepLanes } from './queue/rescue.ts'

/** Between two sweeps. */
const intervalMs = 20_000
/** After one that failed. */
const retryDelay = { initialMs: 1_000, maxMs: intervalMs }

type SweepDependencies = {
  database: Database
  clock: Clock
  /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. */
  isAlone: boolean
  log: { info: LogLine; error: LogLine }
}

/** Calls `claimSoon` when lanes may be due. It runs beside the claims: with many lanes it takes longer than one should. */
export function createSweep({ database, clock, isAlone, log }: SweepDependencies, claimSoon: () => void) {
  const signal = createSignal(clock)
  const backoff = createBackoff(retryDelay)
  let running: Promise<void> | undefined
  /** This worker's own leases end later than one that began then. */
  let begunAt: number | undefined
  let hasInherited = !isAlone
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      signal.listen()
      const ms = await sweep().then(onSuccess, onFailure)
      if (!isStopping) await signal.sleep(ms)
    }
  }

  const sweep = async () => {
    const at = clock.now()
    begunAt ??= at
    const now = toTimestamp(at)
    const times = { now, lapsedBefore: toTimestamp(hasInherited ? at : Math.max(at, begunAt + leaseMs)) }
    if (await sweepAll(times)) {
      await rescueAll(times.lapsedBefore, now)
      await sweepAll(times)
    }
    hasInherited = true
  }

  /** Gives whether anything has lapsed. */
  const sweepAll = async (times: Parameters<typeof sweepLanes>[1]) => {
    let swept: Swept = { next: firstLane, woken: 0, hasLapsed: false }
    while (swept.next && !isStopping) {
      swept = await sweepLanes(database.write, times, swept.next)
      if (swept.woken > 0) claimSoon()
    }
    return swept.hasLapsed
  }

  const rescueAll = async (before: string, now: string) => {
    while (!isStopping) {
      const rescued = await rescueDeliveries(database.write, { before }, now)
      if (rescued === 0) return
      log.info({ rescued }, 'recovered deliveries whose lease had expired')
      claimSoon()
    }
  }

  const onSuccess = () => {
    backoff.reset()
    return intervalMs
  }

  const onFailure = (err: unknown) => {
    log.error({ err }, 'sweep failed, tried again later')
    return backoff.next()
  }

  return {
    start: () => {
      running = run()
    },
    /** Without waiting for the interval: a worker died, or the database may have forgotten which lanes are due. */
    soon: signal.give,
    /** Begins no further statement. Done when none is under way. */
    stop() {
      isStopping = true
      signal.give()
      return running
    },
  }
}

/** Until the first look, and between two of them. */
const lookDelay = { initialMs: 50, maxMs: 5_000 }
/** Those of an outage are lost at its beginning: what comes beyond it is left to the sweep. */
const maxOrphans = 1_000

type OrphanedLease = { leaseToken: string; leaseEnd: string }

type OrphanDependencies = { database: Database; clock: Clock; log: { info: LogLine } }

export type OrphanedLeases = ReturnType<typeof createOrphanedLeases>

/**
 * Claims of this process whose answer was lost with the connection. PostgreSQL may have made them, or may yet. Nobody would call
 * what they took until the end of their lease; nor would anything else be claimed of a lane that they filled. Calls `claimSoon`
 * when lanes may be due.
 */
export function createOrphanedLeases({ database, clock, log }: OrphanDependencies, claimSoon: () => void) {
  const backoff = createBackoff(lookDelay)
  let orphans: OrphanedLease[] = []
  let isLooking = false
  let isStopped = false

  const lookUntilNone = async () => {
    isLooking = true
    while (orphans.length > 0) {
      await sleep(backoff.next(), undefined, { ref: false })
      // What cannot be taken back now is by the next look, or by the sweep.
      await takeBack().catch(() => {})
      orphans = orphans.filter(({ leaseEnd }) => Date.parse(leaseEnd) > clock.now())
    }
    isLooking = false
  }

  const takeBack = async () => {
    const leaseTokens = orphans.map(({ leaseToken }) => leaseToken)
    const rescued = await rescueDeliveries(
      database.write,
      { before: 'infinity', leaseTokens },
      toTimestamp(clock.now()),
    )
    if (rescued === 0) return
    log.info({ rescued }, 'recovered deliveries of claims whose answer was lost')
    claimSoon()
  }

  return {
    /** It is looked for until the end of its lease: it may be made after the first look. */
    add({ leaseToken, leaseEnd }: OrphanedLease) {
      if (isStopped || orphans.length === maxOrphans) return
      orphans.push({ leaseToken, leaseEnd })
      backoff.reset()
      if (!isLooking) void lookUntilNone()
    },
    stop() {
      isStopped = true
      orphans = []
    },
  }
}
