import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { createBackoff } from './backoff.ts'
import type { LaneKey } from './lane-key.ts'
import { leaseMs } from './lease.ts'
import type { LogLine } from './log-line.ts'
import { rescueDeliveries } from './rescue-store.ts'
import { firstLane, sweepLanes } from './sweep-store.ts'

/** The backstop for wake-ups that were lost with their process; an idle worker reads nothing in between. */
const intervalMs = 15_000
/** After one that failed. */
const retryDelay = { initialMs: 1_000, maxMs: intervalMs }

type Dependencies = {
  database: Database
  clock: Clock
  /** No other worker runs on this database: what is in flight when this one starts was a dead one's. */
  isAlone: boolean
  log: { info: LogLine; error: LogLine }
}

/**
 * Takes back what dead workers had, arms lanes that were forgotten, and cancels what has no webhook any more. Calls `claimSoon`
 * when lanes may be due, and at its end: whoever sleeps meanwhile does not know when the next one is.
 */
export function createSweep({ database, clock, isAlone, log }: Dependencies, claimSoon: () => void) {
  const backoff = createBackoff(retryDelay)
  let nextAt = 0
  let running: Promise<void> | undefined
  /** This worker's own leases end later than one that began then. */
  let begunAt: number | undefined
  let hasInherited = !isAlone
  let isStopping = false

  const sweep = async () => {
    const now = clock.now()
    begunAt ??= now
    await rescueAll(toTimestamp(hasInherited ? now : Math.max(now, begunAt + leaseMs)), toTimestamp(now))
    hasInherited = true
    await sweepAll(toTimestamp(now))
  }

  const rescueAll = async (before: string, now: string) => {
    while (!isStopping) {
      const rescued = await rescueDeliveries(database.write, { before }, now)
      if (rescued === 0) return
      log.info({ rescued }, 'deliveries of a lost worker taken back')
      claimSoon()
    }
  }

  const sweepAll = async (now: string) => {
    let from: LaneKey | undefined = firstLane
    while (from && !isStopping) from = await sweepLanes(database.write, now, from)
  }

  const onFailure = (err: unknown) => {
    log.error({ err }, 'sweep failed, tried again later')
    nextAt = performance.now() + backoff.next()
  }

  return {
    /** One that takes longer than the interval is not waited for. */
    untilNext: () => (running ? intervalMs : nextAt - performance.now()),
    /** If it is time; done at its end. No claim waits for it: beside many lanes it takes longer than one should. */
    begin(): Promise<void> | undefined {
      if (running || performance.now() < nextAt) return undefined
      nextAt = performance.now() + intervalMs
      running = sweep()
        .then(backoff.reset, onFailure)
        .finally(() => {
          running = undefined
          claimSoon()
        })
      return running
    },
    /** Begins no further statement. Done when none is under way. */
    stop() {
      isStopping = true
      return running
    },
  }
}
