// `npm run bench:tracing`: what traces cost. The same mixed load of management operations and deliveries on two Signets, by turns:
// without traces, and with one request in ten traced and exported to a collector in a process of its own.
import { connectionTo, versionOf } from './support/database.ts'
import { figureOf, percent, show, table, whole } from './support/figures.ts'
import { cpuBelow, cpuOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, type Signet, startSignet, withCleanup } from './support/signet.ts'

const callers = 8
const rounds = orQuick(6, 1)
const roundSeconds = orQuick(5, 1)
const warmUpSeconds = orQuick(5, 1)
const share = 0.1
const target = 1.15

const method = `${callers} callers, each in a loop: create a person (whose event is delivered to an HTTPS receiver), read it, list groups, and
replace the person's groups. ${rounds} rounds of ${roundSeconds} s by turns, after a warm-up; medians (least–most). CPU is in µs a request: of the
Signet process with its sender thread, and of PostgreSQL. "Of without" is taken round by round.`

type Way = { name: string; signet: Signet; call: Call }
type Call = (method: string, path: string, body?: object) => Promise<unknown>
/** Requests a second, and µs of CPU a request. */
type Measured = { rate: number; server: number; postgres: number }

function callerOf({ port, output }: Signet): Call {
  const [, organizationId = '', apiKey = ''] = /^Organization ID: (.*)\nAPI key: (.*)$/m.exec(output) ?? []
  const headers = { 'service-orgid': organizationId, 'service-api-key': apiKey, 'content-type': 'application/json' }
  return async (method, path, body) => {
    const sent = body ? { body: JSON.stringify(body), headers } : { headers: { ...headers, 'content-type': '' } }
    const response = await fetch(`http://localhost:${port}${path}`, { method, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text ? JSON.parse(text).result : undefined
  }
}

async function setUp(call: Call, targetUrl: string) {
  for (const name of ['engineering', 'sales']) await call('POST', '/groups', { name })
  const { id } = (await call('POST', '/organizations/webhooks', { target_url: targetUrl, name: 'Bench' })) as {
    id: string
  }
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  await call('POST', `/organizations/webhooks/${id}/triggers`, trigger)
}

/** Gives the number of requests. */
async function load(call: Call, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000
  const loop = async () => {
    let requests = 0
    while (performance.now() < until) {
      const { person_id } = (await call('POST', '/persons', {})) as { person_id: string }
      await call('GET', `/persons/${person_id}`)
      await call('GET', '/groups')
      await call('PUT', `/persons/${person_id}/groups`, { groups: ['engineering'] })
      requests += 4
    }
    return requests
  }
  const counts = await Promise.all(Array.from({ length: callers }, loop))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function measure({ signet: { pid }, call }: Way, seconds: number): Promise<Measured> {
  const used = () => [cpuOf(pid), cpuBelow(pid)]
  const before = used()
  const requests = await load(call, seconds)
  const [server = 0, postgres = 0] = used().map((after, at) => ((after - (before[at] ?? 0)) / requests) * 1e6)
  return { rate: requests / seconds, server, postgres }
}

async function compare(ways: Way[], collector: Program): Promise<string[]> {
  const measured = ways.map((): Measured[] => [])
  for (const { call } of ways) await load(call, warmUpSeconds)
  await collector.ask('bytes')
  for (let round = 0; round < rounds; round++) {
    console.log(`  round ${round + 1} of ${rounds}`)
    // The one that begins has the warmer machine: they take turns in that too.
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const one = await measure(ways[at] as Way, roundSeconds)
      console.log(`    ${ways[at]?.name}: ${whole(one.server)} µs of CPU a request`)
      measured[at]?.push(one)
    }
  }
  const [without = [], traced = []] = measured
  const ratios = traced.map(({ server }, round) => server / (without[round]?.server ?? Number.NaN))
  const rows = ways.map(({ name }, at) => {
    const figure = (part: keyof Measured) => show(figureOf((measured[at] ?? []).map((one) => one[part])))
    return [name, figure('rate'), figure('server'), figure('postgres'), at === 0 ? '' : show(figureOf(ratios), percent)]
  })
  const bytes = await collector.ask<number>('bytes')
  const requests = traced.reduce((sum, { rate }) => sum + rate * roundSeconds, 0)
  const { median } = figureOf(ratios)
  return [
    table([['', 'requests/s', 'CPU: server', 'PostgreSQL', 'of without'], ...rows]),
    `The collector got ${whole(bytes / requests)} bytes a request. With traces a request takes ${percent(median)} of the CPU that it takes without; the target is at most ${percent(target)}: ${median <= target ? 'met' : 'NOT met'}.`,
  ]
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  console.log('Starting two Signets, a receiver and a collector')
  const receivers = await openReceivers(makeFolder(cleanup), cleanup)
  const receiver = await receivers.start()
  const collector = await startProgram('collector.ts', {}, cleanup)
  const traces = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await collector.ask<number>('port')}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: `${share}`,
  }
  const open = async (name: string, settings: Record<string, string>): Promise<Way & { folder: string }> => {
    const folder = makeFolder(cleanup)
    const signet = await startSignet(folder, cleanup, { ...receivers.settings(), ...settings })
    const call = callerOf(signet)
    await setUp(call, receiver.url(`/${name.replaceAll(' ', '-')}`))
    return { name, signet, call, folder }
  }
  const without = await open('without traces', {})
  const traced = await open('one in ten', traces)
  const paragraphs = await compare([without, traced], collector)
  report('tracing', `${machine}, PostgreSQL ${await versionOf(connectionTo(without.folder))}`, method, ...paragraphs)
})
