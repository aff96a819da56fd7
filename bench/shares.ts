// `npm run bench -- shares`: what another organization feels while one uses all that its keys may: event streams, listeners, dry runs,
// writes. Against what it feels while the same clients do the same to another Signet on this machine.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrowdOrder } from './programs/crowd.ts'
import type { Published, PublishOrder } from './programs/publisher.ts'
import { clientOf, times } from './support/client.ts'
import type { Credentials } from './support/exchange.ts'
import { milliseconds, quantile, table, verdict, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { addWebhook, makeOrganization } from './support/organizations.ts'
import { openServer } from './support/postgres.ts'
import { peakOf } from './support/processes.ts'
import { type Program, startProgram } from './support/program.ts'
import { delaysOf, openReceivers, type Receiver } from './support/receivers.ts'
import { describeMachine, report } from './support/report.ts'
import { benchEvent } from './support/sender.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

/** Of one organization: the limits as they come. */
const streamsPerKey = orQuick(100, 20)
const streams = orQuick(500, 40)
const listenersPerKey = 20
const listeners = orQuick(50, 20)
const callers = orQuick(64, 16)
const probes = orQuick(1_000, 60)
const probeEveryMs = 20
const published = orQuick(200, 12)
const publishEveryMs = 100
const groups = 20
const settleMs = 3_000
const aims = { ratio: 2, moreMs: 20, megabytes: 400 }

const method = `Two Signets, each on a PostgreSQL of its own. One organization of the one asks for its ${groups} groups every ${probeEveryMs} ms (${whole(probes)} times) and
publishes an event every ${publishEveryMs} ms (${published}), from the answer until its receiver has it. Meanwhile one other organization has
${whole(streams)} event streams (10 events of 7 kB a second), or ${listeners} listeners, each with a target of its own (50 events a second), or ${callers} callers
of dry runs, or ${callers} that make persons: at the same Signet, and then at the other one. Rates of test events and dry runs are without limit.`

type Crowd = { name: string; begin(signet: Signet, its: Crowded, cleanup: AsyncDisposableStack): Promise<void> }
type Crowded = Credentials & { keys: Credentials[]; hookId: string }
type Felt = { groups: number; delivery: number; megabytes: number }

/** Calls without end, until the cleanup. */
async function keepCalling(order: Omit<PublishOrder, 'calls'>, cleanup: AsyncDisposableStack) {
  const program = await startProgram('programs/publisher.ts', {}, cleanup)
  program.ask({ ...order, calls: Number.MAX_SAFE_INTEGER }).catch(() => {})
}

async function read(order: CrowdOrder, cleanup: AsyncDisposableStack) {
  const program = await startProgram('programs/crowd.ts', {}, cleanup)
  await program.ask(order)
}

const readersOf = ({ keys }: Crowded, count: number, perKey: number) =>
  Array.from({ length: count }, (_, n) => keys[Math.floor(n / perKey)] as Credentials)

const largeEvent = {
  event_name: 'PersonDeleted',
  groups: Array.from({ length: 70 }, (_, n) => `G${n}`.padEnd(95, 'x')),
}

const eventsOf = (port: number, its: Credentials, events: object[]) => ({
  port,
  what: 'POST /test-events',
  organizations: [its],
  callers: 1,
  everyMs: 1_000,
  json: JSON.stringify(events),
})

const crowds: Crowd[] = [
  {
    name: 'event streams',
    begin: async ({ port }, its, cleanup) => {
      await read({ port, path: '/events', readers: readersOf(its, streams, streamsPerKey) }, cleanup)
      await keepCalling(eventsOf(port, its, Array(10).fill(largeEvent)), cleanup)
    },
  },
  {
    name: 'listeners',
    begin: async ({ port }, its, cleanup) => {
      const path = '/organizations/webhooks/listen?target_url=http://localhost:3000/'
      await read({ port, path, readers: readersOf(its, listeners, listenersPerKey), isNumbered: true }, cleanup)
      await keepCalling(eventsOf(port, its, Array(50).fill({ event_name: 'PersonCreated' })), cleanup)
    },
  },
  {
    name: 'dry runs',
    begin: ({ port }, its, cleanup) =>
      keepCalling(
        { port, what: `POST /organizations/webhooks/${its.hookId}/dry-run`, organizations: [its], callers, json: '{}' },
        cleanup,
      ),
  },
  {
    name: 'writes',
    begin: ({ port }, its, cleanup) =>
      keepCalling({ port, what: 'POST /persons', organizations: [its], callers, json: '{}' }, cleanup),
  },
]

async function makeCrowded(signet: Signet, hookUrl: string): Promise<Crowded> {
  const its = await makeOrganization(signet)
  const { post } = clientOf(signet.port, { 'service-orgid': its.organizationId, 'service-api-key': its.apiKey })
  const keys = await times(Math.max(streams / streamsPerKey, Math.ceil(listeners / listenersPerKey)), async () => {
    const { api_key: apiKey } = await post('/organizations/api-keys', {})
    return { organizationId: its.organizationId, apiKey }
  })
  const hookId = await addWebhook(signet, its, hookUrl, 'token_minted', { type: 'sync_hook' })
  return { ...its, keys, hookId }
}

async function makeQuiet(signet: Signet, url: string): Promise<Credentials> {
  const its = await makeOrganization(signet)
  const { post } = clientOf(signet.port, { 'service-orgid': its.organizationId, 'service-api-key': its.apiKey })
  await times(groups, (n) => post('/groups', { name: `Group${n}` }))
  await addWebhook(signet, its, url, benchEvent)
  return its
}

type Probe = { signet: Signet; quiet: Credentials; receiver: Receiver; programs: Program[] }

/** The 95th percentiles of the quiet organization. */
async function feel({ signet, quiet, receiver, programs }: Probe): Promise<Omit<Felt, 'megabytes'>> {
  const [asking, publishing] = programs as [Program, Program]
  const order = { port: signet.port, organizations: [quiet], callers: 10, json: '' }
  await receiver.forget()
  const [asked, { events }] = await Promise.all([
    asking.ask<Published>({ ...order, what: 'GET /groups', calls: probes, everyMs: probeEveryMs }),
    publishing.ask<Published>({
      ...order,
      what: 'POST /test-events',
      calls: published,
      everyMs: publishEveryMs,
      tellIds: true,
      json: JSON.stringify([{ event_name: benchEvent }]),
    }),
    receiver.until(published),
  ])
  const delays = delaysOf(await receiver.tell(), events)
  return { groups: quantile(asked.took, 0.95), delivery: quantile(delays, 0.95) }
}

async function beside(crowd: Crowd, signet: Signet, its: Crowded, probe: Probe): Promise<Felt> {
  const cleanup = new AsyncDisposableStack()
  await crowd.begin(signet, its, cleanup)
  await sleep(settleMs)
  const felt = await feel(probe)
  const megabytes = peakOf(signet.pid) / 1e6
  await cleanup.disposeAsync()
  await sleep(settleMs)
  return { ...felt, megabytes }
}

const pressure = () => /^some (avg10=\S+ avg60=\S+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? '–'

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folders = [makeFolder(cleanup), makeFolder(cleanup)] as const
  const receivers = await openReceivers(folders[0], cleanup)
  const [receiver, hookReceiver] = [await receivers.start(), await receivers.start()]
  const [url, hookUrl] = [receiver.url('/', 'quiet'), hookReceiver.url('/', 'hook')]
  const started = []
  for (const folder of folders) {
    const postgres = await openServer(folder, cleanup)
    const { url: databaseUrl } = await postgres.create('shares')
    const settings = { ...settingsOn(databaseUrl), ...receivers.settings(), SIGNET_RATE_DRY_RUNS: '999999/999999' }
    const signet = await startSignet(folder, cleanup, settings)
    started.push({ postgres, signet, crowded: await makeCrowded(signet, hookUrl) })
  }
  const [here, other] = started as [(typeof started)[number], (typeof started)[number]]
  const programs = [
    await startProgram('programs/publisher.ts', {}, cleanup),
    await startProgram('programs/publisher.ts', {}, cleanup),
  ]
  const probe = { signet: here.signet, quiet: await makeQuiet(here.signet, url), receiver, programs }
  await feel(probe)

  const rows: string[][] = []
  let areMet = true
  for (const crowd of crowds) {
    const elsewhere = await beside(crowd, other.signet, other.crowded, probe)
    const shared = await beside(crowd, here.signet, here.crowded, probe)
    const isMet = (what: 'groups' | 'delivery') =>
      shared[what] <= Math.max(aims.ratio * elsewhere[what], elsewhere[what] + aims.moreMs)
    const isAllMet = isMet('groups') && isMet('delivery') && shared.megabytes < aims.megabytes
    areMet &&= isAllMet
    rows.push([
      crowd.name,
      milliseconds(elsewhere.groups),
      milliseconds(shared.groups),
      milliseconds(elsewhere.delivery),
      milliseconds(shared.delivery),
      `${whole(shared.megabytes)} MB`,
      verdict(isAllMet),
      pressure(),
    ])
    console.log(rows.at(-1)?.join(' | '))
  }
  report(
    'shares',
    `${machine}, ${here.postgres.description}`,
    method,
    table([
      [
        'beside',
        '`GET /groups` p95: elsewhere',
        'here',
        'delivery p95: elsewhere',
        'here',
        'memory',
        'bar',
        'CPU pressure',
      ],
      ...rows,
    ]),
    `At most ${aims.ratio} times the figure of the same load elsewhere, or ${aims.moreMs} ms more, and less than ${aims.megabytes} MB: ${verdict(areMet)}.`,
  )
})
