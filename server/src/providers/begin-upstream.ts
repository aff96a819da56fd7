import { randomBytes } from 'node:crypto'
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import type { Dependencies } from './dependencies.ts'
import { configure } from './exchange-code.ts'
import { connectors } from './registry.ts'

/** What `finishUpstream` needs again; the flow keeps it. */
export type Expected = { state: string; nonce: string; codeVerifier: string; issuer: string }

/** LINE takes letters and digits only. */
const randomValue = () => randomBytes(32).toString('hex')

/**
 * Where the browser is sent, with a state, a nonce and a PKCE challenge of its own. `callbackUrl` is the credential's.
 * Throws a `ProviderFailure`.
 */
export async function beginUpstream(
  { credential, callbackUrl }: { credential: Credential; callbackUrl: string },
  { createFetch, discover, overrides }: Dependencies,
): Promise<Expected & { url: string }> {
  const connector = connectors[credential.provider]
  const override = overrides[credential.provider] ?? {}
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
  return { url: href, issuer: server.issuer, ...expected }
}
