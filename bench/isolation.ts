// `npm run bench -- isolation`: what healthy receivers feel of two thousand dead ones beside them, and what these cost; what
// another organization feels of receivers that answer without end; what clients feel of unruly ones; and what the events of one
// webhook feel of others that hang.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Published } from './programs/publisher.ts'
import { times } from './support/client.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, milliseconds, quantile, show, table, verdict, whole } from './support/figures.ts'
import { measureFloods } from './support/floods.ts'
import { measureHangingEvents } from './support/hanging-events.ts'
import { isHangingOnly, orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { cpuOf } from './support/processes.ts'
import { startProgram } from './support/program.ts'
import { delaysOf, openReceivers } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { compareUnrulyClients } from './support/unruly-clients.ts'

const rounds = orQuick(3, 1)
const organizationCount = orQuick(100, 20)
/** In each organization: so many that accept and never answer, and as many that refuse. */
const deadOfEachKind = 10
const eventsForDead = 50
const deadEvent = 'VirtualPageLoaded_v1'
/** 100 events a second, to the healthy receivers in turn. */
const everyMs = 10
const warmUpEvents = 200
const events = orQuick(1_500, 300)
const aims = { ratio: 1.3, ignoredMs: 5, cores: 0.1 }

const deadCount = 2 * deadOfEachKind * organizationCount
const method = `${organizationCount} organizations, each with a healthy receiver; once so, and once with ${deadOfEachKind} receivers more each that take a call and
never answer, and ${deadOfEachKind} that refuse the connection, for which ${whole(deadCount * eventsForDead)} deliveries are due. ${1_000 / everyMs} single events a second
to the healthy ones in turn, from the answer to the caller until the receiver has the request; ${rounds} rounds of ${whole(events)} events by
turns, each with Signet started anew and warmed up, with its settings as they come; medians (least–most). Cores: CPU in use.`

type Measured = { median: number; tail: number; postgres: number; signet: number }
type Side = { name: string; database: BenchDatabase; organizations: Credentials[] }

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const [healthy, silent] = [await receivers.start(), await receivers.start()]
  const refusing = await receivers.refusing()
  const publisher = await startProgram('programs/publisher.ts', {}, cleanup)
  const besideHanging = await measureHangingEvents(folder, cleanup, publisher, await postgres.create('hanging_events'))
  if (isHangingOnly) return console.log(['', machine, ...besideHanging].join('\n\n'))
  // All names are known before the first start.
  const ofEach = Array.from({ length: organizationCount }, (_, n) => ({
    healthy: healthy.url('/', `healthy-${n}`),
    dead: Array.from({ length: deadOfEachKind }, (_, k) => [
      silent.url('/silent/', `silent-${n}-${k}`),
      refusing('/', `refusing-${n}-${k}`),
    ]).flat(),
  }))
  const start = ({ url }: BenchDatabase) =>
    startSignet(folder, cleanup, { ...settingsOn(url), ...receivers.settings() })

  const publish = (port: number, organizations: Credentials[], calls: number) =>
    publisher.ask<Published>({
      port,
      what: 'POST /test-events',
      organizations,
      calls,
      callers: 20,
      everyMs,
      tellIds: true,
      json: JSON.stringify([{ event_name: benchEvent }]),
    })

  const publishForDead = (port: number, organizations: Credentials[]) =>
    publisher.ask<Published>({
      port,
      what: 'POST /test-events',
      organizations,
      calls: organizations.length,
      callers: 4,
      json: JSON.stringify(Array.from({ length: eventsForDead }, () => ({ event_name: deadEvent }))),
    })

  /** Healthy receivers are known as such, and the deliveries to the dead ones are due, when it is measured. */
  const prepare = async (name: string, database: BenchDatabase, withDead: boolean): Promise<Side> => {
    console.log(`Making what is ${name} dead receivers`)
    const signet = await start(database)
    const organizations = await times(organizationCount, async (n) => {
      const organization = await makeOrganization(signet)
      await addWebhook(signet, organization, ofEach[n]?.healthy ?? '', benchEvent)
      if (withDead) for (const url of ofEach[n]?.dead ?? []) await addWebhook(signet, organization, url, deadEvent)
      return organization
    })
    await deliver(signet.port, organizations, organizationCount)
    if (withDead) await publishForDead(signet.port, organizations)
    await signet.stop()
    await database.run('vacuum (analyze)')
    return { name, database, organizations }
  }

  const deliver = async (port: number, organizations: Credentials[], count: number): Promise<number[]> => {
    await healthy.forget()
    const [{ events: published }] = await Promise.all([publish(port, organizations, count), healthy.until(count)])
    return delaysOf(await healthy.tell(), published)
  }

  const measure = async ({ database, organizations }: Side): Promise<Measured> => {
    const signet = await start(database)
    await deliver(signet.port, organizations, warmUpEvents)
    const before = { at: performance.now(), postgres: postgres.cpu(), signet: cpuOf(signet.pid) }
    const delays = await deliver(signet.port, organizations, events)
    const seconds = (performance.now() - before.at) / 1_000
    const cores = {
      postgres: (postgres.cpu() - before.postgres) / seconds,
      signet: (cpuOf(signet.pid) - before.signet) / seconds,
    }
    await signet.stop()
    return { median: quantile(delays, 0.5), tail: quantile(delays, 0.99), ...cores }
  }

  const sides = [
    await prepare('without', await postgres.create('without_dead'), false),
    await prepare('with', await postgres.create('with_dead'), true),
  ]
  const measured = sides.map((): Measured[] => [])
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round} of ${rounds}`)
    for (const [index, side] of sides.entries()) {
      const one = await measure(side)
      console.log(
        `  ${side.name} dead receivers: median ${milliseconds(one.median)}, 99th percentile ${milliseconds(one.tail)}, PostgreSQL ${one.postgres.toFixed(2)} cores`,
      )
      measured[index]?.push(one)
      await sleep(500)
    }
  }
  const [row] = await (sides[1] as Side).database.rows<{ due: number }>('select count(*)::int as due from deliveries')
  const waiting = `${whole(row?.due ?? 0)} deliveries to dead receivers still waited at the end.`
  const [without = [], withDead = []] = measured
  console.log('Measuring beside receivers that answer without end')
  const floods = await measureFloods(folder, cleanup, await postgres.create('floods'))
  const unruly = await postgres.create('unruly_clients')
  const besideUnruly = await compareUnrulyClients(publisher, () => start(unruly), cleanup)
  report(
    'isolation',
    `${machine}, ${postgres.description}`,
    method,
    tableOf(without, withDead),
    `${judge(without, withDead)} ${waiting}`,
    floods,
    ...besideUnruly,
    ...besideHanging,
  )
})

function tableOf(without: Measured[], withDead: Measured[]): string {
  const cores = (value: number) => value.toFixed(2)
  const row = (title: string, its: Measured[]) => {
    const figure = (part: keyof Measured, format: (value: number) => string) =>
      show(figureOf(its.map((one) => one[part])), format)
    return [
      title,
      figure('median', milliseconds),
      figure('tail', milliseconds),
      figure('postgres', cores),
      figure('signet', cores),
    ]
  }
  const head = ['', 'median', '99th percentile', 'cores: PostgreSQL', 'cores: Signet']
  return table([head, row('without dead receivers', without), row(`with ${whole(deadCount)} dead receivers`, withDead)])
}

function judge(without: Measured[], withDead: Measured[]): string {
  const of = (its: Measured[], part: keyof Measured) => figureOf(its.map((one) => one[part])).median
  const [alone, beside] = [of(without, 'tail'), of(withDead, 'tail')]
  const isTailMet = beside <= alone * aims.ratio || beside - alone < aims.ignoredMs
  const cores = of(withDead, 'postgres') - of(without, 'postgres')
  return `The healthy 99th percentile is ${(beside / alone).toFixed(2)} times what it is without them (${milliseconds(beside - alone)} more); the target is
${aims.ratio} times at most, or less than ${aims.ignoredMs} ms more: ${verdict(isTailMet)}. PostgreSQL uses ${cores.toFixed(2)} cores more; the target is ${aims.cores} at most: ${verdict(cores <= aims.cores)}.`
}
