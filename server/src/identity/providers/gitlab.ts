import { setTimeout } from 'node:timers/promises'
import { readAttributes, readSubject } from './claims.ts'
import type { Connector, Grant } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { isObject, type JsonObject, parseJson } from './provider-fetch.ts'

const publicServer = {
  authorization_endpoint: 'https://gitlab.com/oauth/authorize',
  token_endpoint: 'https://gitlab.com/oauth/token',
  user_endpoint: 'https://gitlab.com/api/v4/user',
}
/** Some of GitLab's servers do not know a new token for a moment. */
const maxUserRequests = 3
const retryMs = 200

/** A user name can change, so the subject is the numeric id, which is also the `sub` of an ID token. */
export const gitlab: Connector = {
  tokenAuth: 'post',
  overridable: ['authorization_endpoint', 'token_endpoint', 'user_endpoint', 'emails_endpoint'],
  locate: async ({ override: { trust_email, ...endpoints } }) => {
    const server = { ...publicServer, ...endpoints }
    const issuer = server.authorization_endpoint.replace(/\/oauth\/authorize$/, '')
    return { ...server, issuer, jwks_uri: `${issuer}/oauth/discovery/keys` }
  },
  idToken: { algorithms: ['RS256'] },
  profileRequests: ['profile'],
  identify: async (grant) => {
    const user = await fetchUser(grant)
    const subject = readSubject(user.id)
    if (grant.claims.sub !== undefined && grant.claims.sub !== subject)
      throw new ProviderFailure('oidc_token_invalid', 'profile', 'id is another person')
    return {
      subject,
      ...readAttributes({
        email: user.email,
        emailVerified: isConfirmed(user),
        profile: { name: user.name, preferred_username: user.username, picture: user.avatar_url },
      }),
    }
  },
}

async function fetchUser({ server, accessToken, fetch }: Grant): Promise<JsonObject> {
  const request = { url: server.user_endpoint ?? '', headers: { authorization: `Bearer ${accessToken}` } }
  let response = await fetch('profile', request)
  for (let sent = 1; response.status === 401 && sent < maxUserRequests; sent++) {
    await setTimeout(retryMs)
    response = await fetch('profile', request)
  }
  const user = response.status === 200 ? parseJson('profile', response) : undefined
  if (!isObject(user))
    throw new ProviderFailure('oidc_provider_error', 'profile', `HTTP ${response.status} without a user`)
  return user
}

function isConfirmed({ state, locked, confirmed_at }: JsonObject): boolean {
  const isDated = typeof confirmed_at === 'string' && !Number.isNaN(Date.parse(confirmed_at))
  return state === 'active' && locked !== true && isDated
}
