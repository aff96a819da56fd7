import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { expectInvariants } from '../../faults/support/invariants.ts'
import type { Organization } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'
import { type Installation, install } from './support/installation.ts'
import { paths, play } from './support/play.ts'
import { type Round, rounds, tell } from './support/rounds.ts'

const slowMs = 1_000
/** The standard ones. */
const retry = { initialMs: 60_000, maxMs: 600_000, windowMs: 1_800_000 }
const processes = 3
/** So much of the standard ones that a backlog of the slow webhook is gone soon. */
const perWebhook = 50
const limits = { perWebhook, perOrganization: processes * 128, total: processes * 512 }

const life = new AsyncDisposableStack()
const acknowledged: string[] = []
let installation: Installation
let organization: Organization

beforeAll(async () => {
  const begun = performance.now()
  installation = await install(life, { SIGNET_MAX_CONCURRENCY_PER_WEBHOOK: `${perWebhook}` })
  const { client, receiver } = installation
  organization = await client.organization()
  receiver.behave('/slow', { delayMs: slowMs })
  for (const path of paths) await addWebhook(client, organization, receiver.url(path), ['PersonCreated_v1'])
  tell(`three nodes and three processes are up after ${seconds(performance.now() - begun)}`)
})
afterAll(() => life.disposeAsync())

test.for(rounds)('Round $number of this seed ($fault) loses nothing', runRound)

test('A round through PgBouncer loses nothing', async () => {
  await installation.goThroughPgbouncer()
  await runRound({ number: rounds.length + 1, fault: 'PostgreSQL killed', afterMs: 1_000 })
})

test('What holds whatever is broken holds after all rounds', async () => {
  const { cluster, receiver, signets } = installation
  const primary = await cluster.withRole('leader')
  const counts = await expectInvariants(
    {
      query: (text, values) => primary.query(text, 'signet', values),
      received: receiver.all(),
      acknowledged,
    },
    { retry, limits, leasesEnded: new Set() },
  )
  tell(
    `${rounds.length + 1} rounds: ${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  )
  expect(signets.map((signet) => signet.process.exitCode)).toEqual([null, null, null])
})

async function runRound(round: Round) {
  onTestFailed(showLogs)
  const outcome = await play(installation, organization, round)
  const { load, lost, events, delivered, byTwoWorkers, outage, withinMs } = outcome
  acknowledged.push(...events)
  tell(
    `round ${round.number}, ${round.fault}: no write for ${seconds(outage.lastedMs)} (at most ${seconds(withinMs)}), ` +
      `back ${seconds(outage.backAfterMs)} after the fault; ` +
      `${load.acknowledgedAt.length} acknowledged, ${lost.length} lost; ${delivered} of ${load.persons.length} events delivered, ` +
      `${byTwoWorkers} by two workers at once; ${load.refused} requests answered 503, ${load.faults.length} failed otherwise`,
  )
  expect([lost, load.faults, byTwoWorkers]).toEqual([[], [], 0])
  expect(delivered).toBe(load.persons.length)
  expect(outage.lastedMs).toBeLessThan(withinMs)
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function showLogs() {
  const { cluster, signets } = installation
  for (const { name, log } of cluster.nodes)
    console.log(`Patroni of ${name}:\n${log().split('\n').slice(-200).join('\n')}`)
  for (const signet of signets) console.log(signet.output().slice(-4_000))
}
