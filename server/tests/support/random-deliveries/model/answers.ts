import { rules } from '../rules.ts'
import { isCurrent } from './claims.ts'
import { type Claim, type Delivery, finish, type Webhook } from './model.ts'

export type Seen = 'healthy' | 'slow' | 'failed'

/** What the receiver answered to a call that began at `startedAt`. Who comes late changes nothing. */
export function answer(claim: Claim, seen: Seen, startedAt: number, now: number) {
  if (!isCurrent(claim)) return
  const { delivery } = claim
  delivery.log.push(claim.number)
  if (seen !== 'failed') {
    succeed(delivery.webhook, seen)
    return finish(delivery, 'succeeded', undefined, now)
  }
  fail(delivery.webhook, now)
  return retry(delivery, startedAt, now)
}

function retry(delivery: Delivery, startedAt: number, now: number) {
  const { initialMs, maxMs, windowMs } = rules.retry
  const next = startedAt + Math.min(initialMs * 2 ** (delivery.windowAttempts - 1), maxMs)
  delivery.windowOpenedAt ??= startedAt
  if (next > delivery.windowOpenedAt + windowMs) return finish(delivery, 'dropped', 'retry_window_over', now)
  Object.assign(delivery, { status: 'pending', claim: undefined, dueAt: next })
}

function succeed(webhook: Webhook, seen: 'healthy' | 'slow') {
  webhook.failingSince = undefined
  webhook.failures = 0
  webhook.callsAtOnce = Math.min(webhook.callsAtOnce + 1, rules.callsAtOnce)
  webhook.isHealthy = seen === 'healthy'
  webhook.maxInFlight = webhook.callsAtOnce * (webhook.isHealthy ? 2 : 1)
}

/** A receiver that fails again and again rests; one whose every call has failed for long enough is paused. */
function fail(webhook: Webhook, now: number) {
  webhook.failures += 1
  webhook.callsAtOnce = Math.max(1, Math.floor(webhook.callsAtOnce / 2))
  const isDown = webhook.failures >= rules.downAfter
  if (isDown) webhook.cooldownUntil = now + rules.cooldownMs
  if (isDown) webhook.isHealthy = false
  webhook.maxInFlight = webhook.isHealthy ? 2 * webhook.callsAtOnce : isDown ? 1 : webhook.callsAtOnce
  if (webhook.failingSince !== undefined && webhook.failingSince < now - rules.pauseAfterMs)
    webhook.pausedReason ??= 'failing'
  webhook.failingSince ??= now
}
