import { type Clock, toTimestamp } from '../clock.ts'
import { makeId } from '../identifiers.ts'
import type { Sign } from '../keys/index.ts'
import type { Call, Door, Outcome } from '../outbound/index.ts'
import type { ClaimedDelivery, Settlement } from './delivery-store.ts'
import { nextAttempt, type RetrySettings } from './retry-schedule.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** Seconds (6.3, `exp`). */
const tokenLifetime = 300
/** Of a failed attempt's answer, kept for the log. */
const keptAnswerBytes = 1_024

/** All that one attempt needs; `sign` signs for the delivery's organization. */
export type Attempt = {
  delivery: ClaimedDelivery
  targetUrl: string
  headers: string[]
  timeoutMs: number
  payload: string
  sign: Sign
}

type Dependencies = { clock: Clock; door: Door; baseUrl: string; retry: RetrySettings }

/** Signs and sends once (every attempt anew: 6.3, `jti`, `iat`, `exp`) and says what becomes of the delivery. */
export async function makeAttempt(
  attempt: Attempt,
  { clock, door, baseUrl, retry }: Dependencies,
): Promise<Settlement> {
  const startedAt = clock.now()
  const jti = makeId(startedAt)
  const { delivery } = attempt
  // Due at once, and no failure of the receiver.
  const handedBack: Settlement = { delivery, attempt: null, failed: null, retryAt: toTimestamp(startedAt) }
  const call = toCall(attempt, baseUrl, jti, startedAt)
  // This process was held up since the key was looked up: it may have been withdrawn.
  if (!call) return handedBack
  const outcome = await door.post(call)
  // Nobody knows how far it came.
  if (outcome.kind === 'failed' && outcome.error === 'stopped') return handedBack
  const record = recordOf(delivery, jti, startedAt, outcome)
  if (isSuccess(outcome)) return { delivery, attempt: record, failed: false, status: 'succeeded' }
  const at = nextAttempt({ tries: delivery.tries, windowOpenedAt: delivery.windowOpenedAt, startedAt }, retry)
  return at === 'drop'
    ? { delivery, attempt: record, failed: true, status: 'dropped', reason: 'retry_window_over' }
    : { delivery, attempt: record, failed: true, retryAt: toTimestamp(at) }
}

function toCall(
  { delivery, targetUrl, headers, timeoutMs, payload, sign }: Attempt,
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
    timeoutMs: timeoutMs || defaultTimeoutMs,
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
