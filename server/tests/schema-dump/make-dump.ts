import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noteDropped } from '../../src/delivery/events/index.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { dropPartitions, makePartitions } from '../../src/ground/database/time-partitions.ts'
import { dayMs } from '../../src/ground/runtime/clock.ts'
import { baseUrl, openBrowser } from '../support/browser.ts'
import { ownPage } from '../support/console.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { findStockPrograms } from '../support/stock-postgres.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'
import { countRows, dumpPath, notesPath } from './kept-dump.ts'

const settings = {
  SIGNET_ROLES: 'api,worker',
  SIGNET_RETRY_INITIAL: '1ms',
  SIGNET_RETRY_MAX: '1ms',
  SIGNET_RETRY_WINDOW: '20ms',
}

/** Rows of every table and of every state, made by the service itself; then a plain dump. */
test('The dump of the schema is written with rows in every table', async () => {
  const signIns = await startSignIns()
  await dropEvents(signIns)
  const worker = await signIns.startProcess(settings)
  const tenant = await signIns.tenant({ name: 'Kept' })
  const webhookId = await publishAndDeliver(signIns, tenant)
  const personId = await signPeopleIn(signIns, tenant)
  await signInAtConsole(signIns, tenant)
  await begin(signIns, tenant)
  await leaveInFlight(signIns, tenant)
  // It leaves its row of `workers`, and a lease.
  await worker.kill()
  await leavePending(signIns, tenant)
  await dropEmptyPartitions(signIns)
  const { rows } = await signIns.inside.query<{ table: string; count: number }>(countRows)
  expect(rows.filter(({ count }) => count === 0)).toEqual([])
  dump(signIns.connection)
  const notes = {
    baseUrl,
    masterKey: signIns.masterKey,
    organization: tenant.organization,
    personId,
    webhookId,
    rows: Object.fromEntries(rows.map(({ table, count }) => [table, count])),
  }
  writeFileSync(notesPath, `${JSON.stringify(notes, null, 2)}\n`)
  await signIns.stop()
})

