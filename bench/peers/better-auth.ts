// A part of the benchmarks of sign-in, in a process of its own: better-auth on PostgreSQL with its plug-ins for any provider
// upstream, JWTs, and being a provider, behind its own handler for Node. Asked for anything, it says where it is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth, jwt } from 'better-auth/plugins'
import pg from 'pg'
import { callbackPath, type ServerSettings } from '../support/sign-in.ts'
import { tellPlace } from '../support/tell-place.ts'

const { upstream, client, baseUrl, application, connectionString }: ServerSettings = JSON.parse(process.argv[2] ?? '')
const basePath = '/api/auth'
const issuer = `${baseUrl}${basePath}`
const provider = 'upstream'

const options = {
  baseURL: baseUrl,
  basePath,
  secret: 'the-secret-of-better-auth-for-the-benchmarks',
  database: new pg.Pool({ connectionString, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  disabledPaths: ['/token'],
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'RS256' } }, jwt: { issuer }, disableSettingJwtHeader: true }),
    oauthProvider({ loginPage: '/login', consentPage: '/consent', silenceWarnings: { oauthAuthServerConfig: true } }),
    genericOAuth({
      config: [
        {
          providerId: provider,
          discoveryUrl: `${upstream}/.well-known/openid-configuration`,
          requireIdTokenVerification: true,
          clientId: client.clientId,
          clientSecret: client.clientSecret,
          scopes: ['openid', 'email', 'profile'],
          pkce: true,
          redirectURI: `${baseUrl}${callbackPath}/${provider}`,
        },
      ],
    }),
  ],
} satisfies Parameters<typeof betterAuth>[0]

await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)
// Its key is made when it is first asked for, and several where several ask at once.
await auth.api.getJwks()
// An application is somebody's.
const owner = await auth.api.signUpEmail({
  body: { name: 'Owner', email: 'owner@example.com', password: 'a-password-of-the-benchmarks' },
  asResponse: true,
})
const made = await auth.api.adminCreateOAuthClient({
  headers: {
    cookie: owner.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  },
  body: {
    redirect_uris: [application.redirectUri],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: 'openid',
    skip_consent: true,
  },
})

/** What a login page has a browser do. */
async function logIn(request: IncomingMessage, response: ServerResponse) {
  const { search } = new URL(request.url ?? '', baseUrl)
  const answer = await auth.api.signInSocial({
    body: { provider, callbackURL: `${basePath}/oauth2/authorize${search}`, disableRedirect: true },
    headers: fromNodeHeaders(request.headers),
    asResponse: true,
  })
  const { url } = (await answer.json()) as { url: string }
  response.writeHead(302, { location: url, 'set-cookie': answer.headers.getSetCookie() }).end()
}

const handle = toNodeHandler(auth)
const server = createServer((request, response) => {
  const { url = '' } = request
  if (url.startsWith('/login?'))
    return logIn(request, response).catch((error) => response.writeHead(500).end(error.stack))
  // What stands for browsers says that it is a script; they say that a person follows a link.
  if (request.method === 'GET') request.headers['sec-fetch-mode'] = 'navigate'
  if (url.startsWith(callbackPath)) request.url = url.replace(callbackPath, `${basePath}/callback`)
  return handle(request, response)
})
tellPlace(server, { issuer, clientId: made.client_id, clientSecret: String(made.client_secret), scope: 'openid' })
