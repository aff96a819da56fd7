import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { makeAuthority } from '../../../scripts/certificates.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { testDatabase } from './database.ts'
import { type Front, startFront } from './front.ts'
import { repository, run } from './program.ts'
import { startRealBrowser } from './real-browser.ts'
import { type Organization, type Signet, startSignet } from './signet.ts'
import { client } from './upstreams.ts'

/**
 * Signing in as a person sees it: a real browser, and behind https hosts of their own Signet, a provider with a page to log
 * in, and the example application once for each organization; each of them a process.
 */
export type SignInSite = {
  browser: Browser
  node: Signet
  /** Of the database, for what a test cannot wait for. */
  inside: pg.Client
  /** Another one on the same database. */
  startNode(): Promise<Signet>
  /** Which node each further request of a browser or an application meets. */
  meet(next: () => Signet): void
  /** A browser that nobody has used. */
  profile(options?: BrowserContextOptions): Promise<BrowserContext>
  /** What the pages did that their policy forbids, in all profiles. */
  violations: string[]
  /** Leads a host below `app.test` to an address, and gives its own. */
  lead(host: string, to: string): string
  /** For programs that call Signet: the file of the authority of its certificate. */
  caFile: string
  /** The issuer of an organization, as applications have it. */
  issuerOf(organization: Organization): string
  /** An organization with so many ways to sign in. */
  organization(labels: string[]): Promise<Organization>
  /** The same with an application. */
  tenant(labels: string[]): Promise<SiteTenant>
  stop(): Promise<void>
}

export type SiteTenant = {
  organization: Organization
  /** Its application. */
  url: string
  /** How its sign-ins ended, in the order in which that was published. */
  endings(): Promise<string[]>
  /** Who looked at the pages of its application, one after the other; null is somebody who was not signed in. */
  viewers(): Promise<(string | null)[]>
  persons(): Promise<unknown[]>
}

/** The host of Signet. */
export const signetHost = 'id.signet.test'
const providerHost = 'provider.test'
const hosts = [providerHost, '*.app.test']
/** For every program that calls one of them. */
const namesOfTests = join(import.meta.dirname, 'names-of-tests.ts')
const providerProgram = join(repository, 'examples/provider/provider.ts')
const applicationProgram = join(repository, 'examples/sign-in/application.ts')

/** What all stands on; `started` ends it, the last first. */
type Ground = {
  started: AsyncDisposableStack
  /** Of Signet. */
  host: string
  folder: string
  caFile: string
  front: Front
  database: Awaited<ReturnType<typeof testDatabase>>
  inside: pg.Client
}

/** At `localhost`, programs find Signet that know no other names of tests. */
export async function startSignInSite(host = signetHost): Promise<SignInSite> {
  const started = new AsyncDisposableStack()
  return build(started, host).catch(async (error) => {
    await started.disposeAsync()
    throw error
  })
}

async function build(started: AsyncDisposableStack, host: string): Promise<SignInSite> {
  const ground = await layGround(started, host)
  const { front } = ground
  const startNode = () => startNodeOn(ground)
  const [node, browser] = await Promise.all([
    startNode(),
    startRealBrowser({ '*.test': front.port }),
    startProvider(ground),
  ])
  started.defer(() => browser.close())
  const meet: SignInSite['meet'] = (next) => front.lead(host, () => next().baseUrl)
  meet(() => node)
  const violations: string[] = []
  return {
    browser,
    node,
    startNode,
    meet,
    violations,
    inside: ground.inside,
    profile: async (options) => {
      const context = await browser.newContext(options)
      context.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text())
      })
      return context
    },
    lead: (host, to) => {
      front.lead(host, () => to)
      return addressOf(host, ground)
    },
    caFile: ground.caFile,
    issuerOf: (organization) => issuerOf(organization, ground),
    organization: (labels) => makeOrganization(node, labels),
    tenant: (labels) => makeTenant(ground, node, labels),
    stop: () => started.disposeAsync(),
  }
}

async function layGround(started: AsyncDisposableStack, host: string): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  started.defer(() => rmSync(folder, { recursive: true }))
  const authority = makeAuthority()
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.certificate)
  const front = await startFront(authority.issue([host, ...hosts]))
  started.defer(front.stop)
  const database = await testDatabase()
  started.defer(database.drop)
  const inside = new pg.Client(database)
  await inside.connect()
  started.defer(() => inside.end())
  return { started, host, folder, caFile, front, database, inside }
}

