import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { type AccessToken, AuthorizationCode } from 'simple-oauth2'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scope } from '../support/settings.ts'

const { origin, pathname } = new URL(issuer)
const client = new AuthorizationCode({
  client: { id: clientId, secret: clientSecret },
  auth: {
    tokenHost: origin,
    tokenPath: `${pathname}/token`,
    authorizePath: `${pathname}/authorize`,
    revokePath: `${pathname}/revoke`,
  },
})
let checks: { verifier: string; state: string }
let token: AccessToken | undefined

/** The library knows neither PKCE nor ID tokens, and takes parameters that it does not know. */
serve({
  signIn() {
    checks = { verifier: randomBytes(32).toString('base64url'), state: randomBytes(32).toString('base64url') }
    const challenge = createHash('sha256').update(checks.verifier).digest('base64url')
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    return client.authorizeURL({ redirect_uri: redirectUri, scope, state: checks.state, ...pkce })
  },
  async callback({ searchParams }) {
    if (searchParams.get('state') !== checks.state) throw new Error('state: is another one')
    const code = searchParams.get('code') ?? ''
    const verified = { code, redirect_uri: redirectUri, code_verifier: checks.verifier }
    token = await client.getToken(verified)
  },
  signedIn: () => ({ ...token?.token, ...(token && { sub: decodeJwt(token.token.id_token as string).sub }) }),
  async refresh() {
    token = await token?.refresh({ scope })
  },
  revoke: async () => void (await token?.revoke('refresh_token')),
})
