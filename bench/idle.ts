// `npm run bench:idle`: what Signet asks of PostgreSQL when nothing happens, and at one event a second; one process and two.
import { setTimeout as sleep } from 'node:timers/promises'
import { nameOfSignet } from './support/beside-embedded.ts'
import { startCountingProxy } from './support/counting-proxy.ts'
import { milliseconds, quantile, table, whole } from './support/figures.ts'
import { install, publish, type Stage } from './support/installation.ts'
import { openServer, type Postgres } from './support/postgres.ts'
import { startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, withCleanup } from './support/signet.ts'
import { measureDelays, type Way, type Work } from './support/ways.ts'

const seconds = orQuick(60, 5)
/** What a process has to do at its start is done by then. */
const settleMs = 10_000
const aims = { statements: 20, cores: 0.05 }
const path = '/one'
const work: Work = { paths: [path], deliveries: seconds, perCall: 1, callers: 2, everyMs: 1_000 }

const method = `Each number of processes on a new database, with one webhook, ${settleMs / 1_000} s after their start: ${seconds} s in which nothing happens, then
one event a second for ${seconds} s, to the processes in turn. Cores: CPU in use by all processes of PostgreSQL, for whatever database.
Statements are counted between Signet and PostgreSQL. The median is from the answer to the publisher until the receiver has it.`

/** Statements are those of one process in a minute. */
type Measured = { name: string; statements: number; idleCores: number; cores: number; median: number }

async function measure(stage: Stage, postgres: Postgres, processCount: number): Promise<Measured> {
  const { url } = await postgres.create(`signet_${processCount}`)
  const proxy = await startCountingProxy(url, stage.cleanup)
  const installation = await install(stage, proxy.url, processCount, [path])
  const name = nameOfSignet(processCount)
  const pids = installation.processes.map(({ pid }) => pid)
  const way: Way = { name, pids, postgres, begin: (asked) => publish(stage, installation, asked) }
  await sleep(settleMs)
  const before = { statements: proxy.statements(), cpu: postgres.cpu() }
  await sleep(seconds * 1_000)
  const between = { statements: proxy.statements(), cpu: postgres.cpu() }
  const delays = await measureDelays(stage, way, work)
  const cores = (postgres.cpu() - between.cpu) / seconds
  await Promise.all(installation.processes.map(({ stop }) => stop()))
  return {
    name,
    statements: ((between.statements - before.statements) / processCount / seconds) * 60,
    idleCores: (between.cpu - before.cpu) / seconds,
    cores,
    median: quantile(delays, 0.5),
  }
}

const showCores = (value: number) => value.toFixed(3)

function tableOf(measured: Measured[]): string {
  const head = ['', 'idle: statements a minute and process', 'idle: cores', '1 event/s: cores', '1 event/s: median']
  const rows = measured.map(({ name, statements, idleCores, cores, median }) => [
    ...[name, whole(statements), showCores(idleCores), showCores(cores)],
    milliseconds(median),
  ])
  return table([head, ...rows])
}

function judge({ name, statements, cores }: Measured): string {
  const word = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
  return `${name}: ${whole(statements)} statements a minute and process, the target is ${aims.statements} at most: ${word(statements <= aims.statements)}; \
${showCores(cores)} cores at one event a second, the target is ${aims.cores} at most: ${word(cores <= aims.cores)}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const stage: Stage = {
    folder,
    cleanup,
    receivers,
    receiver,
    publisher: await startProgram('publisher.ts', {}, cleanup),
  }
  const measured: Measured[] = []
  for (const processCount of [1, 2]) {
    console.log(`${nameOfSignet(processCount)}: ${2 * seconds + settleMs / 1_000} s`)
    measured.push(await measure(stage, postgres, processCount))
  }
  report('idle', `${machine}, ${postgres.description}`, method, tableOf(measured), measured.map(judge).join('\n'))
})
