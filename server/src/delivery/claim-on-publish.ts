/**
 * What is published is written with its deliveries. Where this process's worker has room for them, those of quick receivers are
 * claimed in that very statement: nothing is woken, claimed or read for them.
 */

import type { Enqueue, Payloads, StoredEvent } from '../events/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import type { DecryptTargets, StoredTarget } from '../webhooks/index.ts'
import type { Attempts } from './attempt.ts'
import { type ClaimedDelivery, type LogLine, leaseMs, nameOfLane, type OnStep } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { type ClaimedAsPublished, type ClaimTerms, enqueue } from './queue/enqueue.ts'
import type { OrphanedClaims } from './reaper.ts'
import type { Wake } from './wake.ts'

/** To claim, as it is published, what an organization publishes. */
export type Offer = ClaimTerms & {
  /** Told right after the commit, also when nothing was claimed. `targets`: by webhook id. `payloads`: by event id. */
  take(
    deliveries: ClaimedAsPublished[],
    given: { targets: Map<string, StoredTarget>; payloads: Map<string, string> },
  ): void
  /** Told when the transaction has failed, or nobody knows whether it is committed. */
  fail(): void
}

/** `now`: when it is published. Undefined when no worker is here, or it offers nothing now, or has no room. */
export type MakeOffer = (organizationId: string, now: number) => Offer | undefined

/** `payloads`: where a worker runs, which reads them. */
type EnqueueDependencies = { wake: Wake; makeOffer?: MakeOffer; payloads?: Pick<Payloads, 'keep'> | undefined }

export const createEnqueue =
  ({ wake, makeOffer, payloads }: EnqueueDependencies): Enqueue =>
  async (tx, organizationId, events, now) => {
    const offer = makeOffer?.(organizationId, now)
    if (offer) tx.afterFailure(offer.fail)
    const { claimed, targets, waiting } = await enqueue(tx, organizationId, events, toTimestamp(now), offer)
    tx.afterCommit(() => {
      if (waiting.length > 0) {
        // First: who is told next reads them at once.
        payloads?.keep(organizationId, events)
        wake(organizationId, waiting)
      }
      offer?.take(claimed, { targets, payloads: payloadsOf(events) })
    })
  }

const payloadsOf = (events: StoredEvent[]) => new Map(events.map(({ id, payload }) => [id, payload]))

type OfferDependencies = {
  /** Names this worker. */
  owner: string
  onStep: OnStep
  log: { error: LogLine }
  decryptTargets: DecryptTargets
}
type Parts = {
  inFlight: Pick<InFlight, 'publishedMostOf'>
  attempts: Pick<Attempts, 'take'>
  orphans: Pick<OrphanedClaims, 'add'>
}

/** Offers of which it is not known yet what they claimed. */
const maxOpen = 64

/**
 * Nobody knows yet what becomes of the transaction that an offer is made to, so what it claims is counted only when it is taken:
 * the limits may be exceeded by a claim that is under way, and by the open offers.
 */
export function createOffers(
  { owner, onStep, log, decryptTargets }: OfferDependencies,
  { inFlight, attempts, orphans }: Parts,
): MakeOffer {
  let open = 0
  const close = () => {
    open -= 1
  }
  return (organizationId, now) => {
    const most = open < maxOpen ? inFlight.publishedMostOf(organizationId) : 0
    if (most === 0) return undefined
    open += 1
    const offeredAt = performance.now()
    const terms = { claim: makeId(now), owner, leaseEnd: toTimestamp(now + leaseMs), most }
    const takeIn = async (...[published, { targets, payloads }]: Parameters<Offer['take']>) => {
      onStep('published')
      const claimed = published.map((delivery) => toClaimed(delivery, organizationId, terms))
      const fromPublication = { targets: decryptTargets(organizationId, targets), payloads }
      await attempts.take(claimed, { committed: Promise.resolve(), since: offeredAt, fromPublication })
    }
    const take: Offer['take'] = (published, given) => {
      if (published.length === 0) close()
      else takeIn(published, given).catch(giveUp).finally(close)
    }
    const giveUp = (err: unknown) => {
      log.error(
        { err },
        'deliveries that were claimed as they were published are released: what they need cannot be read',
      )
      orphans.add(terms)
    }
    const fail = () => {
      close()
      orphans.add(terms)
    }
    return { ...terms, take, fail }
  }
}

/** At its first attempt, of a quick receiver: no other is claimed so. */
export const toClaimed = (
  delivery: ClaimedAsPublished,
  organizationId: string,
  { claim, leaseEnd }: Pick<ClaimTerms, 'claim' | 'leaseEnd'>,
): ClaimedDelivery => ({
  ...delivery,
  laneName: nameOfLane({ organizationId, webhookId: delivery.webhookId }),
  ...{ organizationId, claim, leaseEndsAt: Date.parse(leaseEnd) },
  ...{ number: 1, tries: 1, windowOpenedAt: null, isQuick: true, isFailing: false },
})
