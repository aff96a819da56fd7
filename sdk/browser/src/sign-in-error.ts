/** Messages for the library's own codes and for errors that Signet returns without a description. */
const messages: Record<string, string> = {
  state_mismatch: 'This sign-in was begun in another tab, or is over already. Sign in again.',
  issuer_mismatch: 'The answer to this sign-in does not come from Signet.',
  invalid_id_token: 'The ID token is not for this sign-in.',
  access_denied: 'The sign-in was cancelled or refused.',
  login_required: 'Nobody is signed in at Signet.',
}

/**
 * Why a sign-in did not succeed, in words. `code` is the OAuth error that Signet answered with (`access_denied`,
 * `login_required`, …), or one of the library's own: `state_mismatch` (begun in another tab, or already finished),
 * `issuer_mismatch` (the callback is not Signet's), `invalid_id_token` (the token is not for this sign-in).
 */
export class SignInError extends Error {
  readonly code: string

  constructor(code: string, description?: string | null) {
    super(description || messages[code] || `The sign-in failed: ${code}.`)
    this.name = 'SignInError'
    this.code = code
  }
}
