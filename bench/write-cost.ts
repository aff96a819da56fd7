// `npm run bench -- write-cost`: what one event with one delivery writes: log, transactions, flushes, and the waits for the database.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, times } from './support/client.ts'
import { type Credentials, openExchange, textOfRequest } from './support/exchange.ts'
import { quantile, table, verdict, whole } from './support/figures.ts'
import { isKeyed, orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { type Flight, startProxy } from './support/postgres-proxy.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { countTables, queueTables, type TableCount } from './support/table-counts.ts'
import { untilDelivered } from './support/unfinished.ts'
import { type Instruments, type LogRecord, openInstruments, type StatementCost } from './support/write-ahead-log.ts'

const requests = orQuick(200, 40)
const everyMs = 100
const warmUps = 20
/** An idle session hands over its counts within 10 s. */
const countsArriveMs = 11_000
const deliveredMs = 30_000
const restMs = 1_000
const entries = orQuick(10_000, 2_000)

const method = `${requests} times \`POST /persons\` ${isKeyed ? 'with' : 'without'} an Idempotency-Key, ${1_000 / everyMs} a second, one after the other, right after a CHECKPOINT; each publishes one event
with one delivery to a receiver in a process of its own that answers at once. Log: the records between two positions, as
pg_walinspect reads them, with all that else was written in that time. Transactions that write: commits in the log between the beginnings
of two requests. Flushes in the request: commits between its beginning and its answer. Waits: what Signet sent to PostgreSQL without
waiting in between, from the beginning of a request to the end of its transaction, the one with the commit included, as a proxy
between them sees it. Of these three the median of the requests, of the others the mean. Audit entry: ${whole(entries)} more persons, without a webhook; table and indexes.`

type Request = { sentAt: number; answeredAt: number }
type Bench = {
  signet: Signet
  organization: Credentials
  receiver: Receiver
  database: BenchDatabase
  instruments: Instruments
}

async function createPersons({ signet, organization, receiver }: Bench, count: number): Promise<Request[]> {
  await receiver.forget()
  const exchange = await openExchange(signet.port)
  const text = () => textOfRequest(signet.port, 'POST /persons', organization, '{}', isKeyed ? randomUUID() : undefined)
  const made: Request[] = []
  const beganAt = Date.now()
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, beganAt + n * everyMs - Date.now()))
    const sentAt = Date.now()
    await exchange.send(text())
    // Times in the log have a fraction of a millisecond.
    made.push({ sentAt, answeredAt: Date.now() + 1 })
  }
  exchange.close()
  await receiver.until(count)
  return made
}

/** What is measured of a delivery is written by then, and what follows from that. */
async function untilSettled({ database }: Bench) {
  await untilDelivered(database, deliveredMs)
  await sleep(restMs)
}

type Measured = {
  made: Request[]
  records: LogRecord[]
  flights: Flight[]
  statements: StatementCost[] | undefined
  /** Of the time in which nothing was asked, a second. */
  idleBytes: number
  commits: number
  flushes: number
  updated: TableCount[]
}

async function measure(bench: Bench, takeFlights: () => Flight[]): Promise<Measured> {
  const { database, instruments } = bench
  await createPersons(bench, warmUps)
  await untilSettled(bench)
  const idleFrom = await instruments.position()
  await sleep(countsArriveMs)
  const idle = sumOf(await instruments.records(idleFrom, await instruments.position()), ({ bytes }) => bytes)
  await database.run('checkpoint')
  const tables = await countTables(database)
  const before = await instruments.counts()
  await instruments.forgetStatements()
  takeFlights()
  const from = await instruments.position()
  const made = await createPersons(bench, requests)
  await untilSettled(bench)
  const records = await instruments.records(from, await instruments.position())
  const flights = takeFlights()
  const statements = await instruments.statements()
  await sleep(countsArriveMs)
  const after = await instruments.counts()
  return {
    made,
    records,
    flights,
    statements,
    idleBytes: idle / (countsArriveMs / 1_000),
    commits: after.commits - before.commits,
    flushes: after.flushes - before.flushes,
    updated: updatesSince(tables, await countTables(database)),
  }
}

