import type { Delivery, SearchDeliveriesData, SignIn } from '@signet/management'
import type { Tone } from '../design/badge.tsx'

type OutcomeWord = { word: string; tone: Tone }

/**
 * What becomes of deliveries, of runs of hooks, of logout tokens and of sign-ins, in a word: the only table of it. What the interface calls
 * dropped has failed for good.
 */
export const outcomeWords = {
  pending: { word: 'pending', tone: 'accent' },
  in_flight: { word: 'in flight', tone: 'accent' },
  held: { word: 'held', tone: 'warn' },
  succeeded: { word: 'succeeded', tone: 'good' },
  dropped: { word: 'failed', tone: 'bad' },
  failed: { word: 'failed', tone: 'bad' },
  cancelled: { word: 'cancelled', tone: 'neutral' },
  refused: { word: 'refused', tone: 'warn' },
} satisfies Record<Delivery['status'] | 'failed', OutcomeWord>

/** One of a later Signet stays as it is. */
export const sayOutcome = (outcome: string): OutcomeWord =>
  (outcomeWords as Record<string, OutcomeWord>)[outcome] ?? { word: outcome, tone: 'neutral' }

type Words<Code extends string> = Record<Code, string>
const find = (words: Partial<Words<string>>, code: string): string | undefined => words[code]

/** Why a sign-in failed, in a sentence, by its failure code. */
export const failureWords: Words<NonNullable<SignIn['failure_reason']>> = {
  oidc_access_denied: 'The person cancelled at the provider, or the provider does not let them in.',
  oidc_provider_error: 'The provider answered with an error, or with something unreadable.',
  oidc_state_mismatch: 'The answer of the provider belongs to another sign-in.',
  oidc_token_invalid: 'The ID token of the provider failed a check.',
  provider_unreachable: 'The provider did not answer in time, or answered that it is overloaded.',
  credential_misconfigured:
    'The provider does not know the client, its secret, its callback or a scope: see the credential.',
  flow_expired: 'The sign-in was begun, and not finished in time.',
  flow_cancelled: 'The person cancelled.',
  person_not_active: 'The person is deactivated.',
  person_mismatch: 'Somebody else signed in than the application asked for.',
  person_limit_reached: 'The pricing tier allows no more persons.',
  registration_not_allowed: 'Nobody has this account, and the settings let it make no new person.',
  invitation_not_open: 'The invitation to the console was used, taken back or had expired.',
  sync_hook_failed: 'A synchronous hook failed or did not answer.',
  sync_hook_denied: 'A synchronous hook refused the person.',
  redirect_uri_removed: 'The application does not have the redirect URI of its request any more.',
  unspecified: 'Signet failed; its log has the cause.',
}

/** A code that this console does not know stays a code; so below. */
export const sayFailure = (code: string): string => find(failureWords, code) ?? code

export type AttemptError = NonNullable<NonNullable<SearchDeliveriesData['query']>['error']>

/** What was wrong with an attempt, in few characters. */
const shortErrors: Words<AttemptError> = {
  timeout: 'timeout',
  connect_timeout: 'connection timeout',
  connection_refused: 'connection refused',
  connection_reset: 'connection reset',
  name_not_found: 'host name not found',
  forbidden_port: 'port not allowed',
  bad_certificate: 'bad certificate',
  tls_error: 'no TLS connection',
  bad_response: 'not an HTTP response',
  answer_too_large: 'answer too large',
  network_error: 'network error',
  no_descriptors: 'out of connections',
  stopped: 'Signet was stopped',
  answer_not_utf8: 'answer not in UTF-8',
  answer_not_an_object: 'answer is no JSON object',
  claims_too_large: 'claims too large',
}

export const sayErrorShort = (code: string): string => find(shortErrors, code) ?? code

export const errors = Object.entries(shortErrors)

/** What was wrong with an attempt, in a sentence. */
const errorWords: Words<AttemptError> = {
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
const hookErrorWords: Partial<Words<AttemptError>> = {
  timeout: 'The whole answer did not come within the timeout of the hook.',
  connection_reset:
    'The connection ended before the answer was whole, or without the end of TLS where only that shows that it is whole.',
}

export const hookStatusWords =
  'A hook answers with a status from 200 to 299 and its claims, or with nothing to add. Any other status is a failed call, and no refusal: a hook refuses by deny in its answer.'

/** `isHook`: of a run of a synchronous hook, which has rules of its own for what counts. */
export const sayError = (code: string, isHook: boolean): string | undefined =>
  (isHook ? find(hookErrorWords, code) : undefined) ?? find(errorWords, code)

/** Why a delivery ended, in a sentence. */
const reasonWords: Words<NonNullable<Delivery['reason']>> = {
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

export const sayReason = (code: string): string => find(reasonWords, code) ?? code
