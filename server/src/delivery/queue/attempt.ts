/**
 * The life of a delivery in this process, from its lease to its settlement: what its attempt needs is read, the request is handed
 * to the sender, and the outcome is written. What cannot be attempted now is released.
 */

import type { Database } from '../../ground/database/database.ts'
import type { FindSigners, Signer } from '../../ground/keys/index.ts'
import { type Clock, readTogether } from '../../ground/runtime/clock.ts'
import type { Span, Tracer } from '../../ground/runtime/tracer.ts'
import type { EventContent, LoadedPayloads, Payloads } from '../events/index.ts'
import { bodyStart, type LoadLogoutTargets, makeLogoutToken, refusalStatus, toLogoutRequest } from '../logouts/index.ts'
import {
  type AttemptInput,
  hasOwnTraceparent,
  makeToken,
  sentAlike,
  shownAnswerBytes,
  toOutboundRequest,
} from '../webhooks/attempts/index.ts'
import type { LoadTargets, Target, Targets } from '../webhooks/index.ts'
import type {
  AttemptEnd,
  ClaimedDelivery,
  Concurrency,
  LogLine,
  OnFailpoint,
  ReleaseReason,
  Settlement,
} from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { type Attempt, finalSettlement, type Outcomes, releaseSettlement, settlementOf } from './outcome.ts'
import { isLogout, prepareLogouts } from './prepare-logouts.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { Sender } from './sender/sender.ts'
import type { RequestTemplate, SenderRequest } from './sender/thread.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** For the settlement, between the request's own timeout and the end of the lease. */
const settleMs = 500
/** Characters of an event that counts as one delivery. */
const charactersPerDelivery = 16_000

export type AttemptDependencies = {
  database: Database
  clock: Clock
  loadTargets: LoadTargets
  loadLogoutTargets: LoadLogoutTargets
  payloads: Pick<Payloads, 'load'>
  findSigners: FindSigners
  sender: Sender
  baseUrl: string
  retry: RetrySettings
  onFailpoint: OnFailpoint
  tracer: Tracer
  log: { error: LogLine }
}
type Reading = 'database' | 'clock' | 'loadTargets' | 'loadLogoutTargets' | 'payloads' | 'findSigners' | 'log'

/** `since`: from before its targets are read, for a revocation after that may have been missed by the claim. */
type ClaimOrigin = { committed: Promise<void>; since: number; fromPublication?: FromPublication }

/**
 * Later than this after `since`, targets that were read with a publication may have changed in a revocation that was missed: its
 * deliveries are released and claimed anew.
 */
export const targetsFreshForMs = 1_000

type Context = AttemptDependencies & { inFlight: InFlight; outcomes: Outcomes }

export type Attempts = ReturnType<typeof createAttempts>

export function createAttempts(dependencies: AttemptDependencies, parts: Pick<Context, 'inFlight' | 'outcomes'>) {
  const context = { ...dependencies, ...parts }
  return {
    /**
     * Reads what is needed while the claim's commit may still wait for the disk, and rejects when either fails. Resolves once all
     * of it is counted and handed to the sender, or released.
     */
    async take(claimed: ClaimedDelivery[], claim: ClaimOrigin): Promise<void> {
      const leave = context.inFlight.enter()
      try {
        if (!context.inFlight.isSuspended()) return sendAll(context, await prepare(context, claimed, claim), claim)
        await claim.committed
        releaseAll(context, claimed, 'stopping')
      } finally {
        leave()
      }
    },

    /** Releases what has not begun to be sent of that webhook or organization. */
    revoke(id: string): Promise<void> {
      context.inFlight.revoke(id)
      return context.sender.revoke(id)
    },
  }
}

/** What cannot be read now is released, and the error passed on: the dispatcher waits before it claims again. */
async function prepare(context: Context, claimed: ClaimedDelivery[], { committed, fromPublication }: ClaimOrigin) {
  const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, fromPublication, context)])
  if (commit.status === 'rejected') throw commit.reason
  context.onFailpoint('claimed')
  if (read.status === 'fulfilled') return read.value
  releaseAll(context, claimed, 'unreadable')
  throw read.reason
}

/** A revocation finds a delivery before it is sent, or at the sender, never in between: nothing is awaited here. */
function sendAll(context: Context, prepared: (Prepared | Settlement)[], claim: ClaimOrigin) {
  context.onFailpoint('prepared')
  const toSend: Prepared[] = []
  for (const each of prepared) {
    const reason = reasonToRelease(context, each.delivery, claim)
    if (!('payload' in each)) settle(context, each)
    else if (reason) releaseAll(context, [each.delivery], reason)
    else toSend.push(each)
  }
  const requests = makeRequests(toSend, context)
  context.sender.send(requests.map(({ attempt, request }) => ({ ...request, ...follow(context, attempt) })))
}