const sumOf = <One>(all: One[], of: (one: One) => number): number => all.reduce((sum, one) => sum + of(one), 0)

const updatesSince = (before: TableCount[], after: TableCount[]): TableCount[] =>
  after
    .map((one) => {
      const earlier = before.find(({ name }) => name === one.name)
      return { ...one, updates: one.updates - (earlier?.updates ?? 0), hot: one.hot - (earlier?.hot ?? 0) }
    })
    .filter(({ updates }) => updates > 0)

const median = (values: number[]) => quantile(values, 0.5)

/** Of each request, those until the next one began. */
const commitsOfEach = ({ made, records }: Measured): number[] =>
  made.map(
    ({ sentAt }, n) => commitsWithin(records, { sentAt, answeredAt: made[n + 1]?.sentAt ?? sentAt + everyMs }).length,
  )

const commitsWithin = (records: LogRecord[], { sentAt, answeredAt }: Request): LogRecord[] =>
  records.filter(({ committedAt }) => committedAt !== null && committedAt >= sentAt && committedAt <= answeredAt)

/** From the beginning of the request to the end of the transaction with its person, on whatever connection. */
function flightsOf(flights: Flight[], { sentAt, answeredAt }: Request): Flight[] {
  const within = flights.filter((flight) => flight.sentAt >= sentAt && flight.sentAt <= answeredAt)
  const writes = within.find(({ statements }) => statements.some((text) => /insert into persons/i.test(text)))
  const ended = within.find(
    ({ session, isLast, sentAt: at }) => session === writes?.session && isLast && at >= writes.sentAt,
  )
  return ended ? within.slice(0, within.indexOf(ended) + 1) : []
}

/** Stored bytes of an entry, with its indexes. */
async function measureEntry({ signet, database }: Bench): Promise<number> {
  const organization = await makeOrganization(signet)
  const { post } = clientOf(signet.port, {
    'service-orgid': organization.organizationId,
    'service-api-key': organization.apiKey,
  })
  const bytes = async () =>
    (await countTables(database)).find(({ name }) => name === 'audit_entries')?.bytes ?? Number.NaN
  const before = await bytes()
  await times(entries, () => post('/persons', {}))
  return ((await bytes()) - before) / entries
}

/** `before`: as it was measured before the log of a delivery was made smaller. `most`: the target. */
type Figure = { title: string; value: number; before?: number; most?: number; digits: number }

function figuresOf(measured: Measured, entryBytes: number): Figure[] {
  const { made, records, flights, commits, flushes, idleBytes } = measured
  const each = (total: number) => total / made.length
  return [
    { title: 'bytes of log', value: each(sumOf(records, ({ bytes }) => bytes)), before: 4_138, most: 2_500, digits: 0 },
    {
      title: '… without full pages',
      value: each(sumOf(records, (it) => it.bytes - it.fullPageBytes)),
      before: 4_138,
      digits: 0,
    },
    { title: '… of an idle Signet in that time', value: idleBytes * (everyMs / 1_000), digits: 0 },
    { title: 'records of log', value: each(records.length), before: 33, digits: 1 },
    { title: 'transactions that write', value: median(commitsOfEach(measured)), most: 3, digits: 0 },
    { title: 'commits, with those that only read', value: each(commits), before: 6.4, digits: 2 },
    { title: 'flushes', value: each(flushes), before: 2.7, digits: 2 },
    {
      title: 'flushes in the request',
      value: median(made.map((one) => commitsWithin(records, one).length)),
      most: 1,
      digits: 0,
    },
    {
      title: 'waits for the database in the request',
      value: median(made.map((one) => flightsOf(flights, one).length || Number.NaN)),
      most: 2,
      digits: 0,
    },
    { title: 'stored bytes of an audit entry', value: entryBytes, before: 758, most: 600, digits: 0 },
  ]
}

function tableOfFigures(figures: Figure[]): string {
  const rows = figures.map(({ title, value, before, most, digits }) => [
    title,
    value.toFixed(digits),
    before === undefined ? '' : `${before}`,
    before === undefined ? '' : (value / before).toFixed(2),
    most === undefined ? '' : `${most}`,
    most === undefined ? '' : verdict(Number(value.toFixed(digits)) <= most),
  ])
  return table([['a request', 'measured', 'before', 'of before', 'at most', ''], ...rows])
}

