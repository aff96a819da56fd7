import type { ProviderFailureWord } from '../providers/index.ts'

/** What a sign-in can fail with: `failure_reason` of AuthenticationFailed_v1. */
export type FailureWord =
  | ProviderFailureWord
  /** It was begun, and nobody finished it in time. */
  | 'flow_expired'
  /** The person chose to. */
  | 'flow_cancelled'
  | 'person_not_active'
  /** The application wants another person (`id_token_hint`). */
  | 'person_mismatch'
  /** The pricing tier allows no more persons. */
  | 'person_limit_reached'
  /** The organization's settings let nobody in who is not known yet, or no such address. */
  | 'registration_not_allowed'
  | 'sync_hook_failed'
  /** A fault of ours. */
  | 'unspecified'

/** Whom the provider had recognised before the sign-in failed. */
export type Recognised = { personId: string; region: string }

/** `message` is for the log. */
export class SignInFailure extends Error {
  readonly word: FailureWord
  readonly recognised: Recognised | undefined

  constructor(word: FailureWord, detail: string, recognised?: Recognised) {
    super(detail)
    this.word = word
    this.recognised = recognised
  }
}

/** Words of which a person or an administrator is the cause; all others are a fault of a provider, its setup, or ours. */
const denials: FailureWord[] = [
  'oidc_access_denied',
  'flow_cancelled',
  'person_not_active',
  'person_limit_reached',
  'registration_not_allowed',
  'sync_hook_failed',
]

/** What the application is told. Nothing of a provider's own text is in it. */
export const oauthErrorOf = (word: FailureWord) => ({
  error: errorOf(word),
  error_description: `the sign-in failed: ${word}`,
})

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core, 3.1.2.2. */
function errorOf(word: FailureWord) {
  if (word === 'person_mismatch') return 'login_required'
  return denials.includes(word) ? 'access_denied' : 'server_error'
}
