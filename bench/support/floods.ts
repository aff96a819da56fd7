import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAuthority } from '../../scripts/certificates.ts'
import { startUnrulyReceiver } from '../../server/tests/support/unruly-receiver.ts'
import { type Credentials, openExchange, textOfRequest } from './exchange.ts'
import { figureOf, milliseconds, quantile, show, verdict } from './figures.ts'
import { orQuick } from './options.ts'
import { addWebhook, makeOrganization } from './organizations.ts'
import type { BenchDatabase } from './postgres.ts'
import { settingsOn, startSignet } from './signet.ts'

const hosts = ['one.test', 'two.test']
/** Each at both hosts: eight receivers, each called by a dry run a second, all at the same time. */
const floods = ['/endless-early-hints', '/endless-headers', '/endless-extension', '/endless']
const rounds = orQuick(7, 2)
const readsInRound = orQuick(400, 50)
const everyMs = 5
const betweenDryRunsMs = 1_000
const aim = 1.5

/** What an organization that reads its groups feels of receivers of another one that answer without end: a sentence. */
export async function measureFloods(folder: string, cleanup: AsyncDisposableStack, { url }: BenchDatabase) {
  const authority = makeAuthority()
  const receiver = await startUnrulyReceiver(authority.issue(hosts))
  cleanup.defer(receiver.stop)
  const caFile = join(folder, 'unruly.pem')
  writeFileSync(caFile, authority.certificate)
  const signet = await startSignet(folder, cleanup, {
    ...settingsOn(url),
    NODE_EXTRA_CA_CERTS: caFile,
    SIGNET_WEBHOOK_RESOLVE: hosts.map((host) => `${host}:${receiver.port}:127.0.0.1`).join(),
    SIGNET_RATE_DRY_RUNS: '999999/999999',
  })
  const [reader, flooded] = [await makeOrganization(signet), await makeOrganization(signet)]
  const dryRuns: string[] = []
  for (const target of floods.flatMap((path) => hosts.map((host) => `https://${host}:${receiver.port}${path}`))) {
    const webhookId = await addWebhook(signet, flooded, target, 'token_minted', { type: 'sync_hook' })
    dryRuns.push(`POST /organizations/webhooks/${webhookId}/dry-run`)
  }
  const read = () => readGroups(signet.port, reader)
  await read()
  const [quiet, beside]: [number[], number[]] = [[], []]
  let runs = 0
  for (let round = 0; round < rounds; round++) {
    quiet.push(await read())
    const flooding = flood(signet.port, flooded, dryRuns)
    beside.push(await read())
    runs += await flooding.stop()
  }
  await signet.stop()
  const ratio = figureOf(beside.map((ms, round) => ms / (quiet[round] ?? Number.NaN))).median
  return `Beside ${dryRuns.length} receivers that answer without end (interim answers, headers, chunk extensions, bodies), all called by a dry run
each second (${Math.round(runs / rounds)} in a round), another organization's GET /groups takes ${show(figureOf(beside), milliseconds)} at the median, and
${show(figureOf(quiet), milliseconds)} while it is quiet; ${rounds} rounds of ${readsInRound} reads by turns. The ratio is ${ratio.toFixed(2)}; the target is ${aim} at most: ${verdict(ratio <= aim)}.`
}

/** Milliseconds at the median. */
async function readGroups(port: number, reader: Credentials): Promise<number> {
  const exchange = await openExchange(port)
  const request = textOfRequest(port, 'GET /groups', reader, '')
  const took: number[] = []
  for (let read = 0; read < readsInRound; read++) {
    const began = performance.now()
    await exchange.send(request)
    took.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  exchange.close()
  return quantile(took, 0.5)
}

/** Dry runs until it is stopped, which gives how many there were. */
function flood(port: number, organization: Credentials, dryRuns: string[]) {
  let isOver = false
  const work = dryRuns.map(async (what) => {
    const exchange = await openExchange(port)
    let runs = 0
    for (; !isOver; runs++) {
      await exchange.send(textOfRequest(port, what, organization, ''))
      await new Promise((resolve) => setTimeout(resolve, betweenDryRunsMs))
    }
    exchange.close()
    return runs
  })
  return {
    stop: async () => {
      isOver = true
      return (await Promise.all(work)).reduce((sum, runs) => sum + runs, 0)
    },
  }
}
