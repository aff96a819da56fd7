// `npm run bench:publishing`: what ten webhooks cost who creates a person, whose event is stored in the same transaction.
import type { Published } from './publisher.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, milliseconds, percent, quantile, show, table, whole } from './support/figures.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { type Program, startProgram } from './support/program.ts'
import { orQuick } from './support/quick.ts'
import { openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const rounds = orQuick(4, 1)
const webhooks = 10
const calls = { one: orQuick(1_000, 200), many: orQuick(3_000, 400) }
const callers = 20
const aims = { addedMs: 0.5, kept: 0.55 }

const method = `\`POST /persons\` in an organization without webhooks, and in one with ${webhooks} on \`${benchEvent}\`: median latency with one caller
(${whole(calls.one)} calls), and throughput with ${callers} callers (${whole(calls.many)} calls). ${rounds} rounds by turns after a warm-up; medians
(least–most). "Added" and "kept" are taken round by round.`

type Measured = { median: number; rate: number }
type Pair = { without: Measured[]; with: Measured[] }
type Server = { title: string; port: number; delivers: boolean; organizations: Record<keyof Pair, Credentials> }
type Bench = { publisher: Program; receiver: Receiver }

async function measure(publisher: Program, port: number, organization: Credentials): Promise<Measured> {
  const order = { port, what: 'POST /persons', json: '{}', organizations: [organization] }
  const alone = await publisher.ask<Published>({ ...order, calls: calls.one, callers: 1 })
  const together = await publisher.ask<Published>({ ...order, calls: calls.many, callers })
  return { median: quantile(alone.took, 0.5), rate: (calls.many / (together.endedAt - together.beganAt)) * 1_000 }
}

async function compare(
  { publisher, receiver }: Bench,
  { title, port, delivers, organizations }: Server,
): Promise<Pair> {
  console.log(title)
  const measured: Pair = { without: [], with: [] }
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? '  warm-up' : `  round ${round} of ${rounds}`)
    for (const which of ['without', 'with'] as const) {
      await receiver.forget()
      const one = await measure(publisher, port, organizations[which])
      // What is left to deliver would be paid by the next one.
      if (delivers && which === 'with') await receiver.until(webhooks * (calls.one + calls.many))
      console.log(`    ${which} webhooks: median ${milliseconds(one.median)}, ${whole(one.rate)} persons/s`)
      if (round > 0) measured[which].push(one)
    }
  }
  return measured
}

const addedMs = (pair: Pair) =>
  figureOf(pair.with.map(({ median }, round) => median - (pair.without[round]?.median ?? Number.NaN)))
const kept = (pair: Pair) =>
  figureOf(pair.with.map(({ rate }, round) => rate / (pair.without[round]?.rate ?? Number.NaN)))

function tableOf(pair: Pair): string {
  const row = (title: string, its: Measured[], added: string, share: string) => {
    const figure = (part: keyof Measured) => figureOf(its.map((one) => one[part]))
    return [title, show(figure('median'), milliseconds), added, show(figure('rate')), share]
  }
  return table([
    ['', 'median', 'added', 'persons/s', 'kept'],
    row('no webhook', pair.without, '', ''),
    row(`${webhooks} webhooks`, pair.with, show(addedMs(pair), milliseconds), show(kept(pair), percent)),
  ])
}

function judge(pair: Pair): string {
  const [added, share] = [addedMs(pair).median, kept(pair).median]
  const word = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
  return `Added at the median: ${milliseconds(added)}, the target is ${milliseconds(aims.addedMs)} at most: ${word(added <= aims.addedMs)}. Throughput
kept: ${percent(share)}, the target is ${percent(aims.kept)} or more: ${word(share >= aims.kept)}.`
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  console.log('Starting Signet')
  const postgres = await openServer(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const publisher = await startProgram('publisher.ts', {}, cleanup)
  const serve = async (title: string, delivers: boolean, database: string): Promise<Server> => {
    const roles = delivers ? 'api,worker' : 'api'
    const settings = { ...settingsOn((await postgres.create(database)).url), ...receivers.settings() }
    const signet = await startSignet(folder, cleanup, { ...settings, SIGNET_ROLES: roles })
    const organizations = { without: await makeOrganization(signet), with: await makeOrganization(signet) }
    for (let n = 0; n < webhooks; n++) await addWebhook(signet, organizations.with, receiver.url(`/${n}`), benchEvent)
    return { title, port: signet.port, delivers, organizations }
  }
  const apart = await serve('Publishing alone: delivery is left to other processes', false, 'apart')
  const whilePublishing = await compare({ publisher, receiver }, apart)
  const together = await serve('Publishing and delivering in one process', true, 'together')
  const whileDelivering = await compare({ publisher, receiver }, together)
  report(
    'publishing',
    `${machine}, ${postgres.description}`,
    method,
    `**${apart.title}**`,
    tableOf(whilePublishing),
    judge(whilePublishing),
    `**${together.title}** (on a machine with few processors, what is delivered is paid by who publishes)`,
    tableOf(whileDelivering),
  )
})
