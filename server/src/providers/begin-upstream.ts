import { hash, randomBytes } from 'node:crypto'
import { randomPKCECodeVerifier } from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import type { Dependencies } from './dependencies.ts'
import { withoutSecrets } from './failure.ts'
import { connectors } from './registry.ts'

/** What `finishUpstream` needs again; the flow keeps it. */
export type Expected = {
  state: string
  nonce: string
  codeVerifier: string
  issuer: string
  /** Milliseconds since the epoch. An earlier proof is none, where the provider says when it was. */
  provedSince?: number | undefined
}

/** How fresh the application wants the person's proof to be; of both, the fresher. */
export type Proof = { isAnew: boolean; maxAgeSeconds: number | undefined }

type Begin = { credential: Credential; callbackUrl: string; proof?: Proof }
/** `isIssuerNew`: the credential stands for this issuer from now on, which its keeper must remember. */
type Begun = Expected & { url: string; isIssuerNew: boolean }

/** LINE takes letters and digits only. */
const randomValue = () => randomBytes(32).toString('hex')

/** RFC 7636, section 4.2. The library's own function asks another thread. */
const challengeOf = (codeVerifier: string) => hash('sha256', codeVerifier, 'base64url')

/** RFC 6749, section 3.1: those that the endpoint's address has already are kept. */
function withParameters(endpoint: string, parameters: Record<string, string>): URL {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

const parametersFor = ({ isAnew, maxAgeSeconds }: Proof): Record<string, string> => ({
  ...(isAnew && { prompt: 'login' }),
  ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
})

function provedSince({ isAnew, maxAgeSeconds }: Proof, now: number): number | undefined {
  if (isAnew) return now
  return maxAgeSeconds === undefined ? undefined : now - maxAgeSeconds * 1_000
}

/**
 * Where the browser is sent, with a state, a nonce and a PKCE challenge of its own. `callbackUrl` is the credential's.
 * Throws a `ProviderFailure`.
 */
export const beginUpstream = (begin: Begin, dependencies: Dependencies): Promise<Begun> =>
  beginAt(begin, dependencies).catch((error) => {
    throw withoutSecrets(error, [begin.credential.clientSecret])
  })

async function beginAt(
  { credential, callbackUrl, proof }: Begin,
  { clock, createFetch, discover, override }: Dependencies,
): Promise<Begun> {
  const connector = connectors[credential.provider]
  const server = await connector.locate({ credential, override, discover, fetch: createFetch() })
  const expected = { state: randomValue(), nonce: randomValue(), codeVerifier: randomPKCECodeVerifier() }
  const { href } = withParameters(server.authorization_endpoint, {
    client_id: credential.clientId,
    response_type: 'code',
    redirect_uri: callbackUrl,
    scope: credential.scopes.join(' '),
    state: expected.state,
    code_challenge: challengeOf(expected.codeVerifier),
    code_challenge_method: 'S256',
    ...(connector.idToken && credential.scopes.includes('openid') && { nonce: expected.nonce }),
    ...(proof && connector.asksAnew && parametersFor(proof)),
  })
  const isIssuerNew = credential.issuer === undefined && (connector.isIssuerOpen?.(credential) ?? false)
  return {
    url: href,
    issuer: server.issuer,
    isIssuerNew,
    ...expected,
    provedSince: proof && provedSince(proof, clock.now()),
  }
}
