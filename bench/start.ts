// `npm run bench -- start`: how long Signet takes until it is ready, on an empty data folder and on one that is there, and
// how much memory it has in use when nothing happens.
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionTo, versionOf } from './support/database.ts'
import { figureOf, show, table, verdict } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { residentBelow, residentOf } from './support/processes.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(5, 1)
const idleMs = orQuick(10_000, 1_000)

const method = `${rounds} rounds, each in a new folder; medians (least–most). Ready: \`/readyz\` says so; the time is from the start of
the process. Cold: an empty data folder, and nothing compiled yet. Warm: the same folder again. Memory: resident
(VmRSS), of the warm start and without a request: when it is ready, and idle, ${idleMs / 1_000} s later, once what the start left behind is collected. Of
PostgreSQL it is that of all its processes, and what they share counts once.`

type Round = { cold: number; warm: number; ready: number; node: number; postgres: number; version: string }

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function runRound(cleanup: AsyncDisposableStack): Promise<Round> {
  const folder = makeFolder(cleanup)
  const cold = await startSignet(folder, cleanup)
  await cold.stop()
  const warm = await startSignet(folder, cleanup)
  const ready = residentOf(warm.pid)
  await sleep(idleMs)
  const memory = { ready, node: residentOf(warm.pid), postgres: residentBelow(warm.pid) }
  const version = await versionOf(connectionTo(folder))
  await warm.stop()
  return { cold: cold.readyMs, warm: warm.readyMs, ...memory, version }
}

function tableOf(done: Round[]): string {
  const row = (
    title: string,
    part: 'cold' | 'warm' | 'ready' | 'node' | 'postgres',
    format: (value: number) => string,
    most = Infinity,
  ) => {
    const figure = figureOf(done.map((round) => round[part]))
    const target = most === Infinity ? 'none' : `under ${format(most)}: ${verdict(figure.median < most)}`
    return [title, show(figure, format), target]
  }
  return table([
    ['', 'median (least–most)', 'target'],
    row('cold start to ready', 'cold', seconds),
    row('warm start to ready', 'warm', seconds, 1_500),
    row('memory of Node, when ready', 'ready', megabytes),
    row('memory of Node, idle', 'node', megabytes, 150e6),
    row('memory of PostgreSQL, idle', 'postgres', megabytes),
  ])
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const done: Round[] = []
  while (done.length < rounds) {
    const round = await runRound(cleanup)
    done.push(round)
    const starts = `cold ${seconds(round.cold)}, warm ${seconds(round.warm)}`
    console.log(
      `round ${done.length} of ${rounds}: ${starts}, Node ${megabytes(round.node)}, PostgreSQL ${megabytes(round.postgres)}`,
    )
  }
  report('start', `${machine}, PostgreSQL ${done[0]?.version}`, method, tableOf(done))
})
