/** Orders the attempts of what was claimed and prepared. */
import { type Means, makeToken, shownAnswerBytes, toCall } from '../attempts/index.ts'
import { type Clock, readTogether } from '../clock.ts'
import type { Order, Terms } from './calls.ts'
import type { ClaimedDelivery } from './claim-store.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** For the settlement, after the call's own timeout and before the end of the lease. */
const settleMs = 500

/** A claimed delivery with all that its attempt needs; `timeoutMs` is 0 when the webhook sets none. */
export type Prepared = Pick<Means, 'targetUrl' | 'headers' | 'timeoutMs' | 'signer'> & {
  delivery: ClaimedDelivery
  payload: string
}

/**
 * An attempt that was ordered; `at`: in milliseconds since the epoch. `weight`: how many deliveries it counts as, so that the
 * memory for what waits is bounded. Nearly every event is one; one of a deleted person who was in a thousand groups is seven.
 */
export type OrderedAttempt = { delivery: ClaimedDelivery; jti: string; at: number; weight: number }

/** Characters of an event that counts as one delivery. */
const lightLength = 16_000

/**
 * For deliveries that were claimed together. `iat` is as much older than the call as that waits, and never more than
 * the five seconds of its key.
 */
export function makeOrders(
  prepared: Prepared[],
  { clock, baseUrl }: { clock: Clock; baseUrl: string },
): { ordered: OrderedAttempt; order: Omit<Order, 'id'> }[] {
  // What the process did between the two would be missing in each `startedAt`.
  const { now: at, monotonic: since } = readTogether(clock)
  const termsOf = new Map<string, Terms>()
  return prepared.map((each) => {
    const { delivery, signer } = each
    const terms = termsOf.get(delivery.laneName) ?? makeTerms(each, { at, since })
    termsOf.set(delivery.laneName, terms)
    const { jti, payload } = makeToken(toInvocation(each), signer, { clock, baseUrl })
    return {
      ordered: { delivery, jti, at, weight: Math.ceil(each.payload.length / lightLength) },
      order: { payload, terms },
    }
  })
}

/** Nothing is begun that could not be settled before its lease ends, or whose key was looked up too long ago. */
function makeTerms(
  { delivery, signer, targetUrl, headers, ...given }: Prepared,
  { at, since }: { at: number; since: number },
): Terms {
  const { organizationId, webhookId, isQuick, room } = delivery
  const timeoutMs = given.timeoutMs || defaultTimeoutMs
  const leftMs = delivery.leaseEndsAt - settleMs - timeoutMs - at
  return {
    ...{ organizationId, webhookId, isQuick, room },
    call: toCall({ targetUrl, headers, timeoutMs, keepAnswerBytes: shownAnswerBytes }),
    key: signer.key,
    since,
    beginWithinMs: Math.min(leftMs, signer.goodForMs()),
  }
}

const toInvocation = ({ delivery, targetUrl, payload }: Prepared) => {
  const { organizationId, webhookId, triggerName, eventId } = delivery
  return {
    organizationId,
    webhookId,
    triggerType: 'event',
    triggerName,
    sub: eventId,
    content: payload,
    targetUrl,
  } as const
}
