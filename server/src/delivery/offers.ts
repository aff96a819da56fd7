/** Lets a worker claim what its process publishes in the very statement that writes it: no arming, no claim, no reading. */
import { toTimestamp } from '../clock.ts'
import type { ClaimedAsPublished, MakeOffer, Offer } from '../events/index.ts'
import { makeId } from '../identifiers.ts'
import type { OpenTargets } from '../webhooks/index.ts'
import type { createClaimBudget } from './claim-budget.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { ClaimerDependencies } from './claimer.ts'
import type { Intake, IntakeDependencies } from './intake.ts'
import { nameOfLane } from './lane-key.ts'
import { leaseMs } from './lease.ts'
import type { LostClaims } from './lost-claims.ts'

type Dependencies = Pick<ClaimerDependencies & IntakeDependencies, 'owner' | 'onStep' | 'log'> & {
  openTargets: OpenTargets
}
type Parts = {
  budget: Pick<ReturnType<typeof createClaimBudget>, 'publishedMostOf'>
  intake: Pick<Intake, 'take'>
  lostClaims: Pick<LostClaims, 'add'>
}

/** Offers of which it is not known yet what they claimed. */
const maxOpen = 64

/**
 * Nobody knows yet what becomes of the transaction that an offer is made to, so what it claims is counted only when it is taken:
 * the budget may be exceeded by a claim that is under way, and by the open offers.
 */
export function createOffers(
  { owner, onStep, log, openTargets }: Dependencies,
  { budget, intake, lostClaims }: Parts,
): MakeOffer {
  let open = 0
  const close = () => {
    open -= 1
  }
  return (organizationId, now) => {
    const most = open < maxOpen ? budget.publishedMostOf(organizationId) : 0
    if (most === 0) return undefined
    open += 1
    const offeredAt = performance.now()
    const claim = makeId(now)
    const leaseEnd = toTimestamp(now + leaseMs)
    const takeIn = async (...[published, { targets, payloads }]: Parameters<Offer['take']>) => {
      onStep('published')
      const claimed = published.map((delivery) => toClaimed(delivery, { organizationId, claim, leaseEnd }))
      const fromPublication = { targets: openTargets(organizationId, targets), payloads }
      await intake.take(claimed, { committed: Promise.resolve(), since: offeredAt, fromPublication })
    }
    const take: Offer['take'] = (published, given) => {
      if (published.length === 0) close()
      else takeIn(published, given).catch(giveUp).finally(close)
    }
    const lose = () => lostClaims.add({ claim, leaseEnd })
    const giveUp = (err: unknown) => {
      log.error({ err }, 'what was published goes back: what its calls need cannot be read')
      lose()
    }
    const fail = () => {
      close()
      lose()
    }
    return { claim, owner, leaseEnd, most, take, fail }
  }
}

type Given = { organizationId: string; claim: string; leaseEnd: string }

/** At its first attempt, of a quick receiver: no other is claimed so. */
export const toClaimed = (
  delivery: ClaimedAsPublished,
  { organizationId, claim, leaseEnd }: Given,
): ClaimedDelivery => ({
  ...delivery,
  laneName: nameOfLane({ organizationId, webhookId: delivery.webhookId }),
  ...{ organizationId, claim, leaseEndsAt: Date.parse(leaseEnd) },
  ...{ number: 1, tries: 1, windowOpenedAt: null, isQuick: true, isFailing: false },
})
