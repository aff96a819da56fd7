import type { Credential } from '../credentials/index.ts'
import type { Expected } from './begin-upstream.ts'
import { checkError, checkIssuer, checkState } from './check-answer.ts'
import type { UpstreamIdentity } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { exchangeCode } from './exchange-code.ts'
import { ProviderFailure, withoutSecrets } from './failure.ts'
import { verifyIdToken } from './id-token.ts'
import type { ProviderOverride } from './overrides.ts'
import { connectors } from './registry.ts'

type Finish = {
  credential: Credential
  /** The credential's, from the base URL: never the address that was called. */
  callbackUrl: string
  /** The callback's query. */
  answer: URLSearchParams
  expected: Expected
}

/**
 * Who signed in, from what the provider sent back with the browser. The flow must have been begun with this credential, and
 * be used up before: this sends the code. Throws a `ProviderFailure`.
 */
export const finishUpstream = (finish: Finish, dependencies: Dependencies): Promise<UpstreamIdentity> =>
  finishAt(finish, dependencies).catch((error) => {
    throw withoutSecrets(error, secretsOf(finish))
  })

/** The provider knows them, and may repeat them to us. */
const secretsOf = ({ credential, answer, expected: { state, nonce, codeVerifier } }: Finish): string[] => [
  ...[credential.clientSecret, state, nonce, codeVerifier],
  ...answer.getAll('code'),
]

async function finishAt(
  { credential, callbackUrl, answer, expected }: Finish,
  { clock, createFetch, discover, findKey, override }: Dependencies,
): Promise<UpstreamIdentity> {
  const { state, nonce, codeVerifier, issuer, provedSince } = expected
  checkState(answer, state)
  const connector = connectors[credential.provider]
  const fetch = createFetch()
  const server = await connector.locate({ credential, override, discover, fetch })
  if (server.issuer !== issuer) throw new ProviderFailure('oidc_state_mismatch', 'callback: begun at another issuer')
  const fitted = connector.fitAnswer?.(answer, server) ?? answer
  checkIssuer(fitted, server)
  checkError(fitted)

  const exchange = { connector, server, credential, callbackUrl, answer: fitted, state, codeVerifier, fetch }
  const { accessToken, idToken } = await exchangeCode(exchange)
  const rules = credential.scopes.includes('openid') ? connector.idToken : undefined
  const verification = { server, credential, nonce, provedSince, now: clock.now(), findKey, fetch }
  const claims = rules ? await verifyIdToken(idToken, { rules, ...verification }) : {}
  const person = await connector.identify({ credential, override, server, accessToken, claims, fetch })
  const emailVerified = person.emailVerified && isTrustedForEmail(override)
  return { issuer: claims.iss ?? server.issuer, ...person, emailVerified }
}

/**
 * Servers of one's own may confirm no address: an Enterprise Server of GitHub does not, at GitLab it can be switched off, and
 * an issuer says what it likes. Their word counts where the operator wants that.
 */
const isTrustedForEmail = (override: ProviderOverride): boolean =>
  Object.keys(override).length === 0 || override.trust_email === true
