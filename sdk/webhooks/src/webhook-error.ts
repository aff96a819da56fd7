/** Why a request was refused. `keys_unavailable` alone may pass by itself: the key set could not be fetched. */
export type WebhookErrorCode =
  | 'bad_signature'
  | 'unknown_key'
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_audience'
  | 'wrong_issuer'
  | 'wrong_target_url'
  | 'malformed'
  | 'too_large'
  | 'keys_unavailable'

/** What was refused, and why. Its message names the part and the rule, and never holds what was sent. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'WebhookError'
    this.code = code
  }
}
