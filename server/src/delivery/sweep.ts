import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { createBackoff } from './backoff.ts'
import { createBell } from './bell.ts'
import { leaseMs } from './lease.ts'
import type { LogLine } from './log-line.ts'
import { rescueDeliveries } from './rescue-store.ts'
import { firstLane, type Swept, sweepLanes } from './sweep-store.ts'

/** Between two sweeps, which find lanes that nobody woke because their process died, and expired leases of a frozen process. */
const intervalMs = 20_000
/** After one that failed. */
const retryDelay = { initialMs: 1_000, maxMs: intervalMs }

type Dependencies = {
  database: Database
  clock: Clock
  /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. */
  isAlone: boolean
  log: { info: LogLine; error: LogLine }
}

/**
 * Takes back what has lapsed, arms lanes that were forgotten, and cancels what has no webhook any more. Calls `claimSoon` when
 * lanes may be due. It runs beside the claims: with many lanes it takes longer than one should.
 */
export function createSweep({ database, clock, isAlone, log }: Dependencies, claimSoon: () => void) {
  const bell = createBell(clock)
  const backoff = createBackoff(retryDelay)
  let running: Promise<void> | undefined
  /** This worker's own leases end later than one that began then. */
  let begunAt: number | undefined
  let hasInherited = !isAlone
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      bell.listen()
      const ms = await sweep().then(onSuccess, onFailure)
      if (!isStopping) await bell.sleep(ms)
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
    let swept: Swept = { next: firstLane, armed: 0, hasLapsed: false }
    while (swept.next && !isStopping) {
      swept = await sweepLanes(database.write, times, swept.next)
      if (swept.armed > 0) claimSoon()
    }
    return swept.hasLapsed
  }

  const rescueAll = async (before: string, now: string) => {
    while (!isStopping) {
      const rescued = await rescueDeliveries(database.write, { before }, now)
      if (rescued === 0) return
      log.info({ rescued }, 'deliveries taken back whose lease had ended')
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
    soon: bell.ring,
    /** Begins no further statement. Done when none is under way. */
    stop() {
      isStopping = true
      bell.ring()
      return running
    },
  }
}
