// `npm run bench:scale`: what an installation with 10,000 organizations costs beside one with a single organization: its start, its
// memory when nothing happens, and a request of one organization.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Published, PublishOrder } from './publisher.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, percent, quantile, show, table, whole } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer, type Postgres } from './support/postgres.ts'
import { cpuOf, residentOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { clients, type Done, type Order } from './support/rounds.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(7, 1)
const others = orQuick(9_999, 999)
const webhooksEach = 10
const idleMs = orQuick(10_000, 2_000)
const seconds = orQuick(3, 1)
const warmUpSeconds = 1
const calls = orQuick(200, 20)
const perCall = 5
const callers = 8
/** Of the installation with many organizations, as a multiple of the other one. */
const target = 1.1

const method = `Two databases on one PostgreSQL, with ${webhooksEach} webhooks for each organization: one has a single organization, the other one ${whole(others)}
more of the same kind, to which nothing happens meanwhile. ${rounds} rounds by turns, each of a process that is started anew and is alone; medians (least–most),
and the ratio is that of the medians of both. Memory is that of Node, ${idleMs / 1_000} s after the start. CPU is that of Node and PostgreSQL
together, in µs a request, with ${clients} callers for groups and ${callers} else: groups created, lists of the webhooks, and events published (${perCall} a call) until the receiver has the
${webhooksEach} deliveries of each.`

/** How each part of a round is called, and shown. */
const parts = {
  start: { title: 'warm start to ready', format: (ms: number) => `${whole(ms)} ms` },
  memory: { title: 'memory of Node, idle', format: (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB` },
  write: { title: 'CPU: POST /groups', format: whole },
  list: { title: 'CPU: GET /organizations/webhooks', format: whole },
  delivery: { title: 'CPU: an event and its deliveries', format: whole },
} as const
type Part = keyof typeof parts
type Measured = Record<Part, number>

type Installation = { name: string; organization: Credentials; settings: Record<string, string>; measured: Measured[] }
type Bench = {
  folder: string
  cleanup: AsyncDisposableStack
  postgres: Postgres
  receiver: Receiver
  settings: Record<string, string>
  publisher: Program
  load: Program
}

/** Migrated, with one organization. */
async function install(bench: Bench, name: string): Promise<Installation & { database: BenchDatabase }> {
  const database = await bench.postgres.create(name)
  const settings = { ...settingsOn(database.url), ...bench.settings }
  const signet = await startSignet(bench.folder, bench.cleanup, settings)
  const organization = await makeOrganization(signet)
  for (let n = 0; n < webhooksEach; n++) await addWebhook(signet, organization, bench.receiver.url(`/${n}`), benchEvent)
  await signet.stop()
  return { name, organization, settings, measured: [], database }
}

/** Copies all that the first organization has. Their keys and webhooks are never used. */
async function addOthers({
  database,
  organization: { organizationId },
}: {
  database: BenchDatabase
  organization: Credentials
}) {
  const copy = (relation: string) => `
    insert into ${relation} select (jsonb_populate_record(known, jsonb_build_object('org_id', new.id))).*
      from ${relation} known, others new where known.org_id = '${organizationId}'`
  await database.run(`create table others as select gen_random_uuid() as id from generate_series(1, ${others})`)
  await database.run(`
    insert into organizations select (jsonb_populate_record(known, jsonb_build_object('id', new.id))).*
      from organizations known, others new where known.id = '${organizationId}'`)
  for (const relation of ['api_keys', 'signing_keys', 'webhooks', 'triggers', 'lanes'])
    await database.run(copy(relation))
  await database.run('drop table others')
}

async function runRound(bench: Bench, { organization, settings }: Installation, round: number): Promise<Measured> {
  const signet = await startSignet(bench.folder, bench.cleanup, settings)
  await sleep(idleMs)
  const memory = residentOf(signet.pid)
  const write = await measureWrites(bench, signet, organization, round)
  const list = await measureCalls(
    bench,
    signet,
    toOrder(signet, organization, 'GET /organizations/webhooks', '', 10 * calls),
  )
  const delivery = await measureDeliveries(bench, signet, organization)
  await signet.stop()
  return { start: signet.readyMs, memory, write, list, delivery }
}

/** µs of CPU that each of so many requests took. */
async function cpuOfEach({ postgres }: Bench, { pid }: Signet, work: () => Promise<number>): Promise<number> {
  const used = () => cpuOf(pid) + postgres.cpu()
  const before = used()
  const requests = await work()
  return ((used() - before) / requests) * 1e6
}

async function measureWrites(bench: Bench, signet: Signet, organization: Credentials, round: number): Promise<number> {
  const create = async (series: string, duration: number) => {
    const order: Order = {
      ...organization,
      port: signet.port,
      operation: 'create',
      series,
      seconds: duration,
      personIds: [],
    }
    return (await bench.load.ask<Done>(order)).requests
  }
  await create(`warm-up-${round}`, warmUpSeconds)
  return cpuOfEach(bench, signet, () => create(`${round}`, seconds))
}

const toOrder = (
  { port }: Signet,
  organization: Credentials,
  what: string,
  json: string,
  count: number,
): PublishOrder => ({
  port,
  organizations: [organization],
  what,
  json,
  calls: count,
  callers,
})

async function measureCalls(bench: Bench, signet: Signet, order: PublishOrder): Promise<number> {
  await bench.publisher.ask<Published>({ ...order, calls: order.calls / 2 })
  return cpuOfEach(bench, signet, async () => (await bench.publisher.ask<Published>(order)).took.length)
}

async function measureDeliveries(bench: Bench, signet: Signet, organization: Credentials): Promise<number> {
  const { receiver, publisher } = bench
  const json = JSON.stringify(Array(perCall).fill({ event_name: benchEvent }))
  const deliver = async (count: number) => {
    await receiver.forget()
    const order = toOrder(signet, organization, 'POST /test-events', json, count)
    await Promise.all([publisher.ask<Published>(order), receiver.until(count * perCall * webhooksEach)])
    return count * perCall
  }
  await deliver(calls / 4)
  return cpuOfEach(bench, signet, () => deliver(calls))
}

const valuesOf = ({ measured }: Installation, part: Part) => measured.map((each) => each[part])
const ratioOf = (one: Installation, many: Installation, part: Part) =>
  quantile(valuesOf(many, part), 0.5) / quantile(valuesOf(one, part), 0.5)

function tableOf(one: Installation, many: Installation): string {
  const rows = (Object.keys(parts) as Part[]).map((part) => {
    const ratio = ratioOf(one, many, part)
    const figures = [one, many].map((each) => show(figureOf(valuesOf(each, part)), parts[part].format))
    const verdict = `at most ${percent(target)}: ${ratio <= target ? 'met' : 'NOT met'}`
    return [parts[part].title, ...figures, percent(ratio), verdict]
  })
  return table([['', 'one organization', `${whole(others + 1)} organizations`, 'ratio', 'target'], ...rows])
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const [publisher, load] = await Promise.all(
    ['publisher.ts', 'load.ts'].map((file) => startProgram(file, {}, cleanup)),
  )
  const bench = { folder, cleanup, postgres, receiver, settings: receivers.settings(), publisher, load } as Bench
  console.log(`Making two installations, and ${whole(others)} more organizations in one of them`)
  const one = await install(bench, 'one')
  const many = await install(bench, 'many')
  await addOthers(many)
  for (const { database } of [one, many]) await database.run('vacuum analyze')
  for (let round = 1; round <= rounds; round++)
    for (const each of [one, many]) {
      const measured = await runRound(bench, each, round)
      each.measured.push(measured)
      const shown = (Object.keys(parts) as Part[]).map(
        (part) => `${parts[part].title} ${parts[part].format(measured[part])}`,
      )
      console.log(`round ${round} of ${rounds}, ${each.name}: ${shown.join('; ')}`)
    }
  report('scale', `${machine}, ${postgres.description}`, method, tableOf(one, many))
})
