import * as arctic from 'arctic'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scopes } from '../support/settings.ts'

const client = new arctic.OAuth2Client(clientId, clientSecret, redirectUri)
const { S256 } = arctic.CodeChallengeMethod
let checks: { state: string; verifier: string }
let tokens: arctic.OAuth2Tokens | undefined

serve({
  signIn() {
    checks = { state: arctic.generateState(), verifier: arctic.generateCodeVerifier() }
    const { state, verifier } = checks
    return client.createAuthorizationURLWithPKCE(`${issuer}/authorize`, state, S256, verifier, scopes).href
  },
  async callback({ searchParams }) {
    if (searchParams.get('state') !== checks.state) throw new Error('state: is another one')
    tokens = await client.validateAuthorizationCode(`${issuer}/token`, searchParams.get('code') ?? '', checks.verifier)
  },
  signedIn: () =>
    tokens
      ? {
          sub: (arctic.decodeIdToken(tokens.idToken()) as { sub: string }).sub,
          access_token: tokens.accessToken(),
          refresh_token: tokens.refreshToken(),
          id_token: tokens.idToken(),
        }
      : {},
  async refresh() {
    tokens = await client.refreshAccessToken(`${issuer}/token`, tokens?.refreshToken() ?? '', scopes)
  },
  revoke: () => client.revokeToken(`${issuer}/revoke`, tokens?.refreshToken() ?? ''),
})
