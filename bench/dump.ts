// `npm run bench -- dump`: what a claim costs beside a dump that takes ten minutes, and beside a transaction that only holds its
// snapshot for as long.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Published } from './programs/publisher.ts'
import { times } from './support/client.ts'
import type { Credentials } from './support/exchange.ts'
import { milliseconds, quantile, table, verdict, whole } from './support/figures.ts'
import { monotonicMs } from './support/monotonic.ts'
import { isQuick, orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { type Program, startProgram } from './support/program.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { bareTransaction, chooseDump, type Holder } from './support/snapshot-holders.ts'
import { countTables, queueTables } from './support/table-counts.ts'
import { type Instruments, openInstruments, type StatementCost } from './support/write-ahead-log.ts'

const organizationCount = 10
const perCall = 10
const everyMs = 10
/** The load is given by the minute, so that no process keeps more than so many ids. */
const minuteMs = 60_000
const sampleMs = 10_000
const lockPollMs = 50
const lockWaitMs = 100
const heldMinutes = orQuick(10, 1)
const warmUpMs = orQuick(30_000, 10_000)
const most = 2
/** The statement that leases what is due; that which enqueues passes over locked lanes too. */
const isClaim = ({ text }: StatementCost) => /next_due_at <= [\s\S]* skip locked/i.test(text)

const perSecond = (1_000 / everyMs) * perCall
const method = `${whole(perSecond)} events a second, ${perCall} to a \`POST /test-events\`, for ${organizationCount} organizations in turn, each with one webhook; a receiver in a process of
its own answers at once. First a quiet minute, then ${heldMinutes} min beside each of two that hold a snapshot, each followed by a quiet minute. Every
${sampleMs / 1_000} s: what the claim took in PostgreSQL (pg_stat_statements: time and pages for each call), dead rows of ${queueTables.map((name) => `\`${name}\``).join(', ')}, the time
from an answer until the receiver has the event, and whatever waited for a lock longer than ${lockWaitMs} ms (asked every ${lockPollMs} ms). Target: no claim
over ${most} times the median of the first quiet minute.`

type Bench = {
  port: number
  organizations: Credentials[]
  publisher: Program
  receiver: Receiver
  database: BenchDatabase
  instruments: Instruments
}

type Sample = {
  /** Of the clock that processes share. */
  at: number
  claimMs: number
  claimPages: number
  claims: number
  /** Of all statements, a second. */
  databaseMs: number
  dead: number
  lockWaits: string[]
  delays: number[]
}

type Phase = { title: string; samples: Sample[]; how: string }

/** Milliseconds and calls of the claim and of everything, so far. */
async function readCosts({ instruments }: Bench) {
  const all = (await instruments.statements()) ?? []
  const total = (of: StatementCost[], part: 'ms' | 'calls' | 'pages') => of.reduce((sum, one) => sum + one[part], 0)
  const claims = all.filter(isClaim)
  return {
    at: monotonicMs(),
    claimMs: total(claims, 'ms'),
    calls: total(claims, 'calls'),
    pages: total(claims, 'pages'),
    ms: total(all, 'ms'),
  }
}

async function sample(bench: Bench, from: Awaited<ReturnType<typeof readCosts>>, lockWaits: string[]): Promise<Sample> {
  const now = await readCosts(bench)
  const calls = now.calls - from.calls
  const seconds = (now.at - from.at) / 1_000
  const tables = await countTables(bench.database)
  const dead = tables.filter(({ name }) => queueTables.includes(name)).reduce((sum, each) => sum + each.dead, 0)
  return {
    at: now.at,
    claimMs: (now.claimMs - from.claimMs) / calls,
    claimPages: (now.pages - from.pages) / calls,
    claims: calls / seconds,
    databaseMs: (now.ms - from.ms) / seconds,
    dead,
    lockWaits,
    delays: [],
  }
}

/** Whatever waits for a lock, once for each wait, until `isOver`. */
async function watchLocks({ database }: Bench, isOver: () => boolean, note: (what: string) => void) {
  const seen = new Set<string>()
  while (!isOver()) {
    for (const { id, what } of await database.rows<{ id: string; what: string }>(lockWaitsNow)) {
      if (!seen.has(id)) note(what)
      seen.add(id)
    }
    await sleep(lockPollMs)
  }
}

const lockWaitsNow = `
  select l.pid || ' ' || l.waitstart as id, l.locktype || ' ' || l.mode || ': ' || left(regexp_replace(a.query, '\\s+', ' ', 'g'), 60) as what
    from pg_locks l join pg_stat_activity a using (pid)
   where not l.granted and a.datname = current_database() and l.waitstart < clock_timestamp() - interval '${lockWaitMs} milliseconds'`

/** A minute of load, and what was seen in it. */
async function runMinute(bench: Bench, forMs = minuteMs): Promise<Sample[]> {
  const calls = forMs / everyMs
  await bench.receiver.forget()
  let isOver = false
  let lockWaits: string[] = []
  const samples: Sample[] = []
  const watch = watchLocks(
    bench,
    () => isOver,
    (what) => lockWaits.push(what),
  )
  const watchCosts = async () => {
    let from = await readCosts(bench)
    for (let n = 1; n <= Math.floor(forMs / sampleMs); n++) {
      await sleep(sampleMs)
      samples.push(await sample(bench, from, lockWaits))
      lockWaits = []
      from = await readCosts(bench)
    }
  }
  const done = Promise.all([publish(bench, calls), bench.receiver.until(calls * perCall), watchCosts()])
  const [{ events }] = await done.finally(() => {
    isOver = true
    return watch
  })
  placeDelays(samples, events, new Map((await bench.receiver.tell()).map(([place, at]) => [place.slice(-36), at])))
  return samples
}

const publish = ({ publisher, port, organizations }: Bench, calls: number) =>
  publisher.ask<Published>({
    port,
    what: 'POST /test-events',
    organizations,
    calls,
    callers: 20,
    everyMs,
    tellIds: true,
    json: JSON.stringify(Array.from({ length: perCall }, () => ({ event_name: benchEvent }))),
  })

/** Each delay belongs to the first sample that was taken after the answer, or to the last one. */
function placeDelays(samples: Sample[], events: Published['events'], arrivedAt: Map<string, number>) {
  for (const [id, answeredAt] of events) {
    const its = samples.find(({ at }) => at >= answeredAt) ?? samples.at(-1)
    its?.delays.push((arrivedAt.get(id) ?? Number.NaN) - answeredAt)
  }
}

async function runPhase(bench: Bench, title: string, minutes: number, holder?: Holder): Promise<Phase> {
  console.log(`\n${title}`)
  const held = await holder?.hold(bench.database)
  const samples: Sample[] = []
  for (let minute = 0; minute < minutes; minute++) {
    const its = await runMinute(bench)
    samples.push(...its)
    for (const one of its) console.log(`  ${rowOf(one).join(' | ')}`)
  }
  return { title, samples, how: (await held?.end()) ?? '' }
}

const rowOf = (it: Sample): string[] => [
  milliseconds(it.claimMs),
  whole(it.claimPages),
  whole(it.claims),
  whole(it.databaseMs),
  whole(it.dead),
  milliseconds(quantile(it.delays, 0.5)),
  milliseconds(quantile(it.delays, 0.99)),
  `${it.lockWaits.length}`,
]

const head = [
  '',
  'claim',
  'of quiet',
  'pages',
  'claims/s',
  'PostgreSQL, ms/s',
  'dead rows',
  'delivery: median',
  '99th percentile',
  'waited for a lock',
]

/** Where nothing was claimed, there is no cost. */
const medianOf = (samples: Sample[], of: (sample: Sample) => number): number =>
  quantile(
    samples.map(of).filter((value) => !Number.isNaN(value)),
    0.5,
  )

const mostOf = (samples: Sample[], of: (sample: Sample) => number): number =>
  Math.max(0, ...samples.map(of).filter((value) => !Number.isNaN(value)))

const quietOf = ([first]: Phase[], of: (sample: Sample) => number): number => medianOf(first?.samples ?? [], of)

function tableOf(phases: Phase[]): string {
  const quiet = quietOf(phases, ({ claimMs }) => claimMs)
  const rows = phases.flatMap(({ title, samples }) =>
    samples.map((it, n) => {
      const [claim = '', ...others] = rowOf(it)
      const name = `${n === 0 ? `${title}: ` : ''}${((n + 1) * sampleMs) / 1_000} s`
      return [name, claim, (it.claimMs / quiet).toFixed(2), ...others]
    }),
  )
  return table([head, ...rows])
}

function judge(phases: Phase[], held: Phase[]): string {
  return held
    .map(({ title, samples, how }) => {
      const ofQuiet = (of: (sample: Sample) => number) => mostOf(samples, of) / quietOf(phases, of)
      const quiet = quietOf(phases, ({ claimMs }) => claimMs)
      const worst = ofQuiet(({ claimMs }) => claimMs)
      const over = samples.filter(({ claimMs }) => claimMs >= most * quiet).length
      const lockWaits = [...new Set(samples.flatMap((it) => it.lockWaits))]
      return `Beside ${title}: a claim takes ${worst.toFixed(2)} times its quiet cost at most, ${(medianOf(samples, ({ claimMs }) => claimMs) / quiet).toFixed(2)} in the median; \
