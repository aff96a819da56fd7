import type { SignIn } from '@signet/management'

/** Why a sign-in failed, in plain words, by its failure code. */
export const failureWords: Record<NonNullable<SignIn['failure_reason']>, string> = {
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

/** A code that this console does not know stays a code. */
export const sayFailure = (code: string): string => (failureWords as Record<string, string>)[code] ?? code
