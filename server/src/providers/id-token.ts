import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Credential } from '../credentials/index.ts'
import { isSubject } from './claims.ts'
import type { Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import type { FindKey, Key } from './key-sets.ts'
import type { ProviderFetch } from './provider-fetch.ts'

export type Claims = JWTPayload

/** Of one provider: an ID token that breaks them is not believed. */
export type IdTokenRules = {
  /** Whatever the token's header says, no other is taken. */
  algorithms: readonly ('RS256' | 'ES256' | 'HS256')[]
  /** What `iss` must be; without it, the server's issuer. */
  issuerOf?(claims: Claims, server: Server): string
  /** Names the rule that is broken besides. */
  broken?(
    claims: Claims & { iss: string },
    judged: { server: Server; credential: Credential; key: Key | undefined },
  ): string | undefined
}

type Verification = {
  rules: IdTokenRules
  server: Server
  credential: Credential
  /** What the authorization request sent. */
  nonce: string
  provedSince: number | undefined
  now: number
  findKey: FindKey
  fetch: ProviderFetch
}

const toleranceS = 60
/** Of what was just made for us; Entra dates its tokens five minutes back. */
const maxAgeS = 15 * 60

const invalid = (what: string) => new ProviderFailure('oidc_token_invalid', `ID token: ${what}`)

/**
 * All that is said of ID tokens in OpenID Connect Core 3.1.3.7, in one place and for every provider. The client library
 * is shown no ID token: it verifies no signature unless told to and none of HS256, looks at no key's issuer, and fills in
 * Entra's template with whatever the token says.
 */
export async function verifyIdToken(token: unknown, verification: Verification): Promise<Claims> {
  if (typeof token !== 'string') throw invalid('is missing')
  const { key, claims } = await verifySignature(token, verification).catch((error) => {
    throw error instanceof ProviderFailure ? error : invalid(error.message)
  })
  const { rules, server, credential, nonce, provedSince } = verification
  const expected = rules.issuerOf?.(claims, server) ?? server.issuer
  const problem =
    (claims.iss !== expected && 'iss is another issuer') ||
    (!isSubject(claims.sub) && 'sub is no usable text') ||
    (claims.nonce !== nonce && 'nonce is not the one sent') ||
    (wasProvedBefore(claims, provedSince) && 'auth_time is before the proof that was asked for') ||
    (!isForUs(claims, credential.clientId) && 'aud or azp is another client') ||
    rules.broken?.({ ...claims, iss: expected }, { server, credential, key })
  if (problem) throw invalid(problem)
  return claims
}

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
  if (!key) throw invalid('no published key fits')
  return key
}

/** A browser can leave out what it was to ask for; not every provider says when it was. */
const wasProvedBefore = ({ auth_time }: Claims, since = 0): boolean =>
  typeof auth_time === 'number' && (auth_time + toleranceS) * 1_000 < since

/** One of several audiences only as the party that it was made for. */
const isForUs = ({ aud, azp }: Claims, clientId: string): boolean =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId
