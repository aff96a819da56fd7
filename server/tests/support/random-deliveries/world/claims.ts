import { type FromPublication, type Prepared, prepareClaimed } from '../../../../src/delivery/queue/attempt.ts'
import type { ClaimedDelivery, Settlement } from '../../../../src/delivery/queue/delivery.ts'
import { claimDeliveries } from '../../../../src/delivery/queue/store/claim.ts'
import { laneOfWebhook, nextLaneDue } from '../../../../src/delivery/queue/store/lanes.ts'
import { createLoadTargets } from '../../../../src/delivery/webhooks/index.ts'
import { toTimestamp } from '../../../../src/ground/runtime/clock.ts'
import { makeId } from '../../../../src/ground/runtime/identifiers.ts'
import { claimable } from '../../queue.ts'
import { rules } from '../rules.ts'
import { log, requestsPerWebhook, type World } from './world.ts'

const mayClaim = { ...claimable(100), ofNew: { maxInFlight: requestsPerWebhook, crowded: [] } }

export async function claim({ database, clock }: World, workerId: string): Promise<ClaimedDelivery[]> {
  const now = clock.now()
  const { deliveries } = await claimDeliveries(database.write, {
    now: toTimestamp(now),
    leaseEnd: toTimestamp(now + rules.leaseMs),
    leaseToken: makeId(now),
    workerId,
    claimable: mayClaim,
  })
  return deliveries
}

export const nextDue = async ({ database }: World, workerId: string) =>
  (await nextLaneDue(database.write, workerId, mayClaim)) ?? Infinity

/** Each with what its call needs, or settled when it is not to be called. */
export async function prepare(world: World, claimed: ClaimedDelivery[]): Promise<(Prepared | Settlement)[]> {
  const { database, clock, payloads, keyring, keys } = world
  const loadTargets = createLoadTargets(keyring, laneOfWebhook)
  const loadLogoutTargets = async () => new Map()
  const dependencies = { database, clock, payloads, log, loadTargets, loadLogoutTargets, findSigners: keys.findSigners }
  const prepared = new Map<ClaimedDelivery, Prepared | Settlement>()
  for (const [fromPublication, part] of Map.groupBy(claimed, (each) => fromPublicationOf(world, each))) {
    const results = await prepareClaimed(part, fromPublication, dependencies)
    for (const [index, each] of part.entries()) prepared.set(each, results[index] as Prepared | Settlement)
  }
  return claimed.map((each) => prepared.get(each) as Prepared | Settlement)
}

function fromPublicationOf({ handedOver }: World, { leaseToken, webhookId }: ClaimedDelivery) {
  const fromPublication: FromPublication | undefined = handedOver.get(leaseToken)
  return fromPublication?.targets.has(webhookId) ? fromPublication : undefined
}
