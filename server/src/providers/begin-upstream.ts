import { randomBytes } from 'node:crypto'
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import type { Dependencies } from './dependencies.ts'
import { configure } from './exchange-code.ts'
import { withoutSecrets } from './failure.ts'
import { connectors } from './registry.ts'

/** What `finishUpstream` needs again; the flow keeps it. */
export type Expected = { state: string; nonce: string; codeVerifier: string; issuer: string }

type Begin = { credential: Credential; callbackUrl: string }
/** `isIssuerNew`: the credential stands for this issuer from now on, which its keeper must remember. */
type Begun = Expected & { url: string; isIssuerNew: boolean }

/** LINE takes letters and digits only. */
const randomValue = () => randomBytes(32).toString('hex')

/**
 * Where the browser is sent, with a state, a nonce and a PKCE challenge of its own. `callbackUrl` is the credential's.
 * Throws a `ProviderFailure`.
 */
export const beginUpstream = (begin: Begin, dependencies: Dependencies): Promise<Begun> =>
  beginAt(begin, dependencies).catch((error) => {
    throw withoutSecrets(error, [begin.credential.clientSecret])
  })

async function beginAt(
  { credential, callbackUrl }: Begin,
  { createFetch, discover, override }: Dependencies,
): Promise<Begun> {
  const connector = connectors[credential.provider]
  const server = await connector.locate({ credential, override, discover, fetch: createFetch() })
  const expected = { state: randomValue(), nonce: randomValue(), codeVerifier: randomPKCECodeVerifier() }
  const { href } = buildAuthorizationUrl(configure(connector, server, credential), {
    redirect_uri: callbackUrl,
    scope: credential.scopes.join(' '),
    state: expected.state,
    code_challenge: await calculatePKCECodeChallenge(expected.codeVerifier),
    code_challenge_method: 'S256',
    ...(connector.idToken && credential.scopes.includes('openid') && { nonce: expected.nonce }),
  })
  const isIssuerNew = credential.issuer === undefined && (connector.isIssuerOpen?.(credential) ?? false)
  return { url: href, issuer: server.issuer, isIssuerNew, ...expected }
}
