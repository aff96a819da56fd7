import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  request as call,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { freePort } from '../../../scripts/free-port.ts'
import { buildLibraryPackage } from '../../../scripts/packages/build-library-package.ts'
import { testDatabase } from './database.ts'
import { repository, run } from './program.ts'
import { startRealBrowser } from './real-browser.ts'
import { type Organization, type Signet, startSignet } from './signet.ts'
import { client } from './upstreams.ts'

/**
 * A single-page application with the browser library, as its visitors meet it: a real browser, Signet behind a wire that can
 * be held, and a provider with a page to log in.
 */
export type PageSite = {
  browser: Browser
  signet: Signet
  organization: Organization
  /**
   * Where the application is; each of its paths is the same page, with `signet` in it. Where sign-ins come back, `ended` is what came
   * of one, unless `waits` is in the session's storage: then it is not looked at.
   */
  url: string
  wire: Wire
  /** What the page gives to the library. */
  settings(): object
  /** What the events of the organization tell, in the order in which they were published. */
  events(): Promise<Told[]>
  stop(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event, field by field
export type Told = any

/** Between browsers and Signet. */
export type Wire = {
  /** How many page events wait on it. */
  held(): number
  /** From now on page events get no further. */
  hold(): void
  /** Those that their browser has not given up go on. */
  release(): void
  /** From now on nothing of it gets through. */
  cut(isCut: boolean): void
}

export async function startPageSite(): Promise<PageSite> {
  // What was started ends also when the rest of it cannot be.
  await using started = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  started.defer(() => rmSync(folder, { recursive: true }))
  const [port, providerPort] = [await freePort(), await freePort()]
  const wire = createWire(`http://localhost:${port}`)
  const baseUrl = await serve(wire.listen, started)
  const issuer = `http://127.0.0.1:${providerPort}`
  const registered = { CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret }
  const provider = run(
    { onTestFinished: (clean) => started.defer(clean) },
    [process.execPath, join(repository, 'examples/provider/provider.ts')],
    { PORT: `${providerPort}`, SIGNET: baseUrl, ...registered },
  )

  const database = await testDatabase()
  started.defer(database.drop)
  const inside = new pg.Client(database)
  await inside.connect()
  started.defer(() => inside.end())
  const library = join(folder, 'library')
  const SIGNET_PROVIDERS = join(folder, 'providers.json')
  writeFileSync(SIGNET_PROVIDERS, JSON.stringify({ provider_a: { issuer, trust_email: true } }))
  const env = { SIGNET_BASE_URL: baseUrl, SIGNET_PROVIDERS, SIGNET_ROLES: 'api' }
  await buildLibraryPackage('browser', library)
  await provider.says(/^Listening: /m)
  const signet = await startSignet({ databaseUrl: database.url, port, env })
  started.defer(() => signet.kill())
  const browser = await startRealBrowser()
  started.defer(() => browser.close())

  const organization = await signet.organization()
  const script = readFileSync(join(library, 'signet.min.js'))
  const application = { settings: {} }
  const url = await serve((request, response) => showPage(request, response, script, application.settings), started)
  const clientId = await register(signet, organization, url)
  application.settings = { baseUrl, organizationId: organization.id, clientId, redirectUri: `${url}/callback` }
  const kept = started.move()
  return {
    browser,
    signet,
    organization,
    url,
    wire,
    settings: () => application.settings,
    events: async () => {
      const { rows } = await inside.query('select payload from events where org_id = $1 order by id', [organization.id])
      return rows.map(({ payload }) => JSON.parse(payload))
    },
    stop: () => kept.disposeAsync(),
  }
}

async function serve(listener: RequestListener, started: AsyncDisposableStack): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  started.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function register(signet: Signet, organization: Organization, url: string): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = client
  const credential = { provider: 'provider_a', client_id, client_secret }
  await signet.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', credential)
  const { body } = await signet.as(organization, 'POST', '/organizations/applications', {
    name: 'Example',
    redirect_uris: [`${url}/callback`],
    post_logout_redirect_uris: [`${url}/bye`],
  })
  return body.result.client_id
}

function createWire(to: string): Wire & { listen: RequestListener } {
  const waiting: (() => void)[] = []
  let isHeld = false
  let isCut = false
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    // Whoever waits for an answer keeps the connection.
    if (request.socket.destroyed) return
    const { method = '', headers } = request
    const passed = call(new URL(request.url ?? '', to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }
  return {
    listen: (request, response) => {
      if (isCut) return request.socket.destroy()
      const isPageEvent = request.url === '/sdk/events' && request.method === 'POST'
      if (isHeld && isPageEvent) return waiting.push(() => pass(request, response))
      return pass(request, response)
    },
    held: () => waiting.length,
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      for (const go of waiting.splice(0)) go()
    },
    cut: (wanted) => {
      isCut = wanted
    },
  }
}

/** `/boxed` has neither cookies nor storage. */
function showPage({ url }: IncomingMessage, response: ServerResponse, script: Buffer, settings: object) {
  if (url === '/signet.min.js') return response.setHeader('content-type', 'text/javascript').end(script)
  if (url === '/boxed') response.setHeader('content-security-policy', 'sandbox allow-scripts')
  return response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><title>Example</title>
<link rel="icon" href="data:"><h1>Example</h1><script src="/signet.min.js"></script><script>
const signet = Signet.createSignet(${JSON.stringify(settings)})
const isToEnd = location.pathname === '/callback' && !sessionStorage.getItem('waits')
const ended = isToEnd ? signet.finishSignIn() : undefined
ended?.catch(() => {})
</script>`)
}
