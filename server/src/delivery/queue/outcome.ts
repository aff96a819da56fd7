/** From how an attempt ended, or why none was made, to what is written of its delivery, logged, and counted. */

import type { Database } from '../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import type { Span } from '../../ground/runtime/tracer.ts'
import { isRefused, logoutTrigger, nextLogoutAttempt } from '../logouts/index.ts'
import { recordOf } from '../webhooks/attempts/index.ts'
import type {
  AttemptEnd,
  ClaimedDelivery,
  ConcurrencyLimits,
  FinalStatus,
  FirstDue,
  LogLine,
  Observation,
  OnFailpoint,
  Reason,
  ReleaseReason,
  Settlement,
} from './delivery.ts'
import type { Overdue } from './in-flight.ts'
import { dueAfterRelease, nextAttempt, type RetrySettings } from './retry-schedule.ts'
import { createSettler } from './settler.ts'

export const releaseSettlement = (
  delivery: ClaimedDelivery,
  reason: ReleaseReason,
  now: number,
  observation?: Observation,
): Settlement => {
  const retryAt = toTimestamp(dueAfterRelease(delivery, reason, now))
  return { delivery, attempt: null, observation, released: reason, retryAt }
}

/** Ends the delivery without an attempt. */
export const finalSettlement = (delivery: ClaimedDelivery, status: FinalStatus, reason: Reason): Settlement => ({
  delivery,
  attempt: null,
  status,
  reason,
})

/** An attempt that is handed to the sender; `at`: in milliseconds since the epoch; `sent`: for the log. */
export type Attempt = { delivery: ClaimedDelivery; jti: string; at: number; sent: string; span?: Span }

export function settlementOf(
  { delivery, jti, at, sent, span }: Attempt,
  end: AttemptEnd,
  { clock, retry }: { clock: Clock; retry: RetrySettings },
): Settlement {
  const now = clock.now()
  const trace = span && { trace: span.ids }
  if (end.kind === 'released') return { ...releaseSettlement(delivery, end.reason, now, end.observation), ...trace }
  const { outcome, observation, concurrency, afterMs } = end
  // A clock that was set meanwhile must not place it in the future.
  const startedAt = Math.min(now, at + afterMs)
  const attempt = recordOf({ jti, startedAt, outcome, sent }, delivery.attemptNumber)
  const made = { delivery, observation, concurrency, ...trace, attempt }
  const isLogout = delivery.triggerName === logoutTrigger
  if (isLogout && isRefused(outcome)) return { ...made, status: 'dropped', reason: 'refused_by_application' }
  if (observation.succeeded) return { ...made, status: 'succeeded' }
  const failed = { ...made, ...(outcome.kind === 'failed' && { error: outcome.error }) }
  const { windowAttempts, windowOpenedAt } = delivery
  const inWindow = { windowAttempts, windowOpenedAt: windowOpenedAt ?? startedAt, startedAt }
  const next = isLogout ? nextLogoutAttempt(inWindow) : nextAttempt(inWindow, retry)
  if (delivery.isHeld) return { ...failed, retryAt: toTimestamp(startedAt + retry.initialMs) }
  return next === 'drop'
    ? { ...failed, status: 'dropped', reason: 'retry_window_over' }
    : { ...failed, retryAt: toTimestamp(next) }
}

/** A receiver that failed cools down for this share of the first retry delay: a second of the standard minute. */
const cooldownShare = 1 / 60

export type OutcomeDependencies = {
  database: Database
  clock: Clock
  workerId: string
  log: OutcomeLog & { error: LogLine }
  limits: ConcurrencyLimits
  retry: RetrySettings
  /** A webhook whose requests have all failed for so long is paused. */
  pauseAfterMs: number
  onFailpoint: OnFailpoint
  onAttempted?: (attempt: { outcome: string; seconds: number }) => void
  onFinished?: (status: string) => void
}

export type Outcomes = ReturnType<typeof createOutcomes>

/** `onDue`: when the first of the lanes that were written are due. */
export function createOutcomes(dependencies: OutcomeDependencies, overdue: Overdue, onDue: (first: FirstDue) => void) {
  const { log, limits, retry, onFailpoint, onAttempted, onFinished } = dependencies
  const settler = createSettler({
    ...dependencies,
    overdue,
    onDue,
    requestsPerWebhook: limits.perWebhook,
    cooldownMs: retry.initialMs * cooldownShare,
    failingAfterMs: retry.initialMs,
    onSettled: () => onFailpoint('settled'),
    onError: (err) => log.error({ err }, 'writing delivery outcomes failed; will retry'),
  })
  /** Resolves once it is committed, and never rejects. */
  const record = async (settlement: Settlement) => {
    logOutcome(log, settlement)
    const status = 'status' in settlement ? settlement.status : undefined
    if (settlement.attempt)
      onAttempted?.({ outcome: status ?? 'retried', seconds: settlement.attempt.duration_ms / 1000 })
    if (status) onFinished?.(status)
    await settler.settle(settlement)
  }
  return { record, setAside: settler.setAside }
}

type OutcomeLog = { level: string; info: LogLine; debug: LogLine }

/** One line for each attempt, or for why there was none. Nearly all succeed: their lines are made only at the level `debug`. */
export function logOutcome(log: OutcomeLog, settlement: Settlement) {
  const { observation } = settlement
  const hasFailed = observation && 'succeeded' in observation && !observation.succeeded
  if (hasFailed) log.info(lineOf(settlement), 'delivery attempt failed')
  else if (log.level === 'debug')
    log.debug(lineOf(settlement), settlement.released ? 'delivery released' : 'delivery attempt')
}

/** Never a header, a body or a secret. */
function lineOf(settlement: Settlement) {
  const { delivery, attempt, error, released, trace } = settlement
  const { answer: _answer, sent: _sent, ...shown } = attempt ?? {}
  return {
    organization_id: delivery.organizationId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    trigger_name: delivery.triggerName,
    ...shown,
    ...(error && { error }),
    ...(released && { released }),
    ...trace,
    ...('status' in settlement
      ? { status: settlement.status, reason: settlement.reason }
      : { next: settlement.retryAt }),
  }
}
