import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { ofForm } from '../../support/form.ts'
import { claimsOf } from '../../support/jwt.ts'
import { temporaryFolder } from '../../support/program.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../../support/signet.ts'
import { expectInvariants } from '../support/invariants.ts'
import { chanceOf, patience, tell, timeoutMs } from '../support/suite.ts'

const kills = ofForm(6, 60)
const clients = 4
/** PostgreSQL that has served for so long is started again at once, see `start-embedded-postgres.ts`. */
const steadyMs = 1_000
const path = '/hook'
const limits = { perWebhook: 50, perOrganization: 128, total: 512 }
/** The standard ones. */
const retry = { initialMs: 60_000, maxMs: 600_000, windowMs: 1_800_000 }
/** At once, in immediate mode and in fast mode. */
const endings = ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const

/** Signet on its embedded PostgreSQL, which writes for a power failure, with a webhook on PersonCreated_v1. */
type Installation = {
  signet: Signet
  dataDir: string
  receiver: Receiver
  organization: Organization
  /** See `invariants.ts`. */
  leasesEnded: Set<string>
  start(): Promise<void>
}

describe.concurrent('Killed databases', {
  timeout: timeoutMs,
}, () => {
  test('Each answered creation has one event, and each event arrives, when Signet is killed, every third time with PostgreSQL', async (context) => {
    const installation = await install(context)
    const random = chanceOf('all killed')
    const load = createPersons(installation)
    for (let kill = 1; kill <= kills; kill++) {
      await load.untilCreated()
      await wait(random() * 200)
      expect(load.open()).toBeGreaterThan(0)
      if (kill % 3 === 0) process.kill(postmasterOf(installation), 'SIGKILL')
      await installation.signet.kill()
      await installation.start()
    }
    await load.stop()
    await letLeasesEnd(installation)
    const events = await expectOneEventEach(installation, load.created)
    tell('Signet killed, and PostgreSQL with it', { kills, ...(await checkInvariants(installation, events)) })
  })

  test('Each answered creation has one event, and each event arrives, when PostgreSQL is killed, or stopped in immediate or fast mode', async (context) => {
    const installation = await install(context)
    const random = chanceOf('PostgreSQL killed')
    const load = createPersons(installation)
    for (let kill = 1; kill <= kills; kill++) {
      await load.untilCreated()
      await wait(steadyMs + random() * 200)
      expect(load.open()).toBeGreaterThan(0)
      await endPostgres(installation, endings[kill % endings.length] ?? 'SIGKILL')
    }
    await load.untilCreated()
    await load.stop()
    expect(load.refusals()).toEqual([503])
    await letLeasesEnd(installation)
    const events = await expectOneEventEach(installation, load.created)
    tell('PostgreSQL killed', { kills, ...(await checkInvariants(installation, events)) })
  })
})

async function install(context: TestContext): Promise<Installation> {
  const dataDir = join(temporaryFolder(context), 'data')
  const receiver = await startReceiver()
  context.onTestFinished(() => receiver.stop())
  const port = await freePort()
  const env = { SIGNET_LOG_LEVEL: 'silent', SIGNET_MAX_CONCURRENCY_PER_WEBHOOK: `${limits.perWebhook}` }
  const begin = () => startSignet({ dataDir, receiver, port, env })
  const signet = await begin()
  const organization = await signet.organization()
  const webhook = await signet.as(organization, 'POST', '/organizations/webhooks', {
    name: 'crash',
    target_url: receiver.url(path),
  })
  await signet.as(organization, 'POST', `/organizations/webhooks/${webhook.body.result.id}/triggers`, {
    trigger_type: 'event',
    trigger_name: 'PersonCreated_v1',
  })
  receiver.behave(path, { delayMs: 10 })
  const installation: Installation = {
    signet,
    dataDir,
    receiver,
    organization,
    leasesEnded: new Set(),
    start: async () => {
      installation.signet = await begin()
    },
  }
  context.onTestFinished(() => installation.signet.kill())
  context.onTestFailed(() => console.log(installation.signet.output()))
  return installation
}

