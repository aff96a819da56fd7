import { createHmac } from 'node:crypto'
import { readAttributes, readSubject } from './claims.ts'
import type { Connector, Grant, TokenAnswer } from './connector.ts'
import { fetchObject, isObject } from './provider-fetch.ts'

/** An address without a version means the oldest that an app knows, and ends with it. */
const version = 'v25.0'
const publicServer = {
  authorization_endpoint: `https://www.facebook.com/${version}/dialog/oauth`,
  token_endpoint: `https://graph.facebook.com/${version}/oauth/access_token`,
  user_endpoint: `https://graph.facebook.com/${version}/me`,
}

/** The subject is another one for each app. It says of no address whether it was verified. */
export const facebook: Connector = {
  tokenAuth: 'post',
  overridable: ['authorization_endpoint', 'token_endpoint', 'user_endpoint', 'emails_endpoint'],
  locate: async ({ override: { trust_email, ...endpoints } }) => {
    const server = { ...publicServer, ...endpoints }
    return { ...server, issuer: new URL(server.authorization_endpoint).origin }
  },
  fitAnswer: errorByName,
  fitTokenAnswer: errorAsText,
  identify: async (grant) => {
    const user = await fetchObject(grant.fetch, 'profile', toRequest(grant))
    return {
      subject: readSubject(user.id),
      ...readAttributes({ email: user.email, name: user.name, emailVerified: false }),
    }
  },
}

/** The proof shows that the token is used by who knows the secret. */
function toRequest({ server, credential, accessToken }: Grant) {
  const proof = createHmac('sha256', credential.clientSecret).update(accessToken).digest('hex')
  const query = new URLSearchParams({ fields: 'id,name,email', appsecret_proof: proof })
  return { url: `${server.user_endpoint}?${query}`, headers: { authorization: `Bearer ${accessToken}` } }
}

/** By the codes of its errors; any other says that it does not take the code. */
const errorCodes: Record<number, string> = {
  2: 'temporarily_unavailable',
  4: 'temporarily_unavailable',
  17: 'temporarily_unavailable',
  101: 'invalid_client',
  191: 'redirect_uri_mismatch',
}

/** Where its own page ends with an error, that has no `error` but members of Facebook's. */
function errorByName(answer: URLSearchParams): URLSearchParams {
  const [code, message] = ['error_code', 'error_message'].map((name) => answer.get(name) ?? '')
  if (answer.get('error') || !(code || message)) return answer
  const fitted = new URLSearchParams(answer)
  fitted.set('error', errorCodes[Number(code)] ?? `error_code ${code}`)
  fitted.set('error_description', message ?? '')
  return fitted
}

/** `error` is an object where the standard has a word. */
function errorAsText(answer: TokenAnswer): TokenAnswer {
  const { error } = answer.body
  if (!isObject(error)) return answer
  const isSecretWrong = error.code === 1 && /client secret/i.test(String(error.message))
  const word = isSecretWrong ? 'invalid_client' : (errorCodes[Number(error.code)] ?? 'invalid_grant')
  return { status: 400, body: { error: word, error_description: String(error.message) } }
}
