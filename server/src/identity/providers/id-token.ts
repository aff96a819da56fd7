import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { Credential } from '../credentials/index.ts'
import { isSubject } from './claims.ts'
import type { Claims, IdTokenRules, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import type { FindKey, Key } from './key-sets.ts'
import type { ProviderFetch } from './provider-fetch.ts'

type Verification = {
  rules: IdTokenRules
  server: Server
  credential: Credential
  /** That of the authorization request. */
  nonce: string
  authenticatedSince: number | undefined
  now: number
  findKey: FindKey
  fetch: ProviderFetch
}

const toleranceS = 60
/** Tokens are just made; Entra dates them five minutes back. */
const maxAgeS = 15 * 60

/** The reason is the claim or header that our own problems begin with. */
const invalid = (problem: string, reason = problem.split(' ', 1)[0] ?? '') =>
  new ProviderFailure('oidc_token_invalid', 'ID token', problem, { reason })

/**
 * The rules of OpenID Connect Core 3.1.3.7, for every provider. The client library gets no ID token: it verifies signatures
 * only if configured to and none of HS256, ignores the issuer of a key, and fills in Entra's template from the token itself.
 */
export async function verifyIdToken(token: unknown, verification: Verification): Promise<Claims> {
  if (typeof token !== 'string') throw invalid('is missing')
  const { key, claims } = await verifySignature(token, verification).catch((error) => {
    throw error instanceof ProviderFailure ? error : invalid(error.message, reasonOf(error))
  })
  const { rules, server, credential, nonce, authenticatedSince } = verification
  const expected = rules.issuerOf?.(claims, server) ?? server.issuer
  const problem =
    (claims.iss !== expected && 'iss is another issuer') ||
    (!isSubject(claims.sub) && 'sub is no usable text') ||
    (claims.nonce !== nonce && 'nonce is not the one sent') ||
    (isAuthTimeBefore(claims, authenticatedSince) && 'auth_time is before the authentication that was requested') ||
    (!isForUs(claims, credential.clientId) && 'aud or azp is another client') ||
    rules.brokenRule?.({ ...claims, iss: expected }, { server, credential, key })
  if (problem) throw invalid(problem)
  return claims
}

/** The claim that the library refuses, or what else. */
const reasonOf = (error: Error) =>
  error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired ? error.claim : 'signature'

/** Signature, algorithm, audience and times. */
async function verifySignature(token: string, verification: Verification) {
  const { rules, credential, now } = verification
  const { alg = '', kid } = decodeProtectedHeader(token)
  const algorithms = [...rules.algorithms]
  if (!algorithms.some((name) => name === alg)) throw invalid('alg is not allowed')
  const key = alg === 'HS256' ? undefined : await findPublicKey({ alg, kid }, verification)
  const { payload } = await jwtVerify(token, key ?? new TextEncoder().encode(credential.clientSecret), {
    algorithms,
    audience: credential.clientId,
    currentDate: new Date(now),
    clockTolerance: toleranceS,
    maxTokenAge: maxAgeS,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  })
  return { key, claims: payload }
}

async function findPublicKey(
  wanted: { alg: string; kid: string | undefined },
  { server, findKey, fetch }: Verification,
): Promise<Key> {
  const key = server.jwks_uri && (await findKey(server.jwks_uri, wanted, fetch))
  if (!key) throw invalid('no published key fits', 'signature')
  return key
}

/** A browser can remove `prompt` or `max_age` from the request; not every provider sends `auth_time`. */
const isAuthTimeBefore = ({ auth_time }: Claims, since = 0): boolean =>
  typeof auth_time === 'number' && (auth_time + toleranceS) * 1_000 < since

/** With several audiences, `azp` must be this client. */
const isForUs = ({ aud, azp }: Claims, clientId: string): boolean =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId
