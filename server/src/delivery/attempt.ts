import { type Clock, toTimestamp } from '../clock.ts'
import { makeId } from '../identifiers.ts'
import type { Sign } from '../keys/index.ts'
import type { Call, Door, Outcome } from '../outbound/index.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { nextAttempt, type RetrySettings } from './retry-schedule.ts'
import type { Settlement } from './settle-store.ts'
import type { OnStep } from './steps.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** Seconds (6.3, `exp`). */
const tokenLifetime = 300
/** Of a failed attempt's answer, kept for the log. */
const keptAnswerBytes = 1_024
/** For the settlement, after the call's own timeout and before the end of the lease. */
const settleMs = 500

/** All that one attempt needs; `sign` signs for the delivery's organization. */
export type Attempt = {
  delivery: ClaimedDelivery
  targetUrl: string
  headers: string[]
  timeoutMs: number
  payload: string
  sign: Sign
}

/** What was seen of a receiver: how its call ended, or that a delivery waited in vain for the calls before it. */
export type Seen = { succeeded: boolean; durationMs: number } | { waitedMs: number }

/** What becomes of a claimed delivery, and what was seen of its receiver, if anything. */
export type Conclusion = { settlement: Settlement; seen?: Seen | undefined }

type Dependencies = { clock: Clock; door: Door; baseUrl: string; retry: RetrySettings; onStep: OnStep }

/** Signs and sends once (every attempt anew: 6.3, `jti`, `iat`, `exp`) and says what becomes of the delivery. */
export async function makeAttempt(
  attempt: Attempt,
  { clock, door, baseUrl, retry, onStep }: Dependencies,
): Promise<Conclusion> {
  const { delivery } = attempt
  const startedAt = clock.now()
  const timeoutMs = attempt.timeoutMs || defaultTimeoutMs
  const jti = makeId(startedAt)
  const call = toCall(attempt, timeoutMs, baseUrl, jti, startedAt)
  // This process was held up: since the claim, or since the key was looked up, which may have been withdrawn.
  if (!call || startedAt + timeoutMs + settleMs > delivery.leaseEndsAt) return handBack(delivery, startedAt)
  const answered = door.post(call)
  onStep('called')
  const outcome = await answered
  onStep('answered')
  // Nobody knows how far it came; it is no failure of the receiver.
  if (outcome.kind === 'failed' && outcome.error === 'stopped') return handBack(delivery, startedAt)
  const succeeded = isSuccess(outcome)
  const settled = { delivery, attempt: recordOf(delivery, jti, startedAt, outcome) }
  const seen = { succeeded, durationMs: outcome.durationMs }
  if (succeeded) return { settlement: { ...settled, status: 'succeeded' }, seen }
  const at = nextAttempt({ tries: delivery.tries, windowOpenedAt: delivery.windowOpenedAt, startedAt }, retry)
  return at === 'drop'
    ? { settlement: { ...settled, status: 'dropped', reason: 'retry_window_over' }, seen }
    : { settlement: { ...settled, retryAt: toTimestamp(at) }, seen }
}

/** Due again at once, as if it had not been claimed. */
export const handBack = (delivery: ClaimedDelivery, now: number, seen?: Seen): Conclusion => ({
  settlement: { delivery, attempt: null, retryAt: toTimestamp(now) },
  seen,
})

function toCall(
  { delivery, targetUrl, headers, payload, sign }: Attempt,
  timeoutMs: number,
  iss: string,
  jti: string,
  now: number,
): Call | undefined {
  const iat = Math.floor(now / 1000)
  const claims = {
    jti,
    aud: delivery.organizationId,
    sub: delivery.eventId,
    iss,
    iat,
    exp: iat + tokenLifetime,
    webhook_id: delivery.webhookId,
    target_url: targetUrl,
    trigger_type: 'event',
    trigger_name: delivery.triggerName,
  }
  const body = sign(claims, { trigger_content: payload })
  if (body === undefined) return undefined
  return {
    url: targetUrl,
    headers: [...headers, 'content-type', 'application/jwt'],
    body,
    timeoutMs,
    keepAnswerBytes: keptAnswerBytes,
  }
}

/** 2XX alone (6.2, rule 2). */
const isSuccess = (outcome: Outcome) => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299

/** As the delivery log shows it. */
function recordOf(delivery: ClaimedDelivery, jti: string, startedAt: number, outcome: Outcome) {
  const base = {
    number: delivery.number,
    jti,
    started_at: toTimestamp(startedAt),
    duration_ms: Math.round(outcome.durationMs * 1000) / 1000,
  }
  if (outcome.kind === 'failed') return { ...base, error: outcome.error }
  if (isSuccess(outcome)) return { ...base, status_code: outcome.status }
  return { ...base, status_code: outcome.status, answer: outcome.answer.replaceAll('\0', '\ufffd') }
}
