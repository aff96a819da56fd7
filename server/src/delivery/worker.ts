/** Claims, prepares, calls and concludes, until it is stopped: `docs/delivery-states.md`. Here its parts are put together. */
import type { Queries } from '../database/database.ts'
import type { MakeOffer } from '../events/index.ts'
import type { OpenTargets } from '../webhooks/index.ts'
import type { Arming } from './arming.ts'
import { createBell } from './bell.ts'
import { announceDue } from './channels.ts'
import { createClaimBudget } from './claim-budget.ts'
import { createClaimLoop } from './claim-loop.ts'
import { type ClaimerDependencies, createClaimer } from './claimer.ts'
import { type ConcludeDependencies, createConclude } from './conclude.ts'
import { createIntake, type IntakeDependencies } from './intake.ts'
import { createLostClaims } from './lost-claims.ts'
import { createOffers } from './offers.ts'
import type { FirstDue } from './settle-store.ts'
import { createSweep } from './sweep.ts'
import { createUnsettled } from './unsettled.ts'

/** How long a stop waits for the calls in flight. The others are broken off and handed back. */
const stopWaitMs = 4_000
/** For handing back; what is not handed back by then is taken back after its lease by whoever runs next. */
const handBackMs = 1_000

export type WorkerDependencies = ClaimerDependencies &
  IntakeDependencies &
  ConcludeDependencies & {
    arming: Arming
    openTargets: OpenTargets
    /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. Else it begins suspended. */
    isAlone: boolean
  }

export type Worker = {
  /** To claim what is being published. */
  makeOffer: MakeOffer
  /** Something is to be armed. Gives whether it takes that over: one that does not claim yet, or stops, does not. */
  takesArming(): boolean
  /** Any lane may have become due. */
  claimSoon(): void
  /** For how long the thread that calls was busy since it began. */
  busyMs(): number
  /** Lanes of each kind that it may claim are due from then on. */
  claimAt(first: FirstDue): void
  /** Looks for what was forgotten. */
  sweepSoon(): void
  /** Hands back what it has not begun to call of that webhook or organization. */
  recall(id: string): Promise<void>
  /** Claims nothing, hands back what it has not begun to call, and begins no call, until it is resumed. */
  suspend(): void
  resume(): void
  start(): void
  /** The first part of a stop: claims and offers nothing more. Done when no claim is under way. */
  stopClaiming(): Promise<void>
  /** Stops claiming, waits a bounded time for calls in flight, breaks off and hands back the rest. Closes the sender. */
  stop(): Promise<void>
  /**
   * After a stop, once nobody publishes any more: done when what was claimed as it was published meanwhile has
   * gone back, and the others are told.
   */
  finish(): Promise<void>
}

/**
 * Quick receivers are claimed by a loop of their own, so that no claim for dead ones stands before theirs
 * (`docs/decisions/2026-11-22-claimed-as-it-is-published.md`).
 */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, sender, caps, arming, isAlone, log } = dependencies
  const bells = { quick: createBell(clock), notQuick: createBell(clock) }
  const claimSoon = () => {
    bells.quick.ring()
    bells.notQuick.ring()
  }
  const budget = createClaimBudget(caps, (kind) => bells[kind].ring(), sender.utilization)
  const claimAt = (first: FirstDue) => {
    bells.quick.ringIfBefore(first.quick)
    bells.notQuick.ringIfBefore(first.notQuick)
  }
  const sweep = createSweep(dependencies, claimSoon)
  const unsettled = createUnsettled(budget)
  const conclude = createConclude(dependencies, claimAt)
  const intake = createIntake(dependencies, { unsettled, conclude })
  const lostClaims = createLostClaims(dependencies, claimSoon)
  const offer = createOffers(dependencies, { budget, intake, lostClaims })
  const arm = async (queries: Queries) => {
    const { notQuickDue } = await arming.arm(queries, () => !budget.isScarce())
    bells.notQuick.ringIfBefore(notQuickDue)
  }
  const parts = { budget, intake, lostClaims }
  const claimers = {
    quick: createClaimer('quick', dependencies, { ...parts, arming: { arm, isNeeded: arming.isNeeded } }),
    notQuick: createClaimer('notQuick', dependencies, parts),
  }
  const quick = createClaimLoop({ bell: bells.quick, claimer: claimers.quick, log })
  const notQuick = createClaimLoop({ bell: bells.notQuick, claimer: claimers.notQuick, log })
  let isClaiming = false
  let isStopping = false

  const claims = () => isClaiming && !isStopping

  /** Not before calls can be made: else those to dead receivers would all begin at once. */
  const startClaiming = () => {
    if (isStopping) return
    isClaiming = true
    sweep.start()
    quick.start()
    notQuick.start()
  }

  const stopClaiming = async () => {
    isStopping = true
    await Promise.all([quick.stop(), notQuick.stop()])
  }

  const suspend = () => {
    budget.suspend()
    intake.stop()
    intake.handBackAll()
  }

  const resume = () => {
    if (isStopping) return
    budget.resume()
    intake.resume()
    claimSoon()
  }

  // Suspended until the worker session is registered.
  if (!isAlone) suspend()

  /** Those who may claim now what it had. */
  const tellOthers = async () => {
    if (!isAlone) await announceDue(database.write).catch(() => {})
  }

  return {
    // Else publications could lock a lane again and again, and keep it from being armed.
    makeOffer: (organizationId, now) =>
      claims() && !arming.isUnderWay(organizationId) ? offer(organizationId, now) : undefined,
    takesArming: () => {
      bells.quick.ring()
      return claims()
    },
    claimSoon,
    claimAt,
    sweepSoon: sweep.soon,
    busyMs: () => sender.utilization().active,
    recall: intake.recall,
    suspend,
    resume,
    start: () => {
      void sender.start().then(startClaiming)
    },
    stopClaiming,
    stop: async () => {
      const swept = sweep.stop()
      await stopClaiming()
      await intake.allTaken()
      lostClaims.stop()
      intake.handBackAll()
      await unsettled.allSettled(stopWaitMs)
      intake.stop()
      await sender.close()
      await unsettled.allSettled(handBackMs)
      await tellOthers()
      await swept
    },
    finish: async () => {
      await intake.allTaken()
      await unsettled.allSettled(handBackMs)
      await tellOthers()
    },
  }
}
