import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { Credential } from '../credentials/index.ts'
import type { Algorithm, SafeAlgorithm } from './algorithms.ts'
import { isSubject } from './claims.ts'
import type { Claims, IdTokenRules, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import type { FindKey, Key } from './key-sets.ts'
import type { ProviderFetch } from './provider-fetch.ts'

type Verification = {
  rules: IdTokenRules
  algorithms: readonly Algorithm[]
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
  const { alg, kid } = decodeProtectedHeader(token)
  const algorithm = verification.algorithms.find((name) => name === alg)
  if (!algorithm) throw invalid('alg is not allowed')
  if (algorithm === 'HS256') {
    const secret = new TextEncoder().encode(verification.credential.clientSecret)
    return { key: undefined, claims: await verifyBy(secret, token, verification) }
  }
  const key = await findPublicKey({ alg: algorithm, kid }, verification)
  try {
    return { key, claims: await verifyBy(key, token, verification) }
  } catch (error) {
    if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    // The provider may have put another key in its place, under the same name or none.
    const newer = await findPublicKey({ alg: algorithm, kid, unfit: key }, verification).catch(() => undefined)
    if (!newer) throw error
    return { key: newer, claims: await verifyBy(newer, token, verification) }
  }
}

async function verifyBy(key: Key | Uint8Array, token: string, { algorithms, credential, now }: Verification) {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [...algorithms],
    audience: credential.clientId,
    currentDate: new Date(now),
    clockTolerance: toleranceS,
    maxTokenAge: maxAgeS,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  })
  return payload
}

async function findPublicKey(
  wanted: { alg: SafeAlgorithm; kid: string | undefined; unfit?: Key },
  { server, credential, findKey, fetch }: Verification,
): Promise<Key> {
  const key = server.jwks_uri && (await findKey(server.jwks_uri, wanted, { fetch, credentialId: credential.id }))
  if (!key) throw invalid('no published key fits', 'signature')
  return key
}

/** A browser can remove `prompt` or `max_age` from the request; not every provider sends `auth_time`. */
const isAuthTimeBefore = ({ auth_time }: Claims, since = 0): boolean =>
  typeof auth_time === 'number' && (auth_time + toleranceS) * 1_000 < since

/** With several audiences, `azp` must be this client. */
const isForUs = ({ aud, azp }: Claims, clientId: string): boolean =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId
