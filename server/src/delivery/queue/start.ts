/**
 * Builds delivery of its parts, and stops it in order: claim nothing more, release what is not begun, let requests end, write
 * their outcomes.
 */

import type { Queries } from '../../ground/database/database.ts'
import type { Notifications } from '../../ground/database/notifications.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { EgressOptions } from '../../ground/outbound/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createSignal } from '../../ground/runtime/signal.ts'
import type { Payloads } from '../events/index.ts'
import { createDecryptTargets, createLoadTargets, type DecryptTargets, type Revoke } from '../webhooks/index.ts'
import { type AttemptDependencies, createAttempts } from './attempt.ts'
import { createClaimOutcomes } from './claim-outcomes.ts'
import { type DispatcherKind, type FirstDue, type LogLine, noFailpoint } from './delivery.ts'
import { createDispatcher, type DispatcherDependencies } from './dispatcher.ts'
import { type ClaimOnPublish, createClaimOnPublish, createEnqueue } from './enqueue.ts'
import { createEnqueueLogouts } from './enqueue-logouts.ts'
import { createInFlight, type InFlight } from './in-flight.ts'
import { createOutcomes, type OutcomeDependencies } from './outcome.ts'
import { createOrphanedLeases, createSweep } from './rescue.ts'
import { openSender } from './sender/sender.ts'
import { readBacklog } from './store/backlog.ts'
import { laneOfWebhook, longestWaits } from './store/lanes.ts'
import { createTries } from './tries.ts'
import { createUnqueued } from './unqueued.ts'
import { announceDue, announceRevocation, announceTry, createLaneWaker, createWake, type LaneWaker } from './wake.ts'
import { openWorkerSession, type SessionWorker } from './worker-session.ts'

/** How long a stop waits for requests under way. The others are broken off and released. */
const stopWaitMs = 4_000
/** For releasing; the others take back after its lease what is not released by then. */
const releaseMs = 1_000

type WorkerDependencies = DispatcherDependencies &
  AttemptDependencies &
  OutcomeDependencies & {
    laneWaker: LaneWaker
    decryptTargets: DecryptTargets
    /** No other worker runs on this database: what is in flight when this one starts was a dead worker's. Else it begins suspended. */
    isAlone: boolean
    log: { info: LogLine; error: LogLine }
  }

type Configured = Pick<WorkerDependencies, 'baseUrl' | 'retry' | 'pauseAfterMs'>
type Built = Pick<WorkerDependencies, 'laneWaker' | 'sender' | 'loadTargets' | 'decryptTargets' | 'limits'>

type Dependencies = Omit<WorkerDependencies, keyof Configured | keyof Built> & {
  /** `roles.worker`: whether this process delivers. */
  config: Configured & { roles: { worker: boolean }; concurrency: WorkerDependencies['limits'] }
  keyring: Keyring
  webhookEgressOptions: Pick<EgressOptions, 'resolve' | 'allowCidrs' | 'certificateAuthorities' | 'maxConnections'>
  payloads: Payloads
  notifications: Notifications
  onError: (error: unknown) => void
}

export type Delivery = ReturnType<typeof startDelivery>

/** The worker, where this process has one, and what is published, woken and revoked here. */
export function startDelivery(dependencies: Dependencies) {
  const { database, clock, config, notifications, workerId, isAlone, onFailpoint, onError, log, payloads } =
    dependencies
  const { keyring, webhookEgressOptions } = dependencies
  const laneWaker = createLaneWaker({ database, clock, workerId, isAlone, onFailpoint, onError })
  const { concurrency: limits, baseUrl, retry, pauseAfterMs } = config
  /** A process without a worker has it for `sign` alone. */
  const sender = openSender({
    egressOptions: webhookEgressOptions,
    limits,
    reportsBegun: onFailpoint !== noFailpoint,
    onError: (err) => log.error({ err }, 'sender thread crashed; its deliveries are retried in 1 to 2 minutes'),
  })
  const loadTargets = createLoadTargets(keyring, laneOfWebhook)
  const decryptTargets = createDecryptTargets(keyring)
  const built = { laneWaker, sender, loadTargets, decryptTargets }
  const worker = config.roles.worker
    ? createWorker({ ...dependencies, ...built, limits, baseUrl, retry, pauseAfterMs })
    : undefined
  const session =
    worker && !isAlone ? openWorkerSession({ notifications, database, clock, workerId, worker, log }) : undefined
  const { wake, allWoken } = createWake({ database, laneWaker, worker, onFailpoint })
  /** A process that misses the announcement uses what it has read for six seconds at most: `targetsFreshForMs`, and the age of a key. */
  const revoke: Revoke = async (id) => {
    const announced = isAlone ? undefined : announceRevocation(database.write, id).catch(onError)
    await Promise.all([worker?.revoke(id), announced])
  }
  /** To be called right after the commit of what `chooseToTry` chose. */
  const trySoon = () => {
    worker?.trySoon()
    if (!isAlone) announceTry(database.write).catch(onError)
  }
  return {
    trySoon,
    enqueue: createEnqueue({ wake, ...(worker && { claimOnPublish: worker.claimOnPublish, payloads }) }),
    enqueueLogouts: createEnqueueLogouts({ clock, wake }),
    wake,
    revoke,
    sign: sender.sign,
    start: () => worker?.start(),
    busyMs: () => worker?.busyMs() ?? 0,
    countInFlight: () => worker?.countInFlight() ?? 0,
    claimsFailing: () => worker?.claimsFailing(),
    longestWaits: () => longestWaits(database.read, clock.now()),
    readBacklog: () => readBacklog(database.pages, clock.now()),
    /** The first part of a stop. What is published meanwhile waits for the second. */
    stop: async () => {
      await worker?.stopClaiming()
      // Others may claim what is woken now while requests end.
      void allWoken()
      await (worker ? worker.stop() : sender.close())
    },
    /** Once nobody publishes any more. */
    finish: async () => {
      await Promise.all([worker?.finish(), allWoken()])
      await session?.stop()
    },
  }
}

