import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../scripts/free-port.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { createKeys } from '../../src/ground/keys/index.ts'
import { describeMetrics } from '../../src/operator/telemetry/metrics.ts'
import { makeApplication } from '../support/application.ts'
import { openBrowser } from '../support/browser.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { ownPage } from '../support/console.ts'
import { repository } from '../support/program.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import type { Signet } from '../support/signet.ts'
import { everythingStored } from '../support/stored.ts'
import { client } from '../support/upstreams.ts'
import { addWebhook } from '../support/webhooks.ts'

/** Several processes: that takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 150_000 })

const patience = { timeout: 30_000, interval: 200 }
const databasePassword = 'database-password-4711'
const headerValue = 'custom-header-value-4711'

let signIns: SignIns
let collector: Collector
let signet: Signet
let tenant: Tenant
let metricsPort: number
/** By what they are, each as long as it takes not to be found by chance. */
const secrets: Record<string, string> = {}

const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

/** The same server, where any password is accepted or none is asked for. */
function urlWithPassword({ url, password }: SignIns['connection']) {
  const address = new URL(url)
  if (!password) address.password = databasePassword
  return address.href
}

beforeAll(async () => {
  ;[signIns, collector, metricsPort] = await Promise.all([startSignIns(), startCollector(), freePort()])
  tenant = await signIns.tenant()
  signet = await signIns.startProcess({
    DATABASE_URL: urlWithPassword(signIns.connection),
    SIGNET_ROLES: 'api,worker',
    SIGNET_REGIONS: 'local,eu',
    SIGNET_LOG_LEVEL: 'debug',
    SIGNET_ACCESS_LOG: 'on',
    SIGNET_METRICS_PORT: `${metricsPort}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=collector-token-4711',
  })
  await useEverything()
})

afterAll(async () => {
  await signet?.stop()
  await Promise.all([signIns?.stop(), collector?.stop()])
})

/** Something of everything that has to do with a secret, and that is measured. */
async function useEverything() {
  const { organization } = tenant
  const as = (method: string, path: string, body?: unknown) => signet.as(organization, method, path, body)
  const { receiver } = signIns
  receiver.behave('/failing', { status: 500, body: 'no' })
  const fields = { custom_headers: { 'x-token': [headerValue] } }
  await addWebhook(signet, organization, receiver.url('/events'), ['AuthenticationSucceeded_v1'], fields)
  await addWebhook(signet, organization, receiver.url('/failing'), ['AuthenticationSucceeded_v1'], fields)
  const hook = await addWebhook(signet, organization, receiver.url('/hook'), [], fields)
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await as('POST', `/organizations/webhooks/${hook}/triggers`, trigger)
  const made = await as('POST', '/organizations/applications', {
    name: 'Another',
    redirect_uris: ['https://example.com'],
    confidential: true,
  })
  const key = await as('POST', '/organizations/api-keys', { name: 'second', scopes: ['groups:read'] })
  const link = await as('POST', '/organizations/sso/oidc/credential-links', { provider: providers.google })
  const credentials = { organization_id: organization.id, api_key: organization.apiKey }
  const session = await signet.call('POST', '/console/session', { ...ownPage, origin: signet.baseUrl }, credentials)
  expect([made.status, key.status, link.status]).toEqual([201, 201, 201])
  Object.assign(secrets, {
    'API key': organization.apiKey,
    'second API key': key.body.result.api_key,
    'operator key': signet.operatorKey,
    'master key': signIns.masterKey,
    'database password': signIns.connection.password ?? databasePassword,
    'collector token': 'collector-token-4711',
    'custom header': headerValue,
    'provider secret': client.clientSecret,
    'application secret': made.body.result.client_secret,
    'link token': link.body.result.url.split('#')[1],
    'console cookie': session.headers.getSetCookie()[0]?.split(/[=;]/)[1],
    'signing key': await signingKey(),
  })
  await signIn()
  await signet.operate('GET', '/regions')
  await signet.as({ ...organization, apiKey: 'wrong-key-4711' }, 'GET', '/groups?name=query-4711')
  await signet.as(organization, 'GET', '/persons?handle=query-4711')
  await findDatabaseReadOnly()
}

/** By a browser; what only it and the application ever see is secret too. */
async function signIn() {
  const application = await makeApplication(signet, tenant.organization)
  const cookies: string[] = []
  const browser = openBrowser(
    () => signet.baseUrl,
    (line) => cookies.push(line.split(/[=;]/)[1] ?? ''),
  )
  const begun = await application.begin()
  const { url } = await browser.go(begun.url, { person: ada })
  const tokens = await application.exchange(begun, url)
  Object.assign(secrets, {
    ...Object.fromEntries(cookies.filter((value) => value.length > 15).map((value, at) => [`cookie ${at}`, value])),
    state: begun.expectedState,
    verifier: begun.pkceCodeVerifier,
    code: new URL(url).searchParams.get('code'),
    'ID token': tokens.id_token,
    'access token': tokens.access_token,
  })
}

async function signingKey(): Promise<string> {
  const database = openDatabase(signIns.connection)
  const keyring = makeKeyring(signIns.masterKey)
  const keys = createKeys({ database, clock: signIns.clock, keyring, keyLeadMs: 0, keyRotationMs: 0 })
  const signers = await keys.findSigners([tenant.organization.id], () => {})
  await database.close()
  return signers.get(tenant.organization.id)?.key.privateKey.export({ format: 'jwk' }).d ?? ''
}

/** For the errors of the database: while there are reads, a new connection finds that it takes no writes. */
async function findDatabaseReadOnly() {
  const { connection, inside } = signIns
  await inside.query(`alter database ${connection.database} set default_transaction_read_only = on`)
  const isNotReady = async () => {
    await signet.operate('GET', '/organizations')
    expect((await fetch(`${signet.baseUrl}/readyz`)).status).toBe(503)
  }
  await vi.waitFor(isNotReady, { timeout: 30_000, interval: 200 })
  // On a connection that was there before, and so still writes.
  await inside.query(`alter database ${connection.database} reset default_transaction_read_only`)
}

describe('Secrets', () => {
  const encodings = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    ...(['hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(secret).toString(form)),
  ]

  function expectNone(text: string, those = secrets) {
    for (const [name, secret] of Object.entries(those))
      for (const encoded of encodings(secret))
        expect(text.includes(encoded), `${name} in ${around(text, encoded)}`).toBe(false)
  }
  const around = (text: string, found: string) =>
    text.slice(Math.max(0, text.indexOf(found) - 200), text.indexOf(found))

  test('Each is one', () => {
    expect(Object.keys(secrets).length).toBeGreaterThan(18)
    for (const [name, secret] of Object.entries(secrets)) expect(secret?.length, name).toBeGreaterThan(15)
  })

  const printed = ['request', 'delivery attempt', 'delivery attempt failed']

  test('None is in what the process prints: log, debug lines and access log', async () => {
    for (const message of printed) await expect.poll(signet.output, patience).toContain(`"msg":"${message}"`)
    expectNone(signet.output())
    expect(signet.output()).not.toContain('query-4711')
  })

  test('None is in what is exported to a collector: traces and log', async () => {
    const names = () => collector.spans().map(({ name }) => name)
    const expected = ['sign-in', 'identify', 'hook attempt', 'delivery attempt', 'publish', 'transaction']
    await expect.poll(names, patience).toEqual(expect.arrayContaining(expected))
    // Lines are exported apart from spans, and later.
    const lines = () => collector.lines().map(({ body }) => body)
    await expect.poll(lines, patience).toEqual(expect.arrayContaining(printed))
    expectNone(collector.raw())
    expect(collector.raw()).not.toContain('query-4711')
    expect(JSON.stringify(collector.spans())).not.toContain(tenant.organization.id)
  })

  test('None is in the metrics, which name no organization either', async () => {
    const text = await metrics()
    expectNone(text)
    expect(text).not.toContain(tenant.organization.id)
  })

  test('None is in the audit log, the delivery log, or what the console reads', async () => {
    const paths = [
      'audit-log?limit=100',
      'deliveries',
      'applications',
      'webhooks',
      'api-keys',
      'sso/oidc/provider-credentials',
      'sso/oidc/credential-links',
    ]
    for (const path of paths) {
      const { status, body } = await signet.as(tenant.organization, 'GET', `/organizations/${path}`)
      expect([path, status]).toEqual([path, 200])
      // Shown to admin keys, who may set them.
      expectNone(JSON.stringify(body).replaceAll(headerValue, '…'))
    }
  })

  test('None is in what is stored', async () => {
    // The state of a request is stored while the sign-in goes on: the application gets it back.
    const { state: _state, ...others } = secrets
    expectNone(await everythingStored(signIns.connection), others)
  })
})

describe('A database that hangs', () => {
  const readings = `
    select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%from deliveries limit%'`

  test('The metrics come without what it would say, and however often they are asked for, it is asked once', async () => {
    await signIns.inside.query('begin')
    try {
      await signIns.inside.query('lock table deliveries in access exclusive mode')
      for (const text of [await metrics(), await metrics(), await metrics()]) {
        expect(text).toMatch(/^signet_deliveries_in_flight \d+$/m)
        expect(text).not.toMatch(/^signet_deliveries_unfinished \d+$/m)
      }
      expect((await signIns.inside.query(readings)).rowCount).toBe(1)
    } finally {
      await signIns.inside.query('rollback')
    }
    await expect.poll(metrics, patience).toMatch(/^signet_deliveries_unfinished \d+$/m)
  })
})

describe('The files for monitoring', () => {
  const read = (name: string) => readFileSync(join(repository, 'examples/monitoring', name), 'utf8')
  const dashboard = JSON.parse(read('signet-dashboard.json'))
  const { groups } = parse(read('signet-alerts.yaml'))
  // biome-ignore lint/suspicious/noExplicitAny: a document of Grafana's
  const panels = dashboard.panels.filter(({ type }: any) => type !== 'row') as any[]
  // biome-ignore lint/suspicious/noExplicitAny: a document of Grafana's
  const queries: string[] = panels.flatMap(({ targets }) => targets.map(({ expr }: any) => expr))
  // biome-ignore lint/suspicious/noExplicitAny: a document of Prometheus'
  const rules = groups.flatMap((group: any) => group.rules) as any[]
  const expressions: string[] = [...queries, ...rules.map(({ expr }) => expr)]

  /** The labels of each metric that is served, of histograms by the name of their count. */
  async function served(): Promise<Map<string, Set<string>>> {
    const labels = new Map<string, Set<string>>()
    for (const [, name = '', inner = ''] of (await metrics()).matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)) {
      const known = labels.get(name) ?? new Set()
      for (const [, label = ''] of inner.matchAll(/(\w+)="/g)) known.add(label)
      labels.set(name, known)
    }
    return labels
  }

  /** What Prometheus adds to every metric, and what needs a standby: `regions.test.ts` has those. */
  const added = ['instance', 'job']
  const elsewhere: [string, string[]][] = [
    ['signet_replication_lag_seconds', ['standby']],
    ['signet_replication_lag_bytes', ['standby']],
    ['up', []],
  ]

  test('Every metric and label that an expression names is served', async () => {
    // The settlement of the last delivery is counted after its response.
    await expect.poll(metrics, patience).toMatch(/^signet_delivery_attempts_total\{outcome="retried"\}/m)
    const labels = new Map([...(await served()), ...elsewhere.map(([name, own]) => [name, new Set(own)] as const)])
    for (const expression of expressions) {
      const metricsNamed = [...expression.matchAll(/\b((?:signet|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)]
      expect(metricsNamed, expression).not.toEqual([])
      const known = new Set(added)
      for (const [, name = '', selectors = ''] of metricsNamed) {
        expect([...labels.keys()], expression).toContain(name)
        for (const label of labels.get(name) ?? []) known.add(label)
        for (const [, label] of selectors.matchAll(/(\w+)\s*(?:=|!=|=~|!~)"/g))
          expect([...(labels.get(name) ?? []), ...added], `${label} of ${name}`).toContain(label)
      }
      for (const [, by = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
        for (const label of by.split(', ')) expect([...known], expression).toContain(label)
    }
  })

  test('What every process reports alike is not added up', () => {
    const names = describeMetrics()
      .filter(({ help }) => help.includes('Every process reports the same value.'))
      .map(({ name }) => name)
    expect(names.length).toBeGreaterThan(8)
    const added = expressions.filter((each) =>
      names.some((name) => new RegExp(`\\bsum ?(by \\([^)]*\\) ?)?\\(${name}\\b`).test(each)),
    )
    expect(added).toEqual([])
  })

  test('Every metric that only Signet has, and no other, is one that the reference describes', async () => {
    const served = [...(await metrics()).matchAll(/^# TYPE (signet_\w+) (\w+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }))
    const described = describeMetrics().map(({ name, type }) => ({ name, type }))
    expect(served).toEqual(expect.arrayContaining(described))
    expect(described).toHaveLength(served.length)
  })

  test('The dashboard is one that Grafana imports: panels have places of their own, and a data source to choose', () => {
    expect(dashboard).toMatchObject({ title: 'Signet', uid: 'signet', schemaVersion: expect.any(Number) })
    expect(dashboard).not.toHaveProperty('id')
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' })
    expect(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size).toBe(dashboard.panels.length)
    const taken = new Set<string>()
    for (const { gridPos, title } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken, title).not.toContain(`${x},${y}`)
          taken.add(`${x},${y}`)
        }
    }
    // Grafana's own form of a variable.
    const chosen = `$${'{datasource}'}`
    for (const { datasource, description } of panels)
      expect([datasource.uid, typeof description]).toEqual([chosen, 'string'])
  })

  test('Every alert has a name, a severity and a summary', () => {
    const alerts = rules.filter(({ record }) => record === undefined)
    expect(alerts.length).toBeGreaterThan(16)
    for (const { alert, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Signet\w+$/)
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/^[A-Z].+\.$/)
    }
  })
})
