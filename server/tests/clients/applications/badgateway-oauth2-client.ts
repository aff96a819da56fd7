import { generateCodeVerifier, OAuth2Client, type OAuth2Token } from '@badgateway/oauth2-client'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scopes } from '../support/settings.ts'

const client = new OAuth2Client({
  clientId,
  clientSecret,
  server: issuer,
  discoveryEndpoint: `${issuer}/.well-known/openid-configuration`,
})
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
let codeVerifier: string
let sub: string | undefined
let tokens: OAuth2Token | undefined

/** It has no nonce: PKCE binds the code. */
serve({
  async signIn() {
    codeVerifier = await generateCodeVerifier()
    return client.authorizationCode.getAuthorizeUri({ redirectUri, scope: scopes, codeVerifier, state: 'of-a-test' })
  },
  async callback(address) {
    const expected = { redirectUri, codeVerifier, state: 'of-a-test' }
    tokens = await client.authorizationCode.getTokenFromCodeRedirect(address, expected)
    const { payload } = await jwtVerify(tokens.idToken ?? '', keys, { issuer, audience: clientId })
    sub = payload.sub
  },
  signedIn: () => ({
    sub,
    access_token: tokens?.accessToken,
    refresh_token: tokens?.refreshToken ?? undefined,
    id_token: tokens?.idToken,
  }),
  async refresh() {
    if (tokens) tokens = await client.refreshToken(tokens)
  },
  async revoke() {
    if (tokens) await client.revoke(tokens, 'refresh_token')
  },
})
