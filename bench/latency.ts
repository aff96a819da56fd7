// `npm run bench:latency`: the time from the answer to the caller until the receiver has the request, when little happens,
// beside a loop that only signs and posts, and beside two queues on PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Credentials } from './support/exchange.ts'
import { figureOf, milliseconds, quantile, show, table } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { orQuick } from './support/quick.ts'
import type { Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, withCleanup } from './support/signet.ts'
import { type Bench, measureDelays, startWays, type Work } from './support/ways.ts'

const rounds = orQuick(3, 1)
const eventsPerRound = orQuick(500, 50)
/** 50 a second. */
const everyMs = 20
const pauseMs = 300
const aims = { median: 2, tail: 8 }

const method = `50 single events a second to one webhook, ${eventsPerRound} a round, ${rounds} rounds by turns after a warm-up; medians of the rounds
(least–most). From the moment the publisher has the answer until the receiver, another process, has the whole request; a
delivery that is there before the answer counts below zero. The bare loop: from the beginning of the signing. Settings as
in \`bench:throughput\`.`

type Delays = { median: number; tail: number }

async function measureAll(bench: Bench, organizations: Credentials[]): Promise<Map<string, Delays[]>> {
  const measured = new Map(bench.ways.map(({ name }): [string, Delays[]] => [name, []]))
  const work: Work = { organizations, deliveries: eventsPerRound, perCall: 1, callers: 20, everyMs }
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
    return `${what} ${milliseconds(reached)}, the target is under ${milliseconds(aims[part])}: ${reached < aims[part] ? 'met' : 'NOT met'}`
  }
  return `Signet: ${one('median', 'median')}; ${one('99th percentile', 'tail')}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const organizations: Credentials[] = []
  const makeOrganizations = async (signet: { port: number }, receiver: Receiver) => {
    const organization = await makeOrganization(signet)
    const url = receiver.url('/one')
    await addWebhook(signet, organization, url, benchEvent)
    organizations.push(organization)
    return { [organization.organizationId]: url }
  }
  console.log('Starting everybody')
  const bench = await startWays(makeFolder(cleanup), cleanup, makeOrganizations)
  const measured = await measureAll(bench, organizations)
  const verdict = judge(measured.get('Signet') ?? [])
  report('latency', `${machine}, PostgreSQL ${bench.postgres.version}`, method, tableOf(measured), verdict)
})
