import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'

/**
 * An identity provider to be used by hand or by a real browser: a program of its own, with a page to log in. It believes
 * whatever name and address one gives. Any callback of the Signet at `SIGNET` is registered.
 */
const { PORT = '', ISSUER = `http://127.0.0.1:${PORT}`, SIGNET = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env

const people = new Map<string, Record<string, unknown>>()
const name = (cookie: string) => `provider_${cookie}`

// That everything is kept in memory is what is wanted here, and not worth a warning.
console.warn = () => {}
console.info = () => {}
const provider = new Provider(ISSUER, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${SIGNET}/sso/callback/any`],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  // Hosts that differ in their port alone have their cookies in common.
  cookies: {
    keys: ['of a test'],
    names: { session: name('session'), interaction: name('interaction'), resume: name('resume') },
  },
  jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] } as never,
  claims: { openid: ['sub'], email: ['email', 'email_verified', 'hd'], profile: ['name'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  // Of two tabs, the second gets another session; the code of the first is to stay good.
  expiresWithSession: () => false,
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people.get(accountId) }) }),
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: CLIENT_ID, accountId: oidc.account?.accountId ?? '' })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
  ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 900, Session: 900 },
})
provider.proxy = true
provider.Client.prototype.redirectUriAllowed = (uri) => uri.startsWith(`${SIGNET}/sso/callback/`)

const handle = provider.callback()
const server = createServer((request, response) => {
  if (!request.url?.startsWith('/interaction/')) return handle(request, response)
  const answer = request.method === 'POST' ? logIn(request, response) : showPage(request, response)
  answer.catch((error: Error) => response.writeHead(400).end(error.message))
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening: ${ISSUER}`))

async function logIn(request: IncomingMessage, response: ServerResponse) {
  const form = new URLSearchParams(await text(request))
  const email = form.get('email') ?? ''
  people.set(email, { email, email_verified: true, hd: email.split('@')[1], name: form.get('name') })
  await provider.interactionFinished(
    request,
    response,
    form.has('refuse')
      ? { error: 'access_denied', error_description: 'refused' }
      : { login: { accountId: email, remember: false } },
  )
}

async function showPage(request: IncomingMessage, response: ServerResponse) {
  await provider.interactionDetails(request, response)
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
}

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Example Login</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font: 1rem/1.5 system-ui }
body { margin: 3rem auto; max-width: 20rem; padding: 0 1rem } label, input, button { display: block; width: 100% }
input, button { margin: .25rem 0 1rem; padding: .5rem; font: inherit; box-sizing: border-box }</style></head><body>
<h1>Example Login</h1><form method="post">
<label>Name <input name="name" autocomplete="name"></label>
<label>E-mail <input name="email" type="email" autocomplete="email"></label>
<button>Log in</button><button name="refuse" value="yes">No, thanks</button></form></body></html>
`
