import { readAttributes, readSubject } from './claims.ts'
import type { Connector, Grant } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { fetchObject, isObject, type JsonObject } from './provider-fetch.ts'

const publicServer = {
  authorization_endpoint: 'https://bitbucket.org/site/oauth2/authorize',
  token_endpoint: 'https://bitbucket.org/site/oauth2/access_token',
  user_endpoint: 'https://api.bitbucket.org/2.0/user',
  emails_endpoint: 'https://api.bitbucket.org/2.0/user/emails',
}
const maxPages = 5

/** A user name can change, so the subject is the uuid, in its braces. */
export const bitbucket: Connector = {
  tokenAuth: 'basic',
  overridable: ['authorization_endpoint', 'token_endpoint', 'user_endpoint', 'emails_endpoint'],
  locate: async ({ override: { trust_email, ...endpoints } }) => {
    const server = { ...publicServer, ...endpoints }
    return { ...server, issuer: new URL(server.authorization_endpoint).origin }
  },
  profileRequests: ['profile', 'emails'],
  identify: async (grant) => {
    const user = await fetchObject(grant.fetch, 'profile', toRequest(grant, grant.server.user_endpoint ?? ''))
    if (user.type !== 'user') throw new ProviderFailure('oidc_provider_error', 'profile', 'type is not user')
    const address = await findAddress(grant)
    return {
      subject: readSubject(user.uuid),
      ...readAttributes({
        email: address?.email,
        emailVerified: address?.is_confirmed === true,
        profile: {
          name: user.display_name,
          preferred_username: user.nickname ?? user.username,
          picture: pictureOf(user),
        },
      }),
    }
  },
}

function pictureOf({ links }: JsonObject): unknown {
  const avatar = isObject(links) ? links.avatar : undefined
  return isObject(avatar) ? avatar.href : undefined
}

const toRequest = ({ accessToken }: Grant, url: string) => ({
  url,
  headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
})

/** The primary address. The token is sent to no other origin, whatever `next` says. */
async function findAddress(grant: Grant): Promise<JsonObject | undefined> {
  let url = grant.server.emails_endpoint ?? ''
  const { origin } = new URL(url)
  for (let page = 0; page < maxPages && URL.parse(url)?.origin === origin; page++) {
    const { values, next } = await fetchObject(grant.fetch, 'emails', toRequest(grant, url))
    const primary = (Array.isArray(values) ? values : []).filter(isObject).find(({ is_primary }) => is_primary === true)
    if (primary) return primary
    url = String(next ?? '')
  }
  return undefined
}
