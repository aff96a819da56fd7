import * as client from 'openid-client'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scope, url } from '../support/settings.ts'

const config = await client.discovery(new URL(issuer), clientId, clientSecret)
let checks: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string }
let sub: string | undefined
let tokens: client.TokenEndpointResponse | undefined

serve({
  async signIn() {
    checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
    }
    const parameters = {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
    }
    return client.buildAuthorizationUrl(config, parameters).href
  },
  async callback(address) {
    const answer = await client.authorizationCodeGrant(config, address, { ...checks, idTokenExpected: true })
    sub = answer.claims()?.sub
    tokens = answer
  },
  signedIn: () => ({ sub, ...tokens }),
  async refresh() {
    tokens = await client.refreshTokenGrant(config, tokens?.refresh_token ?? '', { scope })
  },
  userInfo: () => client.fetchUserInfo(config, tokens?.access_token ?? '', sub ?? ''),
  revoke: () => client.tokenRevocation(config, tokens?.refresh_token ?? ''),
  signOut() {
    const hint = tokens?.id_token ?? ''
    sub = tokens = undefined
    return client.buildEndSessionUrl(config, { id_token_hint: hint, post_logout_redirect_uri: `${url}/` }).href
  },
})
