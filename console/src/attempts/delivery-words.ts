import type { Delivery, SearchDeliveriesData } from '@signet/management'

export type Filters = NonNullable<SearchDeliveriesData['query']>
type Status = Delivery['status']

export const statuses: readonly (readonly [Status, string])[] = [
  ['pending', 'pending'],
  ['in_flight', 'in flight'],
  ['held', 'held'],
  ['succeeded', 'succeeded'],
  ['dropped', 'failed'],
  ['cancelled', 'cancelled'],
  ['refused', 'refused'],
]

/** What was wrong with an attempt, in a sentence. */
export const errorWords: Record<NonNullable<Filters['error']>, string> = {
  timeout: 'No status came within the timeout of the webhook.',
  connect_timeout: 'No connection was made within the timeout.',
  connection_refused: 'Nobody listens at the address and port of the target.',
  connection_reset: 'The receiver, or something before it, closed the connection before it answered.',
  name_not_found: 'DNS has no public address for the host of the target.',
  forbidden_port: 'The operator does not allow the port of the target.',
  bad_certificate:
    'The certificate is expired, is for another name, or is from an authority that this Signet does not trust.',
  tls_error: 'The two sides agreed on no TLS connection.',
  bad_response: 'What came back is no HTTP/1.1 response.',
  answer_too_large: 'The answer is larger than 64 KiB.',
  network_error: 'The network failed on the way to the receiver.',
  no_descriptors: 'This Signet could open no more connections.',
  stopped: 'This Signet was stopped during the attempt.',
  answer_not_utf8: 'The body of the answer is not text in UTF-8.',
  answer_not_an_object: 'The body of the answer is no JSON object.',
  claims_too_large: 'The claims do not fit into the 8 KiB that all hooks share.',
}

/** The same of a synchronous hook, whose whole answer is waited for and read. */
export const hookErrorWords: Partial<typeof errorWords> = {
  timeout: 'The whole answer did not come within the timeout of the hook.',
  connection_reset:
    'The connection ended before the answer was whole, or without the end of TLS where only that shows that it is whole.',
}

export const hookStatusWords =
  'A hook answers with a status from 200 to 299 and its claims, or with nothing to add. Any other status is a failed call, and no refusal: a hook refuses by deny in its answer.'

export const errors = Object.keys(errorWords) as NonNullable<Filters['error']>[]

/** Why a delivery ended, in a sentence. */
export const reasonWords: Record<NonNullable<Delivery['reason']>, string> = {
  retry_window_over: 'Its last attempt failed, and the next one would have begun after the window for retries.',
  expired: 'It waited for longer than events are kept.',
  trigger_deleted: 'Its trigger was deleted, so that it was not sent any more.',
  webhook_deleted: 'Its webhook was deleted, so that it was not sent any more.',
  refused_by_application: 'The application answered with 400: it refuses the token, which is not sent again.',
  logout_uri_removed: 'The application has no address for logout tokens any more, or was deleted.',
  attempts_failed: 'All three attempts of the synchronous hook failed; each says why.',
  unusable_answer: 'The receiver answered with a status from 200 to 299, but with no usable claims.',
  no_slot: 'Too many hooks were called at once, and this one got no slot within two seconds.',
  unreadable_headers: "The operator's master key does not decrypt the custom headers.",
  no_signing_key: "The operator's master key does not decrypt the key that signs.",
  sign_in_refused: 'Another synchronous hook refused the person, so that this one was not waited for any more.',
  webhook_restored: 'This Signet was restored from a backup, and nobody has resumed the webhook yet.',
}

/** What the newest attempt came to, in few characters. */
export const resultOf = ({ last_status_code, last_error }: Pick<Delivery, 'last_status_code' | 'last_error'>) =>
  [last_status_code, last_error?.replaceAll('_', ' ')].filter(Boolean).join(', ')

/** A hook run is over with its sign-in; what waits is attempted anyway. */
export const canRedeliver = ({ finished_at, trigger_type }: Delivery) =>
  finished_at !== undefined && trigger_type === 'event'
