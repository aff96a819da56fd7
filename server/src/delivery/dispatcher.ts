/**
 * Claims what is due and hands it on to be attempted, as far as there is room: one loop for quick receivers, so that no claim for
 * dead ones stands before theirs, and one for all that are not (`docs/decisions/2026-11-22-claim-on-publish.md`).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queries } from '../database/database.ts'
import { createBackoff } from '../runtime/backoff.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import type { Signal } from '../runtime/signal.ts'
import type { Attempts } from './attempt.ts'
import { type Claimable, type ClaimedDelivery, type Kind, type LogLine, leaseMs, lockedDelay } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { claimDeliveries } from './queue/claim.ts'
import { nextLaneDue } from './queue/lanes.ts'
import type { OrphanedClaims } from './reaper.ts'

/**
 * The pause after a claim that found many and left nothing: single events of 20 callers take 4 % less of the processors. And after
 * one that found nothing, because the lanes it was woken for were locked: 14 % less, and 1.15 times as many a second (measured).
 * What comes just after a signal that was meant for the other loop, or another process, waits as long.
 */
const gatherMs = 8
const many = 8
/** After an error of the database. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** Of that delay, before a signal may end it: claims that are released because they cannot be read give one each time. */
const deafShare = 0.1
/** An error so long after the one before is the first of another trouble. */
const calmMs = 2 * errorDelay.maxMs
/** To what is due later: the clock may be set meanwhile. */
const longestSleepMs = 15_000

export type DispatcherDependencies = {
  database: Database
  clock: Clock
  /** Names this worker. */
  owner: string
  log: { error: LogLine }
}

type Parts = {
  signal: Signal
  inFlight: InFlight
  attempts: Attempts
  orphans: Pick<OrphanedClaims, 'add'>
  /** Done with each claim, which then sees it. */
  waking?: { wakeAll(queries: Queries): Promise<void>; isNeeded(): boolean }
}

/** Claims for one kind of receivers until it is stopped: sleeps until something is due, and waits when the database is away. */
export function createDispatcher(kind: Kind, dependencies: DispatcherDependencies, parts: Parts) {
  const { signal } = parts
  const { log } = dependencies
  const claimer = createClaimer(kind, dependencies, parts)
  const backoff = createBackoff(errorDelay)
  let running: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      try {
        signal.listen()
        const { found, more } = await claimer.claim()
        // One that finds nothing does not show that what is claimed could be read.
        if (found > 0) backoff.reset()
        if (more) continue
        if (found >= many || found === 0) await wait(gatherMs)
        // Else it would be read when the next is due, only to be woken at once.
        if (!signal.isGiven()) await sleep(await claimer.untilNextDue())
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await backOff()
      }
    }
  }

  const backOff = async () => {
    if (performance.now() - failedAt > calmMs) backoff.reset()
    failedAt = performance.now()
    const ms = backoff.next()
    if (!isStopping) await wait(ms * deafShare)
    await sleep(ms * (1 - deafShare))
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

const mayClaim = (claimable: Claimable) => Object.values(claimable).some(({ most }) => most > 0)

function createClaimer(
  kind: Kind,
  { database, clock, owner }: DispatcherDependencies,
  { inFlight, attempts, orphans, waking = nothingToWake }: Parts,
) {
  let isFailingFirst = false
  /** For lanes that cannot be claimed or woken, though it is time. */
  const locked = createBackoff(lockedDelay)

  const termsOf = (claimable: Claimable) => {
    const now = clock.now()
    return { now: toTimestamp(now), leaseEnd: toTimestamp(now + leaseMs), claim: makeId(now), owner, claimable }
  }

  /** A claim that is not answered may have been made all the same. */
  const claimEarly = async (claimable: Claimable) => {
    let terms: ReturnType<typeof termsOf> | undefined
    const addOrphan = () => terms && orphans.add(terms)
    try {
      const early = await database.early(waking.wakeAll, (queries) => {
        // Its time is taken after that of the waking, or it would not see what was woken.
        terms = termsOf(claimable)
        return claimDeliveries(queries, terms)
      })
      early.committed.catch(addOrphan)
      return early
    } catch (error) {
      addOrphan()
      throw error
    }
  }

  /** Where there is room for one of both, those of failing receivers come first, and the next time the others. */
  const inTurn = (claimed: ClaimedDelivery[]): ClaimedDelivery[] => {
    const { failing = [], others = [] } = Object.groupBy(claimed, ({ isFailing }) => (isFailing ? 'failing' : 'others'))
    if (failing.length === 0) return claimed
    isFailingFirst = !isFailingFirst
    return isFailingFirst ? [...failing, ...others] : [...others, ...failing]
  }

  return {
    /** `found`: so many, and what their calls need was read. `more`: whether another claim at once would find something. */
    async claim(): Promise<{ found: number; more: boolean }> {
      const claimable = inFlight.claimable(kind)
      if (!mayClaim(claimable)) {
        await waking.wakeAll(database.write)
        return { found: 0, more: false }
      }
      // What is revoked while it is claimed may not be seen by the claim, nor be heard of before its answer.
      const since = performance.now()
      const { result, committed } = await claimEarly(claimable)
      const { deliveries, more } = result
      if (deliveries.length > 0) {
        locked.reset()
        await attempts.take(inTurn(deliveries), { committed, since })
      }
      return { found: deliveries.length, more }
    },

    /**
     * Milliseconds to sleep: until the next lane that may be claimed is due, or until a signal where none is known of. When
     * that is past, the lane has just become due or somebody has locked it: a short delay, that grows.
     */
    async untilNextDue(): Promise<number> {
      const claimable = inFlight.claimable(kind)
      // Else it is told when that changes.
      const due = mayClaim(claimable) ? await nextLaneDue(database.write, owner, claimable) : undefined
      const ms = due === undefined ? Infinity : Math.min(longestSleepMs, due - clock.now())
      if (ms <= 0 || waking.isNeeded()) return locked.next()
      locked.reset()
      return ms
    },
  }
}