/** Waits for the next one, which Signet starts by itself. */
async function endPostgres(installation: Installation, signal: NodeJS.Signals) {
  const killed = postmasterOf(installation)
  process.kill(killed, signal)
  const pid = () => (existsSync(pidFile(installation)) ? postmasterOf(installation) : killed)
  await vi.waitFor(() => expect(pid()).not.toBe(killed), patience)
}

const pidFile = ({ dataDir }: Installation) => join(dataDir, 'postgres/data/postmaster.pid')
const postmasterOf = (installation: Installation) => Number.parseInt(readFileSync(pidFile(installation), 'utf8'), 10)

/** Several clients that create persons one after the other, whatever becomes of it. */
function createPersons(installation: Installation) {
  const created: string[] = []
  const statuses = new Set<number>()
  let open = 0
  let stopping = false
  const create = async () => {
    open++
    const { signet, organization } = installation
    const answer = await signet.as(organization, 'POST', '/persons', {}).catch(() => undefined)
    open--
    if (answer?.status === 201) created.push(answer.body.result.person_id)
    else await wait(20)
    if (answer) statuses.add(answer.status)
    return answer?.status
  }
  const running = Array.from({ length: clients }, async () => {
    while (!stopping) await create()
  })
  return {
    created,
    open: () => open,
    /** Statuses of refused creations. */
    refusals: () => [...statuses].filter((status) => status !== 201).sort(),
    untilCreated: () => vi.waitFor(async () => expect(await create()).toBe(201), patience),
    stop: async () => {
      stopping = true
      await Promise.all(running)
    },
  }
}

/** A claim of a killed worker ends 25 s later; instead of waiting, its end is moved. A worker that starts looks at once. */
async function letLeasesEnd(installation: Installation) {
  const ended = await query<{ delivery: string }>(
    installation,
    `with leased as (
       update deliveries set available_at = now() where is_leased returning webhook_id, event_id
     )
     select webhook_id || ' ' || event_id as delivery
       from (select * from leased union all select webhook_id, event_id from unqueued_deliveries) d`,
  )
  for (const { delivery } of ended) installation.leasesEnded.add(delivery)
  expect(await installation.signet.stop()).toBe(0)
  await installation.start()
}

/** Gives the ids of the events. */
async function expectOneEventEach(installation: Installation, created: string[]): Promise<string[]> {
  const of = [installation.organization.id]
  const persons = await query<{ id: string }>(installation, 'select id from persons where org_id = $1 order by id', of)
  const events = await query<{ person_id: string; id: string }>(
    installation,
    `select payload::json ->> 'person_id' as person_id, id from events where org_id = $1 order by person_id`,
    of,
  )
  const ids = new Set(persons.map(({ id }) => id))
  expect(created.filter((id) => !ids.has(id))).toEqual([])
  expect(events.map((event) => event.person_id)).toEqual(persons.map((person) => person.id))

  const received = () => new Map(installation.receiver.received(path).map(({ body }) => eventOf(body)))
  await vi.waitFor(() => expect(received().size).toBeGreaterThanOrEqual(events.length), patience)
  expect([...received()].sort()).toEqual(events.map((event) => [event.id, event.person_id]).sort())

  const state = `select (select count(*)::int from deliveries) as pending, sum(in_flight)::int as in_flight,
    (select count(*)::int from finished_deliveries where status = 'succeeded') as succeeded from lanes`
  const done = [{ pending: 0, in_flight: 0, succeeded: events.length }]
  await vi.waitFor(async () => expect(await query(installation, state)).toEqual(done), patience)
  return events.map((event) => event.id)
}

function eventOf(jwt: string): [string, string] {
  const { sub, trigger_content } = claimsOf(jwt)
  return [sub, trigger_content.person_id]
}

const checkInvariants = (installation: Installation, acknowledged: string[]) =>
  expectInvariants(
    {
      query: (text, values) => query(installation, text, values),
      received: installation.receiver.all(),
      acknowledged,
    },
    { retry, limits, leasesEnded: installation.leasesEnded },
  )

async function query<Row>({ dataDir }: Pick<Installation, 'dataDir'>, text: string, values: unknown[] = []) {
  const host = join(dataDir, 'postgres/run')
  const client = new pg.Client({ host, port: 5432, user: 'signet', database: 'signet' })
  await client.connect()
  const { rows } = await client.query(text, values).finally(() => client.end())
  return rows as Row[]
}