/** An event whose day is over. */
async function dropEvents({ service, connection, clock }: SignIns) {
  const past = await service.organization({ name: 'Past' })
  await service.as(past, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  const database = openDatabase(connection)
  const onError = (error: unknown) => {
    throw error
  }
  const neededSince = clock.now() + dayMs
  await dropPartitions(
    database,
    { events: neededSince, finished_deliveries: neededSince },
    {
      beforeDrop: async (tx, { table, name }) => {
        if (table === 'events') await noteDropped(tx, name)
      },
      onError,
    },
  )
  await makePartitions(database, clock.now())
  await database.close()
}

/** Deliveries that succeeded, were dropped, are held and were cancelled; a run of a hook. */
async function publishAndDeliver({ service, receiver, inside }: SignIns, { organization }: Tenant): Promise<string> {
  receiver.behave('/failing', { status: 500 })
  receiver.behave('/hook', { body: '{"department":"engineering","iss":"nobody"}' })
  const webhookId = await addWebhook(service, organization, receiver.url('/events'), eventNames, {
    custom_headers: { authorization: ['Bearer for this dump alone'] },
  })
  const failing = await addWebhook(service, organization, receiver.url('/failing'), ['PersonCreated_v1'])
  const paused = await addWebhook(service, organization, receiver.url('/paused'), ['PersonCreated_v1'])
  const hook = await addWebhook(service, organization, receiver.url('/hook'))
  await service.as(organization, 'POST', `/organizations/webhooks/${hook}/triggers`, {
    trigger_type: 'sync_hook',
    trigger_name: 'token_minted',
  })
  const removed = await addWebhook(service, organization, receiver.url('/removed'), ['PersonCreated_v1'])
  for (const id of [paused, removed])
    await service.as(organization, 'PATCH', `/organizations/webhooks/${id}`, { enabled: false })
  await service.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  const trigger = 'trigger_type=event&trigger_name=PersonCreated_v1'
  await service.as(organization, 'DELETE', `/organizations/webhooks/${removed}/triggers?${trigger}`)
  await service.as(organization, 'PATCH', `/organizations/webhooks/${removed}`, { enabled: true })
  const left = `select from deliveries where webhook_id = any($1)`
  const countLeft = async () => (await inside.query(left, [[webhookId, failing, removed]])).rowCount
  await expect.poll(countLeft, { timeout: 60_000 }).toBe(0)
  return webhookId
}

/** Two sign-ins of one person, one that waits at its provider, and an identity that was taken away. */
async function signPeopleIn({ service }: SignIns, tenant: Tenant): Promise<string> {
  const { application, browser, organization } = tenant
  await service.as(organization, 'POST', '/groups', { name: 'engineering' })
  const { sub } = await application.signIn(browser, { person: ada, params: { scope: 'openid offline_access' } })
  await service.as(organization, 'PUT', `/persons/${sub}/groups`, { groups: ['engineering'] })
  const another = openBrowser(() => service.baseUrl)
  const other = { sub: 'grace-1', email: 'grace@gmail.com', email_verified: true }
  const { sub: second } = await application.signIn(another, { person: other })
  const identities = await service.as(organization, 'GET', `/persons/${second}/identities`)
  await service.as(organization, 'DELETE', `/persons/${second}/identities/${identities.body.result[0].id}`)
  const { url } = await application.begin()
  await another.go(url, { stopAt: /[?&]client_id=signet&/ })
  return sub
}

/** A session, and a failed attempt. */
async function signInAtConsole({ service }: SignIns, { organization: { id, apiKey } }: Tenant) {
  for (const body of [{ organization_id: id, api_key: apiKey }, { operator_key: 'not the operator key' }])
    await service.call('POST', '/console/session', ownPage, body)
}

/** A link and a test sign-in that nobody has used, and the counts of events, which asking for statistics makes. */
async function begin({ service, clock }: SignIns, { organization }: Tenant) {
  const credentials = '/organizations/sso/oidc/provider-credentials'
  const [credential] = (await service.as(organization, 'GET', credentials)).body.result
  const since = new Date(clock.now()).toISOString()
  for (const [method, path, body] of [
    ['POST', '/organizations/sso/oidc/credential-links', { provider: 'provider_a' }],
    ['POST', `${credentials}/${credential.client_id}/test`],
    ['GET', `/organizations/statistics?step=1h&since=${since}`],
  ] as const)
    expect((await service.as(organization, method, path, body)).status).toBeLessThan(300)
}

/** A receiver does not answer. */
async function leaveInFlight({ service, receiver, inside }: SignIns, { organization }: Tenant) {
  receiver.behave('/hanging', { hang: true })
  const hanging = await addWebhook(service, organization, receiver.url('/hanging'), ['PersonDeleted_v1'])
  await service.as(organization, 'POST', '/test-events', [{ event_name: 'PersonDeleted_v1' }])
  const leased = 'select from deliveries where webhook_id = $1 and is_leased'
  await expect.poll(async () => (await inside.query(leased, [hanging])).rowCount, { timeout: 60_000 }).toBe(1)
}

/** Nobody delivers any more. */
const leavePending = ({ service }: SignIns, { organization }: Tenant) =>
  service.as(organization, 'POST', '/persons', { handles: [{ type: 'PhoneNumber', value: '+4930123456' }] })

/** Each start makes them anew. */
async function dropEmptyPartitions({ inside }: SignIns) {
  const { rows } = await inside.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace s on s.oid = c.relnamespace
      where c.relispartition and c.relkind = 'r' and s.nspname = 'public'`,
  )
  for (const { name } of rows) {
    const { rowCount } = await inside.query(`select from ${name} limit 1`)
    if (rowCount === 0) await inside.query(`drop table ${name}`)
  }
}

function dump({ host, port, database }: SignIns['connection']) {
  const program = join(findStockPrograms() as string, 'pg_dump')
  const address = ['--host', host, '--port', `${port}`, '--username', 'tester', '--dbname', database]
  const form = ['--inserts', '--no-owner', '--no-privileges', '--encoding=UTF8']
  writeFileSync(dumpPath, execFileSync(program, [...address, ...form], { encoding: 'utf8' }))
}
