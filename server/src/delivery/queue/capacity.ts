/**
 * The capacity rule, for both sides of the sender thread: what each class of receivers may use of a limit, how many requests one
 * receiver may have at once, and how many of its deliveries are claimed ahead.
 */
import { createCounter } from '../../ground/runtime/counter.ts'
import type { Concurrency, ConcurrencyLimits, RequestObservation } from './delivery.ts'

/**
 * `healthy`: one of its last five requests succeeded, and they take less than a second. `failing`: its requests have failed for
 * longer than the first retry delay. `degraded`: all others, which are new, slow, or have failed five times just now.
 */
export const receiverClasses = {
  healthy: { isHealthy: true, isFailing: false },
  failing: { isHealthy: false, isFailing: true },
  degraded: { isHealthy: false, isFailing: false },
}
export type ReceiverClass = keyof typeof receiverClasses

/**
 * How many deliveries the next claim may take of each class, and organizations that it leaves out, for they are at their limit.
 * `ofNew`: how many deliveries of a receiver that has not answered yet, or fails, may be in flight; one where its organization is
 * `crowded`.
 */
export type Claimable = Record<ReceiverClass, { limit: number; excluded: string[] }> & {
  ofNew: { maxInFlight: number; crowded: string[] }
}

/** Shares of a limit, each of what the one before it leaves, in all and of an organization. */
const shares = {
  requests: [],
  /** Beside as many deliveries as requests, healthy receivers may have `maxWaiting` that are to follow them. */
  healthy: [],
  /** All that are not healthy: a thousand that are dead or slow leave the other half to the living. None of theirs waits. */
  unhealthy: [1 / 2],
  /** Else a new receiver would wait until requests to dead ones time out, or slow ones would leave nothing to those that come back. */
  degraded: [1 / 2, 3 / 4],
  failing: [1 / 2, 3 / 4],
  /** Requests that are overdue. */
  setAside: [1 / 2],
}
const maxWaiting = { total: 4_000, perOrganization: 2_000 }

export type Share = ReturnType<typeof createShare>

/** Counts what is used of a share. */
export function createShare(name: keyof typeof shares, limits: Omit<ConcurrencyLimits, 'perWebhook'>) {
  const limitOf = (whole: 'total' | 'perOrganization') =>
    shares[name].reduce((limit, share) => Math.max(1, Math.floor(limit * share)), limits[whole]) +
    (name === 'healthy' ? maxWaiting[whole] : 0)
  const limit = limitOf('total')
  const limitOfOrganization = limitOf('perOrganization')
  const counter = createCounter()
  const isFullOf = (organizationId: string) => counter.of(organizationId) >= limitOfOrganization
  return {
    ...counter,
    free: () => Math.max(0, limit - counter.total()),
    isFullOf,
    isFull: (organizationId: string) => counter.total() >= limit || isFullOf(organizationId),
    /** Organizations at their limit. */
    full: () => counter.from(limitOfOrganization),
    /** Of what an organization may have. */
    half: () => Math.max(1, Math.floor(Math.min(limit, limitOfOrganization) / 2)),
    /** More than half is taken, of all and of an organization's. */
    isCrowded: () => counter.total() > limit / 2,
    crowded: () => counter.from(limitOfOrganization / 2),
  }
}

/** Failures in a row after which a receiver is down; and attempts of which one must have succeeded for hanging ones not to count. */
export const downAfter = 5
/** A request that has run for so long is overdue: it counts no more, as long as the receiver answers others. */
export const overdueMs = 1_000
/** Requests to one receiver, with those that are overdue. */
const maxWithOverdue = 50

export const isDown = ({ failures }: Concurrency): boolean => failures >= downAfter

/** All requests that a receiver may have, with those that are overdue. */
export const maxOfReceiver = ({ perWebhook }: Pick<ConcurrencyLimits, 'perWebhook'>): number =>
  Math.max(maxWithOverdue, perWebhook)

/** What may be under way of those that count. */
export const requestsAtOnce = (concurrency: Concurrency, perWebhook: number): number =>
  isDown(concurrency) ? 1 : Math.min(concurrency.maxRequests, perWebhook)

/**
 * Additive increase, multiplicative decrease, as for a congestion window: a failure halves the limit, a success adds one, and after
 * five failures in a row the receiver is down: one request at a time. `isFirst`: of the failures of requests that were in flight
 * together, for they halve the limit once.
 */
export function judged(
  concurrency: Concurrency,
  { succeeded, isFirst }: Pick<RequestObservation, 'succeeded'> & { isFirst: boolean },
  perWebhook: number,
): Concurrency {
  const atOnce = requestsAtOnce(concurrency, perWebhook)
  if (succeeded) return { maxRequests: Math.min(perWebhook, atOnce + 1), failures: 0 }
  const failures = concurrency.failures + 1
  return { maxRequests: isFirst ? Math.max(1, Math.floor(atOnce / 2)) : atOnce, failures }
}

/** Deliveries of one lane in flight. It is claimed from again when half of them are settled, and the rest must last until then. */
export const maxPrefetch = 1_600
/** How much is claimed ahead, in time at the receiver's speed; well within the lease. */
export const aheadMs = 500
/** A receiver whose requests take so long is slow. */
export const slowMs = 1_000

export const isFast = (averageMs: number) => averageMs < slowMs

/**
 * How many deliveries of a receiver that answers may be claimed at once: half a second's worth at its pace (`averageMs` a request,
 * `atOnce` of them). At least twice the requests, for more is claimed when half are settled; of a slow one only as many as requests.
 */
export function prefetchLimit(averageMs: number, atOnce: number): number {
  if (!isFast(averageMs)) return atOnce
  const ahead = Math.floor((atOnce * aheadMs) / Math.max(averageMs, 0.1))
  return Math.min(Math.max(ahead, 2 * atOnce), Math.max(maxPrefetch, 2 * atOnce))
}
