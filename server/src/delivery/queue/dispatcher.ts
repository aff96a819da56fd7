/**
 * Claims what is due and hands it on to be attempted, as far as there is capacity: one dispatcher for healthy receivers, so that no
 * claim for dead ones comes before theirs, and one for unhealthy ones (`docs/decisions/2026-11-21-publishing.md`).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queries } from '../../ground/database/database.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import type { Signal } from '../../ground/runtime/signal.ts'
import type { Attempts } from './attempt.ts'
import type { Claimable } from './capacity.ts'
import type { ClaimOutcomes } from './claim-outcomes.ts'
import { type ClaimedDelivery, type DispatcherKind, type Lease, type LogLine, lockedDelay } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { newLease } from './lease.ts'
import type { OrphanedLeases } from './rescue.ts'
import { claimDeliveries } from './store/claim.ts'
import { nextLaneDue } from './store/lanes.ts'

/** The pause after a claim that found many and left nothing, or that found nothing, for its lanes were locked or another's. */
const pauseAfterClaimMs = 8
const largeClaim = 8
/** After an error of the database. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** Share of that delay before a signal may end it: releasing what cannot be read gives a signal each time. */
const uninterruptibleShare = 0.1
/** An error so long after the one before has another cause. */
const backoffResetMs = 2 * errorDelay.maxMs
/** The clock may be set while a dispatcher sleeps until the next lane is due. */
const longestSleepMs = 15_000

export type DispatcherDependencies = { database: Database; clock: Clock; workerId: string; log: { error: LogLine } }

type Parts = {
  signal: Signal
  inFlight: InFlight
  attempts: Attempts
  orphans: Pick<OrphanedLeases, 'add'>
  /** Wakes lanes with each claim, which then sees them. */
  waking?: { wakeAll(queries: Queries): Promise<void>; isNeeded(): boolean }
  claims: Pick<ClaimOutcomes, 'succeeded' | 'failed'>
}

/** Claims until it is stopped: sleeps until something is due, and backs off while the database is unavailable. */
export function createDispatcher(kind: DispatcherKind, dependencies: DispatcherDependencies, parts: Parts) {
  const { signal, claims } = parts
  const claimer = createClaimer(kind, dependencies, parts)
  const backoff = createBackoff(errorDelay)
  let running: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let isStopping = false

  const run = async () => {
    while (!isStopping) await claimOnce().catch(backOff)
  }

  const claimOnce = async () => {
    signal.listen()
    const { count, hasMore, isMade } = await claimer.claim()
    // A claim that found nothing does not show that claimed deliveries can be read.
    if (count > 0) backoff.reset()
    if (hasMore) return claims.succeeded(kind)
    if (count >= largeClaim || count === 0) await wait(pauseAfterClaimMs)
    const ms = signal.isGiven() ? 0 : await claimer.untilNextDue()
    if (isMade) claims.succeeded(kind)
    if (!signal.isGiven()) await sleep(ms)
  }

  const backOff = async (err: unknown) => {
    dependencies.log.error({ err }, 'claiming deliveries failed; will retry')
    claims.failed(kind, err)
    if (performance.now() - failedAt > backoffResetMs) backoff.reset()
    failedAt = performance.now()
    const ms = backoff.next()
    if (!isStopping) await wait(ms * uninterruptibleShare)
    await sleep(ms * (1 - uninterruptibleShare))
  }

  const sleep = async (ms: number) => {
    if (!isStopping) await signal.sleep(ms)
  }

  return {
    start: () => {
      running = run()
    },
    stop: async () => {
      isStopping = true
      signal.give()
      await running
    },
  }
}

const nothingToWake = { wakeAll: async () => {}, isNeeded: () => false }

const mayClaim = ({ healthy, degraded, failing }: Claimable) =>
  [healthy, degraded, failing].some(({ limit }) => limit > 0)

function createClaimer(kind: DispatcherKind, dependencies: DispatcherDependencies, parts: Parts) {
  const { database, clock, workerId } = dependencies
  const { inFlight, attempts, waking = nothingToWake } = parts
  const alternate = createAlternation()
  /** For lanes that are due but locked. */
  const locked = createBackoff(lockedDelay)
  return {
    /**
     * `count`: of what was claimed. `hasMore`: whether another claim at once would find something. `isMade`: false where there is no
     * capacity, also because this worker is suspended.
     */
    async claim(): Promise<{ count: number; hasMore: boolean; isMade: boolean }> {
      const claimable = inFlight.claimable(kind)
      if (!mayClaim(claimable)) {
        await waking.wakeAll(database.write)
        return { count: 0, hasMore: false, isMade: false }
      }
      // The claim may not see a revocation that is made meanwhile, and this process may hear of that before the claim's reply.
      const since = performance.now()
      const { result, committed } = await claimEarly(claimable, dependencies, parts)
      const { deliveries, hasMore } = result
      if (deliveries.length > 0) {
        locked.reset()
        await attempts.take(alternate(deliveries), { committed, since })
      }
      return { count: deliveries.length, hasMore, isMade: true }
    },

    /**
     * Milliseconds until the next lane that may be claimed is due; infinity where none is known. A lane whose time is past has just
     * become due, or is locked: then a short delay that grows.
     */
    async untilNextDue(): Promise<number> {
      const claimable = inFlight.claimable(kind)
      // Without capacity, the signal of its return ends the sleep.
      const due = mayClaim(claimable) ? await nextLaneDue(database.write, workerId, claimable) : undefined
      const ms = due === undefined ? Infinity : Math.min(longestSleepMs, due - clock.now())
      if (ms <= 0 || waking.isNeeded()) return locked.next()
      locked.reset()
      return ms
    },
  }
}

/** Wakes and claims in one round trip. A claim whose reply is lost may have been made all the same. */
async function claimEarly(
  claimable: Claimable,
  { database, clock, workerId }: DispatcherDependencies,
  { orphans, waking = nothingToWake }: Parts,
) {
  let lease: Lease | undefined
  const addOrphan = () => lease && orphans.add(lease)
  try {
    const early = await database.early(waking.wakeAll, (queries) => {
      // Its time must not be before that of the waking, or it would not see what was woken.
      const now = clock.now()
      lease = newLease(workerId, now)
      return claimDeliveries(queries, { ...lease, now: toTimestamp(now), claimable })
    })
    early.committed.catch(addOrphan)
    return early
  } catch (error) {
    addOrphan()
    throw error
  }
}

/** Orders what was claimed: failing receivers come first every other time, for the last free slots. */
function createAlternation() {
  let isFailingFirst = false
  return (claimed: ClaimedDelivery[]): ClaimedDelivery[] => {
    const { failing = [], others = [] } = Object.groupBy(claimed, ({ isFailing }) => (isFailing ? 'failing' : 'others'))
    if (failing.length === 0) return claimed
    isFailingFirst = !isFailingFirst
    return isFailingFirst ? [...failing, ...others] : [...others, ...failing]
  }
}
