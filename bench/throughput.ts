// `npm run bench -- throughput`: how many events a second are accepted over HTTP, stored for good and delivered, beside a loop
// that only signs and posts, and beside two queues on PostgreSQL that do the same work with the same code around them.
import { setTimeout as sleep } from 'node:timers/promises'
import { methodOfOptions, nameOfSignet, ratiosToEmbedded } from './support/beside-embedded.ts'
import { figureOf, percent, show, table, verdict, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, withCleanup } from './support/signet.ts'
import { startWays } from './support/start-ways.ts'
import { type Bench, inFlight, type Measured, measureRate, type Way, type Work } from './support/ways.ts'

const rounds = orQuick(5, 1)
/** What runs is still being compiled: the first takes up to a third more of the processors than later ones, the second a tenth. */
const warmUps = orQuick(3, 1)
const deliveries = orQuick(20_000, 2_000)
const manyWebhooks = orQuick(1_000, 100)
/** Between two measurements: what was delivered last is still being settled. */
const pauseMs = 300
/** The rate on a given server, as a multiple of that on the embedded one. */
const leastOfEmbedded = 0.9

const method =
  `From the first call over HTTP until the last distinct event has arrived at an HTTPS receiver; ${inFlight} calls in flight.
${rounds} rounds by turns after ${warmUps} to warm up; medians (least–most). "Of bare" and "of the better queue" are taken round by round. CPU is in
µs a delivery, of the sender's process, PostgreSQL, publisher and receiver, each apart from the others. The bare loop signs
and posts and stores nothing. Everybody signs with the same function and posts over the same connections; all databases are
on one PostgreSQL. graphile-worker 0.18.0: \`concurrentJobs\` ${inFlight}, \`maxPoolSize\` ${inFlight + 2}, \`localQueue\` 500,
\`completeJobBatchDelay\` 0; pg-boss 12.38.0: NOTIFY, a partition of its own, three fetchers of 200, a batch settled at once,
\`burstWhenBatchFull\`, no priorities; each with an endpoint of Fastify in its process.
${methodOfOptions}`.trim()

type Aim = { what: 'of bare' | 'of the better queue'; least: number }
/** `warmUp` is for who has worked before: every webhook gets something. */
type Variant = { title: string; work: Work; warmUp: Partial<Work>; without: string[]; aims: Aim[] }

const one = '/one'
const slow = '/20ms/one'
const many = Array.from({ length: manyWebhooks }, (_, n) => `/many/${n}`)
const queues = ['graphile-worker', 'pg-boss']
const besideBoth: Aim[] = [
  { what: 'of bare', least: 0.65 },
  { what: 'of the better queue', least: 1.3 },
]
const batched = { deliveries, perCall: 50, callers: 4 }

const variants: Variant[] = [
  {
    title: 'One webhook, 50 events a call',
    work: { ...batched, paths: [one] },
    warmUp: {},
    without: [],
    aims: besideBoth,
  },
  {
    title: `${whole(manyWebhooks)} webhooks, each of another organization, ${deliveries / manyWebhooks} events a call`,
    work: { ...batched, paths: many, perCall: deliveries / manyWebhooks },
    warmUp: { deliveries: manyWebhooks * 5, perCall: 5 },
    without: [],
    aims: besideBoth,
  },
  {
    title: 'One webhook, one event a call, 20 callers',
    work: { paths: [one], deliveries, perCall: 1, callers: 20 },
    warmUp: { deliveries: deliveries / 40 },
    without: ['bare loop'],
    aims: [{ what: 'of the better queue', least: 2.5 }],
  },
  {
    title: 'One webhook, whose receiver takes 20 ms, 50 events a call',
    work: { ...batched, paths: [slow], deliveries: deliveries / 5 },
    warmUp: { deliveries: deliveries / 20 },
    without: queues,
    aims: [{ what: 'of bare', least: 0.95 }],
  },
]

/** Gives the paragraphs of the report. */
async function compare(bench: Bench, { title, work, warmUp, without, aims }: Variant): Promise<string[]> {
  console.log(`\n${title}`)
  const compared = bench.ways.filter(({ name }) => !without.includes(name))
  const measured = new Map(compared.map(({ name }): [string, Measured[]] => [name, []]))
  for (let round = 1 - warmUps; round <= rounds; round++) {
    const isWarmUp = round <= 0
    console.log(isWarmUp ? `  warm-up ${round + warmUps} of ${warmUps}` : `  round ${round} of ${rounds}`)
    for (const way of compared) {
      const one = await measure(bench, way, isWarmUp ? { ...work, ...warmUp } : work)
      if (!isWarmUp) measured.get(way.name)?.push(one)
    }
  }
  const verdicts = [...aims.map((aim) => judge(aim, measured)), ...judgeBesideEmbedded(measured)]
  return [`**${title}**`, tableOf(measured), ...verdicts]
}

async function measure(bench: Bench, way: Way, work: Work): Promise<Measured> {
  await sleep(pauseMs)
  const one = await measureRate(bench, way, work)
  console.log(`    ${way.name}: ${whole(one.rate)} deliveries/s`)
  return one
}

type Everybody = Map<string, Measured[]>

const ratesOf = (measured: Everybody, name: string) => measured.get(name)?.map(({ rate }) => rate) ?? []

/** Round by round, of the rate of the bare loop. */
const ofBare = (measured: Everybody, name: string) =>
  ratesOf(measured, name).map((rate, round) => rate / (ratesOf(measured, 'bare loop')[round] ?? Number.NaN))

const ofBetterQueue = (measured: Everybody) =>
  ratesOf(measured, nameOfSignet(1)).map(
    (rate, round) => rate / Math.max(...queues.map((name) => ratesOf(measured, name)[round] ?? 0)),
  )

function tableOf(measured: Everybody): string {
  const head = ['', 'deliveries/s', 'of bare', 'CPU: sender', 'PostgreSQL', 'publisher', 'receiver']
  const rows = [...measured].map(([name, its]) => {
    const figure = (part: keyof Measured) => show(figureOf(its.map((one) => one[part])))
    const share = measured.has('bare loop') ? show(figureOf(ofBare(measured, name)), percent) : ''
    const parts = ['sender', 'postgres', 'publisher', 'receiver'] as const
    return [name, figure('rate'), share, ...parts.map(figure)]
  })
  return table([head, ...rows])
}

function judge({ what, least }: Aim, measured: Everybody): string {
  const shares = what === 'of bare' ? ofBare(measured, nameOfSignet(1)) : ofBetterQueue(measured)
  const reached = figureOf(shares).median
  const text = what === 'of bare' ? percent : (value: number) => `${value.toFixed(2)} times`
  const of = what === 'of bare' ? 'of the bare rate' : 'the rate of the better queue'
  return `Signet reaches ${text(reached)} ${of}; the target is ${text(least)} or more: ${verdict(reached >= least)}.`
}

const judgeBesideEmbedded = (measured: Everybody): string[] =>
  ratiosToEmbedded(measured, ({ rate }) => rate).map(
    ({ name, ratio }) =>
      `${name}: ${ratio.toFixed(2)} times the rate on the embedded server; the target is ${leastOfEmbedded} times or more: ${verdict(ratio >= leastOfEmbedded)}.`,
  )

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  console.log(`Starting everybody, and making ${whole(manyWebhooks + 2)} webhooks`)
  const bench = await startWays(makeFolder(cleanup), cleanup, [one, slow, ...many])
  const paragraphs = []
  for (const variant of variants) paragraphs.push(...(await compare(bench, variant)))
  report('throughput', `${machine}, ${bench.servers}`, method, ...paragraphs)
})
