import type { Config } from '../config.ts'
import type { Primary } from '../database/primary.ts'
import type { MakeOffer } from '../events/index.ts'
import { makeId } from '../identifiers.ts'
import type { Vault } from '../keys/index.ts'
import type { DoorOptions } from '../outbound/index.ts'
import { createLoadTargets, createOpenTargets } from '../webhooks/index.ts'
import { type Arming, createArming } from './arming.ts'
import { countUnfinished, longestWaits } from './lane-store.ts'
import { createRecall } from './recall.ts'
import { openSender } from './sender.ts'
import { noStep } from './steps.ts'
import { createWaker } from './waker.ts'
import { createWorker, type Worker, type WorkerDependencies } from './worker.ts'
import { openWorkerSession } from './worker-session.ts'

type Dependencies = Omit<
  WorkerDependencies,
  'owner' | 'arming' | 'sender' | 'loadTargets' | 'openTargets' | 'caps' | 'baseUrl' | 'retry' | 'pauseAfterMs'
> & {
  config: Pick<Config, 'roles' | 'calls' | 'baseUrl' | 'retry' | 'pauseAfterMs'>
  vault: Vault
  webhookDoorOptions: Pick<DoorOptions, 'resolve' | 'allowCidrs' | 'certificateAuthorities'>
  /** For the session by which processes know of each other. */
  primary: Primary
  onError: (error: unknown) => void
}

export type Delivery = ReturnType<typeof startDelivery>

/** The worker, where this process has one, and what wakes it, recalls what it has, and tells the other processes. */
export function startDelivery(dependencies: Dependencies) {
  const { database, clock, config, primary, isAlone, onStep, onError, log } = dependencies
  const owner = makeId(clock.now())
  const arming = createArming({ database, clock, owner, isAlone, onStep, onError })
  const worker = config.roles.worker ? buildWorker(dependencies, owner, arming) : undefined
  const session = worker && !isAlone ? openWorkerSession({ primary, database, clock, owner, worker, log }) : undefined
  const waker = createWaker({ database, arming, worker, onStep })
  return {
    wake: waker.wake,
    start: () => worker?.start(),
    busyMs: () => worker?.busyMs() ?? 0,
    longestWaits: () => longestWaits(database.read, clock.now()),
    countUnfinished: () => countUnfinished(database.pages),
    makeOffer: (...published: Parameters<MakeOffer>) => worker?.makeOffer(...published),
    recall: createRecall({ database, worker, isAlone, onError }),
    /** The first part of a stop. What is published meanwhile waits for the second. */
    stop: async () => {
      await worker?.stopClaiming()
      // What waits to be armed others may claim while the calls end.
      void waker.allArmed()
      await worker?.stop()
    },
    /** Once nobody publishes any more. */
    finish: async () => {
      await Promise.all([worker?.finish(), waker.allArmed()])
      await session?.stop()
    },
  }
}

function buildWorker(dependencies: Dependencies, owner: string, arming: Arming): Worker {
  const { config, vault, webhookDoorOptions, onStep, log } = dependencies
  const { calls: caps, baseUrl, retry, pauseAfterMs } = config
  const sender = openSender({
    doorOptions: { ...webhookDoorOptions, maxConnections: caps.inAll },
    ...{ caps, tellsBegun: onStep !== noStep },
    onError: (err) => log.error({ err }, 'the thread that calls has ended; what it had waits'),
  })
  return createWorker({
    ...{ ...dependencies, owner, arming, sender, caps, baseUrl, retry, pauseAfterMs },
    ...{ loadTargets: createLoadTargets(vault), openTargets: createOpenTargets(vault) },
  })
}
