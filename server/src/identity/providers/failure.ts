import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'

/** The codes with which a provider's part of a sign-in can fail. */
export const providerFailureCodes = [
  /** The provider's response is an error or malformed. */
  'oidc_provider_error',
  /** The person or the provider refused. */
  'oidc_access_denied',
  /** The callback belongs to another flow or another provider. */
  'oidc_state_mismatch',
  'oidc_token_invalid',
  /** No response, a 429 or 5XX, or an address that may not be called. */
  'provider_unreachable',
  /** The provider does not know the client, secret, callback, scope or tenant. */
  'credential_misconfigured',
] as const
type ProviderFailureCode = (typeof providerFailureCodes)[number]

/** What failed; `profile`, `emails`: the requests to the endpoints of the person and of their addresses. */
export type Step = 'discovery' | 'callback' | 'token' | 'ID token' | 'keys' | 'profile' | 'emails' | 'claims'

type Details = {
  /** The OAuth error that the provider sent, or the claim of its ID token that is wrong. */
  reason?: string
  /** Ids by which the operators of the provider find the request. */
  trace?: Record<string, string>
  /** How long the provider asks to wait before another request; 0: it does not say. */
  waitMs?: number
}

/** `message` names the step and the problem; outside this folder it holds no code, state, token or address of a person. */
export class ProviderFailure extends Error {
  readonly code: ProviderFailureCode
  readonly step: Step
  readonly problem: string
  readonly reason: string
  readonly trace: Record<string, string>
  readonly waitMs: number

  constructor(
    code: ProviderFailureCode,
    step: Step,
    problem: string,
    { reason = '', trace = {}, waitMs = 0 }: Details = {},
  ) {
    super(`${step}: ${problem}`)
    this.code = code
    this.step = step
    this.problem = problem
    this.reason = reason
    this.trace = trace
    this.waitMs = waitMs
  }
}

/** With its step, a message has no more than 500 characters. */
const maxProblemLength = 480
/** Patterns are matched against no more of a provider's text. */
const maxReadLength = 4_096

/**
 * Errors of OAuth 2 and OpenID Connect, and those that single providers add. Any other is an `oidc_provider_error`, also
 * `server_error` and `temporarily_unavailable`: the provider was reached.
 */
const errorsOfCode: [code: ProviderFailureCode, errors: string[]][] = [
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

export function failureOfError(step: Step, error: string, description = '', details: Details = {}): ProviderFailure {
  const code = errorsOfCode.find(([, errors]) => errors.includes(error))?.[0] ?? 'oidc_provider_error'
  const problem = [error, description].filter(Boolean).join(': ')
  return new ProviderFailure(code, step, problem, { ...details, reason: error })
}

/** The failure for an error that the library threw; the library wraps other errors as its cause. */
export function toFailure(step: Step, error: unknown): ProviderFailure {
  const { cause, message } = error as Error
  if (cause instanceof ProviderFailure) return cause
  if (error instanceof ResponseBodyError)
    return failureOfError(step, error.error, error.error_description, { trace: traceIn(error.cause) })
  if (error instanceof AuthorizationResponseError) return failureOfError(step, error.error, error.error_description)
  return new ProviderFailure('oidc_provider_error', step, cause instanceof Error ? cause.message : message)
}

/** Entra's names. */
const traceNames = ['trace_id', 'correlation_id', 'error_codes']
const traceForm = /^[\w,-]{1,100}$/

const traceIn = (body: object): Record<string, string> =>
  Object.fromEntries(
    traceNames
      .map((name) => [name, String((body as Record<string, unknown>)[name] ?? '')] as const)
      .filter(([, id]) => traceForm.test(id)),
  )

/** Redacts a failure before it leaves this folder: a provider's text may repeat secrets of the sign-in. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof ProviderFailure)) return error
  const { code, step, problem, reason, trace, waitMs } = error
  const kept = Object.entries(trace).filter(([, id]) => redact(id, secrets) === id)
  const details = { reason: redact(reason, secrets), trace: Object.fromEntries(kept), waitMs }
  return new ProviderFailure(code, step, redact(problem, secrets), details)
}

/** Cuts the text, and removes the secrets and whatever looks like a token or an address. Takes linear time. */
function redact(text: string, secrets: string[]): string {
  const spellings = spellingsOf(secrets)
  const replaced = replaceEach(text.slice(0, maxReadLength), spellings)
  return (text.length > maxReadLength ? withoutHalf(replaced, spellings) : replaced)
    .slice(0, maxReadLength)
    .replace(/\p{C}+/gu, ' ')
    .replace(/(?<![^\s@])[^\s@]+@[^\s@]+/g, '[address]')
    .replace(/[\w.~+/=-]{41,}/g, '[token]')
    .slice(0, maxProblemLength)
}

/** The secrets, plain and percent-encoded, cut to the length of a text; the longest first. */
const spellingsOf = (secrets: string[]): string[] =>
  secrets
    .filter(Boolean)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .map((secret) => secret.slice(0, maxReadLength))
    .sort((a, b) => b.length - a.length)

/** Where two overlap, the longer one is replaced. */
const replaceEach = (text: string, spellings: string[]): string =>
  spellings.length > 0 ? text.replaceAll(new RegExp(spellings.map(RegExp.escape).join('|'), 'g'), '[secret]') : text

/** A text that was cut may end with the beginning of a secret. */
function withoutHalf(text: string, spellings: string[]): string {
  const isHalf = (length: number) => spellings.some((secret) => text.endsWith(secret.slice(0, length)))
  let half = Math.min(text.length, spellings[0]?.length ?? 0)
  while (half > 0 && !isHalf(half)) half--
  return text.slice(0, text.length - half)
}
