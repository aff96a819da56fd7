// `npm run bench -- soak`: half an hour of mixed load at half of what Signet can do, in turn with the bare statements: its slow answers
// and what they waited for, its memory, its errors, and what it stores.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BareMixSettings } from './programs/bare-mix.ts'
import type { SoakDone, SoakOrder, SoakSettings } from './programs/soak-load.ts'
import { clientOf, times } from './support/client.ts'
import { percent, table, whole } from './support/figures.ts'
import { monotonicMs } from './support/monotonic.ts'
import { orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { type Program, startProgram } from './support/program.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { standingGroup, standingGroups } from './support/rounds.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'
import { startSampler } from './support/soak-sampler.ts'
import {
  bars,
  explainSlow,
  headOfSlots,
  judge,
  limitOf,
  rowOfSlot,
  type Slot,
  tableOfSlots,
} from './support/soak-slots.ts'
import { countTables } from './support/table-counts.ts'
import { unfinishedDeliveries, untilDelivered } from './support/unfinished.ts'

const capacitySeconds = orQuick(60, 15)
const slotSeconds = orQuick(120, 20)
/** The first and the last are Signet's. */
const slotCount = orQuick(15, 7)
/** V8 has found the size of its heap by then. */
const warmUpMinutes = orQuick(5, 0.5)
const share = 0.5
const webhooks = 3
const deliveredMs = 300_000
/** Of a table without rows: it had some. */
const leastListedBytes = 100_000

const method = `One process with all roles, one organization with ${webhooks} webhooks, and 32 callers in a process of their own. Of ten operations two
create or delete a person, three read one, one sets a person's groups, one lists persons, two publish two test events each, and one reads a page of the
feed. The capacity: as many as they can for ${capacitySeconds} s, over the time until all of that is delivered. Then ${percent(share)} of it,
at even intervals, in ${slotCount} slots of ${slotSeconds} s: on Signet and, in turn, on a Fastify that only runs plain SQL for the same operations and
sends with the same code. Times are of the first seven, from the time at which each was due. Each second: what the sessions of PostgreSQL waited for,
threads that could run, the share of time in which something waited for a processor, how late the event loop was, garbage, log, dead rows, memory.
CPU of others: what all processes but those of this benchmark and of PostgreSQL used, of all processors, the kernel's and the host's share included; a
slot with over ${percent(bars.others)} is marked (!), and at most ${bars.leftOut} of the marked ones are left out. Memory is the least in a slot.`

type Side = { load: Program; database: BenchDatabase; unfinished: string }
type Bench = { signet: Side; bare: Side; receiver: Receiver; sampler: ReturnType<typeof startSampler> }

const untilAllDelivered = ({ database, unfinished }: Side) => untilDelivered(database, deliveredMs, unfinished)

const operate = ({ load }: Side, order: SoakOrder) => load.ask<SoakDone>(order)

/** Operations a second, with all that they publish delivered. */
async function findCapacity(side: Side): Promise<number> {
  await operate(side, { seconds: capacitySeconds / 4 })
  await untilAllDelivered(side)
  const began = performance.now()
  const { operations } = await operate(side, { seconds: capacitySeconds })
  await untilAllDelivered(side)
  return operations / ((performance.now() - began) / 1_000)
}

async function runSlot(bench: Bench, side: Slot['side'], rate: number, firstAt: number): Promise<Slot> {
  const its = side === 'Signet' ? bench.signet : bench.bare
  const began = monotonicMs()
  const done = await operate(its, { seconds: slotSeconds, rate })
  const samples = bench.sampler.since(began)
  // It keeps all that it has been sent.
  await bench.receiver.forget()
  await untilAllDelivered(its)
  return { ...done, side, at: (began - firstAt) / 60_000, samples }
}

async function runSlots(bench: Bench, rate: number): Promise<Slot[]> {
  const slots: Slot[] = []
  const firstAt = monotonicMs()
  while (slots.length < slotCount) {
    const slot = await runSlot(bench, slots.length % 2 === 0 ? 'Signet' : 'bare', rate, firstAt)
    slots.push(slot)
    const row = rowOfSlot(slot)
    console.log(
      [`slot ${slots.length}`, ...row.map((cell, column) => `${headOfSlots[column]} ${cell}`.trim())].join(', '),
    )
  }
  return slots
}

/** What is stored at the end, by table. An event may have several deliveries. */
async function tableOfStored({ signet: { database } }: Bench): Promise<string> {
  await database.run('analyze')
  const tables = (await countTables(database)).filter(({ rows, bytes }) => rows > 0 || bytes > leastListedBytes)
  const events = tables.find(({ name }) => name === 'events')?.rows ?? Number.NaN
  const rows = tables.map(({ name, rows, bytes }) => [
    name,
    whole(rows),
    (rows / events).toFixed(2),
    rows > 0 ? whole(bytes / rows) : '–',
    (bytes / events).toFixed(1),
    `${(bytes / 1e6).toFixed(1)}`,
  ])
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const all = ['all', '', '', '', (total / events).toFixed(1), (total / 1e6).toFixed(1)]
  const head = ['stored at the end', 'rows', 'rows an event', 'bytes a row', 'bytes an event', 'MB']
  return `With indexes and TOAST, partitions together:

${table([head, ...rows, all])}`
}

async function countLost({ signet: { database } }: Bench): Promise<number> {
  const [row] = await database.rows<{ lost: number }>(
    `select count(*)::int as lost from finished_deliveries where status <> 'succeeded'`,
  )
  return row?.lost ?? Number.NaN
}

async function start(folder: string, cleanup: AsyncDisposableStack) {
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const [database, bareDatabase] = [await postgres.create('soak'), await postgres.create('bare')]
  const watchFile = join(folder, 'watched.jsonl')
  writeFileSync(watchFile, '')
  const signet = await startSignet(folder, cleanup, {
    ...settingsOn(database.url),
    ...receivers.settings(),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'programs/watched.ts')}`,
    BENCH_WATCH: watchFile,
  })
  const organization = await makeOrganization(signet)
  const urls = Array.from({ length: webhooks }, (_, n) => receiver.url(`/${n}`))
  for (const url of urls) await addWebhook(signet, organization, url, benchEvent)
  const groups = Array.from({ length: standingGroups }, (_, n) => standingGroup(n))
  const { post } = clientOf(signet.port, {
    'service-orgid': organization.organizationId,
    'service-api-key': organization.apiKey,
  })
  await times(groups.length, (n) => post('/groups', { name: groups[n] }))
  const bare = await startProgram(
    'programs/bare-mix.ts',
    {
      connectionString: bareDatabase.url,
      receiving: receivers.receiving(),
      ...organization,
      webhooks: urls,
    } satisfies BareMixSettings,
    cleanup,
  )
  const loadOn = (port: number) =>
    startProgram('programs/soak-load.ts', { port, organization, groups } satisfies SoakSettings, cleanup)
  const bench: Bench = {
    signet: { load: await loadOn(signet.port), database, unfinished: unfinishedDeliveries },
    bare: {
      load: await loadOn(await bare.ask<number>('port')),
      database: bareDatabase,
      unfinished: `select from deliveries where status = 'pending'`,
    },
    receiver,
    sampler: startSampler({ database, postgres, pid: signet.pid, watchFile }, cleanup),
  }
  return { bench, postgres }
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const { bench, postgres } = await start(makeFolder(cleanup), cleanup)
  console.log(`Looking for the capacity: ${(capacitySeconds * 5) / 4} s`)
  const capacity = await findCapacity(bench.signet)
  // It has compiled what it runs, as Signet has.
  await operate(bench.bare, { seconds: capacitySeconds / 4 })
  await untilAllDelivered(bench.bare)
  const rate = capacity * share
  console.log(`Capacity ${whole(capacity)} operations/s; ${slotCount} slots of ${slotSeconds} s at ${whole(rate)}`)
  const slots = await runSlots(bench, rate)
  const summary = `Capacity ${whole(capacity)} operations/s; the load is ${whole(rate)}.`
  report(
    'soak',
    `${machine}, ${postgres.description}`,
    method,
    summary,
    tableOfSlots(slots),
    explainSlow(slots, limitOf(slots)),
    judge(slots, await countLost(bench), warmUpMinutes),
    await tableOfStored(bench),
  )
})
