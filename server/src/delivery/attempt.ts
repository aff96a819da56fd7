import {
  type Attempt,
  beginAttempt,
  isSuccess,
  type Means,
  makeToken,
  recordOf,
  type Signed,
  shownAnswerBytes,
} from '../attempts/index.ts'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Signing } from '../keys/index.ts'
import type { Door } from '../outbound/index.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { nextAttempt, type RetrySettings } from './retry-schedule.ts'
import type { Settlement } from './settle-store.ts'
import type { OnStep } from './steps.ts'

/** For an event trigger when the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 10_000
/** For the settlement, after the call's own timeout and before the end of the lease. */
const settleMs = 500

/** A claimed delivery with all that its attempt needs; `timeoutMs` is 0 when the webhook sets none. */
export type Prepared = Pick<Means, 'targetUrl' | 'headers' | 'timeoutMs' | 'signer'> & {
  delivery: ClaimedDelivery
  payload: string
}
/** The same with its token. The payload is in there. */
export type Ready = Omit<Prepared, 'payload'> & Signed

/** What was seen of a receiver: how its call ended, or that a delivery waited in vain for the calls before it. */
export type Seen = { succeeded: boolean; durationMs: number } | { waitedMs: number }

/** What becomes of a claimed delivery, and what was seen of its receiver, if anything. */
export type Conclusion = { settlement: Settlement; seen?: Seen | undefined }

/**
 * Signs together what is called next. So `iat` is as much older than the call as that waits for the calls before it: about a
 * second and a half at most (`handBackSlow`), and always less than the five seconds of its key.
 */
export async function signAttempts(
  prepared: Prepared[],
  { signing, ...dependencies }: { signing: Signing; clock: Clock; baseUrl: string },
): Promise<Ready[]> {
  const tokens = prepared.map((each) => makeToken(toInvocation(each), each.signer, dependencies))
  const jwts = await signing.sign(tokens)
  return prepared.map(({ payload: _, ...rest }, index) => ({
    ...rest,
    jti: (tokens[index] as { jti: string }).jti,
    jwt: jwts[index] as string,
  }))
}

type Dependencies = { clock: Clock; door: Door; retry: RetrySettings; onStep: OnStep }

/** Makes one attempt and says what becomes of the delivery. */
export async function attemptDelivery(
  { delivery, jti, jwt, ...means }: Ready,
  dependencies: Dependencies,
): Promise<Conclusion> {
  const { clock, retry, onStep } = dependencies
  const now = clock.now()
  const timeoutMs = means.timeoutMs || defaultTimeoutMs
  // This process was held up since the claim, or, below, since the key was looked up.
  if (now + timeoutMs + settleMs > delivery.leaseEndsAt) return handBack(delivery, now)
  const limits = { timeoutMs, keepAnswerBytes: shownAnswerBytes }
  const attempt = beginAttempt({ jti, jwt }, { ...means, ...limits }, dependencies)
  if (!attempt) return handBack(delivery, now)
  onStep('called')
  const outcome = await attempt.outcome
  onStep('answered')
  // Nobody knows how far it came; it is no failure of the receiver.
  if (outcome.kind === 'failed' && outcome.error === 'stopped') return handBack(delivery, now)
  return conclusionOf(delivery, { ...attempt, outcome }, retry)
}

function conclusionOf(delivery: ClaimedDelivery, attempt: Attempt, retry: RetrySettings): Conclusion {
  const { outcome, startedAt } = attempt
  const settled = { delivery, attempt: recordOf(attempt, delivery.number) }
  const seen = { succeeded: isSuccess(outcome), durationMs: outcome.durationMs }
  if (seen.succeeded) return { settlement: { ...settled, status: 'succeeded' }, seen }
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
