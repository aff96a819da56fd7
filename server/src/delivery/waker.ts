import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Wake } from '../events/index.ts'
import type { Arming } from './arming.ts'
import { createBackoff, heldDelay } from './backoff.ts'
import type { OnStep } from './steps.ts'
import type { Worker } from './worker.ts'

type Dependencies = {
  database: Database
  arming: Arming
  /** This process's worker, if it has one. */
  worker: Worker | undefined
  onStep: OnStep
}

/**
 * From a commit to a claim: this process's worker arms what was published as it claims; where none works, the lanes are
 * armed here and the other processes told.
 */
export function createWaker({ database, arming, worker, onStep }: Dependencies): Wake {
  let isArming = false

  const armAll = async () => {
    isArming = true
    const held = createBackoff(heldDelay)
    await arming.arm(database.write, () => false)
    while (arming.isNeeded()) {
      await sleep(held.next())
      await arming.arm(database.write, () => false)
    }
    isArming = false
  }

  return (organizationId, webhookIds) => {
    onStep('published')
    for (const webhookId of webhookIds) arming.add({ organizationId, webhookId })
    if (!worker?.armSoon() && !isArming) void armAll()
  }
}
