import { toTimestamp } from '../clock.ts'
import type { Dependencies } from './dependencies.ts'
import { failSignIn } from './fail-sign-in.ts'
import { listExpiredFlows, removeFlows } from './flow-store.ts'

/** Read by one statement. */
const batchFlows = 100

type Sweeping = Pick<Dependencies, 'database' | 'clock' | 'publish' | 'onOutcome'>

/**
 * Ends the sign-ins that began and were not finished in time, whatever became of the process that had them, and forgets
 * those that are over. One that never began is a number, not an event. Several processes may do it at once.
 */
export async function endStalledFlows(dependencies: Sweeping, signal: AbortSignal) {
  let count: number
  do {
    count = await sweep(dependencies)
  } while (count === batchFlows && !signal.aborted)
}

async function sweep(dependencies: Sweeping): Promise<number> {
  const { database, clock, onOutcome } = dependencies
  const now = toTimestamp(clock.now())
  const expired = await listExpiredFlows(database.write, now, batchFlows)
  for (const flow of expired.filter(({ isStalled }) => isStalled)) await failSignIn(flow, 'flow_expired', dependencies)
  if (expired.length === 0) return 0
  const organizationIds = expired.map(({ organizationId }) => organizationId)
  const flowIds = expired.map(({ id }) => id)
  const abandoned = await removeFlows(database.write, organizationIds, flowIds, now)
  for (let told = 0; told < abandoned; told++) onOutcome('abandoned')
  return expired.length
}
