import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'

/** Failure words that a provider's part of a sign-in can end with. */
export type ProviderFailureWord =
  /** The provider answered an error, or what is no answer. */
  | 'oidc_provider_error'
  /** The person or the provider refused. */
  | 'oidc_access_denied'
  /** The answer is of another flow: another state, or another provider's. */
  | 'oidc_state_mismatch'
  | 'oidc_token_invalid'
  /** No answer, one whose status says to come later, or an address that may not be called. */
  | 'provider_unreachable'
  /** The provider knows no such client, secret, callback, scope or tenant. */
  | 'credential_misconfigured'

type Told = {
  /** Ids by which those who run the provider find what happened. */
  trace?: Record<string, string>
  /** For so long the provider wants not to be asked again; 0: it does not say. */
  waitMs?: number
}

/** `message` tells the step and what was wrong; outside of this folder it holds no code, state, token or address of a person. */
export class ProviderFailure extends Error {
  readonly word: ProviderFailureWord
  readonly trace: Record<string, string>
  readonly waitMs: number

  constructor(word: ProviderFailureWord, detail: string, { trace = {}, waitMs = 0 }: Told = {}) {
    super(detail)
    this.word = word
    this.trace = trace
    this.waitMs = waitMs
  }
}

const maxDetailLength = 500
/** No pattern sees more of a provider's text. */
const maxReadLength = 4_096

/**
 * By the error codes of OAuth 2 and OpenID Connect and those that single providers add; any other is an
 * `oidc_provider_error`. So are `server_error` and `temporarily_unavailable`: the provider was reached.
 */
const words: [word: ProviderFailureWord, codes: string[]][] = [
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
]

export function failureOfCode(step: string, code: string, description = '', told: Told = {}): ProviderFailure {
  const word = words.find(([, codes]) => codes.includes(code))?.[0] ?? 'oidc_provider_error'
  return new ProviderFailure(word, `${step}: ${[code, description].filter(Boolean).join(': ')}`, told)
}

/** What the library threw; of an error that is not its own it makes the cause of one. */
export function toFailure(step: string, error: unknown): ProviderFailure {
  const { cause, message } = error as Error
  if (cause instanceof ProviderFailure) return cause
  if (error instanceof ResponseBodyError)
    return failureOfCode(step, error.error, error.error_description, { trace: traceIn(error.cause) })
  if (error instanceof AuthorizationResponseError) return failureOfCode(step, error.error, error.error_description)
  return new ProviderFailure('oidc_provider_error', `${step}: ${cause instanceof Error ? cause.message : message}`)
}

/** As Entra names them. */
const traceNames = ['trace_id', 'correlation_id', 'error_codes']
const traceForm = /^[\w,-]{1,100}$/

const traceIn = (body: object): Record<string, string> =>
  Object.fromEntries(
    traceNames
      .map((name) => [name, String((body as Record<string, unknown>)[name] ?? '')] as const)
      .filter(([, id]) => traceForm.test(id)),
  )

/** The failure as it may leave this folder: a provider's own text may repeat these secrets of the sign-in, and more. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof ProviderFailure)) return error
  const { word, message, trace, waitMs } = error
  const kept = Object.entries(trace).filter(([, id]) => redact(id, secrets) === id)
  return new ProviderFailure(word, redact(message, secrets), { trace: Object.fromEntries(kept), waitMs })
}

/** Cut, without the secrets, and without what may be another one, a token or an address. Takes time by the text's length. */
function redact(text: string, secrets: string[]): string {
  const spelt = spellingsOf(secrets)
  const replaced = replaceEach(text.slice(0, maxReadLength), spelt)
  return (text.length > maxReadLength ? withoutHalf(replaced, spelt) : replaced)
    .slice(0, maxReadLength)
    .replace(/\p{C}+/gu, ' ')
    .replace(/(?<![^\s@])[^\s@]+@[^\s@]+/g, '[address]')
    .replace(/[\w.~+/=-]{41,}/g, '[token]')
    .slice(0, maxDetailLength)
}

/** However short they are, as they are or percent-encoded, as far as a text that is read can hold them; the longest first. */
const spellingsOf = (secrets: string[]): string[] =>
  secrets
    .filter(Boolean)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .map((secret) => secret.slice(0, maxReadLength))
    .sort((a, b) => b.length - a.length)

/** Of two that overlap the longer one. */
const replaceEach = (text: string, spelt: string[]): string =>
  spelt.length > 0 ? text.replaceAll(new RegExp(spelt.map(RegExp.escape).join('|'), 'g'), '[secret]') : text

/** Where a text was cut, it may end with the beginning of a secret. */
function withoutHalf(text: string, spelt: string[]): string {
  const isHalf = (length: number) => spelt.some((secret) => text.endsWith(secret.slice(0, length)))
  let half = Math.min(text.length, spelt[0]?.length ?? 0)
  while (half > 0 && !isHalf(half)) half--
  return text.slice(0, text.length - half)
}
