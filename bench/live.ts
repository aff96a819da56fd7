// `npm run bench:live`: what a thousand live readers cost that are idle, how many events a second reach one reader and a hundred,
// and how long after its commit an event reaches its reader.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Credentials } from './support/exchange.ts'
import { milliseconds, quantile, table, whole } from './support/figures.ts'
import { makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { cpuOf, residentOf } from './support/processes.ts'
import { orQuick } from './support/quick.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const idleReaders = orQuick(1_000, 50)
const idleSeconds = orQuick(30, 5)
const published = orQuick(5_000, 1_000)
const perCall = 50
const publishers = 4
const delayed = orQuick(300, 30)
const delayEveryMs = 50
const settleMs = 10_000
const aims = { megabytes: 100, cores: 0.1 }
/** All readers are of one key. */
const room = { SIGNET_EVENT_STREAMS_PER_KEY: '1000', SIGNET_EVENT_STREAMS: '4000' }

const method = `One process on a database of its own. Idle: memory and CPU of the process over ${idleSeconds} s, ${settleMs / 1_000} s after its start, and then with
${whole(idleReaders)} readers of one key. Fanned out: ${whole(published)} test events, ${perCall} a call by ${publishers} callers, from the first call until the last reader has the last event;
events/s are those of each reader. Delay: ${delayed} single events, one every ${delayEveryMs} ms, from the answer to the publisher until the
reader has it.`

type Reader = { count(): number; close(): void }

const headersOf = ({ organizationId, apiKey }: Credentials) => ({
  'service-orgid': organizationId,
  'service-api-key': apiKey,
})

/** Counts messages, without parsing them. */
async function openReader({ port }: Signet, credentials: Credentials, after = ''): Promise<Reader> {
  const headers = { ...headersOf(credentials), accept: 'text/event-stream', ...(after && { 'last-event-id': after }) }
  const request = get({ host: '127.0.0.1', port, path: '/events', headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the stream was refused: ${response.statusCode}`)
  let count = 0
  response.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(dataLine); at >= 0; at = chunk.indexOf(dataLine, at + 1)) count++
  })
  response.on('error', () => {})
  return { count: () => count, close: () => response.destroy() }
}
const dataLine = '\ndata: '

async function publish({ port }: Signet, credentials: Credentials, count: number) {
  const response = await fetch(`http://127.0.0.1:${port}/test-events`, {
    method: 'POST',
    headers: { ...headersOf(credentials), 'content-type': 'application/json' },
    body: JSON.stringify(Array(count).fill({ event_name: 'PersonCreated' })),
  })
  if (response.status !== 201) throw new Error(`not published: ${response.status}`)
  await response.arrayBuffer()
}

type Use = { megabytes: number; cores: number }

async function useOf({ pid }: Signet): Promise<Use> {
  const before = cpuOf(pid)
  await sleep(idleSeconds * 1_000)
  return { megabytes: residentOf(pid) / 1e6, cores: (cpuOf(pid) - before) / idleSeconds }
}

/** Events a second that each of so many readers gets. */
async function fanOut(signet: Signet, credentials: Credentials, readerCount: number): Promise<number> {
  const readers = await Promise.all(Array.from({ length: readerCount }, () => openReader(signet, credentials)))
  let left = published / perCall
  const began = performance.now()
  const publishAll = async () => {
    while (left-- > 0) await publish(signet, credentials, perCall)
  }
  await Promise.all(Array.from({ length: publishers }, publishAll))
  while (readers.some(({ count }) => count() < published)) await sleep(5)
  const rate = (published / (performance.now() - began)) * 1_000
  for (const { close } of readers) close()
  return rate
}

async function delays(signet: Signet, credentials: Credentials): Promise<number[]> {
  const reader = await openReader(signet, credentials)
  const measured: number[] = []
  for (let number = 1; number <= delayed; number++) {
    await publish(signet, credentials, 1)
    const committed = performance.now()
    while (reader.count() < number) await sleep(0)
    measured.push(performance.now() - committed)
    await sleep(delayEveryMs)
  }
  reader.close()
  return measured
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const database = await postgres.create('live')
  const signet = await startSignet(folder, cleanup, { ...settingsOn(database.url), ...room })
  const idle = await makeOrganization(signet)
  await sleep(settleMs)
  const without = await useOf(signet)
  const readers = await Promise.all(Array.from({ length: idleReaders }, () => openReader(signet, idle)))
  await sleep(settleMs)
  const withReaders = await useOf(signet)
  for (const { close } of readers) close()
  const rates: [number, number][] = []
  for (const count of [1, 100]) rates.push([count, await fanOut(signet, await makeOrganization(signet), count)])
  const measured = await delays(signet, await makeOrganization(signet))

  const above = { megabytes: withReaders.megabytes - without.megabytes, cores: withReaders.cores - without.cores }
  const row = (title: string, { megabytes, cores }: Use) => [title, `${whole(megabytes)} MB`, cores.toFixed(3)]
  const met = above.megabytes < aims.megabytes && above.cores < aims.cores
  report(
    'live',
    `${machine}, ${postgres.description}`,
    method,
    table([
      ['idle', 'memory', 'cores'],
      row('no reader', without),
      row(`${whole(idleReaders)} readers`, withReaders),
      row('above', above),
    ]),
    table([
      ['readers', 'events/s of each', 'events/s of all'],
      ...rates.map(([count, rate]) => [whole(count), whole(rate), whole(rate * count)]),
    ]),
    `Delay: median ${milliseconds(quantile(measured, 0.5))}, 99th percentile ${milliseconds(quantile(measured, 0.99))}. Above a process without readers: ${whole(above.megabytes)} MB and
${above.cores.toFixed(3)} cores, the targets are ${aims.megabytes} MB and ${aims.cores} cores: ${met ? 'met' : 'NOT met'}.`,
  )
})
