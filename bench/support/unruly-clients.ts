import { setTimeout as sleep } from 'node:timers/promises'
import type { Published } from '../programs/publisher.ts'
import type { UnrulyOrder } from '../programs/unruly-client.ts'
import { figureOf, milliseconds, quantile, show, table, verdict } from './figures.ts'
import { orQuick } from './options.ts'
import { forgetPeak, peakOf, residentOf } from './processes.ts'
import { type Program, startProgram } from './program.ts'
import type { Signet } from './signet.ts'

const rounds = orQuick(3, 1)
/** 100 a second. */
const everyMs = 10
const warmUpProbes = 200
const probes = orQuick(400, 200)
const pauseMs = 500
const aims = { bytes: 60e6, tailMs: 100 }

type Kind = Pick<UnrulyOrder, 'kind' | 'count'> & { title: string }

const kinds: Kind[] = [
  { title: 'without unruly clients', kind: 'none', count: 0 },
  { title: '20,000 pipelined requests', kind: 'pipelining', count: 20_000 },
  { title: '100 slow readers', kind: 'slow readers', count: 100 },
  { title: '500 slow bodies', kind: 'slow bodies', count: 500 },
]
const method = `\`GET /livez\` ${1_000 / everyMs} times a second for ${(probes * everyMs) / 1_000} s, over other connections than those of the unruly clients, which begin at the same
time: one connection with 20,000 times \`GET /readyz\` at once; 100 that ask for \`/docs/js/scalar.js\` and read nothing; and 500 that
post to \`/sdk/events\`, half of them 1 MiB but for its last byte, the others 4,000 bytes, one every 100 ms. ${rounds} rounds by turns, each
with Signet started anew and warmed up; medians (least–most). "Of quiet" is taken round by round.`

type Measured = { median: number; tail: number; before: number; added: number }

/** What clients feel of unruly ones, and what these take of the memory. Gives the paragraphs of the report. */
export async function compareUnrulyClients(
  publisher: Program,
  start: () => Promise<Signet>,
  cleanup: AsyncDisposableStack,
): Promise<string[]> {
  const unruly = await startProgram('programs/unruly-client.ts', {}, cleanup)
  const measured = kinds.map((): Measured[] => [])
  for (let round = 1; round <= rounds; round++) {
    console.log(`unruly clients: round ${round} of ${rounds}`)
    for (const [index, kind] of kinds.entries()) {
      const signet = await start()
      const one = await measure(publisher, unruly, signet, kind)
      await signet.stop()
      console.log(
        `  ${kind.title}: 99th percentile ${milliseconds(one.tail)}, ${megabytes(one.added)} more at the peak`,
      )
      measured[index]?.push(one)
    }
  }
  return ['**Beside unruly clients**', method, tableOf(measured), judge(measured[1] ?? [])]
}

async function measure(publisher: Program, unruly: Program, signet: Signet, { kind, count }: Kind): Promise<Measured> {
  const { pid, port } = signet
  const probe = (calls: number) =>
    publisher.ask<Published>({
      port,
      what: 'GET /livez',
      json: '',
      organizations: [{ organizationId: '', apiKey: '' }],
      calls,
      callers: 20,
      everyMs,
    })
  await probe(warmUpProbes)
  await (await fetch(`http://localhost:${port}/docs/js/scalar.js`)).arrayBuffer()
  await sleep(pauseMs)
  forgetPeak(pid)
  const before = residentOf(pid)
  const order: UnrulyOrder = { port, kind, count, forMs: probes * everyMs }
  const [{ took }] = await Promise.all([probe(probes), unruly.ask(order)])
  return { median: quantile(took, 0.5), tail: quantile(took, 0.99), before, added: peakOf(pid) - before }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
const times = (value: number) => value.toFixed(2)

function tableOf(measured: Measured[][]): string {
  const [quiet = []] = measured
  const rows = kinds.map(({ title }, index) => {
    const its = measured[index] ?? []
    const column = (of: (one: Measured, round: number) => number, format: (value: number) => string) =>
      show(figureOf(its.map(of)), format)
    return [
      title,
      column((one) => one.median, milliseconds),
      column((one) => one.tail, milliseconds),
      column((one, round) => one.tail / (quiet[round]?.tail ?? Number.NaN), times),
      column((one) => one.before, megabytes),
      column((one) => one.added, megabytes),
    ]
  })
  const head = ['', '`/livez`: median', '99th percentile', 'of quiet', 'memory before', 'more at the peak']
  return table([head, ...rows])
}

function judge(pipelining: Measured[]): string {
  const added = figureOf(pipelining.map((one) => one.added)).median
  const tail = figureOf(pipelining.map((one) => one.tail)).median
  return `${kinds[1]?.title}: ${megabytes(added)} more at the peak, the target is under ${megabytes(aims.bytes)}: ${verdict(added < aims.bytes)}; \
99th percentile of others ${milliseconds(tail)}, the target is under ${milliseconds(aims.tailMs)}: ${verdict(tail < aims.tailMs)}.`
}
