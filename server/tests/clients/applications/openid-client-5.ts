import { generators, Issuer, type TokenSet } from 'openid-client-5'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scope, url } from '../support/settings.ts'

const { Client } = await Issuer.discover(issuer)
const client = new Client({ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] })
let checks: { code_verifier: string; state: string; nonce: string }
let tokens: TokenSet | undefined

serve({
  signIn() {
    const [code_verifier, state, nonce] = [generators.codeVerifier(), generators.state(), generators.nonce()]
    checks = { code_verifier, state, nonce }
    const code_challenge = generators.codeChallenge(code_verifier)
    return client.authorizationUrl({ scope, state, nonce, code_challenge, code_challenge_method: 'S256' })
  },
  async callback(address) {
    tokens = await client.callback(redirectUri, client.callbackParams(address.href), checks)
  },
  signedIn: () => ({ ...tokens, sub: tokens?.claims().sub }),
  async refresh() {
    if (tokens) tokens = await client.refresh(tokens)
  },
  userInfo: () => client.userinfo(tokens?.access_token ?? ''),
  revoke: () => client.revoke(tokens?.refresh_token ?? '', 'refresh_token'),
  signOut() {
    const id_token_hint = tokens?.id_token ?? ''
    tokens = undefined
    return client.endSessionUrl({ id_token_hint, post_logout_redirect_uri: `${url}/` })
  },
})
