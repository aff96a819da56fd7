// A part of the benchmarks of sign-in, in a process of its own: the two libraries that Signet stands on and little else, with
// all that they keep in memory. Asked for anything, it says where it is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { callbackPath, type ServerSettings } from '../support/sign-in.ts'
import { tellPlace } from '../support/tell-place.ts'

type Begun = { expectedState: string; expectedNonce: string; pkceCodeVerifier: string }

const { upstream, client, baseUrl, application }: ServerSettings = JSON.parse(process.argv[2] ?? '')
const redirectUri = `${baseUrl}${callbackPath}/bare`
const configuration = await discovery(new URL(upstream), client.clientId, {}, ClientSecretPost(client.clientSecret), {
  execute: [allowInsecureRequests, enableNonRepudiationChecks],
})
const begun = new Map<string, Begun>()
const people = new Map<string, { email: string; email_verified: boolean }>()

// That everything is kept in memory is what is wanted here.
console.warn = () => {}
console.info = () => {}
const provider = new Provider(baseUrl, {
  clients: [
    {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      redirect_uris: [application.redirectUri],
    },
  ],
  // The callback finds the interaction by its cookie.
  cookies: { keys: ['of a benchmark'], short: { path: '/' } },
  features: { devInteractions: { enabled: false } },
  claims: { openid: ['sub', 'email', 'email_verified'] },
  conformIdTokenClaims: false,
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people.get(accountId) }) }),
  loadExistingGrant: async ({ oidc }) => {
    const { client: asking, account } = oidc
    const grant = new provider.Grant({ clientId: asking?.clientId ?? '', accountId: account?.accountId ?? '' })
    grant.addOIDCScope('openid')
    await grant.save()
    return grant
  },
})
provider.proxy = true

async function begin(request: IncomingMessage, response: ServerResponse) {
  const { uid } = await provider.interactionDetails(request, response)
  const checks = {
    expectedState: randomState(),
    expectedNonce: randomNonce(),
    pkceCodeVerifier: randomPKCECodeVerifier(),
  }
  begun.set(uid, checks)
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  response.writeHead(303, { location: url.href }).end()
}

async function finish(request: IncomingMessage, response: ServerResponse) {
  const { uid } = await provider.interactionDetails(request, response)
  const checks = begun.get(uid)
  begun.delete(uid)
  if (!checks) throw new Error('nothing was begun')
  const url = new URL(request.url ?? '', baseUrl)
  const tokens = await authorizationCodeGrant(configuration, url, { ...checks, idTokenExpected: true })
  const { sub, email, email_verified } = tokens.claims() as IDToken
  people.set(sub, { email: String(email), email_verified: email_verified === true })
  await provider.interactionFinished(request, response, { login: { accountId: sub } })
}

const handle = provider.callback()
const server = createServer((request, response) => {
  const fail = (error: Error) => {
    response.writeHead(500).end(error.stack)
  }
  if (request.url?.startsWith('/interaction/')) begin(request, response).catch(fail)
  else if (request.url?.startsWith(callbackPath)) finish(request, response).catch(fail)
  else handle(request, response)
})
tellPlace(server, { issuer: baseUrl, ...application, scope: 'openid' })
