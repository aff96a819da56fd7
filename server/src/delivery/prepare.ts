/** What the attempts of claimed deliveries need: their targets, payloads and signers, and from these the token and the order of each. */
import { type Means, makeToken, shownAnswerBytes, toCall } from '../attempts/index.ts'
import type { Database } from '../database/database.ts'
import type { LoadedPayloads, Payloads } from '../events/index.ts'
import type { FindSigners, Signer } from '../keys/index.ts'
import { type Clock, readTogether } from '../runtime/clock.ts'
import type { LoadTargets, Target, Targets } from '../webhooks/index.ts'
import type { ClaimedDelivery, LogLine, Settlement } from './delivery.ts'
import { finish, release } from './outcome.ts'
import type { Order, Terms } from './sender/calls.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** For the settlement, after the call's own timeout and before the end of the lease. */
const settleMs = 500
/** Characters of an event that counts as one delivery. */
const lightLength = 16_000

export type PrepareDependencies = {
  database: Database
  clock: Clock
  loadTargets: LoadTargets
  payloads: Pick<Payloads, 'load'>
  findSigners: FindSigners
  log: { error: LogLine }
}

/** What is known of what was claimed as it was published. */
export type FromPublication = { targets: Targets; payloads: LoadedPayloads }

/** A claimed delivery with all that its attempt needs; `timeoutMs` is 0 when the webhook sets none. */
export type Prepared = Pick<Means, 'targetUrl' | 'headers' | 'timeoutMs' | 'signer'> & {
  delivery: ClaimedDelivery
  payload: string
}

/**
 * Reads what each claimed delivery needs, in one round trip; with `fromPublication` only signers are read. One whose trigger was
 * removed meanwhile is cancelled instead, one whose event is gone is dropped, and one that cannot be signed now is released.
 */
export async function prepareClaimed(
  claimed: ClaimedDelivery[],
  fromPublication: FromPublication | undefined,
  { database, loadTargets, payloads: stored, findSigners, clock, log }: PrepareDependencies,
): Promise<(Prepared | Settlement)[]> {
  const webhooks = new Map(claimed.map((delivery) => [delivery.webhookId, delivery]))
  const organizationIds = claimed.map((delivery) => delivery.organizationId)
  const onUnreadable = (organization_id: string, err: unknown) =>
    log.error({ err, organization_id }, 'no signing key for an organization; its deliveries wait')
  const [targets, payloads, signers] = await Promise.all([
    fromPublication?.targets ?? loadTargets(database.read, [...webhooks.values()]),
    fromPublication?.payloads ?? stored.load(database.read, claimed),
    findSigners(organizationIds, onUnreadable),
  ])
  const now = clock.now()
  return claimed.map((delivery) => {
    const found = {
      target: targets.get(delivery.webhookId),
      payload: payloads.get(delivery.eventId),
      signer: signers.get(delivery.organizationId),
    }
    return prepare(delivery, found, now)
  })
}

type Found = { target: Target | undefined; payload: string | undefined; signer: Signer | undefined }

function prepare(delivery: ClaimedDelivery, { target, payload, signer }: Found, now: number): Prepared | Settlement {
  if (!target) return finish(delivery, 'cancelled', 'webhook_deleted')
  if (!isOfTrigger(delivery, target)) return finish(delivery, 'cancelled', 'trigger_deleted')
  if (payload === undefined) return finish(delivery, 'dropped', 'expired')
  const { targetUrl, headers, timeoutMs } = target
  if (!signer) return release(delivery, 'no_signing_key', now)
  if (!headers) return release(delivery, 'unreadable_headers', now)
  return { delivery, targetUrl, headers, timeoutMs, payload, signer }
}

/** A trigger that was removed and added again is another one. */
function isOfTrigger({ triggerName, triggerCreatedAt }: ClaimedDelivery, { triggers }: Target): boolean {
  if (triggers === 'checked') return true
  const createdAt = triggers.get(`event ${triggerName}`)
  return createdAt !== undefined && (triggerCreatedAt === null || triggerCreatedAt === createdAt)
}

/**
 * An attempt that was ordered; `at`: in milliseconds since the epoch. `weight`: how many deliveries it counts as, so that the
 * memory for what waits is bounded. Nearly every event is one; one of a deleted person who was in a thousand groups is up to eight.
 */
export type OrderedAttempt = { delivery: ClaimedDelivery; jti: string; at: number; weight: number }

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
    const { delivery, signer, payload: content } = each
    const terms = termsOf.get(delivery.laneName) ?? makeTerms(each, { at, since })
    termsOf.set(delivery.laneName, terms)
    const { jti, payload } = makeToken(toInvocation(each), signer, { clock, baseUrl })
    const weight = Math.ceil(content.length / lightLength)
    return { ordered: { delivery, jti, at, weight }, order: { payload, terms } }
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
    call: toCall({ targetUrl, headers, timeoutMs, keepBodyBytes: shownAnswerBytes }),
    key: signer.key,
    since,
    beginWithinMs: Math.min(leftMs, signer.goodForMs()),
  }
}

const toInvocation = ({ delivery, targetUrl, payload }: Prepared) =>
  ({
    organizationId: delivery.organizationId,
    webhookId: delivery.webhookId,
    triggerType: 'event',
    triggerName: delivery.triggerName,
    sub: delivery.eventId,
    content: payload,
    targetUrl,
  }) as const
