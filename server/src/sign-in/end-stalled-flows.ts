import { toTimestamp } from '../runtime/clock.ts'
import type { Dependencies } from './dependencies.ts'
import { failSignIn } from './fail-sign-in.ts'
import { type ExpiredFlow, listExpiredFlows, removeFlows } from './flow-store.ts'

/** Read by one statement. */
const batchFlows = 100

type Sweeping = Pick<Dependencies, 'database' | 'clock' | 'publish' | 'onOutcome' | 'log'>

/**
 * Ends the sign-ins that began and were not finished in time, whatever became of the process that had them, and forgets
 * those that are over. One that never began is a number, not an event. Several processes may do it at once. One that cannot
 * be ended is told, and stops no other one.
 */
export async function endStalledFlows(dependencies: Sweeping, signal: AbortSignal) {
  const now = toTimestamp(dependencies.clock.now())
  let swept: ExpiredFlow[] = []
  do {
    swept = await sweep(dependencies, now, swept.at(-1))
  } while (swept.length === batchFlows && !signal.aborted)
}

async function sweep(dependencies: Sweeping, now: string, after: ExpiredFlow | undefined): Promise<ExpiredFlow[]> {
  const { database, onOutcome } = dependencies
  const expired = await listExpiredFlows(database.write, { now, after }, batchFlows)
  for (const flow of expired.filter(({ isStalled }) => isStalled)) await endStalled(flow, dependencies)
  if (expired.length === 0) return expired
  const organizationIds = expired.map(({ organizationId }) => organizationId)
  const flowIds = expired.map(({ id }) => id)
  const abandoned = await removeFlows(database.write, organizationIds, flowIds, now)
  for (let told = 0; told < abandoned; told++) onOutcome('abandoned')
  return expired
}

/** A failure is of this flow, or of the database, which the next statement tells. */
const endStalled = (flow: ExpiredFlow, dependencies: Sweeping) =>
  failSignIn(flow, 'flow_expired', dependencies).catch((err) => {
    const { organizationId: organization_id, id: flow_id } = flow
    dependencies.log.error({ organization_id, flow_id, err }, 'a stalled sign-in could not be ended, tried again later')
  })