the target is under ${most}: ${verdict(worst < most)}${over ? ` in ${over} of ${samples.length} samples` : ''}. It reads up to ${ofQuiet(({ claimPages }) => claimPages).toFixed(1)} times the pages; \
all statements together take up to ${ofQuiet(({ databaseMs }) => databaseMs).toFixed(2)} times as long. ${lockWaits.length === 0 ? 'Nothing waited for a lock.' : `Waited for a lock: ${lockWaits.slice(0, 5).join('; ')}.`} ${how}`
    })
    .join('\n')
}

async function countFailures({ database }: Bench): Promise<string> {
  const [row] = await database.rows<{ failed: number; again: number }>(
    `select count(*) filter (where status <> 'succeeded')::int as failed, count(*) filter (where attempts_count > 1)::int as again
       from finished_deliveries`,
  )
  const count = (row?.failed ?? 0) + (row?.again ?? 0)
  return `${row?.failed} deliveries that did not succeed, and ${row?.again} that took more than one attempt; the target is 0: ${verdict(count === 0)}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const database = await postgres.create('dump')
  const instruments = await openInstruments(postgres, database)
  if (!(await instruments.statements()))
    throw new Error('start the server with shared_preload_libraries=pg_stat_statements: it tells what a claim costs')
  const signet = await startSignet(folder, cleanup, { ...settingsOn(database.url), ...receivers.settings() })
  const organizations = await times(organizationCount, async (n) => {
    const organization = await makeOrganization(signet)
    await addWebhook(signet, organization, receiver.url(`/${n}`), benchEvent)
    return organization
  })
  const publisher = await startProgram('programs/publisher.ts', {}, cleanup)
  const bench: Bench = { port: signet.port, organizations, publisher, receiver, database, instruments }
  await runMinute(bench, warmUpMs)
  await instruments.forgetStatements()
  const phases = [await runPhase(bench, 'quiet', 1)]
  const held: Phase[] = []
  for (const holder of [await chooseDump(database), bareTransaction]) {
    const phase = await runPhase(bench, holder.title, heldMinutes, holder)
    held.push(phase)
    phases.push(phase)
    if (!isQuick) phases.push(await runPhase(bench, 'quiet after it', 1))
  }
  report(
    'dump',
    `${machine}, ${postgres.description}`,
    method,
    tableOf(phases),
    judge(phases, held),
    await countFailures(bench),
  )
})
