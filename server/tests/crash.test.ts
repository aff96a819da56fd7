import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { temporaryFolder } from './support/program.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { freePort, type Organization, type Signet, startSignet } from './support/signet.ts'

const kills = 20
const clients = 4
/** PostgreSQL that has served for so long is started again at once, see `start-embedded-postgres.ts`. */
const steadyMs = 1_000
/** Makes the same random choices again; told when a test fails. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const path = '/hook'
const patience = { timeout: 20_000, interval: 10 }

/** Signet on its embedded PostgreSQL, which writes for a power failure, with a webhook on PersonCreated_v1. */
type Installation = {
  signet: Signet
  dataDir: string
  receiver: Receiver
  organization: Organization
  start(): Promise<void>
}

describe.concurrent('each creation that was answered has one event, and each event arrives', {
  timeout: 300_000,
}, () => {
  test('when Signet is killed twenty times, every fourth time together with PostgreSQL', async (context) => {
    const installation = await install(context)
    const random = randomFrom(seed)
    const load = createPersons(installation)
    for (let kill = 1; kill <= kills; kill++) {
      await load.untilCreated()
      await wait(random() * 200)
      expect(load.open()).toBeGreaterThan(0)
      if (kill % 4 === 0) process.kill(postmasterOf(installation), 'SIGKILL')
      await installation.signet.kill()
      await installation.start()
    }
    await load.stop()
    await letLeasesEnd(installation)
    await expectOneEventEach(installation, load.created)
  })

  test('when PostgreSQL is killed twenty times', async (context) => {
    const installation = await install(context)
    const random = randomFrom(seed + 1)
    const load = createPersons(installation)
    for (let kill = 1; kill <= kills; kill++) {
      await load.untilCreated()
      await wait(steadyMs + random() * 200)
      expect(load.open()).toBeGreaterThan(0)
      await killPostgres(installation)
    }
    await load.untilCreated()
    await load.stop()
    expect(load.refusals()).toEqual([503])
    await letLeasesEnd(installation)
    await expectOneEventEach(installation, load.created)
  })
})

async function install(context: TestContext): Promise<Installation> {
  const dataDir = join(temporaryFolder(context), 'data')
  const receiver = await startReceiver()
  context.onTestFinished(() => receiver.stop())
  const port = await freePort()
  const env = { SIGNET_LOG_LEVEL: 'silent', SIGNET_CALLS_PER_WEBHOOK: '50' }
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
    ...{ signet, dataDir, receiver, organization },
    start: async () => {
      installation.signet = await begin()
    },
  }
  context.onTestFinished(() => installation.signet.kill())
  context.onTestFailed(() => console.log(`SEED=${seed}`, installation.signet.output()))
  return installation
}

/** Waits for the next one, which Signet starts by itself. */
async function killPostgres(installation: Installation) {
  const killed = postmasterOf(installation)
  process.kill(killed, 'SIGKILL')
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
  await query(installation, 'update deliveries set due_at = now() where in_flight')
  expect(await installation.signet.stop()).toBe(0)
  await installation.start()
}

async function expectOneEventEach(installation: Installation, created: string[]) {
  const persons = await query(installation, 'select id from persons where org_id = $1 order by id')
  const events = await query(
    installation,
    `select payload::json ->> 'person_id' as person_id, id from events where org_id = $1 order by person_id`,
  )
  const ids = new Set(persons.map(({ id }) => id))
  expect(created.filter((id) => !ids.has(id))).toEqual([])
  expect(events.map((event) => event.person_id)).toEqual(persons.map((person) => person.id))

  const received = () => new Map(installation.receiver.received(path).map(({ body }) => claimsOf(body)))
  await vi.waitFor(() => expect(received().size).toBeGreaterThanOrEqual(events.length), patience)
  expect([...received()].sort()).toEqual(events.map((event) => [event.id, event.person_id]).sort())

  const state = `select (select count(*)::int from deliveries) as pending, sum(in_flight)::int as in_flight,
    (select count(*)::int from finished_deliveries where status = 'succeeded') as succeeded from lanes`
  const done = [{ pending: 0, in_flight: 0, succeeded: events.length }]
  await vi.waitFor(async () => expect(await query(installation, state)).toEqual(done), patience)
}

function claimsOf(jwt: string): [string, string] {
  const { sub, trigger_content } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  return [sub, trigger_content.person_id]
}

/** `$1` is the organization. */
async function query({ dataDir, organization }: Installation, text: string) {
  const host = join(dataDir, 'postgres/run')
  const client = new pg.Client({ host, port: 5432, user: 'signet', database: 'signet' })
  await client.connect()
  const { rows } = await client.query(text, text.includes('$1') ? [organization.id] : []).finally(() => client.end())
  return rows
}

/** Numbers from 0 to 1; a linear congruential generator (Numerical Recipes). */
function randomFrom(start: number) {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
