import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Wake } from '../events/index.ts'
import { type Arming, armEveryMs } from './arming.ts'
import type { OnStep } from './steps.ts'
import type { Worker } from './worker.ts'

type Dependencies = {
  database: Database
  arming: Arming
  /** This process's worker, if it has one. */
  worker: Worker | undefined
  onStep: OnStep
}

export type Waker = {
  wake: Wake
  /** Where the worker claims no more: arms what was published and is not armed yet. Done when that is. */
  allArmed(): Promise<void>
}

/**
 * From a commit to a claim: this process's worker arms what was published as it claims; where none works, the lanes are
 * armed here and the other processes told.
 */
export function createWaker({ database, arming, worker, onStep }: Dependencies): Waker {
  let isArming = false
  let armed = Promise.resolve()

  const armAll = async () => {
    isArming = true
    while (arming.isNeeded() && !worker?.takesArming()) {
      await arming.arm(database.write, () => false)
      // It may have begun to claim meanwhile, and not have seen that.
      worker?.claimSoon()
      // Armed after each publication, one for ten webhooks took 0.6 ms longer (measured). And after the arming, so that the
      // others are told of the last one before a stop goes on.
      await sleep(armEveryMs)
    }
    isArming = false
  }

  const begin = () => {
    if (!isArming && arming.isNeeded()) armed = armAll()
  }

  return {
    wake: (organizationId, webhookIds) => {
      onStep('published')
      for (const webhookId of webhookIds) arming.add({ organizationId, webhookId })
      if (!worker?.takesArming()) begin()
    },
    allArmed: () => {
      begin()
      return armed
    },
  }
}
