import type { Credential } from '../credentials/index.ts'
import { acceptedAlgorithms } from './accepted-algorithms.ts'
import type { Expected } from './begin-upstream.ts'
import { checkError, checkIssuer, checkState } from './check-callback.ts'
import type { ProviderOverride, UpstreamIdentity } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { exchangeCode } from './exchange-code.ts'
import { ProviderFailure, withoutSecrets } from './failure.ts'
import { verifyIdToken } from './id-token.ts'
import { connectors } from './registry.ts'
import { isOfTrustedDomain } from './trusted-domains.ts'

type Finish = {
  credential: Credential
  /** The credential's callback below the base URL, never the address of the request. */
  callbackUrl: string
  /** The callback's query. */
  parameters: URLSearchParams
  expected: Expected
}

/**
 * Gives the identity of the person from the callback. The flow must have been begun with this credential, and be consumed
 * before this sends the code. Throws a `ProviderFailure`.
 */
export const finishUpstream = (finish: Finish, dependencies: Dependencies): Promise<UpstreamIdentity> =>
  finishAt(finish, dependencies).catch((error) => {
    throw withoutSecrets(error, secretsOf(finish))
  })

/** The provider knows these, and may repeat them in its errors. */
const secretsOf = ({ credential, parameters, expected: { state, nonce, codeVerifier } }: Finish): string[] => [
  ...[credential.clientSecret, state, nonce, codeVerifier],
  ...parameters.getAll('code'),
]

async function finishAt(
  { credential, callbackUrl, parameters, expected }: Finish,
  { clock, createFetch, discover, findKey, override }: Dependencies,
): Promise<UpstreamIdentity> {
  const { state, nonce, codeVerifier, issuer, authenticatedSince } = expected
  checkState(parameters, state)
  const connector = connectors[credential.provider]
  const fetch = createFetch(credential)
  const server = await connector.locate({ credential, override, discover, fetch })
  if (server.issuer !== issuer) throw new ProviderFailure('oidc_state_mismatch', 'callback', 'begun at another issuer')
  const normalized = connector.normalizeCallback?.(parameters, server) ?? parameters
  checkIssuer(normalized, server)
  checkError(normalized)

  const exchange = { connector, server, credential, callbackUrl, parameters: normalized, state, codeVerifier, fetch }
  const { accessToken, idToken } = await exchangeCode(exchange)
  const rules = credential.scopes.includes('openid') ? connector.idToken : undefined
  const algorithms = rules ? acceptedAlgorithms(rules, server, override) : []
  const verification = { algorithms, server, credential, nonce, authenticatedSince, now: clock.now(), findKey, fetch }
  const claims = rules ? await verifyIdToken(idToken, { rules, ...verification }) : {}
  const person = await connector.identify({ credential, override, server, accessToken, claims, fetch })
  const isVouchedFor = person.emailVerified && isTrustedForEmail(override)
  const emailVerified = isVouchedFor || isOfTrustedDomain(person.email, { credential, override, server, claims })
  return { issuer: claims.iss ?? server.issuer, ...person, emailVerified }
}

/**
 * A self-hosted server may confirm no address: a GitHub Enterprise Server does not, a GitLab can be configured not to, and any
 * other issuer may claim anything. The operator decides whether to trust it.
 */
const isTrustedForEmail = (override: ProviderOverride): boolean =>
  Object.keys(override).length === 0 || override.trust_email === true
