/**
 * Deliveries that somebody asked to be tried out of their order. Apart from the dispatchers, whose claims go on as if there were none:
 * a worker looks for them when it is told of one, and with each sweep, for whoever asked may have died before it told anybody.
 */
import type { Database } from '../../ground/database/database.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createSignal } from '../../ground/runtime/signal.ts'
import type { Attempts } from './attempt.ts'
import type { LogLine } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { newLease } from './lease.ts'
import type { OrphanedLeases } from './rescue.ts'
import { claimTries, hasTries } from './store/tries.ts'

/** While a lane is locked or another worker's, nothing more may be claimed, or the database is unavailable. */
const retryDelay = { initialMs: 20, maxMs: 5_000 }

type Dependencies = { database: Database; clock: Clock; workerId: string; log: { error: LogLine } }
type Parts = { inFlight: InFlight; attempts: Attempts; orphans: Pick<OrphanedLeases, 'add'> }

export function createTries({ database, clock, workerId, log }: Dependencies, { inFlight, attempts, orphans }: Parts) {
  const signal = createSignal(clock)
  const backoff = createBackoff(retryDelay)
  let running: Promise<void> | undefined
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      signal.listen()
      const isLeft = await tryAll().catch(onFailure)
      if (!isLeft) backoff.reset()
      if (!isStopping) await signal.sleep(isLeft ? backoff.next() : Infinity)
    }
  }

  /** Returns whether any is left. */
  const tryAll = async () => {
    const { degraded, failing } = inFlight.claimable('unhealthy')
    if (degraded.limit > 0 && failing.limit > 0) await claim([...degraded.excluded, ...failing.excluded])
    return hasTries(database.write)
  }

  const claim = async (excluded: string[]) => {
    const since = performance.now()
    const lease = newLease(workerId, clock.now())
    const claimed = await claimTries(database.write, { ...lease, excluded }).catch((error) => {
      orphans.add(lease)
      throw error
    })
    if (claimed.length === 0) return
    backoff.reset()
    await attempts.take(claimed, { committed: Promise.resolve(), since })
  }

  const onFailure = (err: unknown) => {
    log.error({ err }, 'trying a delivery failed; will retry')
    return true
  }

  return {
    start: () => {
      running = run()
    },
    soon: signal.give,
    stop: async () => {
      isStopping = true
      signal.give()
      await running
    },
  }
}
