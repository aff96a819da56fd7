import { toTimestamp } from '../../ground/runtime/clock.ts'
import type { Dependencies } from './dependencies.ts'
import { failFlow, providerOf } from './end-sign-in.ts'
import { type ExpiredFlow, listExpiredFlows, removeFlows } from './flow-store.ts'

/** Flows read by one statement. */
const batchFlows = 100

type Sweeping = Pick<Dependencies, 'database' | 'clock' | 'credentials' | 'publish' | 'onOutcome' | 'log'>

/**
 * Ends expired sign-ins that began and have no final event, and removes the flows of those that are over. A sign-in that
 * never began is counted as abandoned and has no event. Several processes may sweep at once. A sign-in that cannot be ended
 * is logged, and does not stop the sweep.
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
  for (let count = 0; count < abandoned; count++) onOutcome('abandoned')
  return expired
}

/** If the database has failed, the next statement throws. */
async function endStalled(flow: ExpiredFlow, dependencies: Sweeping) {
  const provider = await providerOf(flow, dependencies)
  const { clientId, credentialId } = flow
  await failFlow(flow, { code: 'flow_expired', provider, clientId, credentialId }, dependencies).catch((err) => {
    const { organizationId: organization_id, id: flow_id } = flow
    dependencies.log.error(
      { organization_id, flow_id, err },
      'ending a stalled sign-in failed; the next sweep retries it',
    )
  })
}
