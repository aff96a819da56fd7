/** When a delivery is due again: after a failed attempt, and after a release without one. */

import { timeOf } from '../../ground/runtime/identifiers.ts'
import type { ClaimedDelivery, ReleaseReason } from './delivery.ts'

/** All in milliseconds (6.2, rule 4: 1, 10 and 30 minutes). */
export type RetrySettings = { initialMs: number; maxMs: number; windowMs: number }

/** How many attempts were made in this window, when the window opened and when the last attempt began. */
type FailedAttempt = { windowAttempts: number; windowOpenedAt: number; startedAt: number }

/**
 * The backoff doubles up to its maximum and is counted from the beginning of the failed attempt: with the standard settings
 * attempts begin at 0, 1, 3, 7, 15 and 25 minutes, whatever each one took. What would begin after the window is dropped.
 */
export function nextAttempt(
  { windowAttempts, windowOpenedAt, startedAt }: FailedAttempt,
  { initialMs, maxMs, windowMs }: RetrySettings,
): number | 'drop' {
  const at = startedAt + Math.min(initialMs * 2 ** (windowAttempts - 1), maxMs)
  return at <= windowOpenedAt + windowMs ? at : 'drop'
}

const secondMs = 1_000
const minuteMs = 60_000

const releasedForMs: Record<ReleaseReason, number> = {
  /** It has waited for its own receiver, or for other unhealthy ones. */
  waited_too_long: 0,
  /** Too little of its lease is left, or what its request needs was read too long ago. */
  too_late: 0,
  /** Its webhook was changed, paused or removed. */
  revoked: 0,
  /** The process stops, or its worker session is lost. */
  stopping: 0,
  /** A stop broke off its request. Nobody knows how far it came; it is no failure of the receiver. */
  interrupted: 0,
  /** What its request needs could not be read from the database. */
  unreadable: 0,
  /** The sender thread had failed before it got the request. */
  not_sent: 0,
  /** The process may open no more sockets. */
  no_descriptors: secondMs,
  no_signing_key: minuteMs,
  unreadable_headers: minuteMs,
  not_signed: minuteMs,
  /** Up to twice as long: one of those that were lost together may have ended the thread, and would again. */
  sender_failed: minuteMs,
}

/**
 * A release counts as if there had been no claim. One that is due at once and has not been attempted in its window keeps its
 * original position, before all that was published since.
 */
export function dueAfterRelease({ windowAttempts, eventId }: ClaimedDelivery, reason: ReleaseReason, now: number) {
  const ms = releasedForMs[reason] * (reason === 'sender_failed' ? 1 + Math.random() : 1)
  return ms === 0 && windowAttempts === 1 ? Math.min(now, timeOf(eventId)) : now + ms
}
