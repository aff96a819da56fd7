import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  customFetch,
} from 'openid-client'
import type { Credential } from '../credentials/index.ts'
import type { Connector, Server, TokenAnswer } from './connector.ts'
import { ProviderFailure, toFailure } from './failure.ts'
import { isObject, type ProviderFetch, parseJson } from './provider-fetch.ts'

type Exchange = {
  connector: Connector
  server: Server
  credential: Credential
  callbackUrl: string
  answer: URLSearchParams
  state: string
  codeVerifier: string
  fetch: ProviderFetch
}

const clientAuth: Record<Connector['tokenAuth'], (secret: string) => ClientAuth> = {
  basic: ClientSecretBasic,
  post: ClientSecretPost,
}

/** The client as the library knows it. Which addresses may be called by http is the egress client's rule, not the library's. */
export function configure(connector: Connector, server: Server, { clientId, clientSecret }: Credential): Configuration {
  const { user_endpoint, emails_endpoint, ...metadata } = server
  const configuration = new Configuration(metadata, clientId, undefined, clientAuth[connector.tokenAuth](clientSecret))
  allowInsecureRequests(configuration)
  // Every call has its deadline in the egress client.
  configuration.timeout = 0
  return configuration
}

/** Sends the code, once. Refresh tokens are dropped, and the ID token is not looked at here. */
export async function exchangeCode(exchange: Exchange): Promise<{ accessToken: string; idToken: unknown }> {
  const { connector, server, credential, callbackUrl, answer, state, codeVerifier, fetch } = exchange
  const configuration = configure(connector, server, credential)
  configuration[customFetch] = toTokenFetch(connector, fetch)
  const currentUrl = new URL(callbackUrl)
  currentUrl.search = answer.toString()
  const checks = { expectedState: state, pkceCodeVerifier: codeVerifier }
  const tokens = await authorizationCodeGrant(configuration, currentUrl, checks).catch((error) => {
    throw toFailure('token', error)
  })
  return { accessToken: tokens.access_token, idToken: tokens[unverified] }
}

/** Where the ID token is put, out of the library's sight (`id-token.ts` says why). */
const unverified = 'unverified_id_token'

const toTokenFetch =
  (connector: Connector, fetch: ProviderFetch): CustomFetch =>
  async (url, { headers, body }) => {
    const answer = await fetch('token', { url, headers, body: String(body) })
    const given = parseJson('token', answer)
    if (!isObject(given))
      throw new ProviderFailure('oidc_provider_error', `token: HTTP ${answer.status} without an object`)
    const asGiven: TokenAnswer = { status: answer.status, body: given }
    const { status, body: fitted } = connector.fitTokenAnswer?.(asGiven) ?? asGiven
    if (isError(fitted)) return Response.json(fitted, { status: Math.max(status, 400) })
    return Response.json(usedOf(fitted), { status })
  }

/** GitHub's come with 200. */
const isError = ({ error }: TokenAnswer['body']) => typeof error === 'string' && error !== ''

/** The library would judge all that it is shown, also what nobody uses. */
const usedOf = ({ access_token, token_type, id_token }: TokenAnswer['body']) => ({
  access_token,
  token_type,
  [unverified]: id_token,
})
