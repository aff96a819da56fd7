import { SignInError } from './sign-in-error.ts'

/** The claims of an ID token. Hooks of the organization may add others. */
export type Claims = {
  /** The person's id. */
  sub: string
  iss: string
  aud: string | string[]
  /** Seconds since the epoch. */
  exp: number
  iat: number
  auth_time?: number
  org_id?: string
  /** Absent when there are too many; then `groups_truncated` is true. */
  groups?: string[]
  groups_truncated?: boolean
  authenticated_methods?: string[]
  region?: string
  [claim: string]: unknown
}

type Expected = { issuer: string; clientId: string; nonce: string }

/** How far the clock of this machine may be ahead. */
const toleranceS = 300

/**
 * The checks of OpenID Connect Core, 3.1.3.7, for a token received directly from the token endpoint: TLS authenticates the
 * issuer, so the signature need not be checked. Throws a `SignInError`.
 */
export function checkIdToken(token: string, { issuer, clientId, nonce }: Expected): Claims {
  const claims = readIdToken(token)
  const audiences = [claims?.aud].flat()
  const isForUs = audiences.includes(clientId) && (claims?.azp ?? (audiences.length === 1 && clientId)) === clientId
  const isFresh = claims && claims.exp > Date.now() / 1_000 - toleranceS
  if (!claims?.sub || claims.iss !== issuer || !isForUs || claims.nonce !== nonce || !isFresh)
    throw new SignInError('invalid_id_token')
  return claims
}

/** Undefined when the text is not a JWT. */
export function readIdToken(token: string): Claims | undefined {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0))))
  } catch {
    return undefined
  }
}
