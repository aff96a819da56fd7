import type { Credential } from '../credentials/index.ts'
import { isTrue, readAttributes, readSubject } from './claims.ts'
import type { Claims, Connector, Grant, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { fetchObject, type JsonObject } from './provider-fetch.ts'

type Differences = Pick<Connector, 'tokenAuth' | 'idToken'> & {
  serverOption: 'organization_url' | 'issuer'
  issuerOf(credential: Credential): string | undefined
}

/**
 * Each organization names its own server, which may be anybody's: all endpoints must be on that host, so that it cannot send
 * browsers to another provider, nor name another server's keys. The ID token may lack the profile, and the server's administrators
 * set `email_verified`.
 */
export const ownServer = ({ serverOption, issuerOf, ...differences }: Differences): Connector => ({
  ...differences,
  overridable: ['issuer'],
  serverOption,
  prompts: ['login'],
  parameters: ['max_age', 'login_hint'],
  locate: async ({ credential, override, discover, fetch }) => {
    const issuer = override.issuer ?? issuerOf(credential)
    if (!issuer) throw new ProviderFailure('credential_misconfigured', 'discovery', `no ${serverOption}`)
    const server = await discover(issuer, (named) => named === issuer, fetch)
    if (!isOnHost(server, new URL(issuer).origin))
      throw new ProviderFailure('oidc_provider_error', 'discovery', 'an endpoint is on another host')
    return server
  },
  directoryIds: () => ({ subjectOf: (id) => id, idOf: (subject) => subject }),
  profileRequests: ['profile'],
  identify: async (grant) => {
    const { claims, override } = grant
    const profile = await fetchProfile(grant)
    // Both from the same answer: one of them alone says nothing of the address in the other.
    const { email, email_verified } = profile.email === undefined ? claims : profile
    return {
      subject: readSubject(claims.sub),
      ...readAttributes({
        email,
        emailVerified: override.trust_email === true && isTrue(email_verified),
        profile: { ...claims, ...profile },
      }),
    }
  },
})

/** What the ID token does not say; nothing where the server has no such endpoint. */
async function fetchProfile({ claims, server, accessToken, fetch }: Grant): Promise<JsonObject> {
  const url = server.userinfo_endpoint
  if (url === undefined) return {}
  const profile = await fetchObject(fetch, 'profile', { url, headers: { authorization: `Bearer ${accessToken}` } })
  if (!isOf(claims, profile)) throw new ProviderFailure('oidc_token_invalid', 'profile', 'sub is another person')
  return profile
}

/** OpenID Connect Core, 5.3.2. */
const isOf = (claims: Claims, profile: JsonObject) => profile.sub === claims.sub

const isOnHost = ({ authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint }: Server, origin: string) =>
  [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint ?? origin].every(
    (url) => url && new URL(url).origin === origin,
  )