function tableOfUpdates({ updated, made }: Measured): string {
  const leastHot = 0.9
  const rows = updated.map(({ name, updates, hot }) => {
    const share = hot / updates
    const isQueue = queueTables.includes(name)
    return [
      isQueue ? `**${name}**` : name,
      (updates / made.length).toFixed(2),
      `${(share * 100).toFixed(0)} %`,
      isQueue ? verdict(share >= leastHot) : '',
    ]
  })
  return `Updates, HOT, of which those of the queue's tables (**bold**) are to be ${leastHot * 100} % at least:

${table([['', 'a request', 'HOT', ''], ...rows])}`
}

function tableOfRelations({ records, made }: Measured): string {
  const inRequest = new Set(made.flatMap((one) => commitsWithin(records, one)).map(({ xid }) => xid))
  const groups = Object.groupBy(records, ({ kind, relation }) => `${relation} ${kind}`)
  const rows = Object.values(groups)
    .map((its = []) => ({
      relation: its[0]?.relation ?? '',
      kind: its[0]?.kind ?? '',
      records: its.length / made.length,
      bytes: sumOf(its, ({ bytes }) => bytes) / made.length,
      before: sumOf(its, ({ xid, bytes }) => (inRequest.has(xid) ? bytes : 0)) / made.length,
      fullPages: sumOf(its, ({ fullPageBytes }) => fullPageBytes) / made.length,
    }))
    .sort((one, other) => other.bytes - one.bytes)
    .filter(({ bytes }) => bytes >= 1)
    .map((it) => [
      it.relation,
      it.kind,
      it.records.toFixed(2),
      it.bytes.toFixed(0),
      it.before.toFixed(0),
      it.fullPages.toFixed(0),
    ])
  const head = [
    'table or index',
    'record',
    'records a request',
    'bytes',
    'of them before the answer',
    'of them full pages',
  ]
  return table([head, ...rows])
}

const shortened = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 100)

function tableOfStatements({ statements, made }: Measured): string {
  if (!statements) return 'This server does not count statements: it was started without pg_stat_statements.'
  const rows = statements
    .filter(({ calls, bytes }) => bytes > 0 || calls >= made.length / 10)
    .map(({ text, calls, records, bytes }) => [
      `\`${shortened(text).replaceAll('|', '\\|')}\``,
      (calls / made.length).toFixed(2),
      (records / made.length).toFixed(1),
      (bytes / made.length).toFixed(0),
    ])
  return table([['statement', 'calls a request', 'records', 'bytes'], ...rows])
}

/** Of a request with as many as the median. */
function showFlights({ made, flights }: Measured): string {
  const all = made.map((one) => ({ one, its: flightsOf(flights, one) }))
  const middle = median(all.map(({ its }) => its.length))
  const found = all.find(({ its }) => its.length === middle)
  const lines = found?.its.map(
    ({ session, sentAt, statements }, n) =>
      `${n + 1}. connection ${session}, ${sentAt - found.one.sentAt} ms: ${statements.map((text) => `\`${shortened(text).slice(0, 50)}\``).join('; ')}`,
  )
  return ['What one request sent, and waited for:', ...(lines ?? [])].join('\n')
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const database = await postgres.create('write_cost')
  const proxy = await startProxy(database.url, cleanup)
  const signet = await startSignet(folder, cleanup, { ...settingsOn(proxy.url), ...receivers.settings() })
  const organization = await makeOrganization(signet)
  await addWebhook(signet, organization, receiver.url('/'), benchEvent)
  const bench: Bench = {
    signet,
    organization,
    receiver,
    database,
    instruments: await openInstruments(postgres, database),
  }
  const measured = await measure(bench, proxy.take)
  const figures = tableOfFigures(figuresOf(measured, await measureEntry(bench)))
  const paragraphs = [
    method,
    figures,
    tableOfUpdates(measured),
    showFlights(measured),
    tableOfRelations(measured),
    tableOfStatements(measured),
  ]
  if (isKeyed) return console.log(['', machine, ...paragraphs].join('\n\n'))
  report('write-cost', `${machine}, ${postgres.description}`, ...paragraphs)
})
