import { isTrue, readAttributes, readSubject } from './claims.ts'
import type { Connector, Grant } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { fetchObject, isObject, type JsonObject, parseJson } from './provider-fetch.ts'

const publicServer = {
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
  user_endpoint: 'https://api.github.com/user',
  emails_endpoint: 'https://api.github.com/user/emails',
}
const apiVersion = '2022-11-28'
/** The most that a page can have; the primary address is among them. */
const addressesOnPage = 100

/** A login can be renamed and reused by another person, so the subject is the numeric id. */
export const github: Connector = {
  tokenAuth: 'post',
  overridable: ['authorization_endpoint', 'token_endpoint', 'user_endpoint', 'emails_endpoint'],
  locate: async ({ override: { trust_email, ...endpoints } }) => {
    const server = { ...publicServer, ...endpoints }
    // The `iss` that GitHub sends with some callbacks.
    return { ...server, issuer: server.authorization_endpoint.replace(/\/authorize$/, '') }
  },
  prompts: ['select_account'],
  profileRequests: ['profile', 'emails'],
  identify: async (grant) => {
    const url = grant.server.user_endpoint ?? ''
    const user = await fetchObject(grant.fetch, 'profile', { url, headers: headersOf(grant) })
    const address = await findAddress(grant)
    return {
      subject: readSubject(user.id),
      ...readAttributes({
        email: address?.email,
        emailVerified: isTrue(address?.verified),
        profile: { name: user.name, preferred_username: user.login, picture: user.avatar_url },
      }),
    }
  },
}

const headersOf = ({ accessToken }: Grant) => ({
  authorization: `Bearer ${accessToken}`,
  accept: 'application/vnd.github+json',
  'x-github-api-version': apiVersion,
})

/** The primary address; none if the app lacks the permission (403 or 404). */
async function findAddress(grant: Grant): Promise<JsonObject | undefined> {
  const url = `${grant.server.emails_endpoint}?per_page=${addressesOnPage}`
  const response = await grant.fetch('emails', { url, headers: headersOf(grant) })
  if (response.status === 403 || response.status === 404) return undefined
  const list = response.status === 200 ? parseJson('emails', response) : undefined
  if (!Array.isArray(list))
    throw new ProviderFailure('oidc_provider_error', 'emails', `HTTP ${response.status} without addresses`)
  return list.filter(isObject).find(({ primary, email }) => primary === true && !isNoReply(email))
}

const isNoReply = (email: unknown) => /@users\.noreply\.github\.com$/i.test(String(email))
