import type { Attempt, DeliveryWithAttempts } from '@signet/management'
import { duration } from '../design/time.tsx'
import { sayReason } from '../outcomes/outcome-words.ts'

/** What happens next to a delivery, and why then; of one that ended, why it did. */
export function nextStep(delivery: DeliveryWithAttempts): string {
  if (delivery.trigger_type === 'sync_hook') return outcomeOfHook(delivery)
  switch (delivery.status) {
    case 'succeeded':
      return 'The receiver answered with a status from 200 to 299. Nothing more is sent.'
    case 'dropped':
    case 'cancelled':
      return delivery.reason ? sayReason(delivery.reason) : 'Nothing more is sent.'
    case 'held':
      return 'Its webhook is paused. It goes out when the webhook is resumed, with a new window for its retries.'
    case 'in_flight':
      return 'Its request is being sent, or waits for its turn.'
    default:
      return whenDue(delivery)
  }
}

/** A run is over with its sign-in: nothing of it is sent later, nor again. */
function outcomeOfHook({ status, reason, dropped_claims }: DeliveryWithAttempts): string {
  const why = reason ? `${sayReason(reason)} ` : ''
  switch (status) {
    case 'succeeded':
      return dropped_claims?.length
        ? 'The hook answered in time, and its claims went into the token, but for those that only Signet may set.'
        : 'The hook answered in time with claims for the token, or with nothing to add, and the sign-in went on.'
    case 'refused':
      return 'The hook refused the person: the sign-in is over, and its application was told the reason, which is not kept.'
    case 'dropped':
      return `${why}The sign-in failed, or went on without its claims, as on_failure of the trigger says. A run is not repeated.`
    case 'cancelled':
      return `${why}The sign-in did not wait for it.`
    default:
      return 'The hook is being called: the person who signs in waits for its answer.'
  }
}

function whenDue({ attempts, next_attempt_at }: DeliveryWithAttempts): string {
  const last = attempts.at(-1)
  const waitMs = last && next_attempt_at ? Date.parse(next_attempt_at) - Date.parse(last.started_at) : 0
  if (!last || !next_attempt_at)
    return 'It waits for its first attempt, which begins as soon as its webhook has its turn.'
  if (!isFailed(last) || waitMs < shortestMs)
    return 'It is due at once, whatever became of the attempts before, and has a new window for its retries.'
  return (
    `The next attempt begins ${duration(waitMs)} after attempt ${last.number} began, because that failed. The wait doubles from ` +
    'attempt to attempt, up to 10 minutes; where the next attempt would begin after the window for retries, of 30 minutes, the delivery ' +
    'fails. The operator may have set other times.'
  )
}

/** A shorter wait follows from no schedule, but from a redelivery or a resumption. */
const shortestMs = 1_000

const isFailed = ({ status_code, error }: Attempt) =>
  error !== undefined || status_code === undefined || status_code < 200 || status_code > 299
