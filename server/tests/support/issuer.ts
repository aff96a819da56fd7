import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import { createEnqueueLogouts } from '../../src/delivery/queue/enqueue-logouts.ts'
import { type Database, openDatabase, type Transaction } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { type Keyring, makeMasterKey } from '../../src/ground/keys/index.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { endSessionsOfCredentials } from '../../src/identity/issuer/end-sessions-of-credentials.ts'
import {
  createEndSessions,
  findInteraction,
  type Result,
  type SignIn,
  saveError,
  saveSignIn,
} from '../../src/identity/issuer/index.ts'
import { readConfig } from '../../src/start/config.ts'
import { buildService } from '../../src/start/service.ts'
import { application, type Browser, baseUrl, fetchAt, openBrowser } from './browser.ts'
import { type Connection, testDatabase } from './database.ts'
import { makeKeyring } from './service.ts'
import { type Client, createClient, type Organization, startSignet } from './signet.ts'

export const redirectUri = `${application}callback`
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/** An application of the test, by a library that knows nothing of Signet. */
export type App = { organization: Organization; clientId: string; config: Configuration }
/** What one sign-in began with. */
export type Request = { url: URL; verifier: string; state: string; nonce: string }

export type Issuers = Client & {
  database: Database
  /** The service's address; its base URL is another one. */
  address: string
  keyring: Keyring
  clock: { now(): number; advance(ms: number): void; reset(): void }
  browser(): Browser
  app(organization: Organization, fields?: object): Promise<App>
  person(organization: Organization, groups?: string[]): Promise<string>
  request(app: App, parameters?: Record<string, string>): Promise<Request>
  /** Signs in without a provider: the result is written as `sign-in` writes it. Gives where the browser ends. */
  signIn(browser: Browser, app: App, request: Request, result: Result): Promise<URL>
  exchange(app: App, request: Request, end: URL): Promise<Tokens>
  /** Removes what credentials that have ended vouched for, as each process does every minute. */
  sweepCredentials(through?: Database): Promise<void>
  /** The service once more, as a process of its own on the same database. */
  another(): Promise<AnotherProcess>
  stop(): Promise<void>
}

export type AnotherProcess = {
  refresh(app: App, refreshToken: string): Promise<{ status: number; body: unknown }>
  stop(): Promise<unknown>
}

export async function startIssuers(env: Record<string, string> = {}): Promise<Issuers> {
  const connection: Connection & { drop(): Promise<void> } = await testDatabase()
  const operatorKey = 'operator-key-for-tests-0123456789'
  let ahead = 0
  const clock = {
    now: () => Date.now() + ahead,
    advance: (ms: number) => {
      ahead += ms
    },
    reset: () => {
      ahead = 0
    },
  }
  const masterKey = makeMasterKey()
  const keyring = makeKeyring(masterKey)
  const config = readConfig({
    SIGNET_OPERATOR_KEY: operatorKey,
    SIGNET_BASE_URL: baseUrl,
    SIGNET_LOG_LEVEL: 'error',
    ...env,
  })
  const service = await buildService({ config: { ...config, port: 0 }, connection, keyring, clock })
  const address = await service.listen()
  const database = openDatabase(connection)
  const client = createClient(address, operatorKey)
  const endSessions = createEndSessions(createEnqueueLogouts({ clock, wake: () => {} }))
  const swept = { database, clock, flowMs: config.lifetimes.flowMs, endSessions }
  return {
    ...client,
    database,
    address,
    keyring,
    clock,
    browser: () => openBrowser(() => address),
    organization: async (fields) => {
      const organization = await client.organization(fields)
      await addCredentials(database, organization)
      return organization
    },
    app: (organization, fields = {}) => makeApp(client, address, organization, fields),
    person: async (organization, groups = []) => {
      for (const name of groups) await client.as(organization, 'POST', '/groups', { name })
      const { body } = await client.as(organization, 'POST', '/persons', { groups })
      return body.result.person_id
    },
    request,
    signIn: (browser, app, request, result) => signIn({ database, clock }, { browser, app, request, result }),
    exchange: ({ config }, { verifier, state, nonce }, end) =>
      authorizationCodeGrant(config, end, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }),
    sweepCredentials: (through = database) =>
      endSessionsOfCredentials({ ...swept, database: through }, new AbortController().signal),
    another: async () => {
      const other = await startSignet({
        databaseUrl: connection.url,
        masterKey,
        env: { SIGNET_BASE_URL: baseUrl, ...env },
      })
      return { refresh: (app, token) => refreshAt(other.baseUrl, app, token), stop: other.stop }
    },
    stop: async () => {
      await service.stop()
      await database.close()
      await connection.drop()
    },
  }
}

