/** From how an attempt ended, or why none was made, to what is written of its delivery, and told to the log and to the metrics. */
import { recordOf } from '../attempts/index.ts'
import type { Database } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { timeOf } from '../runtime/identifiers.ts'
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
import { createSettler } from './settler.ts'

/** All in milliseconds (6.2, rule 4: 1, 10 and 30 minutes). */
export type RetrySettings = { initialMs: number; maxMs: number; windowMs: number }

/** A failed attempt: how many were made in this window, when the window opened and when this one began. */
export type FailedAttempt = { windowAttempts: number; windowOpenedAt: number; startedAt: number }

/**
 * When to try again: the backoff doubles with each try up to its maximum and is counted from the beginning of the
 * failed attempt, so with the standard settings attempts begin at 0, 1, 3, 7, 15 and 25 minutes whatever each one took.
 * What would begin after the window is dropped.
 */
export function nextAttempt(
  { windowAttempts, windowOpenedAt, startedAt }: FailedAttempt,
  settings: RetrySettings,
): number | 'drop' {
  const backoff = Math.min(settings.initialMs * 2 ** (windowAttempts - 1), settings.maxMs)
  const at = startedAt + backoff
  return at <= windowOpenedAt + settings.windowMs ? at : 'drop'
}

const secondMs = 1_000
const minuteMs = 60_000

/**
 * When a delivery is due again that is released without an attempt. 0: at once, and in its place: one that was not yet tried in its
 * window would else wait for all that was published since. It counts as if it had not been claimed.
 */
const releasedForMs: Record<ReleaseReason, number> = {
  /** It has waited for its own receiver, or for others that are not healthy. */
  waited_too_long: 0,
  /** Too little of its lease is left, or what its call needs was looked up too long ago. */
  too_late: 0,
  /** Its webhook was changed, paused or removed. */
  revoked: 0,
  /** The process stops, or its worker session is lost. */
  stopping: 0,
  /** A stop broke off its call. Nobody knows how far it came; it is no failure of the receiver. */
  interrupted: 0,
  /** The database did not give what its call needs. */
  unreadable: 0,
  /** The thread that calls had failed before it was told of it. */
  not_sent: 0,
  /** The process may open no more sockets. */
  no_descriptors: secondMs,
  no_signing_key: minuteMs,
  unreadable_headers: minuteMs,
  not_signed: minuteMs,
  /** Up to twice as long: one of those that were lost together may have ended the thread, and would again. */
  sender_failed: minuteMs,
}

export function release(
  delivery: ClaimedDelivery,
  reason: ReleaseReason,
  now: number,
  observation?: Observation,
): Settlement {
  const ms = releasedForMs[reason] * (reason === 'sender_failed' ? 1 + Math.random() : 1)
  const dueAt = ms === 0 && delivery.windowAttempts === 1 ? Math.min(now, timeOf(delivery.eventId)) : now + ms
  return { delivery, attempt: null, retryAt: toTimestamp(dueAt), observation, released: reason }
}

/** It will not be called any more. */
export const finish = (delivery: ClaimedDelivery, status: FinalStatus, reason: Reason): Settlement => ({
  ...{ delivery, attempt: null, status, reason },
})

/** An attempt that was ordered; `at`: in milliseconds since the epoch. */
type Ordered = { delivery: ClaimedDelivery; jti: string; at: number }

export function settlementOf(
  { delivery, jti, at }: Ordered,
  end: AttemptEnd,
  { clock, retry }: { clock: Clock; retry: RetrySettings },
): Settlement {
  const now = clock.now()
  if (end.kind === 'released') return release(delivery, end.reason, now, end.observation)
  const { outcome, observation, afterMs } = end
  // A clock that was set meanwhile does not make it one of the future.
  const startedAt = Math.min(now, at + afterMs)
  const called = { delivery, observation, attempt: recordOf({ jti, startedAt, outcome }, delivery.attemptNumber) }
  if (observation.succeeded) return { ...called, status: 'succeeded' }
  const error = outcome.kind === 'failed' ? { error: outcome.error } : {}
  const { windowAttempts, windowOpenedAt } = delivery
  const retryAt = nextAttempt({ windowAttempts, windowOpenedAt: windowOpenedAt ?? startedAt, startedAt }, retry)
  return retryAt === 'drop'
    ? { ...called, ...error, status: 'dropped', reason: 'retry_window_over' }
    : { ...called, ...error, retryAt: toTimestamp(retryAt) }
}

/** A receiver that failed rests for this share of the first retry delay: a second of the standard minute. */
const restShare = 1 / 60

export type OutcomeDependencies = {
  database: Database
  clock: Clock
  log: OutcomeLog & { error: LogLine }
  caps: ConcurrencyLimits
  retry: RetrySettings
  /** A webhook whose calls have all failed for so long is paused. */
  pauseAfterMs: number
  onFailpoint: OnFailpoint
  onAttempted?: (attempt: { outcome: string; seconds: number }) => void
  /** A delivery has ended. */
  onFinished?: (status: string) => void
}

/** Resolves once it is committed. Never rejects. */
export type RecordOutcome = (settlement: Settlement) => Promise<void>

/** `onDue`: when the first of the lanes that were written are due. */
export function createRecordOutcome(
  dependencies: OutcomeDependencies,
  onDue: (first: FirstDue) => void,
): RecordOutcome {
  const { database, clock, log, caps, retry, pauseAfterMs, onFailpoint, onAttempted, onFinished } = dependencies
  const settler = createSettler({
    ...{ database, clock, pauseAfterMs, onDue },
    callsPerWebhook: caps.perWebhook,
    restMs: retry.initialMs * restShare,
    failingAfterMs: retry.initialMs,
    onSettled: () => onFailpoint('settled'),
    onError: (err) => log.error({ err }, 'writing delivery outcomes failed; tried again'),
  })
  return async (settlement) => {
    logOutcome(log, settlement)
    const status = 'status' in settlement ? settlement.status : undefined
    if (settlement.attempt)
      onAttempted?.({ outcome: status ?? 'retried', seconds: settlement.attempt.duration_ms / 1000 })
    if (status) onFinished?.(status)
    await settler.settle(settlement)
  }
}

export type OutcomeLog = { level: string; info: LogLine; debug: LogLine }

/**
 * One line tells one attempt, or why there was none. Those that did not fail are told at the level `debug` alone,
 * the lowest of `config.ts`, and not made at all elsewhere: nearly all of them succeed.
 */
export function logOutcome(log: OutcomeLog, settlement: Settlement) {
  const { observation } = settlement
  if (observation && 'succeeded' in observation && !observation.succeeded)
    log.info(lineOf(settlement), 'delivery attempt failed')
  else if (log.level === 'debug') log.debug(lineOf(settlement), 'delivery attempt')
}

/** Never a header, a body or a secret. */
function lineOf(settlement: Settlement) {
  const { delivery, attempt, error, released } = settlement
  const { answer: _, ...shown } = attempt ?? {}
  return {
    organization_id: delivery.organizationId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    trigger_name: delivery.triggerName,
    ...shown,
    ...(error && { error }),
    ...(released && { released }),
    ...('status' in settlement
      ? { status: settlement.status, reason: settlement.reason }
      : { next: settlement.retryAt }),
  }
}
