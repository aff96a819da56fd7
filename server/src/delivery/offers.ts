/** Lets a worker claim what its process publishes in the very statement that writes it: no arming, no claim, no reading. */
import { toTimestamp } from '../clock.ts'
import type { ClaimedAsPublished, MakeOffer, Offer } from '../events/index.ts'
import { makeId } from '../identifiers.ts'
import type { OpenTargets } from '../webhooks/index.ts'
import type { createClaimBudget } from './claim-budget.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { ClaimerDependencies } from './claimer.ts'
import type { Intake, IntakeDependencies } from './intake.ts'
import { nameOfLane } from './lane-store.ts'
import { leaseMs } from './lease.ts'

type Dependencies = Pick<ClaimerDependencies & IntakeDependencies, 'owner' | 'onStep' | 'log'> & {
  openTargets: OpenTargets
}
type Parts = {
  budget: Pick<ReturnType<typeof createClaimBudget>, 'publishedMostOf'>
  intake: Pick<Intake, 'take'>
}

/**
 * Nobody knows yet what becomes of the transaction that an offer is made to, so it is counted only when it is taken: the
 * budget may be exceeded by a claim that is under way, and by what this process publishes at the same time.
 */
export function createOffers({ owner, onStep, log, openTargets }: Dependencies, { budget, intake }: Parts): MakeOffer {
  const onError = (err: unknown) =>
    log.error({ err }, 'what was published goes back: what its calls need cannot be read')
  return (organizationId, now) => {
    const most = budget.publishedMostOf(organizationId)
    if (most === 0) return undefined
    const offeredAt = performance.now()
    const claim = makeId(now)
    const leaseEnd = toTimestamp(now + leaseMs)
    const take: Offer['take'] = (published, { targets, payloads }) => {
      onStep('published')
      const claimed = published.map((delivery) => toClaimed(delivery, { organizationId, claim, leaseEnd, now }))
      const fromPublication = { targets: openTargets(organizationId, targets), payloads }
      intake.take(claimed, { committed: Promise.resolve(), since: offeredAt, fromPublication }).catch(onError)
    }
    return { claim, owner, leaseEnd, most, take }
  }
}

type Given = { organizationId: string; claim: string; leaseEnd: string; now: number }

/** At its first attempt, of a quick receiver: no other is claimed so. Times in whole milliseconds, as they are stored. */
export const toClaimed = (
  delivery: ClaimedAsPublished,
  { organizationId, claim, leaseEnd, now }: Given,
): ClaimedDelivery => ({
  ...delivery,
  laneName: nameOfLane({ organizationId, webhookId: delivery.webhookId }),
  ...{ organizationId, claim, leaseEndsAt: Date.parse(leaseEnd) },
  ...{ number: 1, tries: 1, windowOpenedAt: Math.floor(now), isQuick: true, isFailing: false },
})
