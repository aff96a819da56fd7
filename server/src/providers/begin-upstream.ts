import { hash, randomBytes } from 'node:crypto'
import { randomPKCECodeVerifier } from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import type { Connector } from './connector.ts'
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

/** What the application asked for in its own authorization request (OpenID Connect Core, 3.1.2.1). */
export type Wishes = Partial<Record<'prompt' | 'max_age' | 'login_hint' | 'ui_locales', string>>

type Begin = { credential: Credential; callbackUrl: string; state: string; wishes?: Wishes }
/** `isIssuerNew`: the credential stands for this issuer from now on, which its keeper must remember. */
type Begun = Expected & { url: string; isIssuerNew: boolean }

/** RFC 7636, section 4.2. The library's own function asks another thread. */
const challengeOf = (codeVerifier: string) => hash('sha256', codeVerifier, 'base64url')

/** RFC 6749, section 3.1: those that the endpoint's address has already are kept. */
function withParameters(endpoint: string, parameters: Record<string, string>): URL {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

const promptsIn = ({ prompt = '' }: Wishes): string[] => prompt.split(' ')

/** Of several prompts the first that the provider lists: not every provider takes more than one. */
function passedOn({ prompts = [], parameters = [] }: Connector, wishes: Wishes): Record<string, string> {
  const prompt = prompts.find((known) => promptsIn(wishes).includes(known))
  const given = parameters.flatMap((name) => (wishes[name] ? [[name, wishes[name]] as const] : []))
  return { ...Object.fromEntries(given), ...(prompt && { prompt }) }
}

function provedSince(wishes: Wishes, now: number): number | undefined {
  if (promptsIn(wishes).includes('login')) return now
  return wishes.max_age === undefined ? undefined : now - Number(wishes.max_age) * 1_000
}

/**
 * Where the browser is sent, with this state, and a nonce and a PKCE challenge of its own. `callbackUrl` is the credential's.
 * Throws a `ProviderFailure`.
 */
export const beginUpstream = (begin: Begin, dependencies: Dependencies): Promise<Begun> =>
  beginAt(begin, dependencies).catch((error) => {
    throw withoutSecrets(error, [begin.credential.clientSecret])
  })

async function beginAt(
  { credential, callbackUrl, state, wishes = {} }: Begin,
  { clock, createFetch, discover, override }: Dependencies,
): Promise<Begun> {
  const connector = connectors[credential.provider]
  const server = await connector.locate({ credential, override, discover, fetch: createFetch() })
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
    ...passedOn(connector, wishes),
  })
  const isIssuerNew = credential.issuer === undefined && (connector.isIssuerOpen?.(credential) ?? false)
  return {
    url: href,
    issuer: server.issuer,
    isIssuerNew,
    ...expected,
    provedSince: provedSince(wishes, clock.now()),
  }
}