const addressOf = (host: string, { front }: Ground): string => `https://${host}:${front.port}`
const issuerOf = ({ id }: Organization, ground: Ground): string => `${addressOf(ground.host, ground)}/oidc/${id}`

async function startNodeOn(ground: Ground): Promise<Signet> {
  const { started, folder, database, caFile } = ground
  const issuer = addressOf(providerHost, ground)
  const providers = join(folder, 'providers.json')
  writeFileSync(providers, JSON.stringify({ provider_a: { issuer, trust_email: true }, provider_h: { issuer } }))
  const node = await startSignet({
    databaseUrl: database.url,
    nodeOptions: ['--import', namesOfTests],
    env: {
      SIGNET_BASE_URL: addressOf(ground.host, ground),
      SIGNET_PROVIDERS: providers,
      SIGNET_ROLES: 'api',
      NODE_EXTRA_CA_CERTS: caFile,
    },
  })
  started.defer(() => node.kill())
  return node
}

const startProvider = (ground: Ground) =>
  startBehind(ground, providerHost, providerProgram, {
    ISSUER: addressOf(providerHost, ground),
    SIGNET: addressOf(ground.host, ground),
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret,
  })

/** Starts a program that listens at its `PORT`, and leads the host there once it does. */
async function startBehind(ground: Ground, host: string, file: string, settings: Record<string, string>) {
  const { started, front, caFile } = ground
  const port = await freePort()
  const command = [process.execPath, '--import', namesOfTests, file]
  const environment = { PORT: `${port}`, NODE_EXTRA_CA_CERTS: caFile, ...settings }
  const program = run({ onTestFinished: (clean) => started.defer(clean) }, command, environment)
  await program.says(/^Listening: /m)
  front.lead(host, () => `http://localhost:${port}`)
}

async function makeTenant(ground: Ground, node: Signet, labels: string[]): Promise<SiteTenant> {
  const organization = await makeOrganization(node, labels)
  const host = `${organization.id}.app.test`
  const url = addressOf(host, ground)
  await startBehind(ground, host, applicationProgram, {
    ISSUER: issuerOf(organization, ground),
    APPLICATION_URL: url,
    ...(await register(node, organization, url)),
  })
  return {
    organization,
    url,
    endings: async () =>
      (await eventsOf(ground.inside, organization, /^Authentication/)).map(
        ({ failure_reason = 'succeeded' }) => failure_reason,
      ),
    viewers: async () =>
      (await eventsOf(ground.inside, organization, /^VirtualPageLoaded$/)).map(({ person_id = null }) => person_id),
    persons: async () => (await node.as(organization, 'GET', '/persons')).body.result,
  }
}

async function makeOrganization(node: Signet, labels: string[]): Promise<Organization> {
  const organization = await node.organization({ name: 'Northwind' })
  await addCredentials(node, organization, labels)
  return organization
}

/** The first is a Google; the others are Oktas, which nobody is led to. */
async function addCredentials(node: Signet, organization: Organization, labels: string[]) {
  const path = '/organizations/sso/oidc/provider-credentials'
  const { clientId: client_id, clientSecret: client_secret } = client
  const okta = { provider: 'provider_h', options: { provider_h: { organization_url: 'https://okta.test' } } }
  for (const [index, label] of labels.entries()) {
    const fields = index === 0 ? { client_id, provider: 'provider_a' } : { client_id: `other-${index}`, ...okta }
    await node.as(organization, 'POST', path, { ...fields, client_secret, label })
  }
}

async function register(node: Signet, organization: Organization, url: string) {
  const { body } = await node.as(organization, 'POST', '/organizations/applications', {
    name: 'Example',
    redirect_uris: [`${url}/callback`],
    post_logout_redirect_uris: [`${url}/`],
    confidential: true,
  })
  return { CLIENT_ID: body.result.client_id, CLIENT_SECRET: body.result.client_secret }
}

type Told = { event_metadata: { event_type: string }; failure_reason?: string; person_id?: string }

/** Its events of that kind, in the order in which they were published. */
async function eventsOf(inside: pg.Client, { id }: Organization, kind: RegExp): Promise<Told[]> {
  const { rows } = await inside.query('select payload from events where org_id = $1 order by id', [id])
  const events: Told[] = rows.map(({ payload }) => JSON.parse(payload))
  return events.filter(({ event_metadata }) => kind.test(event_metadata.event_type))
}
