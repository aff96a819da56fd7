/**
 * Why a request was refused. Only `keys_unavailable` is temporary: the key set could not be fetched. `wrong_setting` is a mistake of the
 * receiver, not of the request: its message names `issuer` or `organizationId`.
 */
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
  | 'wrong_setting'

/** A refused request. The message names the part and the rule, and never contains data of the request. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'WebhookError'
    this.code = code
  }
}
