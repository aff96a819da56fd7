import {
  type AuthenticationResult,
  ConfidentialClientApplication,
  CryptoProvider,
  ProtocolMode,
} from '@azure/msal-node'
import { serve } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scopes } from '../support/settings.ts'

const client = new ConfidentialClientApplication({
  auth: { clientId, clientSecret, authority: issuer, knownAuthorities: [new URL(issuer).host] },
  system: { protocolMode: ProtocolMode.OIDC },
})
const crypto = new CryptoProvider()
let checks: { codeVerifier: string; state: string; nonce: string }
let result: AuthenticationResult | null = null

serve({
  async signIn() {
    const { verifier, challenge } = await crypto.generatePkceCodes()
    checks = { codeVerifier: verifier, state: crypto.createNewGuid(), nonce: crypto.createNewGuid() }
    const challenged = { codeChallenge: challenge, codeChallengeMethod: 'S256' }
    return client.getAuthCodeUrl({ scopes, redirectUri, state: checks.state, nonce: checks.nonce, ...challenged })
  },
  async callback({ searchParams }) {
    const answer = { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' }
    result = await client.acquireTokenByCode({ code: answer.code, scopes, redirectUri, ...checks }, answer)
  },
  signedIn: () => ({
    sub: result?.account?.localAccountId,
    access_token: result?.accessToken,
    id_token: result?.idToken,
  }),
  /** The library keeps the refresh token to itself. */
  async refresh() {
    if (result?.account)
      result = await client.acquireTokenSilent({ account: result.account, scopes, forceRefresh: true })
  },
})
