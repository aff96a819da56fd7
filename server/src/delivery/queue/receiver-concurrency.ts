/**
 * How many requests a receiver may have at once: additive increase, multiplicative decrease, as for a congestion window.
 * A failure halves the limit, a success adds one, and after five failures in a row the receiver is down: one request at a time.
 */
import type { Concurrency, ConcurrencyLimits, RequestObservation } from './delivery.ts'

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

/** `isFirst`: of the failures of requests that were in flight together, for they halve the limit once. */
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
