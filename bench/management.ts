// `npm run bench -- management`: what HTTP, and all that Signet checks and promises, cost. Creating groups and setting the
// groups of persons over HTTP, against the same statements straight through the database client in one Node process, and
// against the same behind a bare Fastify. All on the PostgreSQL of one Signet, by turns.
import { connectionTo, versionOf } from './support/database.ts'
import { figureOf, percent, show, table, verdict, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { cpuBelow, cpuOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { describeMachine, report } from './support/report.ts'
import { clients, type Done, type Operation, type Order } from './support/rounds.ts'
import { setUp } from './support/set-up.ts'
import { makeFolder, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(5, 1)
const roundSeconds = orQuick(4, 1)
const warmUpSeconds = orQuick(3, 1)
const target = 0.65

const titles: Record<Operation, string> = {
  create: 'Creating groups',
  set: 'Setting the groups of a person: five of 1,000 groups, for 1,000 persons in turn',
}
const method = `${clients} callers; ${rounds} rounds of ${roundSeconds} s, by turns, after a warm-up; medians (least–most). "Of direct" is taken round by
round. CPU is in µs a request: of the process that serves, of PostgreSQL, and of the load over HTTP, which is a process
of its own (\`bench/programs/load.ts\`).`

/** One way to do the work: the process that does it, and the one that is asked to have it done. */
type Way = { name: string; pid: number; asked: Program; port: number }
/** Requests a second, and µs of CPU a request. */
type Measured = { rate: number; server: number; postgres: number; load: number }
type Bench = { ways: Way[]; postgres: () => number; order: Omit<Order, 'operation' | 'series' | 'seconds' | 'port'> }

/** Gives the paragraphs of the report. */
async function compare(bench: Bench, operation: Operation): Promise<string[]> {
  console.log(`\n${titles[operation]}`)
  const measured = bench.ways.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? '  warm-up' : `  round ${round} of ${rounds}`)
    for (const [index, way] of bench.ways.entries()) {
      const one = await measure(bench, way, operation, round)
      console.log(`    ${way.name}: ${whole(one.rate)} requests/s`)
      if (round > 0) measured[index]?.push(one)
    }
  }
  const [direct = [], signet = []] = measured
  const ratio = figureOf(ratesOf(signet, direct)).median
  const judgement = `Signet reaches ${percent(ratio)} of the direct rate; the target is ${percent(target)} or more: ${verdict(ratio >= target)}.`
  return [`**${titles[operation]}**`, tableOf(bench.ways, measured), judgement]
}

async function measure({ postgres, order }: Bench, way: Way, operation: Operation, round: number): Promise<Measured> {
  const { pid, asked, port } = way
  const used = () => [cpuOf(pid), postgres(), asked.pid === pid ? 0 : cpuOf(asked.pid)]
  const series = `${way.name.replaceAll(' ', '-')}-${round}`
  const seconds = round === 0 ? warmUpSeconds : roundSeconds
  const before = used()
  const done = await asked.ask<Done>({ ...order, port, operation, series, seconds } satisfies Order)
  const [server = 0, database = 0, load = 0] = used().map(
    (after, index) => (after - (before[index] ?? 0)) / done.requests,
  )
  return { rate: done.requests / done.seconds, server: server * 1e6, postgres: database * 1e6, load: load * 1e6 }
}

const ratesOf = (some: Measured[], direct: Measured[]) =>
  some.map(({ rate }, round) => rate / (direct[round]?.rate ?? Number.NaN))

function tableOf(ways: Way[], measured: Measured[][]): string {
  const [direct = []] = measured
  const head = ['', 'requests/s', 'of direct', 'CPU: server', 'PostgreSQL', 'load']
  const rows = ways.map(({ name }, index) => {
    const its = measured[index] ?? []
    const figure = (part: keyof Measured) => figureOf(its.map((one) => one[part]))
    const shares = show(figureOf(ratesOf(its, direct)), percent)
    return [
      name,
      show(figure('rate')),
      shares,
      ...(['server', 'postgres', 'load'] as const).map((part) => show(figure(part))),
    ]
  })
  return table([head, ...rows])
}

await withCleanup(async (cleanup) => {
  const folder = makeFolder(cleanup)
  const machine = describeMachine()
  console.log('Starting Signet, and making groups and persons')
  const signet = await startSignet(folder, cleanup)
  const connection = connectionTo(folder)
  const start = (file: string) => startProgram(file, connection, cleanup)
  const [direct, bare, load] = await Promise.all([
    start('programs/direct.ts'),
    start('programs/bare.ts'),
    start('programs/load.ts'),
  ])
  const bench: Bench = {
    ways: [
      { name: 'direct', pid: direct.pid, asked: direct, port: 0 },
      { name: 'Signet', pid: signet.pid, asked: load, port: signet.port },
      { name: 'bare Fastify', pid: bare.pid, asked: load, port: await bare.ask<number>('port') },
    ],
    postgres: () => cpuBelow(signet.pid),
    order: await setUp(signet),
  }
  const paragraphs = []
  for (const operation of ['create', 'set'] as const) paragraphs.push(...(await compare(bench, operation)))
  report('management', `${machine}, PostgreSQL ${await versionOf(connection)}`, method, ...paragraphs)
})
