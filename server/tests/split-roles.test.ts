import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { type Signet, startSignet } from './support/signet.ts'
import { addWebhook } from './support/webhooks.ts'

/** Far less than the sweep, which would find the delivery after up to 15 s. */
const promptMs = 5_000

let database: Awaited<ReturnType<typeof testDatabase>>
let receiver: Receiver
let api: Signet
let worker: Signet

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  api = await startSignet({ databaseUrl: database.url, receiver, env: { SIGNET_ROLES: 'api' } })
  const env = { SIGNET_ROLES: 'worker', SIGNET_BASE_URL: api.baseUrl }
  worker = await startSignet({ databaseUrl: database.url, receiver, env })
})

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()])
  await receiver?.stop()
  await database?.drop()
})

test('what one process accepts, another one delivers at once, also after its listening connection broke', async () => {
  const organization = await api.organization()
  await addWebhook(api, organization, receiver.url('/split'), ['PersonCreated_v1'])
  await api.as(organization, 'POST', '/persons', {})
  await receiver.waitFor('/split', 1, promptMs)
  await breakListener()
  await api.as(organization, 'POST', '/persons', {})
  await receiver.waitFor('/split', 2, promptMs)
})

test('a process that only works answers for its health, and for nothing else', async () => {
  expect((await worker.call('GET', '/readyz')).status).toBe(200)
  expect((await worker.call('GET', '/groups')).status).toBe(404)
})

async function breakListener() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen signet_due'`,
  )
  await client.end()
  expect(rowCount).toBe(1)
}
