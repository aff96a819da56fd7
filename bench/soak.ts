// `npm run bench -- soak`: half an hour of mixed load at 70 percent of what Signet can do, for its memory, its errors and its slowest
// answers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakDone, SoakOrder, SoakSettings } from './programs/soak-load.ts'
import { clientOf, times } from './support/client.ts'
import { milliseconds, percent, quantile, table, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { residentOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { standingGroup, standingGroups } from './support/rounds.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const capacitySeconds = orQuick(60, 10)
const minutes = orQuick(30, 6)
const secondsOfMinute = orQuick(60, 20)
/** V8 has found the size of its heap by then, and the payloads kept for the worker are at their limit. */
const warmUpMinutes = orQuick(5, 2)
const share = 0.7
const webhooks = 3
const sampleMs = 500
const queuePollMs = 100
const queueEmptyMs = 300_000
const aims = { megabytesAMinute: 1, errors: 0, slowestMs: 50 }

const method = `One process with all roles, one organization with ${webhooks} webhooks, and 32 callers in a process of their own. Of ten operations two
create or delete a person, three read one, one sets a person's groups, one lists persons, two publish two test events each, and one reads a page of the
feed. The capacity: as many as they can for ${capacitySeconds} s, over the time until all of that is delivered. Then ${percent(share)} of it,
at even intervals, for ${minutes} times ${secondsOfMinute} s. Times are of the first seven, from the time at which each was due. Memory is that of Node: the least in use in
that time, which is that after a garbage collection, and the most. The slope is that of the least, a straight line through all but the first ${warmUpMinutes}.`

type Bench = { pid: number; load: Program; receiver: Receiver; database: BenchDatabase }
type Minute = SoakDone & { least: number; most: number; waiting: number }

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)

async function countWaiting({ database }: Bench): Promise<number> {
  const [{ count } = { count: 0 }] = await database.rows<{ count: number }>(
    'select count(*)::int as count from deliveries',
  )
  return count
}

async function emptyQueue(bench: Bench) {
  const deadline = performance.now() + queueEmptyMs
  while ((await countWaiting(bench)) > 0) {
    if (performance.now() > deadline) throw new Error(`deliveries still wait after ${queueEmptyMs / 1_000} s`)
    await sleep(queuePollMs)
  }
}

/** Operations a second, with all that they publish delivered. */
async function findCapacity(bench: Bench): Promise<number> {
  await operate(bench, { seconds: capacitySeconds / 4 })
  await emptyQueue(bench)
  const began = performance.now()
  const { operations } = await operate(bench, { seconds: capacitySeconds })
  await emptyQueue(bench)
  return operations / ((performance.now() - began) / 1_000)
}

const operate = ({ load }: Bench, order: SoakOrder) => load.ask<SoakDone>(order)

async function runMinute(bench: Bench, rate: number): Promise<Minute> {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(residentOf(bench.pid)), sampleMs)
  const done = await operate(bench, { seconds: secondsOfMinute, rate })
  clearInterval(timer)
  // It keeps all that it has been sent.
  await bench.receiver.forget()
  return { ...done, least: Math.min(...samples), most: Math.max(...samples), waiting: await countWaiting(bench) }
}

/** Of a straight line through the values, a step apart: the least squares. */
function slopeOf(values: number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  return over / values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
}

const rowOf = ({ operations, seconds, took, least, most, waiting, errors }: Minute, n: number) => [
  `${n + 1}`,
  whole(operations / seconds),
  megabytes(least),
  megabytes(most),
  milliseconds(quantile(took, 0.5)),
  milliseconds(quantile(took, 0.99)),
  `${waiting}`,
  `${errors.length}`,
]

const head = ['', 'operations/s', 'least MB', 'most MB', 'median', '99th percentile', 'deliveries waiting', 'errors']

async function judge(done: Minute[], bench: Bench): Promise<string> {
  const settled = done.slice(warmUpMinutes)
  const slope = (slopeOf(settled.map(({ least }) => least)) / 1e6) * (60 / secondsOfMinute)
  const errors = done.flatMap((each) => each.errors)
  const slowest = quantile(
    settled.flatMap(({ took }) => took),
    0.99,
  )
  const [{ lost } = { lost: 0 }] = await bench.database.rows<{ lost: number }>(
    `select count(*)::int as lost from finished_deliveries where status <> 'succeeded'`,
  )
  const word = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
  return `Memory grows by ${slope.toFixed(2)} MB a minute after the first ${warmUpMinutes}; the target is under ${aims.megabytesAMinute}: ${word(slope < aims.megabytesAMinute)}.
${errors.length} errors and ${lost} deliveries that did not succeed; the target is ${aims.errors}: ${word(errors.length + lost <= aims.errors)}.${errors[0] ? ` The first error: ${errors[0]}` : ''}
The 99th percentile of management operations is ${milliseconds(slowest)}; the target is under ${milliseconds(aims.slowestMs)}: ${word(slowest < aims.slowestMs)}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const database = await postgres.create('soak')
  const signet = await startSignet(folder, cleanup, { ...settingsOn(database.url), ...receivers.settings() })
  const organization = await makeOrganization(signet)
  for (let n = 0; n < webhooks; n++) await addWebhook(signet, organization, receiver.url(`/${n}`), 'PersonCreated_v1')
  const groups = Array.from({ length: standingGroups }, (_, n) => standingGroup(n))
  const { post } = clientOf(signet.port, {
    'service-orgid': organization.organizationId,
    'service-api-key': organization.apiKey,
  })
  await times(groups.length, (n) => post('/groups', { name: groups[n] }))
  const load = await startProgram(
    'programs/soak-load.ts',
    { port: signet.port, organization, groups } satisfies SoakSettings,
    cleanup,
  )
  const bench: Bench = { pid: signet.pid, load, receiver, database }
  console.log(`Looking for the capacity: ${(capacitySeconds * 5) / 4} s`)
  const capacity = await findCapacity(bench)
  const rate = capacity * share
  console.log(`Capacity ${whole(capacity)} operations/s; ${minutes} times ${secondsOfMinute} s at ${whole(rate)}`)
  const done: Minute[] = []
  while (done.length < minutes) {
    done.push(await runMinute(bench, rate))
    const row = rowOf(done.at(-1) as Minute, done.length - 1)
    console.log(row.map((cell, column) => `${head[column]} ${cell}`.trim()).join(', '))
  }
  await emptyQueue(bench)
  const summary = `Capacity ${whole(capacity)} operations/s; the load is ${whole(rate)}.`
  const verdict = await judge(done, bench)
  report('soak', `${machine}, ${postgres.description}`, method, summary, table([head, ...done.map(rowOf)]), verdict)
})
