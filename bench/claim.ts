// `npm run bench:claim`: whether a claim costs the same beside a backlog of a million, and a delivery the same after ten
// million others.
import { makePartitions } from '../server/src/ground/database/day-partitions.ts'
import { firstIdAt } from '../server/src/ground/runtime/identifiers.ts'
import type { Published } from './publisher.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, show, table, whole } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, type Postgres, startPostgres } from './support/postgres.ts'
import { cpuOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(3, 1)
const backlog = orQuick(1_000_000, 20_000)
const history = orQuick(10_000_000, 100_000)
/** The history is as old as this, evenly. */
const historyDays = 10
const deliveries = orQuick(10_000, 2_000)
const warmUp = orQuick(2_000, 500)
/** Published and not delivered, all the time. */
const waiting = 1_000
const chunk = 250
const dayMs = 86_400_000
const aims = { claim: 1.2, delivery: 1.1 }

const method = `One webhook that always has ${whole(waiting)} deliveries waiting; the same with ${whole(backlog)} more; and the same with a history of ${whole(history)}
finished deliveries of ${historyDays} days. ${whole(deliveries)} deliveries a round, published as fast as they are delivered; ${rounds} rounds by turns, each with
Signet started anew and warmed up; medians (least–most). The claim's time is what PostgreSQL says of the statement
(\`pg_stat_statements\`), and so are the pages that it looked at; CPU is in µs a delivery. Ratios are taken round by round.`

/** In µs, and for each delivery, but for `statement`; `pages` are those of tables and indexes that a claim looks at. */
type Measured = { claim: number; pages: number; statement: number; postgres: number; signet: number }
type Scene = { name: string; database: BenchDatabase; organization: Credentials }
type Bench = {
  postgres: Postgres
  receiver: Receiver
  publisher: Program
  start(database: BenchDatabase, roles?: string): Promise<Signet>
}

/** An organization with a webhook that has had its first deliveries, so that there is a row of everything. */
async function prepare({ postgres, receiver, publisher, start }: Bench, name: string): Promise<Scene> {
  const database = await postgres.create(name)
  const signet = await start(database)
  const organization = await makeOrganization(signet)
  await addWebhook(signet, organization, receiver.url(`/${name}`), benchEvent)
  await receiver.forget()
  await Promise.all([publish(publisher, signet, organization, chunk), receiver.until(chunk)])
  await signet.stop()
  await database.run('create extension pg_stat_statements')
  return { name, database, organization }
}

const publish = (publisher: Program, { port }: Signet, organization: Credentials, events: number) =>
  publisher.ask<Published>({
    ...{ port, what: 'POST /test-events', organizations: [organization], calls: events / 50, callers: 4 },
    json: JSON.stringify(Array.from({ length: 50 }, () => ({ event_name: benchEvent }))),
  })

/** Deliveries that wait, made from one that a process published which does not deliver. */
async function addBacklog({ publisher, start }: Bench, { database, organization }: Scene) {
  const signet = await start(database, 'api')
  await publish(publisher, signet, organization, 50)
  await signet.stop()
  const id = `(${idOf(Date.now())} || lpad(to_hex(n), 12, '0'))::uuid`
  const [row] = await database.rows<{ event_id: string }>('select event_id from deliveries limit 1')
  await copyRow(database, 'events', `id = '${row?.event_id}'`, { id }, 1, backlog)
  const dueAt = `now() - interval '1 minute' + n * interval '1 microsecond'`
  await copyRow(
    database,
    'deliveries',
    `event_id = '${row?.event_id}'`,
    { event_id: id, available_at: dueAt },
    1,
    backlog,
  )
  await database.run('vacuum (analyze)')
}

async function addHistory({ database }: Scene) {
  const today = Math.floor(Date.now() / dayMs)
  await makePartitions(database.database, (today - historyDays + 1) * dayMs)
  const [row] = await database.rows<{ event_id: string }>('select event_id from finished_deliveries limit 1')
  const perDay = history / historyDays
  const days = Array.from({ length: historyDays }, (_, n) => today - n)
  const fillDays = async () => {
    for (let day = days.pop(); day !== undefined; day = days.pop()) {
      const id = `(${idOf(day * dayMs)} || lpad(to_hex(n), 12, '0'))::uuid`
      await copyRow(database, 'finished_deliveries', `event_id = '${row?.event_id}'`, { event_id: id }, 1, perDay)
    }
  }
  await Promise.all([fillDays(), fillDays()])
  await database.run('vacuum (analyze)')
}

/** The beginning of ids of that time, as SQL; 12 digits are missing. */
const idOf = (ms: number) => `'${firstIdAt(ms).slice(0, -12)}'`

/** Copies a row `last - first + 1` times; `values` is SQL for columns that differ, where `n` is the number of the copy. */
async function copyRow(
  database: BenchDatabase,
  name: string,
  where: string,
  values: Record<string, string>,
  first: number,
  last: number,
) {
  const columns = await database.rows<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`,
  )
  const names = columns.map((column) => column.name)
  const selected = names.map((column) => values[column] ?? `template.${column}`)
  await database.run(
    `insert into ${name} (${names}) select ${selected} from (select * from ${name} where ${where}) template, generate_series(${first}, ${last}) n`,
  )
}

async function measure(bench: Bench, { database, organization }: Scene): Promise<Measured> {
  const { postgres, receiver, publisher, start } = bench
  const signet = await start(database)
  const flow = async (count: number) => {
    await receiver.forget()
    await publish(publisher, signet, organization, waiting)
    for (let arrived = chunk; arrived <= count; arrived += chunk) {
      await receiver.until(arrived)
      await publish(publisher, signet, organization, chunk)
    }
  }
  await flow(warmUp)
  await database.run('select pg_stat_statements_reset()')
  const use = async () => ({ ended: await countEnded(database), postgres: postgres.cpu(), signet: cpuOf(signet.pid) })
  const before = await use()
  await flow(deliveries)
  const after = await use()
  const { calls, ms, pages } = await readClaim(database)
  await signet.stop()
  const ended = after.ended - before.ended
  return {
    claim: (ms / ended) * 1e3,
    pages: pages / ended,
    statement: (ms / calls) * 1e3,
    postgres: ((after.postgres - before.postgres) / ended) * 1e6,
    signet: ((after.signet - before.signet) / ended) * 1e6,
  }
}

/** As many are claimed as end: what waits for its call or its settlement is as much before as after. */
async function countEnded(database: BenchDatabase): Promise<number> {
  const [row] = await database.rows<{ ended: number }>('select sum(count)::int as ended from delivery_counts')
  return row?.ended ?? 0
}

type Claim = { calls: number; ms: number; pages: number }

async function readClaim(database: BenchDatabase): Promise<Claim> {
  const [row] = await database.rows<Claim>(`
    select calls::int, total_exec_time as ms, (shared_blks_hit + shared_blks_read)::int as pages
      from pg_stat_statements
     where query like 'with class %' and dbid = (select oid from pg_database where datname = current_database())`)
  if (!row) throw new Error('no claim was seen')
  return row
}

function tableOf(names: string[], measured: Measured[][]): string {
  const rows = names.map((name, index) => {
    const figure = (part: keyof Measured) => show(figureOf((measured[index] ?? []).map((one) => one[part])))
    const pages = show(figureOf((measured[index] ?? []).map((one) => one.pages)), (value) => value.toFixed(1))
    return [name, figure('claim'), pages, figure('statement'), figure('postgres'), figure('signet')]
  })
  const head = ['', 'claim, µs a delivery', 'pages a delivery', 'µs a claim', 'CPU: PostgreSQL', 'CPU: Signet']
  return table([head, ...rows])
}

function judge([few = [], many = [], old = []]: Measured[][]): string {
  const ratio = (some: Measured[], of: (one: Measured) => number) =>
    figureOf(some.map((one, round) => of(one) / of(few[round] as Measured))).median
  const claim = ratio(many, (one) => one.claim)
  const delivery = ratio(old, (one) => one.postgres + one.signet)
  const word = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
  return `With ${whole(backlog)} waiting a claim costs ${claim.toFixed(2)} times as much a delivery; the target is ${aims.claim} times at most: ${word(claim <= aims.claim)}.
After ${whole(history)} others a delivery costs ${delivery.toFixed(2)} times as much CPU; the target is ${aims.delivery} times at most: ${word(delivery <= aims.delivery)}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await startPostgres(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const publisher = await startProgram('publisher.ts', {}, cleanup)
  const start = ({ url }: BenchDatabase, roles = 'api,worker') =>
    startSignet(folder, cleanup, { ...settingsOn(url), ...receivers.settings(), SIGNET_ROLES: roles })
  const bench: Bench = { postgres, receiver, publisher, start }
  const few = await prepare(bench, 'few')
  console.log(`Adding ${whole(backlog)} deliveries that wait`)
  const many = await prepare(bench, 'many')
  await addBacklog(bench, many)
  console.log(`Adding ${whole(history)} deliveries that are finished`)
  const old = await prepare(bench, 'old')
  await addHistory(old)
  await old.database.run('checkpoint')
  const scenes = [few, many, old]
  const measured = scenes.map((): Measured[] => [])
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round} of ${rounds}`)
    for (const [index, scene] of scenes.entries()) {
      const one = await measure(bench, scene)
      console.log(
        `  ${scene.name}: ${one.claim.toFixed(1)} µs of claim a delivery, CPU of PostgreSQL ${whole(one.postgres)} µs, of Signet ${whole(one.signet)} µs`,
      )
      measured[index]?.push(one)
    }
  }
  const names = [`${whole(waiting)} waiting`, `${whole(backlog)} more waiting`, `${whole(history)} finished`]
  report('claim', `${machine}, ${postgres.description}`, method, tableOf(names, measured), judge(measured))
})
