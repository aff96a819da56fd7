/**
 * Builds delivery of its parts, and stops it in order: claim nothing more, release what is not begun, let the calls end, write what
 * became of them.
 */
import type { Config } from '../config.ts'
import type { Database, Queries } from '../database/database.ts'
import type { Primary } from '../database/primary.ts'
import type { Payloads } from '../events/index.ts'
import type { Keyring } from '../keys/index.ts'
import type { EgressOptions } from '../outbound/index.ts'
import { makeId } from '../runtime/identifiers.ts'
import { createSignal } from '../runtime/signal.ts'
import { createDecryptTargets, createLoadTargets, type DecryptTargets, type Revoke } from '../webhooks/index.ts'
import { type AttemptDependencies, createAttempts } from './attempt.ts'
import { createEnqueue, createOffers, type MakeOffer } from './claim-on-publish.ts'
import { type FirstDue, type LogLine, noStep, type OnStep } from './delivery.ts'
import { createDispatcher, type DispatcherDependencies } from './dispatcher.ts'
import { createInFlight } from './in-flight.ts'
import { createRecordOutcome, type OutcomeDependencies } from './outcome.ts'
import { countUnfinished, longestWaits } from './queue/lanes.ts'
import { createOrphanedClaims, createSweep } from './reaper.ts'
import { openSender, type Sender } from './sender/sender.ts'
import { announceDue, announceRevocation, createLaneWaker, createWake, type LaneWaker } from './wake.ts'
import { type HeldWorker, openWorkerSession } from './worker-session.ts'

/** How long a stop waits for the calls in flight. The others are broken off and released. */
const stopWaitMs = 4_000
/** For releasing; what is not released by then is taken back after its lease by whoever runs next. */
const releaseMs = 1_000

type Dependencies = Omit<
  WorkerDependencies,
  'owner' | 'laneWaker' | 'sender' | 'loadTargets' | 'decryptTargets' | 'caps' | 'baseUrl' | 'retry' | 'pauseAfterMs'
> & {
  config: Pick<Config, 'roles' | 'calls' | 'baseUrl' | 'retry' | 'pauseAfterMs'>
  keyring: Keyring
  webhookEgressOptions: Pick<EgressOptions, 'resolve' | 'allowCidrs' | 'certificateAuthorities'>
  payloads: Payloads
  /** For the session by which processes know of each other. */
  primary: Primary
  onError: (error: unknown) => void
}

export type Delivery = ReturnType<typeof startDelivery>

/** The worker, where this process has one; what is published, woken and revoked here, and told to the other processes. */
export function startDelivery(dependencies: Dependencies) {
  const { database, clock, config, primary, isAlone, onStep, onError, log } = dependencies
  const owner = makeId(clock.now())
  const laneWaker = createLaneWaker({ database, clock, owner, isAlone, onStep, onError })
  const worker = config.roles.worker ? buildWorker(dependencies, owner, laneWaker) : undefined
  const session = worker && !isAlone ? openWorkerSession({ primary, database, clock, owner, worker, log }) : undefined
  const { wake, allWoken } = createWake({ database, laneWaker, worker, onStep })
  /** A process that cannot be told releases it, or begins to call it, within six seconds: `targetsGoodForMs`, and the age of a key. */
  const revoke: Revoke = async (id) => {
    const announced = isAlone ? undefined : announceRevocation(database.write, id).catch(onError)
    await Promise.all([worker?.revoke(id), announced])
  }
  return {
    enqueue: createEnqueue({ wake, ...(worker && { makeOffer: worker.makeOffer, payloads: dependencies.payloads }) }),
    wake,
    revoke,
    start: () => worker?.start(),
    busyMs: () => worker?.busyMs() ?? 0,
    longestWaits: () => longestWaits(database.read, clock.now()),
    countUnfinished: () => countUnfinished(database.pages),
    /** The first part of a stop. What is published meanwhile waits for the second. */
    stop: async () => {
      await worker?.stopClaiming()
      // What waits to be woken others may claim while the calls end.
      void allWoken()
      await worker?.stop()
    },
    /** Once nobody publishes any more. */
    finish: async () => {
      await Promise.all([worker?.finish(), allWoken()])
      await session?.stop()
    },
  }
}

