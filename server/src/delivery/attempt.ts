import { type Attempt, beginAttempt, isSuccess, type Means, recordOf, shownAnswerBytes } from '../attempts/index.ts'
import { type Clock, toTimestamp } from '../clock.ts'
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
export type Prepared = Pick<Means, 'targetUrl' | 'headers' | 'timeoutMs' | 'sign'> & {
  delivery: ClaimedDelivery
  payload: string
}

/** What was seen of a receiver: how its call ended, or that a delivery waited in vain for the calls before it. */
export type Seen = { succeeded: boolean; durationMs: number } | { waitedMs: number }

/** What becomes of a claimed delivery, and what was seen of its receiver, if anything. */
export type Conclusion = { settlement: Settlement; seen?: Seen | undefined }

type Dependencies = { clock: Clock; door: Door; baseUrl: string; retry: RetrySettings; onStep: OnStep }

/** Makes one attempt and says what becomes of the delivery. */
export async function attemptDelivery(
  { delivery, payload, ...means }: Prepared,
  dependencies: Dependencies,
): Promise<Conclusion> {
  const { clock, retry, onStep } = dependencies
  const now = clock.now()
  const timeoutMs = means.timeoutMs || defaultTimeoutMs
  // This process was held up since the claim, or, below, since the key was looked up.
  if (now + timeoutMs + settleMs > delivery.leaseEndsAt) return handBack(delivery, now)
  const limits = { timeoutMs, keepAnswerBytes: shownAnswerBytes }
  const attempt = beginAttempt(toInvocation(delivery, payload), { ...means, ...limits }, dependencies)
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

const toInvocation = ({ organizationId, webhookId, triggerName, eventId }: ClaimedDelivery, content: string) =>
  ({ organizationId, webhookId, triggerType: 'event', triggerName, sub: eventId, content }) as const
