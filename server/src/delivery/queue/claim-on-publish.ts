/**
 * Writes what is published with its deliveries. Where this process's worker has capacity, that statement also claims those of
 * healthy receivers: nothing is woken, claimed or read for them.
 */

import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { Enqueue, LoadedPayloads, Payloads } from '../events/index.ts'
import type { DecryptTargets, StoredTarget } from '../webhooks/index.ts'
import type { Attempts } from './attempt.ts'
import { type ClaimedDelivery, type Lease, type LogLine, nameOfLane, type OnFailpoint } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { leaseMs } from './lease-time.ts'
import type { OrphanedLeases } from './rescue.ts'
import { type ClaimedOnPublish, enqueue, type PublishClaim } from './store/enqueue.ts'
import type { Wake } from './wake.ts'

/** A claim that goes along with a publication. */
export type OpenClaim = PublishClaim & {
  /** To be called right after the commit, also when nothing was claimed. `targets`: by webhook id. `payloads`: by event id. */
  take(
    deliveries: ClaimedOnPublish[],
    publication: { targets: Map<string, StoredTarget>; payloads: LoadedPayloads },
  ): void
  /** To be called when the transaction has failed, or nobody knows whether it is committed. */
  fail(): void
}

/** `now`: when it is published. Undefined when no worker runs here, or it has no capacity. */
export type ClaimOnPublish = (organizationId: string, now: number) => OpenClaim | undefined

/** `payloads`: where a worker runs, which reads them. */
type EnqueueDependencies = {
  wake: Wake
  claimOnPublish?: ClaimOnPublish
  payloads?: Pick<Payloads, 'keep'> | undefined
}

export const createEnqueue =
  ({ wake, claimOnPublish, payloads }: EnqueueDependencies): Enqueue =>
  async (tx, organizationId, events, now) => {
    const claim = claimOnPublish?.(organizationId, now)
    if (claim) tx.afterFailure(claim.fail)
    const { claimed, targets, waiting } = await enqueue(tx, organizationId, events, toTimestamp(now), claim)
    tx.afterCommit(() => {
      if (waiting.length > 0) {
        // First: a dispatcher that is woken reads them at once.
        payloads?.keep(organizationId, events)
        wake(organizationId, waiting)
      }
      claim?.take(claimed, { targets, payloads: new Map(events.map((event) => [event.id, event])) })
    })
  }

type Dependencies = {
  workerId: string
  onFailpoint: OnFailpoint
  log: { error: LogLine }
  decryptTargets: DecryptTargets
}
type Parts = {
  inFlight: Pick<InFlight, 'publishLimitOf'>
  attempts: Pick<Attempts, 'take'>
  orphans: Pick<OrphanedLeases, 'add'>
}

/** Publications whose claims are not known yet. */
const maxOpen = 64

/**
 * A transaction may fail, so what it claims is counted only when it is taken: limits may be exceeded by a claim that is under way
 * and by the open publications.
 */
export function createClaimOnPublish(
  { workerId, onFailpoint, log, decryptTargets }: Dependencies,
  { inFlight, attempts, orphans }: Parts,
): ClaimOnPublish {
  let open = 0
  const close = () => {
    open -= 1
  }
  return (organizationId, now) => {
    const limit = open < maxOpen ? inFlight.publishLimitOf(organizationId) : 0
    if (limit === 0) return undefined
    open += 1
    const since = performance.now()
    const lease = { leaseToken: makeId(now), workerId, leaseEnd: toTimestamp(now + leaseMs) }
    const attempt = async (...[published, { targets, payloads }]: Parameters<OpenClaim['take']>) => {
      onFailpoint('published')
      const claimed = published.map((delivery) => toClaimed(delivery, organizationId, lease))
      const fromPublication = { targets: decryptTargets(organizationId, targets), payloads }
      await attempts.take(claimed, { committed: Promise.resolve(), since, fromPublication })
    }
    const giveUp = (err: unknown) => {
      log.error({ err }, 'claim on publish failed; its deliveries are released')
      orphans.add(lease)
    }
    return {
      ...{ ...lease, limit },
      take: (published, publication) => {
        if (published.length === 0) close()
        else attempt(published, publication).catch(giveUp).finally(close)
      },
      fail: () => {
        close()
        orphans.add(lease)
      },
    }
  }
}

/** A claim on publish is the first attempt, and of a healthy receiver. */
export const toClaimed = (
  delivery: ClaimedOnPublish,
  organizationId: string,
  { leaseToken, leaseEnd }: Pick<Lease, 'leaseToken' | 'leaseEnd'>,
): ClaimedDelivery => ({
  ...delivery,
  laneName: nameOfLane({ organizationId, webhookId: delivery.webhookId }),
  ...{ organizationId, leaseToken, leaseEndsAt: Date.parse(leaseEnd) },
  ...{ attemptNumber: 1, windowAttempts: 1, windowOpenedAt: null, isHealthy: true, isFailing: false },
})
