import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OIDCMockProvider } from '@mongodb-js/oidc-mock-provider'
import Provider, { type ClientMetadata, type Configuration, interactionPolicy } from 'oidc-provider'

/** Real providers, each as its public model: who signs in comes as JSON in `login_hint`. */
type Client = { clientId: string; clientSecret: string }
type Setup = { client: Client; otherClient: Client; callbackUrl: string; host: string }
type Handler = (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) => unknown

const tenant = '11111111-2222-4333-8444-555555555555'

// That everything is kept in memory is what a test wants, and not worth a warning.
console.warn = () => {}
console.info = () => {}
process.on('disconnect', () => process.exit())
process.once('message', async (setup: Setup) => {
  const listen = (make: (base: string) => Handler) => listenAt(setup.host, make)
  const [google, line, okta, entra] = await Promise.all([
    listen((base) => serve(make(base, setup, {}))),
    listen((base) => serve(make(base, setup, { id_token_signed_response_alg: 'HS256' }))),
    listen((base) =>
      serve(make(base, setup, { token_endpoint_auth_method: 'client_secret_basic' }, { conformIdTokenClaims: true })),
    ),
    listen((base) => serveTenant(base, setup)),
  ])
  const second = await OIDCMockProvider.create({
    hostname: '127.0.0.1',
    getTokenPayload: () => ({
      expires_in: 60,
      payload: { sub: 'second-1', email: 'ada@example.com', email_verified: true },
    }),
  })
  process.send?.({ google, line, okta, entra: `${entra}/{tenant}/v2.0`, second: second.issuer })
})

async function listenAt(host: string, make: (base: string) => Handler): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://${host}:${(server.address() as AddressInfo).port}`
  server.on('request', make(base))
  return base
}

/** As at Google, a person may be asked to choose an account, which here is who comes. */
function policy() {
  const prompts = interactionPolicy.base()
  prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }))
  return prompts
}

const people = new Map<string, Record<string, unknown>>()

function make(issuer: string, setup: Setup, metadata: Partial<ClientMetadata>, more: Configuration = {}): Provider {
  const { pathname } = new URL(issuer)
  const clients = [setup.client, setup.otherClient].map(({ clientId, clientSecret }) => ({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [setup.callbackUrl],
    token_endpoint_auth_method: 'client_secret_post' as const,
    ...metadata,
  }))
  const provider = new Provider(issuer, {
    clients,
    cookies: { keys: ['of a test'] },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] } as never,
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'HS256'] },
    scopes: ['openid', 'offline_access', 'User.Read'],
    claims: {
      openid: ['sub', 'tid', 'oid', 'ver'],
      email: ['email', 'email_verified', 'hd', 'xms_edov'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'locale'],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    // Of two tabs, the second gets another session; the code of the first is to stay good.
    expiresWithSession: () => false,
    features: { devInteractions: { enabled: false } },
    interactions: { policy: policy(), url: (_, { uid }) => `${pathname.replace(/\/$/, '')}/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people.get(accountId) }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.account?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile User.Read')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    ...more,
  })
  // A callback for each credential: whatever credentials a test makes, theirs are registered.
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    new URL('.', uri).href === new URL('.', setup.callbackUrl).href
  return provider
}

function serve(provider: Provider): Handler {
  const callback = provider.callback()
  return (request, response) =>
    request.url?.startsWith('/interaction/') ? finish(provider, request, response) : callback(request, response)
}

/** Without a page: whoever is named is signed in, and who names `refuse` has refused. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { params } = await provider.interactionDetails(request, response)
  const { refuse, ...person } = JSON.parse(String(params.login_hint))
  people.set(person.sub, person)
  const result = refuse
    ? { error: 'access_denied', error_description: 'refused' }
    : { login: { accountId: person.sub }, select_account: {} }
  await provider.interactionFinished(request, response, result)
}

/** As Entra: a tenant has an issuer of its own; the pseudo tenants publish a template, and each key says whose it is. */
function serveTenant(base: string, setup: Setup): Handler {
  const prefix = `/${tenant}/v2.0`
  const handle = serve(make(`${base}${prefix}`, setup, {}))
  return async (request, response) => {
    const url = request.url ?? ''
    const [, name] = /^\/([\w.-]+)\/v2\.0\/\.well-known\/openid-configuration$/.exec(url) ?? []
    if (url === '/keys') return sendJson(response, { keys: await tenantKeys(base) })
    if (name) return sendJson(response, await tenantDocument(base, name))
    request.originalUrl = url
    request.url = url.slice(prefix.length)
    return handle(request, response)
  }
}

const inner = async (base: string, path: string) => (await fetch(`${base}/${tenant}/v2.0${path}`)).json()

async function tenantKeys(base: string) {
  const { keys } = (await inner(base, '/jwks')) as { keys: object[] }
  return keys.map((key) => ({ ...key, issuer: `${base}/{tenantid}/v2.0` }))
}

async function tenantDocument(base: string, name: string) {
  const own = `${base}/${tenant}/v2.0`
  return {
    issuer: name === 'common' || name === 'organizations' ? `${base}/{tenantid}/v2.0` : own,
    authorization_endpoint: `${own}/auth`,
    token_endpoint: `${own}/token`,
    jwks_uri: `${base}/keys`,
  }
}

const sendJson = (response: ServerResponse, value: unknown) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
