// An identity provider to try signing in with, for this machine alone: it believes whatever name and address one enters, and
// fails as real providers do when asked to. `npm run provider` runs it; docs/use/signing-in.md says how to sign in through it.
// Another place: PORT, ISSUER. Another Signet: SIGNET. Another client: CLIENT_ID, CLIENT_SECRET.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider, { interactionPolicy } from 'oidc-provider'
import { loginPage } from './login-page.ts'
import type { Outcome } from './outcomes.ts'

const { PORT = '9000', ISSUER = `http://127.0.0.1:${PORT}`, SIGNET = 'http://localhost:8080' } = process.env
const { CLIENT_ID = 'signet-example', CLIENT_SECRET = 'known-to-everybody' } = process.env

type Person = { email: string; name: string; outcome: Outcome }
const people = new Map<string, Person>()
/** Hosts that differ in their port alone have their cookies in common. */
const cookie = (name: string) => `provider_${name}`

// As Google, it lets an application ask that the person chooses the account.
const policy = interactionPolicy.base()
policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 1)

// The library warns that it keeps everything in memory, which is what is wanted here.
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
  cookies: {
    keys: [randomUUID()],
    names: { session: cookie('session'), interaction: cookie('interaction'), resume: cookie('resume') },
  },
  jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] } as never,
  claims: { openid: ['sub'], email: ['email', 'email_verified', 'hd'], profile: ['name', 'preferred_username'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  // Of two tabs, the second gets another session; the code of the first is to stay good.
  expiresWithSession: () => false,
  features: { devInteractions: { enabled: false } },
  interactions: { policy, url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: ({ path }, accountId) => {
    if (path === '/token' && people.get(accountId)?.outcome === 'token_error') throw new Error('as was asked for')
    return { accountId, claims: () => ({ sub: accountId, ...claimsOf(people.get(accountId)) }) }
  },
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: CLIENT_ID, accountId: oidc.account?.accountId ?? '' })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
  ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 900, Session: 900 },
})
provider.proxy = true
// Every credential has a callback of its own, which nobody knows beforehand.
provider.Client.prototype.redirectUriAllowed = (uri) => uri.startsWith(`${SIGNET}/sso/callback/`)

/** Google's: `hd` is the domain that it serves. */
const claimsOf = ({ email, name, outcome }: Person = { email: '', name: '', outcome: 'verified' }) => ({
  email,
  email_verified: outcome !== 'unverified',
  hd: email.split('@')[1],
  name,
  preferred_username: email.split('@')[0],
})

const handle = provider.callback()
const server = createServer((request, response) => {
  if (!request.url?.startsWith('/interaction/')) return handle(request, response)
  const answer = request.method === 'POST' ? logIn(request, response) : showPage(request, response)
  answer.catch((error: Error) => response.writeHead(400).end(error.message))
})
server.on('error', ({ message }) => {
  console.error(`The provider cannot listen: ${message}. PORT names another port.`)
  process.exit(1)
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening: ${ISSUER}`))

async function showPage(request: IncomingMessage, response: ServerResponse) {
  await provider.interactionDetails(request, response)
  response.setHeader('content-type', 'text/html; charset=utf-8').end(loginPage)
}

async function logIn(request: IncomingMessage, response: ServerResponse) {
  const form = new URLSearchParams(await text(request))
  const outcome = (form.has('refuse') ? 'access_denied' : form.get('outcome')) as Outcome
  if (outcome === 'access_denied' || outcome === 'server_error' || outcome === 'temporarily_unavailable')
    return provider.interactionFinished(request, response, { error: outcome, error_description: 'as was asked for' })
  if (outcome === 'wrong_nonce') await changeNonce(request, response)
  const email = form.get('email') ?? ''
  people.set(email, { email, name: form.get('name') ?? '', outcome })
  await provider.interactionFinished(request, response, {
    login: { accountId: email, remember: false },
    select_account: {},
  })
}

async function changeNonce(request: IncomingMessage, response: ServerResponse) {
  const interaction = await provider.interactionDetails(request, response)
  interaction.params.nonce = 'of another sign-in'
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000))
}
