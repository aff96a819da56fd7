/**
 * Why a sign-in did not succeed. `code` is the OAuth error that Signet answered with (`access_denied`, `login_required`, …),
 * or one of the library's own: `state_mismatch` (begun in another tab, or over already), `issuer_mismatch` (the answer is
 * not Signet's), `invalid_id_token` (the token is not for this sign-in).
 */
export class SignInError extends Error {
  readonly code: string

  constructor(code: string, description?: string | null) {
    super(description || code)
    this.name = 'SignInError'
    this.code = code
  }
}