function buildWorker(dependencies: Dependencies, owner: string, laneWaker: LaneWaker): Worker {
  const { config, keyring, webhookEgressOptions, onStep, log } = dependencies
  const { calls: caps, baseUrl, retry, pauseAfterMs } = config
  const sender = openSender({
    egressOptions: { ...webhookEgressOptions, maxConnections: caps.inAll },
    ...{ caps, tellsBegun: onStep !== noStep },
    onError: (err) => log.error({ err }, 'sender thread crashed; its deliveries are retried in 1 to 2 minutes'),
  })
  return createWorker({
    ...{ ...dependencies, owner, laneWaker, sender, caps, baseUrl, retry, pauseAfterMs },
    ...{ loadTargets: createLoadTargets(keyring), decryptTargets: createDecryptTargets(keyring) },
  })
}

export type WorkerDependencies = DispatcherDependencies &
  AttemptDependencies &
  OutcomeDependencies & {
    laneWaker: LaneWaker
    sender: Sender
    decryptTargets: DecryptTargets
    /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. Else it begins suspended. */
    isAlone: boolean
    database: Database
    log: { info: LogLine; error: LogLine }
    onStep: OnStep
  }

export type Worker = HeldWorker & {
  /** To claim what is being published. */
  makeOffer: MakeOffer
  /** Something is to be woken. Gives whether it takes that over: one that does not claim yet, or stops, does not. */
  takesWaking(): boolean
  /** For how long the thread that calls was busy since it began. */
  busyMs(): number
  start(): void
  /** The first part of a stop: claims and offers nothing more. Done when no claim is under way. */
  stopClaiming(): Promise<void>
  /** Stops claiming, waits a bounded time for calls in flight, breaks off and releases the rest. Closes the sender. */
  stop(): Promise<void>
  /** After a stop, once nobody publishes any more: done when what was claimed as it was published meanwhile has gone back. */
  finish(): Promise<void>
}

/** Claims, attempts and settles until it is stopped: `docs/one-delivery.md`. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, sender, caps, laneWaker, isAlone } = dependencies
  const signals = { quick: createSignal(clock), notQuick: createSignal(clock) }
  const claimSoon = () => {
    signals.quick.give()
    signals.notQuick.give()
  }
  const claimAt = (first: FirstDue) => {
    signals.quick.giveIfBefore(first.quick)
    signals.notQuick.giveIfBefore(first.notQuick)
  }
  const inFlight = createInFlight({ caps, onRoom: (kind) => signals[kind].give(), utilization: sender.utilization })
  const attempts = createAttempts(dependencies, { inFlight, record: createRecordOutcome(dependencies, claimAt) })
  const orphans = createOrphanedClaims(dependencies, claimSoon)
  const sweep = createSweep(dependencies, claimSoon)
  const offer = createOffers(dependencies, { inFlight, attempts, orphans })
  const wakeAll = async (queries: Queries) => {
    const { notQuickDue } = await laneWaker.wakeAll(queries, () => !inFlight.isScarce())
    signals.notQuick.giveIfBefore(notQuickDue)
  }
  const parts = { inFlight, attempts, orphans }
  const waking = { wakeAll, isNeeded: laneWaker.isNeeded }
  const quick = createDispatcher('quick', dependencies, { ...parts, signal: signals.quick, waking })
  const notQuick = createDispatcher('notQuick', dependencies, { ...parts, signal: signals.notQuick })
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
    inFlight.suspend()
    attempts.stop()
    sender.releaseAll()
  }

  const resume = () => {
    if (isStopping) return
    inFlight.resume()
    attempts.resume()
    claimSoon()
  }

  // Suspended until the worker session is registered.
  if (!isAlone) suspend()

  /** Those who may claim now what it had. */
  const tellOthers = async () => {
    if (!isAlone) await announceDue(database.write).catch(() => {})
  }

  return {
    // While lanes of the organization are woken, publications could lock one again and again, and keep it from being woken.
    makeOffer: (organizationId, now) =>
      claims() && !laneWaker.isUnderWay(organizationId) ? offer(organizationId, now) : undefined,
    takesWaking: () => {
      signals.quick.give()
      return claims()
    },
    claimSoon,
    claimAt,
    sweepSoon: sweep.soon,
    busyMs: () => sender.utilization().active,
    revoke: attempts.revoke,
    suspend,
    resume,
    start: () => {
      void sender.start().then(startClaiming)
    },
    stopClaiming,
    stop: async () => {
      const swept = sweep.stop()
      await stopClaiming()
      await attempts.allTaken()
      orphans.stop()
      sender.releaseAll()
      await inFlight.allSettled(stopWaitMs)
      attempts.stop()
      await sender.close()
      await inFlight.allSettled(releaseMs)
      await tellOthers()
      await swept
    },
    finish: async () => {
      await attempts.allTaken()
      await inFlight.allSettled(releaseMs)
      await tellOthers()
    },
  }
}
