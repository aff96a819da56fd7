import { hash, randomBytes } from 'node:crypto'
import { randomPKCECodeVerifier } from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import { acceptedAlgorithms } from './accepted-algorithms.ts'
import type { Connector } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { withoutSecrets } from './failure.ts'
import { connectors } from './registry.ts'

/** The values that `finishUpstream` needs; the flow stores them. */
export type Expected = {
  state: string
  nonce: string
  codeVerifier: string
  issuer: string
  /** Milliseconds since the epoch. An earlier `auth_time` is rejected, if the provider sends it. */
  authenticatedSince?: number | undefined
}

/** Parameters of the application's authorize request that concern the provider (OpenID Connect Core, 3.1.2.1). */
type AuthRequirements = Partial<Record<'prompt' | 'max_age' | 'login_hint' | 'ui_locales', string>>

type Begin = { credential: Credential; callbackUrl: string; state: string; authRequirements?: AuthRequirements }
/** `isIssuerNew`: the caller must store the issuer with the credential. */
type Begun = Expected & { url: string; isIssuerNew: boolean }

/** RFC 7636, section 4.2. The library's own function is asynchronous, in another thread. */
const challengeOf = (codeVerifier: string) => hash('sha256', codeVerifier, 'base64url')

/** The endpoint's own query is kept (RFC 6749, section 3.1). */
function withParameters(endpoint: string, parameters: Record<string, string>): URL {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

const promptsIn = ({ prompt = '' }: AuthRequirements): string[] => prompt.split(' ')

/** Of several prompts only the first that the connector lists: not every provider accepts more than one. */
function supportedRequirements(
  { prompts = [], parameters = [] }: Connector,
  authRequirements: AuthRequirements,
): Record<string, string> {
  const prompt = prompts.find((supported) => promptsIn(authRequirements).includes(supported))
  const passed = parameters.flatMap((name) => (authRequirements[name] ? [[name, authRequirements[name]] as const] : []))
  return { ...Object.fromEntries(passed), ...(prompt && { prompt }) }
}

function requiredSince(authRequirements: AuthRequirements, now: number): number | undefined {
  if (promptsIn(authRequirements).includes('login')) return now
  return authRequirements.max_age === undefined ? undefined : now - Number(authRequirements.max_age) * 1_000
}

/**
 * Gives the URL to which the browser is redirected, with this state, and a new nonce and PKCE challenge. `callbackUrl` is the
 * credential's. Throws a `ProviderFailure`.
 */
export const beginUpstream = (begin: Begin, dependencies: Dependencies): Promise<Begun> =>
  beginAt(begin, dependencies).catch((error) => {
    throw withoutSecrets(error, [begin.credential.clientSecret])
  })

async function beginAt(
  { credential, callbackUrl, state, authRequirements = {} }: Begin,
  { clock, createFetch, discover, override }: Dependencies,
): Promise<Begun> {
  const connector = connectors[credential.provider]
  const server = await connector.locate({ credential, override, discover, fetch: createFetch(credential) })
  if (connector.idToken) acceptedAlgorithms(connector.idToken, server, override)
  const expected = { state, nonce: randomBytes(32).toString('hex'), codeVerifier: randomPKCECodeVerifier() }
  const { href } = withParameters(server.authorization_endpoint, {
    client_id: credential.clientId,
    response_type: 'code',
    redirect_uri: callbackUrl,
    scope: credential.scopes.join(' '),
    state,
    code_challenge: challengeOf(expected.codeVerifier),
    code_challenge_method: 'S256',
    ...(connector.idToken && credential.scopes.includes('openid') && { nonce: expected.nonce }),
    ...supportedRequirements(connector, authRequirements),
  })
  const isIssuerNew = credential.issuer === undefined && (connector.isIssuerOpen?.(credential) ?? false)
  return {
    url: href,
    issuer: server.issuer,
    isIssuerNew,
    ...expected,
    authenticatedSince: requiredSince(authRequirements, clock.now()),
  }
}
