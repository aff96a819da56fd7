import { createHmac } from 'node:crypto'
import { readAttributes, readSubject } from './claims.ts'
import type { Connector, Grant, TokenResponse } from './connector.ts'
import { fetchObject, isObject, type JsonObject } from './provider-fetch.ts'

/** An address without a version means the oldest that an app may use, and stops working with it. */
const version = 'v25.0'
const publicServer = {
  authorization_endpoint: `https://www.facebook.com/${version}/dialog/oauth`,
  token_endpoint: `https://graph.facebook.com/${version}/oauth/access_token`,
  user_endpoint: `https://graph.facebook.com/${version}/me`,
}

/** The subject differs from app to app. Facebook does not say whether an address is verified. */
export const facebook: Connector = {
  tokenAuth: 'post',
  overridable: ['authorization_endpoint', 'token_endpoint', 'user_endpoint', 'emails_endpoint'],
  locate: async ({ override: { trust_email, ...endpoints } }) => {
    const server = { ...publicServer, ...endpoints }
    return { ...server, issuer: new URL(server.authorization_endpoint).origin }
  },
  normalizeCallback: withStandardError,
  normalizeTokenError: toStandardError,
  profileRequests: ['profile'],
  identify: async (grant) => {
    const user = await fetchObject(grant.fetch, 'profile', toRequest(grant))
    return {
      subject: readSubject(user.id),
      ...readAttributes({ email: user.email, emailVerified: false, profile: profileOf(user) }),
    }
  },
}

/** All of what the permissions `email` and `public_profile` give. */
const fields = ['id', 'name', 'first_name', 'last_name', 'picture', 'email']

const profileOf = ({ name, first_name, last_name, picture }: JsonObject) => ({
  name,
  given_name: first_name,
  family_name: last_name,
  picture: pictureIn(picture),
})

/** None where there is but the outline of a head. */
function pictureIn(picture: unknown): unknown {
  const data = isObject(picture) ? picture.data : undefined
  return isObject(data) && data.is_silhouette !== true ? data.url : undefined
}

/** `appsecret_proof` proves that the caller knows the client secret. */
function toRequest({ server, credential, accessToken }: Grant) {
  const proof = createHmac('sha256', credential.clientSecret).update(accessToken).digest('hex')
  const query = new URLSearchParams({ fields: fields.join(), appsecret_proof: proof })
  return { url: `${server.user_endpoint}?${query}`, headers: { authorization: `Bearer ${accessToken}` } }
}

/** OAuth errors by Facebook's error codes. */
const errorCodes: Record<number, string> = {
  2: 'temporarily_unavailable',
  4: 'temporarily_unavailable',
  17: 'temporarily_unavailable',
  101: 'invalid_client',
  191: 'redirect_uri_mismatch',
}

/** An error of Facebook's own page has `error_code` and `error_message` in place of `error`. */
function withStandardError(parameters: URLSearchParams): URLSearchParams {
  const [code, message] = ['error_code', 'error_message'].map((name) => parameters.get(name) ?? '')
  if (parameters.get('error') || !(code || message)) return parameters
  const normalized = new URLSearchParams(parameters)
  normalized.set('error', errorCodes[Number(code)] ?? `error_code ${code}`)
  normalized.set('error_description', message ?? '')
  return normalized
}

/** `error` is an object where the standard has a code; an unknown one means that the authorization code was refused. */
function toStandardError(response: TokenResponse): TokenResponse {
  const { error } = response.body
  if (!isObject(error)) return response
  const isSecretWrong = error.code === 1 && /client secret/i.test(String(error.message))
  const code = isSecretWrong ? 'invalid_client' : (errorCodes[Number(error.code)] ?? 'invalid_grant')
  return { status: 400, body: { error: code, error_description: String(error.message) } }
}