export type Worker = ReturnType<typeof createWorker>

/** Claims, attempts and settles until it is stopped: `docs/build/one-delivery.md`. */
export function createWorker(dependencies: WorkerDependencies) {
  const { clock, sender, limits, laneWaker, isAlone } = dependencies
  const signals = createSignals(clock)
  const { claimSoon, claimAt } = signals
  const onCapacity = (kind: DispatcherKind) => signals[kind].give()
  const onBusy = () => unqueued.begin()
  const inFlight = createInFlight({ limits, onCapacity, onBusy, utilization: sender.utilization })
  const outcomes = createOutcomes(dependencies, inFlight.overdue, claimAt)
  const attempts = createAttempts(dependencies, { inFlight, outcomes })
  const orphans = createOrphanedLeases(dependencies, claimSoon)
  const tries = createTries(dependencies, { inFlight, attempts, orphans })
  const trySoon = tries.soon
  const sweep = createSweep(dependencies, { claimSoon, trySoon, idleSince: () => unqueued.idleSince() })
  const unqueued = createUnqueued(dependencies, { inFlight, claimSoon })
  const claims = createClaimOutcomes()
  const parts = { inFlight, attempts, orphans, claims }
  const openClaim = createClaimOnPublish(dependencies, { inFlight, attempts, unqueued })
  const wakeAll = async (queries: Queries) => {
    const { unhealthyDue } = await laneWaker.wakeAll(queries, () => !inFlight.isScarce())
    signals.unhealthy.giveIfBefore(unhealthyDue)
  }
  const waking = { wakeAll, isNeeded: laneWaker.isNeeded }
  const dispatchers = [
    createDispatcher('healthy', dependencies, { ...parts, signal: signals.healthy, waking }),
    createDispatcher('unhealthy', dependencies, { ...parts, signal: signals.unhealthy }),
  ]
  const claiming = createClaiming([unqueued, sweep, tries, ...dispatchers], [tries, ...dispatchers])
  const { isClaiming, stopClaiming } = claiming

  // While lanes of an organization are woken, publications could lock one again and again, and keep it from being woken.
  const claimOnPublish: ClaimOnPublish = (organizationId, now) =>
    isClaiming() && !laneWaker.isUnderWay(organizationId) ? openClaim(organizationId, now) : undefined

  const sessionWorker: SessionWorker = {
    claimSoon,
    claimAt,
    trySoon,
    suspend(error) {
      if (error !== undefined) claims.failed('session', error)
      inFlight.suspend()
      sender.releaseAll()
    },
    resume() {
      if (claiming.isStopping()) return
      claims.succeeded('session')
      inFlight.resume()
      unqueued.saySoon()
      claimSoon()
    },
    sweepSoon: sweep.soon,
    revoke: attempts.revoke,
  }
  // Until the worker session is registered.
  if (!isAlone) sessionWorker.suspend()

  return {
    ...sessionWorker,
    claimOnPublish,
    isClaiming,
    /** Lanes wait to be woken. */
    wakeSoon: signals.healthy.give,
    /** For how long the sender thread was busy since it began. */
    busyMs: () => sender.utilization().active,
    countInFlight: inFlight.count,
    claimsFailing: claims.failing,
    /** Claims once requests can be sent: else those to dead receivers would all begin at once. */
    start: () => void sender.start().then(claiming.start),
    /** The first part of a stop. Resolves when no claim is under way. */
    stopClaiming,
    /** Waits a bounded time for requests under way, breaks off and releases the rest. Closes the sender. */
    stop: async () => {
      const swept = sweep.stop()
      await stopClaiming()
      orphans.stop()
      sender.releaseAll()
      await inFlight.allSettled(stopWaitMs)
      inFlight.suspend()
      await sender.close()
      await releaseRest(inFlight, dependencies, unqueued.releaseAll)
      await swept
    },
    /** Once nobody publishes any more: resolves when what was claimed on publish meanwhile is released. */
    finish: () => releaseRest(inFlight, dependencies, unqueued.stop),
  }
}

/** One for each dispatcher. */
function createSignals(clock: Clock) {
  const healthy = createSignal(clock)
  const unhealthy = createSignal(clock)
  return {
    healthy,
    unhealthy,
    claimSoon() {
      healthy.give()
      unhealthy.give()
    },
    claimAt(first: FirstDue) {
      healthy.giveIfBefore(first.healthy)
      unhealthy.giveIfBefore(first.unhealthy)
    },
  }
}

/** `all` begin together, and those among them that claim end first. A worker that does not claim yet, or stops, wakes no lanes. */
function createClaiming(all: { start(): void }[], claimers: { stop(): Promise<void> }[]) {
  let hasStarted = false
  let isStopping = false
  return {
    isClaiming: () => hasStarted && !isStopping,
    isStopping: () => isStopping,
    start() {
      if (isStopping) return
      hasStarted = true
      for (const { start } of all) start()
    },
    async stopClaiming() {
      isStopping = true
      await Promise.all(claimers.map(({ stop }) => stop()))
    },
  }
}

/** Others may claim what is released, once this worker has no lanes any more. */
async function releaseRest(
  inFlight: InFlight,
  { database, isAlone }: WorkerDependencies,
  leaveLanes: () => Promise<void>,
) {
  await inFlight.allSettled(releaseMs)
  await leaveLanes()
  if (!isAlone) await announceDue(database.write).catch(() => {})
}