async function refreshAt(address: string, { organization, clientId }: App, refreshToken: string) {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
  })
  const answer = await fetch(`${address}/oidc/${organization.id}/token`, { method: 'POST', body })
  return { status: answer.status, body: await answer.json() }
}

async function makeApp(client: Client, address: string, organization: Organization, fields: object): Promise<App> {
  const { body } = await client.as(organization, 'POST', '/organizations/applications', {
    name: 'App',
    redirect_uris: [redirectUri],
    ...fields,
  })
  const { client_id: clientId, client_secret: secret, id_token_signed_response_alg } = body.result
  const issuer = new URL(`${baseUrl}/oidc/${organization.id}`)
  const authentication = secret ? ClientSecretBasic(secret) : None()
  const config = await discovery(issuer, clientId, { id_token_signed_response_alg }, authentication, {
    execute: [allowInsecureRequests],
    [customFetch]: fetchAt(() => address) as never,
  })
  return { organization, clientId, config }
}

async function request({ config }: App, parameters: Record<string, string> = {}): Promise<Request> {
  const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()]
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  })
  return { url, verifier, state, nonce }
}

const credentialId = '00000000-0000-7000-8000-000000000000'
const otherCredentialId = '00000000-0000-7000-8000-000000000001'

/**
 * Two that nobody signs in with here, so that there is a choice, and a browser stops at the page; sessions hold for as long
 * as the first is there.
 */
const addCredentials = ({ write }: Database, { id }: Organization) =>
  write.rows(sql`
    insert into oidc_credentials (org_id, id, client_id, provider, client_secret, label, external_cred_id, options)
    values (${id}, ${credentialId}, 'signet', 'provider_a', '', '', '', '{}'),
           (${id}, ${otherCredentialId}, 'other', 'provider_a', '', '', '', '{}')`)

/** What `sign-in` knows in the end. */
export const signedIn = (personId: string, now: number, claims: Record<string, unknown> = {}): { signIn: SignIn } => ({
  signIn: {
    personId,
    credentialId,
    identityId: null,
    authentications: [{ method: 'oidc', timestamp: toTimestamp(now) }],
    claims,
  },
})

/** Of an application on the device of the person, which is not running. */
export const loopbackForm = /^http:\/\/(127\.0\.0\.1|\[::1\])[:/]/

const flowForm = /\/sso\/flows\/[^/]+\/([\w-]+)$/

export const uidIn = (url: string): string => flowForm.exec(new URL(url).pathname)?.[1] ?? ''

/** As `sign-in` writes it. */
export async function saveAs(tx: Transaction, organizationId: string, uid: string, result: Result, now: string) {
  if ('error' in result) return saveError(tx, organizationId, uid, result, now)
  const clock = { now: () => Date.parse(now) }
  const endSessions = createEndSessions(createEnqueueLogouts({ clock, wake: () => {} }))
  return saveSignIn(tx, organizationId, uid, result.signIn, { now, endSessions })
}

type SignInInput = { browser: Browser; app: App; request: Request; result: Result }

async function signIn(
  { database, clock }: Pick<Issuers, 'database' | 'clock'>,
  { browser, app, request, result }: SignInInput,
): Promise<URL> {
  const page = await browser.go(request.url.href, { stopAt: flowForm })
  const now = toTimestamp(clock.now())
  const uid = uidIn(page.url)
  const interaction = await findInteraction(database.read, app.organization.id, uid, now)
  if (!interaction) throw new Error(`no interaction at ${page.url}: ${page.html}`)
  await database.transaction((tx) => saveAs(tx, app.organization.id, uid, result, now))
  const end = await browser.go(interaction.returnTo, { stopAt: loopbackForm })
  return new URL(end.url)
}
