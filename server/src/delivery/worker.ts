/**
 * Claims, prepares, calls and concludes, until it is stopped: `docs/delivery-states.md`. Here are the loop, start and
 * stop; what they drive is in `claimer.ts`, `offers.ts`, `intake.ts`, `conclude.ts` and `unsettled.ts`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { MakeOffer } from '../events/index.ts'
import { createBackoff } from './backoff.ts'
import { createBell } from './bell.ts'
import { createCallSlots } from './call-slots.ts'
import { createClaimBudget } from './claim-budget.ts'
import { type ClaimerDependencies, createClaimer } from './claimer.ts'
import { type ConcludeDependencies, createConclude } from './conclude.ts'
import { createIntake, type IntakeDependencies } from './intake.ts'
import { createOffers } from './offers.ts'
import { createSweep } from './sweep.ts'
import { createUnsettled } from './unsettled.ts'

/** What was claimed and has waited for a call for so long is handed back: its receiver became slow. */
const maxWaitMs = 1_000
/**
 * After a claim that found many, for quick receivers, so that few are made where much is published: 1.1 times as many single
 * events of 20 callers (measured). Where few are published, none of them waits for it.
 */
const gatherMs = 8
const many = 8
/** After an error of the database. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** Of that delay, before a ring may end it: claims that are handed back because they cannot be read ring each time. */
const deafShare = 0.1
/** An error so long after the one before is the first of another trouble. */
const calmMs = 2 * errorDelay.maxMs
/** How long a stop waits for the calls in flight. The others are broken off and handed back. */
const stopWaitMs = 4_000
/** For handing back; what is not handed back by then is taken back after its lease by whoever runs next. */
const handBackMs = 1_000

export type WorkerDependencies = ClaimerDependencies &
  IntakeDependencies &
  ConcludeDependencies & {
    /** No other worker runs on this database: what is in flight when this one starts was a dead one's. */
    isAlone: boolean
  }

export type Worker = {
  /** To claim what is being published. */
  makeOffer: MakeOffer
  /** A lane may have become due, or is to be armed. Gives whether it will look: one that stops does not. */
  look(): boolean
  /** Hands back what it has not begun to call of that webhook or organization. */
  recall(id: string): void
  start(): void
  /** Stops claiming, waits a bounded time for calls in flight, breaks off and hands back the rest. Closes door and signing. */
  stop(): Promise<void>
}

export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, door, signing, caps, log, arming } = dependencies
  const bell = createBell(clock)
  const budget = createClaimBudget(caps, bell.ring)
  const slots = createCallSlots(caps)
  const sweep = createSweep(dependencies, bell.ring)
  const unsettled = createUnsettled(budget)
  const conclude = createConclude(dependencies, bell.ringIfBefore)
  const intake = createIntake(dependencies, { slots, unsettled, conclude })
  const backoff = createBackoff(errorDelay)
  const claimer = createClaimer(dependencies, { budget, intake, sweep, onTaken: backoff.reset })
  const makeOffer = createOffers(dependencies, { budget, intake })
  let running: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let patience: NodeJS.Timeout | undefined
  let isOffering = false
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      try {
        bell.listen()
        sweep.begin()
        const { found, more } = await claimer.claim()
        if (more) continue
        if (found >= many) await gather()
        // Else it would be read when the next is due, only to be woken at once.
        if (!bell.hasRung()) await sleepUntilDue()
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await backOff()
      }
    }
  }

  const gather = () => (arming.isHeldUp() ? wait(gatherMs) : offerDuring(() => wait(gatherMs)))

  const sleepUntilDue = async () => {
    const { ms, isDue } = await claimer.untilNextDue()
    await (isDue ? sleep(ms) : offerDuring(() => sleep(ms)))
  }

  /**
   * While it waits, what is published is claimed as it is written. Not while it claims, nor while it is kept from what is
   * due: publishers would keep the lanes locked from it until they commit.
   */
  const offerDuring = async (waiting: () => Promise<void>) => {
    isOffering = true
    await waiting()
    isOffering = false
  }

  const backOff = async () => {
    if (performance.now() - failedAt > calmMs) backoff.reset()
    failedAt = performance.now()
    const ms = backoff.next()
    if (!isStopping) await wait(ms * deafShare)
    await sleep(ms * (1 - deafShare))
  }

  const sleep = async (ms: number) => {
    if (!isStopping) await bell.sleep(ms)
  }

  const handBackSlow = () => {
    const until = performance.now() - maxWaitMs
    slots.handBack((_, since) => since <= until, { waitedMs: maxWaitMs })
  }

  return {
    look: () => {
      bell.ring()
      return !isStopping
    },
    makeOffer: (...published) => (isOffering ? makeOffer(...published) : undefined),
    recall: intake.recall,
    start: () => {
      running = run()
      patience = setInterval(handBackSlow, maxWaitMs / 2)
    },
    stop: async () => {
      isStopping = true
      clearInterval(patience)
      bell.ring()
      await running
      await intake.allTaken()
      await arming.arm(database.write, () => false)
      await sweep.ended()
      slots.handBack(() => true)
      await unsettled.allSettled(stopWaitMs)
      await Promise.all([door.close(), signing.close()])
      await unsettled.allSettled(handBackMs)
    },
  }
}
