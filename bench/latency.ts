// `npm run bench -- latency`: the time from the answer to the caller until the receiver has the request, when little happens,
// beside a loop that only signs and posts, and beside two queues on PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises'
import { methodOfOptions, nameOfSignet, ratiosToEmbedded } from './support/beside-embedded.ts'
import { figureOf, milliseconds, quantile, show, table, verdict } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, withCleanup } from './support/signet.ts'
import { startWays } from './support/start-ways.ts'
import { type Bench, measureDelays, type Work } from './support/ways.ts'

const rounds = orQuick(3, 1)
const eventsPerRound = orQuick(500, 50)
/** 50 a second. */
const everyMs = 20
const pauseMs = 300
const aims = { median: 2, tail: 8 }
/** The median on a given server, as a multiple of that on the embedded one. */
const mostOfEmbedded = 1.5
const path = '/one'

const method =
  `50 single events a second to one webhook, ${eventsPerRound} a round, ${rounds} rounds by turns after a warm-up; medians of the rounds
(least–most). From the moment the publisher has the answer until the receiver, another process, has the whole request; a
delivery that is there before the answer counts below zero. The bare loop: from the beginning of the signing. Settings as
in \`throughput\`.
${methodOfOptions}`.trim()

type Delays = { median: number; tail: number }

async function measureAll(bench: Bench): Promise<Map<string, Delays[]>> {
  const measured = new Map(bench.ways.map(({ name }): [string, Delays[]] => [name, []]))
  const work: Work = { paths: [path], deliveries: eventsPerRound, perCall: 1, callers: 20, everyMs }
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`)
    for (const way of bench.ways) {
      await sleep(pauseMs)
      const delays = await measureDelays(bench, way, work)
      const one = { median: quantile(delays, 0.5), tail: quantile(delays, 0.99) }
      console.log(`  ${way.name}: median ${milliseconds(one.median)}, 99th percentile ${milliseconds(one.tail)}`)
      if (round > 0) measured.get(way.name)?.push(one)
    }
  }
  return measured
}

function tableOf(measured: Map<string, Delays[]>): string {
  const rows = [...measured].map(([name, its]) => [
    name,
    show(figureOf(its.map(({ median }) => median)), milliseconds),
    show(figureOf(its.map(({ tail }) => tail)), milliseconds),
  ])
  return table([['', 'median', '99th percentile'], ...rows])
}

function judge(its: Delays[]): string {
  const one = (what: string, part: keyof Delays) => {
    const reached = figureOf(its.map((each) => each[part])).median
    return `${what} ${milliseconds(reached)}, the target is under ${milliseconds(aims[part])}: ${verdict(reached < aims[part])}`
  }
  return `Signet: ${one('median', 'median')}; ${one('99th percentile', 'tail')}.`
}

const judgeBesideEmbedded = (measured: Map<string, Delays[]>): string[] =>
  ratiosToEmbedded(measured, ({ median }) => median).map(
    ({ name, ratio }) =>
      `${name}: ${ratio.toFixed(2)} times the median on the embedded server; the target is ${mostOfEmbedded} times at most: ${verdict(ratio <= mostOfEmbedded)}.`,
  )

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  console.log('Starting everybody')
  const bench = await startWays(makeFolder(cleanup), cleanup, [path])
  const measured = await measureAll(bench)
  const verdicts = [judge(measured.get(nameOfSignet(1)) ?? []), ...judgeBesideEmbedded(measured)]
  report('latency', `${machine}, ${bench.servers}`, method, tableOf(measured), ...verdicts)
})
