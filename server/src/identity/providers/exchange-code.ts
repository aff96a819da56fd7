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
import type { Connector, Server, TokenResponse } from './connector.ts'
import { ProviderFailure, toFailure } from './failure.ts'
import { isObject, type ProviderFetch, parseJson } from './provider-fetch.ts'

type Exchange = {
  connector: Connector
  server: Server
  credential: Credential
  callbackUrl: string
  parameters: URLSearchParams
  state: string
  codeVerifier: string
  fetch: ProviderFetch
}

const clientAuth: Record<Connector['tokenAuth'], (server: Server) => (secret: string) => ClientAuth> = {
  basic: () => ClientSecretBasic,
  post: () => ClientSecretPost,
  discovered: ({ token_endpoint_auth_methods_supported: methods = [] }) =>
    methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
      ? ClientSecretPost
      : ClientSecretBasic,
}

/** The library's client. The egress client decides which addresses may be called by http, not the library. */
function configure(connector: Connector, server: Server, { clientId, clientSecret }: Credential): Configuration {
  const { user_endpoint, emails_endpoint, ...metadata } = server
  const configuration = new Configuration(
    metadata,
    clientId,
    undefined,
    clientAuth[connector.tokenAuth](server)(clientSecret),
  )
  allowInsecureRequests(configuration)
  // Every request has its deadline in the egress client.
  configuration.timeout = 0
  return configuration
}

/** Sends the code, once. Refresh tokens are dropped, and the ID token is not verified here. */
export async function exchangeCode(exchange: Exchange): Promise<{ accessToken: string; idToken: unknown }> {
  const { connector, server, credential, callbackUrl, parameters, state, codeVerifier, fetch } = exchange
  const configuration = configure(connector, server, credential)
  configuration[customFetch] = toTokenFetch(connector, fetch)
  const currentUrl = new URL(callbackUrl)
  currentUrl.search = parameters.toString()
  const checks = { expectedState: state, pkceCodeVerifier: codeVerifier }
  const tokens = await authorizationCodeGrant(configuration, currentUrl, checks).catch((error) => {
    throw toFailure('token', error)
  })
  return { accessToken: tokens.access_token, idToken: tokens[unverified] }
}

/** Hides the ID token from the library (`id-token.ts` says why). */
const unverified = 'unverified_id_token'

const toTokenFetch =
  (connector: Connector, fetch: ProviderFetch): CustomFetch =>
  async (url, { headers, body }) => {
    const response = await fetch('token', { url, headers, body: String(body) })
    const parsed = parseJson('token', response)
    if (!isObject(parsed))
      throw new ProviderFailure('oidc_provider_error', 'token', `HTTP ${response.status} without an object`)
    const received: TokenResponse = { status: response.status, body: parsed }
    const { status, body: normalized } = connector.normalizeTokenError?.(received) ?? received
    if (isError(normalized)) return Response.json(normalized, { status: Math.max(status, 400) })
    return Response.json(usedMembers(normalized), { status })
  }

/** GitHub sends errors with status 200. */
const isError = ({ error }: TokenResponse['body']) => typeof error === 'string' && error !== ''

/** The library would validate every member, also those that are not used. */
const usedMembers = ({ access_token, token_type, id_token }: TokenResponse['body']) => ({
  access_token,
  token_type,
  [unverified]: id_token,
})
