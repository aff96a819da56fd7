import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownPage } from '../support/console.ts'
import { type Connection, testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Answer, type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

/** At once, for the limits that are settings; the next one comes after a minute. */
const limit = 4
const settings = {
  SIGNET_BASE_URL: 'http://signet.localhost',
  SIGNET_RATE_TEST_EVENTS: `1/${limit}`,
  SIGNET_RATE_DRY_RUNS: `1/${limit}`,
}

let database: Connection & { drop(): Promise<void> }
let receiver: Receiver
let processes: Signet[] = []
let organization: Organization

beforeAll(async () => {
  ;[database, receiver] = await Promise.all([testDatabase(), startReceiver()])
  const start = () => startSignet({ databaseUrl: database.url, receiver, env: settings })
  processes = await Promise.all([start(), start()])
  organization = await (processes[0] as Signet).organization()
})
afterAll(async () => {
  await Promise.all(processes.map(({ stop }) => stop()))
  await Promise.all([database.drop(), receiver.stop()])
})

/** Asks one process, then the other, and so on; gives the statuses of the answers. */
async function inTurn(count: number, ask: (signet: Signet) => Promise<Answer>) {
  const statuses: number[] = []
  for (let turn = 0; turn < count; turn++)
    statuses.push((await ask(processes[turn % processes.length] as Signet)).status)
  return statuses
}

const times = (status: number, count: number): number[] => Array(count).fill(status)

test('Test events are counted by both processes together', async () => {
  const publish = (signet: Signet) =>
    signet.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  expect(await inTurn(limit + 2, publish)).toEqual([...times(201, limit), 429, 429])
})

test('Dry runs are counted by both processes together', async () => {
  const [first] = processes as [Signet]
  const webhook = `/organizations/webhooks/${await addWebhook(first, organization, receiver.url('/hook'))}`
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await first.as(organization, 'POST', `${webhook}/triggers`, trigger)
  const dryRun = (signet: Signet) => signet.as(organization, 'POST', `${webhook}/dry-run`)
  expect(await inTurn(limit + 2, dryRun)).toEqual([...times(200, limit), 429, 429])
})

test('Failed attempts to sign in at the console are counted by both processes together', async () => {
  const signIn = (signet: Signet) => signet.call('POST', '/console/session', ownPage, { operator_key: 'wrong' })
  expect(await inTurn(12, signIn)).toEqual([...times(401, 10), 429, 429])
})

test('Failed attempts to use a credential link are counted by both processes together', async () => {
  const open = (signet: Signet) => signet.call('POST', '/console/link', {}, { token: 'unknown' })
  expect(await inTurn(22, open)).toEqual([...times(404, 20), 429, 429])
})