function reasonToRelease({ inFlight }: Context, delivery: ClaimedDelivery, { since, fromPublication }: ClaimOrigin) {
  if (inFlight.isSuspended()) return 'stopping'
  if (fromPublication && performance.now() - since > targetsFreshForMs) return 'too_late'
  return inFlight.wasRevoked(delivery, since) ? 'revoked' : undefined
}

/** Counts it as in flight in this process until its outcome is committed. */
function follow(context: Context, attempt: WeightedAttempt) {
  const { inFlight, outcomes, onFailpoint } = context
  const forget = inFlight.hold(attempt.delivery, attempt.weight)
  return {
    onBegun: () => onFailpoint('sent'),
    onSetAside: (concurrency: Concurrency) => outcomes.setAside(attempt.delivery, concurrency),
    onEnded: (end: AttemptEnd) => {
      if (end.kind === 'completed') onFailpoint('responded')
      else if (end.problem) logUnsigned(context, attempt.delivery, end.problem)
      const settlement = settlementOf(attempt, end, context)
      endSpan(attempt.span, settlement)
      settle(context, settlement, forget)
    },
  }
}

const settle = ({ inFlight, outcomes }: Context, settlement: Settlement, forget = inFlight.hold(settlement.delivery)) =>
  void outcomes.record(settlement).then(forget)

function releaseAll(context: Context, deliveries: ClaimedDelivery[], reason: ReleaseReason) {
  for (const delivery of deliveries) settle(context, releaseSettlement(delivery, reason, context.clock.now()))
}

function logUnsigned({ log }: Context, { organizationId, webhookId, eventId }: ClaimedDelivery, problem: string) {
  const fields = { organization_id: organizationId, webhook_id: webhookId, event_id: eventId, problem }
  log.error(fields, 'signing a delivery failed; will retry in a minute')
}

/** What a claim on publish already knows. */
export type FromPublication = { targets: Targets; payloads: LoadedPayloads }

/** A claimed delivery with all that its attempt needs; `timeoutMs` is 0 when the webhook sets none. */
export type Prepared = Pick<AttemptInput, 'targetUrl' | 'headers' | 'timeoutMs' | 'signer'> & {
  delivery: ClaimedDelivery
  /** Of a logout token alone. Its payload is what differs from others. */
  logoutIssuer?: string
} & EventContent

/**
 * Reads in one round trip; with `fromPublication` only signers. A delivery whose trigger was removed meanwhile is cancelled, one
 * whose event is gone is dropped, and one that cannot be signed now is released.
 */
export async function prepareClaimed(
  claimed: ClaimedDelivery[],
  fromPublication: FromPublication | undefined,
  dependencies: Pick<AttemptDependencies, Reading>,
): Promise<(Prepared | Settlement)[]> {
  if (!claimed.some(isLogout)) return prepareEvents(claimed, fromPublication, dependencies)
  const events = claimed.filter((delivery) => !isLogout(delivery))
  const [ofLogouts, ofEvents] = await Promise.all([
    prepareLogouts(claimed.filter(isLogout), dependencies),
    events.length > 0 ? prepareEvents(events, fromPublication, dependencies) : [],
  ])
  return [...ofLogouts, ...ofEvents]
}

async function prepareEvents(
  claimed: ClaimedDelivery[],
  fromPublication: FromPublication | undefined,
  { database, loadTargets, payloads: stored, findSigners, clock, log }: Pick<AttemptDependencies, Reading>,
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
    const { webhookId, eventId, organizationId } = delivery
    return prepareOne(delivery, targets.get(webhookId), payloads.get(eventId), signers.get(organizationId), now)
  })
}

function prepareOne(
  delivery: ClaimedDelivery,
  target: Target | undefined,
  content: EventContent | undefined,
  signer: Signer | undefined,
  now: number,
): Prepared | Settlement {
  if (!target) return finalSettlement(delivery, 'cancelled', 'webhook_deleted')
  if (!hasTrigger(target, delivery)) return finalSettlement(delivery, 'cancelled', 'trigger_deleted')
  if (!content) return finalSettlement(delivery, 'dropped', 'expired')
  const { targetUrl, headers, timeoutMs } = target
  if (!signer) return releaseSettlement(delivery, 'no_signing_key', now)
  if (!headers) return releaseSettlement(delivery, 'unreadable_headers', now)
  const { payload, traceparent } = content
  return { delivery, targetUrl, headers, timeoutMs, payload, traceparent, signer }
}

