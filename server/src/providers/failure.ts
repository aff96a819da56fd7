import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'

/** Failure words that a provider's part of a sign-in can end with. */
export type FailureWord =
  /** The provider answered an error, or what is no answer. */
  | 'oidc_provider_error'
  /** The person or the provider refused. */
  | 'oidc_access_denied'
  /** The answer is of another flow: another state, or another provider's. */
  | 'oidc_state_mismatch'
  | 'oidc_token_invalid'
  /** No answer, one that says to come later, or an address that may not be called. */
  | 'provider_unreachable'
  /** The provider knows no such client, secret, callback, scope or tenant. */
  | 'credential_misconfigured'

/** `message` tells the step and what was wrong, for the log: it holds no code, state, token or address of a person. */
export class ProviderFailure extends Error {
  readonly word: FailureWord

  constructor(word: FailureWord, detail: string) {
    super(detail)
    this.word = word
  }
}

const maxDescriptionLength = 500

/** By the error codes of OAuth 2 and OpenID Connect and those that single providers add; any other is an `oidc_provider_error`. */
const words: [word: FailureWord, codes: string[]][] = [
  ['oidc_access_denied', ['access_denied']],
  [
    'credential_misconfigured',
    [
      'invalid_client',
      'unauthorized_client',
      'invalid_scope',
      'unsupported_response_type',
      'unsupported_grant_type',
      'redirect_uri_mismatch',
      'incorrect_client_credentials',
      'application_suspended',
      'consent_required',
      'interaction_required',
    ],
  ],
  ['provider_unreachable', ['temporarily_unavailable', 'server_error']],
]

export function failureOfCode(step: string, code: string, description = ''): ProviderFailure {
  const word = words.find(([, codes]) => codes.includes(code))?.[0] ?? 'oidc_provider_error'
  return new ProviderFailure(word, `${step}: ${[code, description].filter(Boolean).map(toLoggable).join(': ')}`)
}

/** What the library threw; of an error that is not its own it makes the cause of one. */
export function toFailure(step: string, error: unknown): ProviderFailure {
  const { cause, message } = error as Error
  if (cause instanceof ProviderFailure) return cause
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return failureOfCode(step, error.error, error.error_description)
  return new ProviderFailure(
    'oidc_provider_error',
    `${step}: ${toLoggable(cause instanceof Error ? cause.message : message)}`,
  )
}

/** A provider's own text, cut, without what may be a token or an address. */
export const toLoggable = (text: string): string =>
  text
    .replace(/\p{C}+/gu, ' ')
    .replace(/[^\s@]+@[^\s@]+/g, '[address]')
    .replace(/[\w.~+/=-]{41,}/g, '[token]')
    .slice(0, maxDescriptionLength)
