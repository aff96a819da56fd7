import type { Application } from '@signet/management'
import program from '../../../examples/sign-in/application.ts?raw'
import { quotedForShell } from '../calls/to-curl.ts'
import type { Snippet } from '../design/code.tsx'

type Values = { application: Application; issuer: string }

/** The settings of tested clients, and the program of examples/sign-in as it is. Those that fit the application come first. */
export function snippetsFor(values: Values): Snippet[] {
  const inBrowser = { name: 'oidc-client-ts, in a browser', text: oidcClientTs(values) }
  const onServer = [
    { name: 'openid-client, on a server: settings', text: openidClient(values) },
    { name: 'openid-client, on a server: the program', text: program },
    { name: 'express-openid-connect, on a server', text: expressOpenidConnect(values) },
  ]
  return values.application.confidential ? [...onServer, inBrowser] : [inBrowser, ...onServer]
}

/** What others wrote stays a text of the language. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const oidcClientTs = ({ application, issuer }: Values) => `import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: ${quoted(issuer)},
  client_id: ${quoted(application.client_id)},
  redirect_uri: ${quoted(application.redirect_uris[0] ?? '')},${afterSignOut(application)}
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
})

// On a button: await manager.signinRedirect()
// On the page of the redirect URI: const user = await manager.signinRedirectCallback()
`

const afterSignOut = ({ post_logout_redirect_uris: [first] }: Application) =>
  first ? `\n  post_logout_redirect_uri: ${quoted(first)},` : ''

const openidClient = ({
  application,
  issuer,
}: Values) => `# The program reads these. It is application.ts; it needs Node and openid-client.
npm install openid-client
export ISSUER=${quotedForShell(issuer)}
export CLIENT_ID=${quotedForShell(application.client_id)}
export CLIENT_SECRET=…
export APPLICATION_URL=${quotedForShell(addressOf(application))} # it listens there, and its redirect URI is /callback below
node application.ts
`

const expressOpenidConnect = ({ application, issuer }: Values) => `import express from 'express'
import { auth, requiresAuth } from 'express-openid-connect'

const app = express()
app.use(
  auth({
    issuerBaseURL: ${quoted(issuer)},
    baseURL: ${quoted(addressOf(application))},
    clientID: ${quoted(application.client_id)},
    clientSecret: process.env.CLIENT_SECRET,
    secret: process.env.COOKIE_SECRET, // 32 random bytes or more
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid profile email offline_access' },
  }),
)
// The redirect URI is /callback below baseURL; persons sign in at /login.
app.get('/', requiresAuth(), (request, response) => response.json(request.oidc.user))
app.listen(3000)
`

/** Where the application is, by its first redirect URI. */
const addressOf = ({ redirect_uris: [first = ''] }: Application) =>
  /^https?:/.test(first) && URL.canParse(first) ? new URL(first).origin : 'http://localhost:3000'
