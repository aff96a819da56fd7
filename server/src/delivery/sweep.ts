import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { sweepLanes } from './lane-store.ts'
import { leaseMs } from './lease.ts'
import type { LogLine } from './prepare.ts'
import { rescueBatch, rescueDeliveries } from './rescue-store.ts'

/** The backstop for wake-ups that were lost with their process; an idle worker reads nothing in between. */
const intervalMs = 15_000

type Dependencies = {
  database: Database
  clock: Clock
  /** No other worker runs on this database: what is in flight when this one starts was a dead one's. */
  isAlone: boolean
  log: { info: LogLine; error: LogLine }
}

/**
 * Takes back what dead workers had, arms lanes that were forgotten, and cancels what has no webhook any more; then calls
 * `onSwept`.
 */
export function createSweep({ database, clock, isAlone, log }: Dependencies, onSwept: () => void) {
  let nextAt = 0
  let running: Promise<void> | undefined

  const sweep = async (isFirst: boolean) => {
    const now = clock.now()
    await rescueAll(toTimestamp(isFirst && isAlone ? now + leaseMs : now), toTimestamp(now))
    await sweepLanes(database.write, toTimestamp(now))
    onSwept()
  }

  const rescueAll = async (before: string, now: string) => {
    for (;;) {
      const rescued = await rescueDeliveries(database.write, before, now)
      if (rescued > 0) log.info({ rescued }, 'deliveries of a lost worker taken back')
      if (rescued < rescueBatch) return
    }
  }

  return {
    /** One that takes longer than the interval is not waited for. */
    untilNext: () => (running ? intervalMs : nextAt - performance.now()),
    /** If it is time. Nobody waits for it: beside many lanes it takes longer than a claim should. */
    begin() {
      if (running || performance.now() < nextAt) return
      running = sweep(nextAt === 0)
        .catch((err) => log.error({ err }, 'sweep failed, tried again later'))
        .finally(() => {
          running = undefined
        })
      nextAt = performance.now() + intervalMs
    },
    ended: () => running,
  }
}
