import type { Database } from '../database/database.ts'
import type { Wake } from '../events/index.ts'
import type { Arming } from './arming.ts'
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
    while (arming.isNeeded()) await arming.arm(database.write, () => false)
    isArming = false
  }

  return (organizationId, webhookIds) => {
    onStep('published')
    arming.add(organizationId, webhookIds)
    if (!worker?.look() && !isArming) void armAll()
  }
}
