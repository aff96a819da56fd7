import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Collector, type ExportedSpan, startCollector, startSilentCollector } from '../support/collector.ts'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

/** Several processes: that takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 150_000 })

/** What a busy machine may add to a stop: far less than the ten seconds after which an export ends by itself. */
const busyMs = 2_000
const patience = { timeout: 30_000, interval: 100 }
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`

let database: Awaited<ReturnType<typeof testDatabase>>
let receiver: Receiver
let collector: Collector
let api: Signet
let worker: Signet
let organization: Organization

const settings = (role: string, others = {}) => ({
  databaseUrl: database.url,
  receiver,
  env: {
    SIGNET_ROLES: role,
    SIGNET_LOG_LEVEL: 'info',
    SIGNET_ACCESS_LOG: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_LOGS_EXPORTER: 'otlp',
    ...others,
  },
})

beforeAll(async () => {
  ;[database, receiver, collector] = await Promise.all([testDatabase(), startReceiver(), startCollector()])
  api = await startSignet(settings('api'))
  worker = await startSignet(settings('worker', { SIGNET_BASE_URL: api.baseUrl }))
  organization = await api.organization()
})

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()])
  await Promise.all([receiver?.stop(), collector?.stop()])
  await database?.drop()
})

const spansOf = (id: string) => collector.spans().filter((span) => span.traceId === id)
const named = (name: string, id = traceId): ExportedSpan => {
  const span = spansOf(id).find((each) => each.name === name)
  if (!span) throw new Error(`no span ${name} among ${spansOf(id).map((each) => each.name)}`)
  return span
}

/** The names of the spans of a trace, from this one up to its root. */
function upwards(span: ExportedSpan): string[] {
  const parent = spansOf(span.traceId).find(({ spanId: id }) => id === span.parentSpanId)
  return [span.name, ...(parent ? upwards(parent) : [])]
}

test('One trace leads from the request of a caller with a key, through its event, to the receiver, across processes', async () => {
  await addWebhook(api, organization, receiver.url('/traced'), ['PersonCreated_v1'])
  receiver.behave('/traced', { first: { times: 1, status: 500 } })
  const headings = { traceparent, tracestate: 'vendor=secret-state', baggage: 'user=secret-baggage' }
  const person = { handles: [{ type: 'EmailAddress', value: 'secret-ada@example.com' }] }
  expect((await api.as(organization, 'POST', '/persons', person, headings)).status).toBe(201)
  const [first] = await receiver.waitFor('/traced', 1, patience.timeout)
  await expect
    .poll(() => spansOf(traceId).map(({ name }) => name), patience)
    .toEqual(expect.arrayContaining(['POST /persons', 'delivery attempt']))
  const [request, attempt] = [named('POST /persons'), named('delivery attempt')]
  expect(first?.headers.traceparent).toBe(`00-${traceId}-${attempt.spanId}-01`)
  expect(first?.headers).not.toHaveProperty('tracestate')
  expect(first?.headers).not.toHaveProperty('baggage')
  expect(request).toMatchObject({ parentSpanId: spanId, kind: 2, failed: false })
  const route = { 'http.request.method': 'POST', 'http.route': '/persons' }
  expect(request.attributes).toEqual({ ...route, 'http.response.status_code': 201 })
  expect(upwards(attempt)).toEqual(['delivery attempt', 'publish', 'transaction', 'POST /persons'])
  expect(upwards(named('INSERT events'))).toEqual(['INSERT events', 'publish', 'transaction', 'POST /persons'])
  expect(named('INSERT events').attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.query.summary': 'INSERT events',
  })
  expect(attempt).toMatchObject({ kind: 3, failed: true })
  expect(attempt.attributes).toMatchObject({ 'signet.outcome': 'retried', 'http.response.status_code': 500 })
  expect(attempt.instance).not.toBe(request.instance)
  expect(collector.raw()).not.toMatch(/secret-/)
})

test('Of requests that are published together, each event belongs to the trace of its own', async () => {
  await addWebhook(api, organization, receiver.url('/together'), ['PersonDeleted_v1'])
  const traces = ['1', '2', '3', '4'].map((digit) => digit.repeat(32))
  const publish = (id: string) => {
    const headings = { traceparent: `00-${id}-${spanId}-01` }
    return api.as(organization, 'POST', '/test-events', [{ event_name: 'PersonDeleted_v1' }], headings)
  }
  const published = await Promise.all(traces.map(publish))
  const received = await receiver.waitFor('/together', traces.length, patience.timeout)
  const eventIds = published.map(({ body }) => body.result[0].event_id)
  for (const { headers, body } of received) {
    const { sub } = JSON.parse(Buffer.from(body.split('.')[1] ?? '', 'base64url').toString())
    expect(String(headers.traceparent).split('-')[1]).toBe(traces[eventIds.indexOf(sub)])
  }
})

test('The lines of a trace carry its id, where they are printed and where they are exported', async () => {
  const lines = () => `${api.output()}${worker.output()}`.split('\n').filter((line) => line.includes(traceId))
  await expect
    .poll(() => lines().map((line) => JSON.parse(line).msg), patience)
    .toEqual(['request', 'delivery attempt failed'])
  const exported = () =>
    collector
      .lines()
      .filter((line) => line.traceId === traceId)
      .map(({ body }) => body)
  await expect.poll(exported, patience).toEqual(expect.arrayContaining(['request', 'delivery attempt failed']))
})

test('Without a valid key, a trace is begun anew', async () => {
  const { status } = await api.as({ ...organization, apiKey: 'wrong' }, 'GET', '/groups', undefined, {
    traceparent: `00-${'c'.repeat(32)}-${spanId}-01`,
  })
  expect(status).toBe(401)
  await fetch(`${api.baseUrl}/livez`, { headers: { traceparent: `00-${'d'.repeat(32)}-${spanId}-01` } })
  const roots = (name: string) => collector.spans().filter((span) => span.name === name)
  await expect.poll(() => roots('GET /groups').length + roots('GET /livez').length, patience).toBeGreaterThan(1)
  for (const span of [...roots('GET /groups'), ...roots('GET /livez')]) {
    expect(span.parentSpanId).toBe('')
    expect(span.traceId).not.toMatch(/^(c+|d+)$/)
  }
})

test('A caller whose trace is not sampled, or who names none well, is served all the same', async () => {
  const unsampled = 'e'.repeat(32)
  for (const header of [`00-${unsampled}-${spanId}-00`, 'nonsense', `00-${'0'.repeat(32)}-${spanId}-01`])
    expect((await api.as(organization, 'GET', '/groups', undefined, { traceparent: header })).status).toBe(200)
  const later = 'd'.repeat(32)
  const sampled = { traceparent: `00-${later}-${spanId}-01` }
  expect((await api.as(organization, 'GET', '/groups', undefined, sampled)).status).toBe(200)
  await expect.poll(() => spansOf(later), patience).not.toEqual([])
  expect(spansOf(unsampled)).toEqual([])
})

test("An organization's sampled trace is recorded only if the operator's sampler says so; the operator's own always", async () => {
  const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }
  const sparing = await startSignet(settings('api', { ...sampling, SIGNET_BASE_URL: api.baseUrl }))
  const [ofOrganization, ofOperator] = ['f', 'a'].map((digit) => digit.repeat(32)) as [string, string]
  const sampled = (id: string) => ({ traceparent: `00-${id}-${spanId}-01` })
  expect((await sparing.as(organization, 'GET', '/groups', undefined, sampled(ofOrganization))).status).toBe(200)
  const asOperator = { 'Service-Operator-Key': sparing.operatorKey, ...sampled(ofOperator) }
  expect((await sparing.call('GET', '/organizations', asOperator)).status).toBe(200)
  expect(await sparing.stop()).toBe(0)
  expect(spansOf(ofOperator).map(({ name }) => name)).toContain('GET /organizations')
  expect(spansOf(ofOrganization)).toEqual([])
})

test('Nothing that is exported of a span names an organization', () => {
  const exported = collector.rawOf('/v1/traces')
  expect(exported).toContain('POST /persons')
  expect(exported).not.toContain(organization.id)
})

test('A collector that is unavailable costs one line, and neither a request nor a stop waits for it', async () => {
  const away = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    SIGNET_BASE_URL: api.baseUrl,
  }
  const alone = await startSignet(settings('api', away))
  for (let left = 20; left > 0; left--) {
    expect((await alone.as(organization, 'GET', '/groups')).status).toBe(200)
    await wait(10)
  }
  const line = 'the collector of traces and logs is unavailable'
  await expect.poll(alone.output, patience).toContain(line)
  const began = performance.now()
  expect(await alone.stop()).toBe(0)
  expect(performance.now() - began).toBeLessThan(6_000)
  expect(alone.output().split(line)).toHaveLength(2)
})

test('A collector that never answers delays no request, and a stop by two seconds at most', async (context) => {
  const silent = await startSilentCollector()
  context.onTestFinished(silent.stop)
  const start = (others: Record<string, string>) =>
    startSignet(settings('api', { SIGNET_BASE_URL: api.baseUrl, ...others }))
  const [traced, untraced] = await Promise.all([
    start({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url }),
    start({ OTEL_SDK_DISABLED: 'true' }),
  ])
  expect((await traced.as(organization, 'GET', '/groups')).status).toBe(200)
  await expect.poll(silent.count, patience).toBeGreaterThan(0)
  expect((await traced.as(organization, 'GET', '/groups')).status).toBe(200)
  const [withTraces, without] = [await timeToStop(traced), await timeToStop(untraced)]
  expect(withTraces - without).toBeLessThan(2_000 + busyMs)
})

async function timeToStop(signet: Signet) {
  const began = performance.now()
  expect(await signet.stop()).toBe(0)
  return performance.now() - began
}
