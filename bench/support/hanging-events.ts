import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pooled } from '../programs/plain-pool.ts'
import type { Published } from '../programs/publisher.ts'
import type { Span } from '../programs/receiver.ts'
import type { Credentials } from './exchange.ts'
import { milliseconds, quantile, table, verdict, whole } from './figures.ts'
import { orQuick, typedSeconds } from './options.ts'
import { addWebhook, makeOrganization } from './organizations.ts'
import type { BenchDatabase } from './postgres.ts'
import { type Program, startProgram } from './program.ts'
import { delaysOf, openReceivers, pathOf, type Receiver } from './receivers.ts'
import { benchEvent } from './sender.ts'
import { settingsOn, startSignet } from './signet.ts'

/** 20 events a second. */
const everyMs = 50
const seconds = typedSeconds ?? orQuick(120, 12)
const inPool = 10
/** Fewer than those of which the first hangs or fails. */
const warmUpEvents = 19
const silentSeconds = Math.min(seconds, 35)
/** The default timeout. */
const longMs = 10_000
/** For the last that hang. */
const mostInFlight = 50

type Case = { name: string; path: string; timeoutMs: number; aimMs: number }
const cases: Case[] = [
  { name: 'none hangs', path: '/1-in-1000000-silent/', timeoutMs: longMs, aimMs: 10 },
  { name: '1 in 100 hangs until the timeout of 10 s', path: '/1-in-100-silent/', timeoutMs: longMs, aimMs: 10 },
  { name: '1 in 20 hangs until a timeout of 1 s', path: '/1-in-20-silent/', timeoutMs: 1_000, aimMs: 100 },
  { name: '1 in 20 is answered 500', path: '/1-in-20-500/', timeoutMs: longMs, aimMs: 100 },
]

type Target = { organization: Credentials; path: string }
type Measured = { delays: number[]; peak: number }

/** What healthy events feel of others of the same webhook that hang or fail, beside a plain pool of as many requests. */
export async function measureHangingEvents(
  folder: string,
  cleanup: AsyncDisposableStack,
  publisher: Program,
  database: BenchDatabase,
): Promise<string[]> {
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const paths = cases.flatMap(({ path }) => [path, poolPath(path)])
  for (const path of [...paths, '/silent/']) receiver.url(path, nameOf(path))
  const signet = await startSignet(folder, cleanup, { ...settingsOn(database.url), ...receivers.settings() })
  const prepare = async (path: string, timeoutMs: number): Promise<Target> => {
    const organization = await makeOrganization(signet)
    await addWebhook(signet, organization, receiver.url(path, nameOf(path)), benchEvent, { timeout: `${timeoutMs}ms` })
    return { organization, path }
  }
  const publish = ({ organization }: Target, calls: number) =>
    publisher.ask<Published>({
      port: signet.port,
      what: 'POST /test-events',
      organizations: [organization],
      calls,
      callers: 20,
      everyMs,
      tellIds: true,
      json: JSON.stringify([{ event_name: benchEvent }]),
    })
  const rows: string[][] = []
  const verdicts: string[] = []
  for (const { name, path, timeoutMs, aimMs } of cases) {
    console.log(`Measuring beside events of the same webhook of which ${name}`)
    const target = await prepare(path, timeoutMs)
    await receiver.forget()
    const pool = await startPool(receivers.receiving(), receiver.url(poolPath(path), nameOf(poolPath(path))), cleanup)
    await publish(target, warmUpEvents)
    await untilArrived(receiver, path, warmUpEvents)
    await receiver.forget()
    const calls = (seconds * 1_000) / everyMs
    const [published, pooled] = await Promise.all([
      publish(target, calls),
      pool.ask<Pooled>({ organizationId: 'pool', deliveries: calls, inFlight: inPool, everyMs, timeoutMs }),
    ])
    await untilArrived(receiver, path, calls)
    const ours = await measuredOf(receiver, path, published.events)
    const plain = await measuredOf(receiver, poolPath(path), pooled.events)
    rows.push(rowOf(`${name}: Signet`, ours), rowOf('a plain pool of ten', plain))
    const more = quantile(ours.delays, 0.99) - quantile(plain.delays, 0.99)
    verdicts.push(
      `${name}: ${milliseconds(more)} more than the pool, ${aimMs} ms at most: ${verdict(more <= aimMs)}`,
      `${whole(ours.peak)} requests at most at the receiver, ${mostInFlight} at most: ${verdict(ours.peak <= mostInFlight)}`,
    )
  }
  verdicts.push(await measureSilent(receiver, await prepare('/silent/', longMs), publish))
  await signet.stop()
  return [
    `20 events a second to one webhook for ${seconds} s, beside the same to a plain pool of ten requests at the same time; of the events that are
answered, from the answer to the publisher (from the hand-over to the pool) until the receiver has them. /proc/pressure/cpu at the end:
${readFileSync('/proc/pressure/cpu', 'utf8').split('\n')[0]}.`,
    table([['', 'median', '99th percentile', 'longest', 'requests at once'], ...rows]),
    `${verdicts.join('. ')}.`,
  ]
}

/** Ten requests, and from then on one at a time. */
async function measureSilent(
  receiver: Receiver,
  target: Target,
  publish: (target: Target, calls: number) => Promise<Published>,
): Promise<string> {
  console.log('Measuring a receiver that hangs at everything')
  await receiver.forget()
  await publish(target, (silentSeconds * 1_000) / everyMs)
  const spans = (await receiver.spansOf(target.path)).toSorted(([one], [other]) => one - other)
  const [peak, later] = [peakOf(spans), peakOf(spans.slice(inPool))]
  return `A receiver that hangs at everything has ${peak} requests at once at most, and ${later} after its first ten, 1 at most: ${verdict(later <= 1)}`
}

const poolPath = (path: string) => `${path}pool/`
const nameOf = (path: string) => `at${path.replaceAll('/', '-')}end`

async function startPool(receiving: object, targetUrl: string, cleanup: AsyncDisposableStack) {
  return startProgram('programs/plain-pool.ts', { receiving, targets: { pool: targetUrl } }, cleanup)
}

/** Or until it is certain that they will not arrive soon. */
async function untilArrived(receiver: Receiver, path: string, count: number) {
  const deadline = performance.now() + longMs
  const arrived = async () => (await receiver.tell()).filter(([place]) => pathOf(place) === path).length
  while (performance.now() < deadline && (await arrived()) < count) await sleep(everyMs)
}

async function measuredOf(receiver: Receiver, path: string, begun: [id: string, at: number][]): Promise<Measured> {
  const disturbed = new Set(await receiver.disturbed())
  const arrivals = (await receiver.tell()).filter(([place]) => pathOf(place) === path && !disturbed.has(place))
  const delays = delaysOf(arrivals, begun)
  // What has not arrived yet waits for longer than all that have.
  const missing = begun.length - delays.length - [...disturbed].filter((place) => pathOf(place) === path).length
  return {
    delays: [...delays, ...Array<number>(missing).fill(Infinity)],
    peak: peakOf(await receiver.spansOf(path)),
  }
}

function peakOf(spans: Span[]): number {
  const changes = spans.flatMap(([begun, ended]) => [
    { at: begun, by: 1 },
    { at: ended, by: -1 },
  ])
  let [open, peak] = [0, 0]
  for (const { by } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    open += by
    peak = Math.max(peak, open)
  }
  return peak
}

const rowOf = (name: string, { delays, peak }: Measured) => [
  name,
  ...[0.5, 0.99, 1].map((share) => milliseconds(quantile(delays, share))),
  whole(peak),
]
