/**
 * Takes back what nobody will settle: in a sweep every 20 s, expired leases, lanes that nobody woke because their process died, and
 * deliveries without a webhook; leases of claims whose reply was lost; and what a dead worker held.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { createSignal } from '../../ground/runtime/signal.ts'
import type { Lease, LogLine } from './delivery.ts'
import { leaseMs } from './lease.ts'
import { deleteWorker, firstLane, rescueDeliveries, type Swept, sweepLanes } from './store/rescue.ts'
import { findLostWorkers, forgetLostWorker, rescueUnqueued } from './store/unqueued.ts'

/** Between two sweeps, and after one that failed. */
const intervalMs = 20_000
const retryDelay = { initialMs: 1_000, maxMs: intervalMs }

type SweepDependencies = {
  database: Database
  clock: Clock
  workerId: string
  /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. */
  isAlone: boolean
  log: { info: LogLine; error: LogLine }
}

/** `claimSoon`: lanes may be due. `idleSince`: what the sweep says of the worker (`unqueued.ts`). */
type SweptWorker = { claimSoon: () => void; trySoon: () => void; idleSince: () => string | undefined }

/** Runs beside the claims, for with many lanes it takes long. */
export function createSweep(
  { database, clock, workerId, isAlone, log }: SweepDependencies,
  { claimSoon, trySoon, idleSince }: SweptWorker,
) {
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
      const ms = await sweep().catch(onFailure)
      if (!isStopping) await signal.sleep(ms)
    }
  }

  /** Returns when the next one is to begin. */
  const sweep = async () => {
    const at = clock.now()
    begunAt ??= at
    const now = toTimestamp(at)
    const times = { now, lapsedBefore: toTimestamp(hasInherited ? at : Math.max(at, begunAt + leaseMs)), workerId }
    const { hasLapsed, hasLost } = await sweepAll(times)
    if (hasLapsed) {
      await rescueAll(times.lapsedBefore, now)
      await sweepAll(times)
    }
    if (hasLost && (await takeOver()) > 0) await sweepAll(times)
    hasInherited = true
    backoff.reset()
    return intervalMs
  }

  const sweepAll = async (times: Omit<Parameters<typeof sweepLanes>[1], 'idleSince'>) => {
    let swept: Swept = { next: firstLane, woken: 0, hasLapsed: false, hasLost: false, hasTries: false }
    while (swept.next && !isStopping) {
      swept = await sweepLanes(database.write, { ...times, idleSince: idleSince() }, swept.next)
      if (swept.woken > 0) claimSoon()
      if (swept.hasTries) trySoon()
    }
    return swept
  }

  /** What lost workers have left outside the queue; each time until they are forgotten, for a publication of theirs may be committed late. */
  const takeOver = async () => {
    let count = 0
    for (const lost of await findLostWorkers(database.write, workerId, isAlone)) {
      count += await rescueFrom(lost.workerId)
      if (lost.isOver) await forgetLostWorker(database.write, lost.workerId)
      // Its lanes are free.
      claimSoon()
    }
    return count
  }

  const rescueFrom = async (lostWorker: string) => {
    let count = 0
    while (!isStopping) {
      const at = clock.now()
      const rescued = await rescueUnqueued(database.write, lostWorker, at, toTimestamp(at))
      if (rescued === 0) break
      log.info({ rescued }, 'rescued deliveries of a lost worker')
      count += rescued
    }
    return count
  }

  const rescueAll = async (before: string, now: string) => {
    while (!isStopping) {
      const rescued = await rescueDeliveries(database.write, { before }, now)
      if (rescued === 0) return
      log.info({ rescued }, 'rescued deliveries whose lease had expired')
      claimSoon()
    }
  }

  const onFailure = (err: unknown) => {
    log.error({ err }, 'sweep failed; will retry')
    return backoff.next()
  }

  return {
    start: () => {
      running = run()
    },
    /** Sweeps now: a worker died, or the database may have forgotten which lanes are due. */
    soon: signal.give,
    /** Begins no further statement. Resolves when none is under way. */
    stop() {
      isStopping = true
      signal.give()
      return running
    },
  }
}

/** Before the first look for orphans, and between two looks. */
const lookDelay = { initialMs: 50, maxMs: 5_000 }
/** An outage orphans leases at its beginning; those beyond the limit are left to the sweep. */
const maxOrphans = 1_000

type Orphan = Pick<Lease, 'leaseToken' | 'leaseEnd'>

type OrphanDependencies = { database: Database; clock: Clock; log: { info: LogLine } }

export type OrphanedLeases = ReturnType<typeof createOrphanedLeases>

/**
 * Leases of this process's claims whose reply was lost with the connection: PostgreSQL may have made them, or may yet. Until they
 * end, nobody would attempt these deliveries, nor claim from a lane that they saturate.
 */
export function createOrphanedLeases({ database, clock, log }: OrphanDependencies, claimSoon: () => void) {
  const backoff = createBackoff(lookDelay)
  let orphans: Orphan[] = []
  let isLooking = false
  let isStopped = false

  const lookUntilNone = async () => {
    isLooking = true
    while (orphans.length > 0) {
      await sleep(backoff.next(), undefined, { ref: false })
      // The next look, or the sweep, takes back what could not be taken back now.
      await takeBack().catch(() => {})
      orphans = orphans.filter(({ leaseEnd }) => Date.parse(leaseEnd) > clock.now())
    }
    isLooking = false
  }

  const takeBack = async () => {
    const leaseTokens = orphans.map(({ leaseToken }) => leaseToken)
    const lapsed = { before: 'infinity', leaseTokens }
    const rescued = await rescueDeliveries(database.write, lapsed, toTimestamp(clock.now()))
    if (rescued === 0) return
    log.info({ rescued }, 'rescued leases after a lost database reply')
    claimSoon()
  }

  return {
    /** Looks for it until the lease ends: the claim may be made after the first look. */
    add({ leaseToken, leaseEnd }: Orphan) {
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

type WorkerRescueDependencies = { database: Database; clock: Clock; log: { info: LogLine; error: LogLine } }

/** Takes back what a dead worker held, and unregisters it. Never rejects; a look that still finds the worker calls it again. */
export function createWorkerRescue(
  { database, clock, log }: WorkerRescueDependencies,
  worker: { claimSoon(): void; sweepSoon(): void },
) {
  const takeBack = async (deadWorker: string) => {
    const lapsed = { before: 'infinity', deadWorker }
    const rescue = () => rescueDeliveries(database.write, lapsed, toTimestamp(clock.now()))
    for (let rescued = await rescue(); rescued > 0; rescued = await rescue()) {
      log.info({ rescued }, 'rescued deliveries of a dead worker')
      worker.claimSoon()
    }
    await deleteWorker(database.write, deadWorker, { isDead: true })
    worker.sweepSoon()
  }

  const logFailure = (err: unknown) => log.error({ err }, 'rescuing deliveries of a dead worker failed; will retry')

  return (deadWorker: string) => takeBack(deadWorker).catch(logFailure)
}
