import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startReceiver } from '../../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'
import { expectDelivered } from './support/delivered.ts'
import { openFolder } from './support/folder.ts'
import { startWay } from './support/haproxy-postgresql.ts'
import { type Load, startLoad } from './support/load.ts'
import { patience } from './support/patience.ts'
import { startServer } from './support/postgresql.ts'
import { tell } from './support/tell.ts'

const cuts = 5
/** In which the name leads to a server that is the primary no more. */
const lagMs = 5_000

test('A cut of all sessions is over within seconds, and loses nothing that was acknowledged', async () => {
  const { way, signet, organization, receiver } = await setScene()
  const load = startLoad(signet.baseUrl, organization)
  for (let cut = 0; cut < cuts; cut++) {
    const before = load.acknowledged.length
    await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(before + 10), patience)
    await way.cut('one')
  }
  await expectRecovery(signet, organization)
  const answered = await load.stop()
  tell(`${cuts} cuts of all sessions: ${answered} requests, ${load.failures.length} of them answered 503`)
  expect(load.failures.filter(isFault)).toEqual([])
  expect(load.failures.length).toBeLessThan(answered)
  await expectKept(signet, organization, load)
  await expectDelivered(receiver, '/load', load.acknowledged)
})

test('A host name that leads to the old primary for a while after a switch costs replies of 503 meanwhile, and nothing afterwards', async () => {
  const { way, one, two, signet, organization, receiver } = await setScene()
  const load = startLoad(signet.baseUrl, organization)
  await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(50), patience)
  await one.stop()
  await two.query('select pg_promote()')
  one.follow(two)
  await one.start()
  const acknowledgedBefore = load.acknowledged.length
  await vi.waitFor(async () => expect((await readyz(signet)).body).toContain('read_only'), patience)
  await wait(lagMs)
  expect(load.acknowledged.length).toBe(acknowledgedBefore)
  expect((await readyz(signet)).status).toBe(503)
  await way.lead('two')
  await expectRecovery(signet, organization)
  const answered = await load.stop()
  tell(`a name that lagged for ${lagMs} ms: ${answered} requests, ${load.failures.length} of them answered 503`)
  expect(load.failures.filter(isFault)).toEqual([])
  await expectKept(signet, organization, load)
  await expectDelivered(receiver, '/load', load.acknowledged)
})

async function setScene() {
  const life = new AsyncDisposableStack()
  onTestFinished(() => life.disposeAsync())
  const folder = openFolder(life)
  const receiver = life.adopt(await startReceiver(), (started) => started.stop())
  const one = await startServer(life, join(folder, 'one'))
  const two = await one.addStandby(join(folder, 'two'))
  const way = await startWay(life, { one, two })
  const env = { SIGNET_BASE_URL: 'http://signet.localhost' }
  const signet = life.adopt(await startSignet({ databaseUrl: way.url, receiver, env }), (started) => started.kill())
  const organization = await signet.organization()
  await addWebhook(signet, organization, receiver.url('/load'), ['PersonCreated_v1'])
  return { way, one, two, signet, organization, receiver }
}

/** Unavailable is no fault, and says when to come again. */
const isFault = ({ status, retryAfter }: Load['failures'][number]) => status !== 503 || !retryAfter

async function readyz({ baseUrl }: Signet) {
  const answer = await fetch(`${baseUrl}/readyz`)
  return { status: answer.status, body: await answer.text() }
}

/** What it writes can be read, again and again: no connection is left that leads elsewhere. */
async function expectRecovery(signet: Signet, organization: Organization) {
  const writeAndRead = async () => {
    const created = await signet.as(organization, 'POST', '/persons', {})
    expect(created.status).toBe(201)
    expect((await signet.as(organization, 'GET', `/persons/${created.body.result.person_id}`)).status).toBe(200)
  }
  await vi.waitFor(writeAndRead, patience)
  for (let time = 0; time < 20; time++) await writeAndRead()
  await vi.waitFor(async () => expect((await readyz(signet)).status).toBe(200), patience)
}

async function expectKept(signet: Signet, organization: Organization, { acknowledged }: Load) {
  const kept = new Set<string>()
  for (let offset = 0, count = -1; count !== kept.size; offset += 1_000) {
    count = kept.size
    const { status, body } = await signet.as(organization, 'GET', `/persons?limit=1000&offset=${offset}`)
    expect([status, body.errors]).toEqual([200, undefined])
    for (const { person_id } of body.result) kept.add(person_id)
  }
  expect(acknowledged.filter((person) => !kept.has(person))).toEqual([])
}
