import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { runningClock, type SettableClock } from '../../src/ground/runtime/clock.ts'
import type { Failpoint } from '../../src/identity/sign-in/index.ts'
import { type Application, makeApplication } from './application.ts'
import { type Browser, baseUrl, openBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { makeKeyring, type Service, startService } from './service.ts'
import { type Organization, type Signet, startSignet } from './signet.ts'
import { client, startHostileProvider, startOidcProviders } from './upstreams.ts'

/** All that sign-ins take part in: the service on a database, providers, a receiver of hooks. */
export type SignIns = {
  connection: Awaited<ReturnType<typeof testDatabase>>
  inside: pg.Client
  receiver: Receiver
  clock: SettableClock
  service: Service
  masterKey: string
  /** Another one on the same database, behind the same address. */
  startNode(others?: Partial<NodeOptions>): Promise<Service>
  /** A process of its own, on this database, whose log can be read. */
  startProcess(env?: Record<string, string>): Promise<Signet>
  /** One that is killed when so many sign-ins have come to that failpoint. */
  startDyingNode(failpoint: Failpoint, times?: number): Promise<Signet>
  /** A tenant with one way to sign in, an application, and a browser that nobody has used. */
  tenant(fields?: object): Promise<Tenant>
  stop(): Promise<void>
}

const dyingNode = join(import.meta.dirname, 'dying-node.ts')

type NodeOptions = Parameters<typeof startService>[0]

export type Tenant = {
  organization: Organization
  application: Application
  browser: Browser
  /** The callback of the credential that it begins with. */
  callbackUrl: string
  /** Gives the callback of another one. */
  addCredential(provider: string, fields?: object): Promise<string>
  /** What its events tell, in the order in which they were published. */
  events(): Promise<Told[]>
  /** How its sign-ins ended. */
  endings(): Promise<string[]>
  persons(): Promise<Person[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event, field by field
export type Told = any
export type Person = { person_id: string; handles: { value: string; verified: boolean }[] }

/** Of the providers that every node knows: two that are honest, one with a lie in its ID tokens, one that is away. */
export const providers = {
  google: 'provider_a',
  lying: 'provider_f',
  away: 'provider_g',
  okta: 'provider_h',
  own: 'oidc',
}

type MoreProviders = (hostile: string, honest: Record<string, string>) => object

/** `moreProviders`: further addresses of providers, in place of these; it gets that of the one that lies, and those of honest ones. */
export async function startSignIns(moreProviders: MoreProviders = () => ({})): Promise<SignIns> {
  const connection = await testDatabase()
  const inside = new pg.Client(connection)
  await inside.connect()
  const [receiver, oidc, hostile] = await Promise.all([startReceiver(), startOidcProviders(), startHostileProvider()])
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  const overrides = {
    [providers.google]: { issuer: oidc.urls.google, trust_email: true },
    [providers.lying]: { issuer: `${hostile.urls.base}/nonce-other` },
    [providers.away]: { issuer: 'http://127.0.0.1:1' },
    [providers.okta]: { issuer: oidc.urls.okta },
    [providers.own]: { issuer: oidc.urls.okta },
    ...moreProviders(hostile.urls.base, oidc.urls),
  }
  writeFileSync(join(folder, 'providers.json'), JSON.stringify(overrides))
  writeFileSync(join(folder, 'tiers.json'), JSON.stringify({ full: { max_persons: 0 } }))
  const env = {
    SIGNET_BASE_URL: baseUrl,
    SIGNET_PROVIDERS: join(folder, 'providers.json'),
    SIGNET_TIERS: join(folder, 'tiers.json'),
    SIGNET_ROLES: 'api',
  }
  const masterKey = makeMasterKey()
  const [clock, keyring] = [runningClock(), makeKeyring(masterKey)]
  const startNode: SignIns['startNode'] = (others = {}) =>
    startService({ connection, receiver, clock, keyring, ...others, env: { ...env, ...others.env } })
  const service = await startNode()
  return {
    connection,
    inside,
    receiver,
    clock,
    service,
    masterKey,
    startNode,
    startProcess: (others = {}) =>
      startSignet({ databaseUrl: connection.url, receiver, masterKey, env: { ...env, ...others } }),
    startDyingNode: (failpoint, times = 1) =>
      startSignet({
        databaseUrl: connection.url,
        receiver,
        masterKey,
        program: dyingNode,
        env: { ...env, SIGNET_RATE_SIGN_IN: '100000/100000', DIE_AT: failpoint, DIE_AFTER: String(times) },
      }),
    tenant: (fields) => makeTenant(service, inside, fields),
    stop: async () => {
      await Promise.all([service.stop(), receiver.stop(), oidc.stop(), hostile.stop(), inside.end()])
      await connection.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function makeTenant(service: Service, inside: pg.Client, fields?: object): Promise<Tenant> {
  const organization = await service.organization(fields)
  const addCredential: Tenant['addCredential'] = async (provider, others) => {
    const { clientId: client_id, clientSecret: client_secret } = client
    const named: Record<string, object> = {
      provider_h: { organization_url: 'https://okta.test' },
      oidc: { issuer: 'https://id.okta.test/realms/staff' },
    }
    const options = named[provider] ? { [provider]: named[provider] } : {}
    const body = { client_id, client_secret, provider, options, ...others }
    const answer = await service.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.result.callback_url
  }
  const events: Tenant['events'] = async () => {
    const { rows } = await inside.query('select payload from events where org_id = $1 order by id', [organization.id])
    return rows.map(({ payload }) => JSON.parse(payload))
  }
  return {
    organization,
    callbackUrl: await addCredential(providers.google),
    application: await makeApplication(service, organization),
    browser: openBrowser(() => service.baseUrl),
    addCredential,
    events,
    endings: async () =>
      (await events())
        .filter(({ event_metadata }) => event_metadata.event_type.startsWith('Authentication'))
        .map(({ failure_reason = 'succeeded' }) => failure_reason),
    persons: async () => (await service.as(organization, 'GET', '/persons')).body.result,
  }
}

/** Who signs in, at the honest providers. */
export const ada = { sub: 'ada-1', email: 'ada@gmail.com', email_verified: true, name: 'Ada' }