/** A trigger that was removed and added again is another one. */
function hasTrigger({ triggers }: Target, { triggerName, triggerCreatedAt }: ClaimedDelivery): boolean {
  if (triggers === 'checked') return true
  const createdAt = triggers.get(`event ${triggerName}`)
  return createdAt !== undefined && (triggerCreatedAt === null || triggerCreatedAt === createdAt)
}

/**
 * `weight`: how many deliveries it counts as, which bounds the memory for what waits. Nearly every event is one; one of a deleted
 * person who was in a thousand groups is up to eight.
 */
type WeightedAttempt = Attempt & { weight: number }

/**
 * For deliveries that were claimed together. A token's `iat` is as much older than its request as that waits, and never more than
 * the five seconds of its key.
 */
export function makeRequests(
  prepared: Prepared[],
  { clock, baseUrl, tracer }: { clock: Clock; baseUrl: string; tracer: Tracer },
): { attempt: WeightedAttempt; request: Omit<SenderRequest, 'id'> }[] {
  // Read together: a pause of the process in between would be missing in each `startedAt`.
  const { now: at, monotonic: since } = readTogether(clock)
  const templates = new Map<string, { template: RequestTemplate; alike: string }>()
  return prepared.map((each) => {
    const { delivery, payload: content } = each
    const shared = templates.get(delivery.laneName) ?? {
      template: makeTemplate(each, at, since),
      alike: sentAlike(each),
    }
    templates.set(delivery.laneName, shared)
    const { template, alike } = shared
    const { jti, iat, payload } = makePayload(each, { clock, baseUrl })
    const weight = Math.ceil(content.length / charactersPerDelivery)
    const attempt = { delivery, jti, at, sent: `${iat} ${alike}`, weight }
    const span = beginSpan(each, tracer)
    if (!span) return { attempt, request: { payload, template } }
    const { traceparent } = span
    return {
      attempt: { ...attempt, sent: `${attempt.sent} traceparent`, span },
      request: { payload, template, traceparent },
    }
  })
}

const makePayload = (prepared: Prepared, dependencies: { clock: Clock; baseUrl: string }) =>
  prepared.logoutIssuer === undefined
    ? makeToken(toInvocation(prepared), prepared.signer, dependencies)
    : makeLogoutToken(
        prepared.payload,
        { issuer: prepared.logoutIssuer, clientId: prepared.delivery.webhookId },
        dependencies.clock,
      )

/** Only for what was published in a trace. */
function beginSpan({ delivery, traceparent, headers }: Prepared, tracer: Tracer): Span | undefined {
  if (!traceparent || hasOwnTraceparent(headers)) return undefined
  const { triggerName, attemptNumber } = delivery
  const attributes = { 'signet.event_name': triggerName, 'signet.attempt': attemptNumber }
  return tracer.begin({ name: 'delivery attempt', kind: 'client', attributes }, { parent: traceparent })
}

function endSpan(span: Span | undefined, settlement: Settlement) {
  const { attempt, error, released } = settlement
  const outcome = released ? 'released' : 'status' in settlement ? settlement.status : 'retried'
  const attributes = { 'signet.outcome': outcome, 'http.response.status_code': attempt?.status_code }
  span?.end({ attributes, error: error ?? released ?? (outcome === 'succeeded' ? undefined : outcome) })
}

/** No request begins that could not be settled before its lease ends, or whose key was read too long ago. */
function makeTemplate(prepared: Prepared, at: number, since: number): RequestTemplate {
  const { delivery, signer, targetUrl, headers, logoutIssuer } = prepared
  const { organizationId, webhookId, isHealthy, concurrency } = delivery
  const isLogout = logoutIssuer !== undefined
  const limits = { keepBodyBytes: shownAnswerBytes }
  const timeoutMs = prepared.timeoutMs || defaultTimeoutMs
  const leftMs = delivery.leaseEndsAt - settleMs - timeoutMs - at
  return {
    organizationId,
    webhookId,
    isHealthy,
    concurrency,
    call: isLogout
      ? toLogoutRequest({ url: targetUrl, timeoutMs, ...limits })
      : toOutboundRequest({ targetUrl, headers, timeoutMs, ...limits }),
    ...(isLogout && { bodyStart, refusalStatus }),
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
