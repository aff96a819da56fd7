import { readAttributes, readSubject } from './claims.ts'
import type { Connector, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { readProfile } from './profile.ts'
import { fetchObject } from './provider-fetch.ts'

/**
 * Each organization names its own server, which may be anybody's: all endpoints must be on that host, so that it cannot send
 * browsers to another provider. Its ID token has no profile, and its administrators set `email_verified`.
 */
export const okta: Connector = {
  tokenAuth: 'basic',
  overridable: ['issuer'],
  serverOption: 'organization_url',
  prompts: ['login'],
  parameters: ['max_age', 'login_hint'],
  locate: async ({ credential, override, discover, fetch }) => {
    const issuer = override.issuer ?? credential.organizationUrl
    if (!issuer) throw new ProviderFailure('credential_misconfigured', 'discovery', 'no organization_url')
    const server = await discover(issuer, (named) => named === issuer, fetch)
    if (!isOnHost(server, new URL(issuer).origin))
      throw new ProviderFailure('oidc_provider_error', 'discovery', 'an endpoint is on another host')
    return server
  },
  idToken: { algorithms: ['RS256'] },
  profileRequests: ['profile'],
  identify: async ({ claims, server, accessToken, fetch }) => {
    const url = server.userinfo_endpoint ?? ''
    const profile = await fetchObject(fetch, 'profile', { url, headers: { authorization: `Bearer ${accessToken}` } })
    if (profile.sub !== claims.sub) throw new ProviderFailure('oidc_token_invalid', 'profile', 'sub is another person')
    return {
      subject: readSubject(claims.sub),
      ...readAttributes({ email: profile.email, name: profile.name, emailVerified: false }),
      profile: readProfile(profile),
    }
  },
}

const isOnHost = ({ authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint }: Server, origin: string) =>
  [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint].every(
    (url) => url && new URL(url).origin === origin,
  )
