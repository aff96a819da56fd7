import * as oauth from 'oauth4webapi'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scope, url } from '../support/settings.ts'

const identifier = new URL(issuer)
const server = await oauth.processDiscoveryResponse(identifier, await oauth.discoveryRequest(identifier))
const client: oauth.Client = { client_id: clientId }
const authentication = oauth.ClientSecretPost(clientSecret)
let checks: { verifier: string; state: string; nonce: string }
let sub: string | undefined
let tokens: oauth.TokenEndpointResponse | undefined

serve({
  async signIn() {
    checks = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    }
    const address = new URL(server.authorization_endpoint ?? '')
    address.search = `${new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    })}`
    return address.href
  },
  async callback(address) {
    const { verifier, state, nonce } = checks
    const parameters = oauth.validateAuthResponse(server, client, address, state)
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, parameters, redirectUri, verifier] as const),
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
    sub = oauth.getValidatedIdTokenClaims(tokens)?.sub
  },
  signedIn: () => ({ sub, ...tokens }),
  async refresh() {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens?.refresh_token ?? '')
    tokens = await oauth.processRefreshTokenResponse(server, client, response)
  },
  async userInfo() {
    const response = await oauth.userInfoRequest(server, client, tokens?.access_token ?? '')
    return oauth.processUserInfoResponse(server, client, sub ?? '', response)
  },
  async revoke() {
    const response = await oauth.revocationRequest(server, client, authentication, tokens?.refresh_token ?? '')
    await oauth.processRevocationResponse(response)
  },
  signOut() {
    const address = new URL(server.end_session_endpoint ?? '')
    address.searchParams.set('id_token_hint', tokens?.id_token ?? '')
    address.searchParams.set('post_logout_redirect_uri', `${url}/`)
    sub = tokens = undefined
    return address.href
  },
})
