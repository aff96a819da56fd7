/** What becomes of a claimed delivery: from how its attempt ended, or without one. */
import { recordOf, type ShownAttempt } from '../attempts/index.ts'
import { type Clock, toTimestamp } from '../clock.ts'
import { timeOf } from '../identifiers.ts'
import type { CallSeen, Seen } from './call-slots.ts'
import type { End } from './calls.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { OrderedAttempt } from './make-orders.ts'
import { nextAttempt, type RetrySettings } from './retry-schedule.ts'
import type { Settlement } from './settle-store.ts'
import type { Lost } from './start-sender-thread.ts'

/** Due again after this: what cannot be signed, or whose secrets cannot be opened. What a failed thread had: after up to twice this. */
export const setAsideMs = 60_000

/** What the process had no descriptor for is due again after so long. */
const noDescriptorsMs = 1_000

/** With what was seen of its receiver, if anything. `error`: in the operator's word, where that says more than the log of deliveries. */
export type Conclusion = { settlement: Settlement; seen?: Seen | undefined; error?: string }

/** What becomes of the delivery by the end of its attempt. */
export function concludeAttempt(
  { delivery, jti, at }: OrderedAttempt,
  end: End | Lost,
  { clock, retry }: { clock: Clock; retry: RetrySettings },
): Conclusion {
  const now = clock.now()
  if (end.kind === 'handed_back') return handBack(delivery, now, end.seen)
  if (end.kind === 'not_signed') return setAside(delivery, now + setAsideMs)
  if (end.kind === 'no_descriptors') return setAside(delivery, now + noDescriptorsMs)
  // At another time than what was lost with it, of which one may have ended the thread, and would again.
  if (end.kind === 'lost') return setAside(delivery, now + setAsideMs * (1 + Math.random()))
  const { outcome, seen } = end
  // Nobody knows how far it came; it is no failure of the receiver.
  if (outcome.kind === 'failed' && outcome.error === 'stopped') return handBack(delivery, now)
  // A clock that was set meanwhile does not make it one of the future.
  const startedAt = Math.min(now, at + end.afterMs)
  const conclusion = conclusionOf(delivery, { jti, startedAt, outcome }, seen, retry)
  return outcome.kind === 'failed' ? { ...conclusion, error: outcome.error } : conclusion
}

function conclusionOf(
  delivery: ClaimedDelivery,
  attempt: ShownAttempt,
  seen: CallSeen,
  retry: RetrySettings,
): Conclusion {
  const { startedAt } = attempt
  const settled = { delivery, attempt: recordOf(attempt, delivery.number) }
  if (seen.succeeded) return { settlement: { ...settled, status: 'succeeded' }, seen }
  const { tries, windowOpenedAt } = delivery
  const at = nextAttempt({ tries, windowOpenedAt: windowOpenedAt ?? startedAt, startedAt }, retry)
  return at === 'drop'
    ? { settlement: { ...settled, status: 'dropped', reason: 'retry_window_over' }, seen }
    : { settlement: { ...settled, retryAt: toTimestamp(at) }, seen }
}

/** Due again then, as if it had not been claimed. */
export const setAside = (delivery: ClaimedDelivery, dueAt: number, seen?: Seen): Conclusion => ({
  settlement: { delivery, attempt: null, retryAt: toTimestamp(dueAt) },
  seen,
})

/** Due again at once. What was not yet tried in its window keeps its place: else it would wait for all that was published since. */
export const handBack = (delivery: ClaimedDelivery, now: number, seen?: Seen): Conclusion =>
  setAside(delivery, delivery.tries === 1 ? Math.min(now, timeOf(delivery.eventId)) : now, seen)
