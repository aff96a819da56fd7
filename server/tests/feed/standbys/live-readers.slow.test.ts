import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { verifyWebhook } from '@signet/webhooks'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/ground/database/database.ts'
import { startEmbeddedPostgres } from '../../../src/ground/database/embedded/index.ts'
import { sql } from '../../../src/ground/database/sql.ts'
import { endHistoryAt } from '../../../src/ground/positions/index.ts'
import { administer } from '../../support/database.ts'
import { openStream, type StreamClient } from '../../support/event-stream.ts'
import { kidOf } from '../../support/jwt.ts'
import { temporaryFolder } from '../../support/program.ts'
import { type Client, type Organization, type Signet, startOwnSignet, startSignet } from '../../support/signet.ts'

const env = { SIGNET_RATE_TEST_EVENTS: '100000/100000' }
const credentials = ({ id, apiKey }: Organization) => ({ 'service-orgid': id, 'service-api-key': apiKey })
const idsOf = (client: StreamClient) => client.messages().map(({ data }) => JSON.parse(data).event_metadata.event_id)

const follow = (organization: Organization, at: Client, after = '', path = '/events') =>
  openStream(`${at.baseUrl}${path}`, {
    headers: { ...credentials(organization), ...(after && { 'last-event-id': after }) },
  })

const publish = (organization: Organization, count: number, at: Client) =>
  at.as(organization, 'POST', '/test-events', Array(count).fill({ event_name: 'PersonCreated' }))

test('A live reader that is cut a hundred times amid writes by two processes misses and repeats nothing', async (context) => {
  const signet = await startOwnSignet({ env })
  context.onTestFinished(async () => void (await signet.stop()))
  const second = await startSignet({
    databaseUrl: signet.database.url,
    env: { ...env, SIGNET_BASE_URL: signet.baseUrl },
  })
  context.onTestFinished(() => second.kill())
  const organization = await signet.organization()
  let isWriting = true
  const write = async (at: Signet) => {
    while (isWriting) await publish(organization, 1 + Math.floor(Math.random() * 10), at)
  }
  const writing = [signet, second, signet, second].map(write)
  const ids: string[] = []
  let after = ''
  for (let cuts = 0; cuts < 100; cuts++) {
    const client = await follow(organization, cuts % 2 ? second : signet, after)
    await client.waitFor(Math.floor(Math.random() * 30))
    client.cut()
    ids.push(...idsOf(client))
    after = client.lastId() || after
  }
  isWriting = false
  await Promise.all(writing)
  const inOrder: string[] = []
  for (let path = '/events?limit=1000'; ; ) {
    const { body } = await signet.as(organization, 'GET', path)
    for (const { event_metadata } of body.result) inOrder.push(event_metadata.event_id)
    if (!body.meta.has_more) break
    path = `/events?limit=1000&after=${body.meta.next}`
  }
  const last = await follow(organization, signet, after)
  await last.waitFor(inOrder.length - ids.length)
  last.cut()
  expect([...ids, ...idsOf(last)]).toEqual(inOrder)
  expect(ids.length).toBeGreaterThan(100)
})

test('A live reader is refused with a 410 when it comes back to a history that a restore has ended, and goes on from before', async (context) => {
  const signet = await startOwnSignet({ env })
  context.onTestFinished(async () => void (await signet.stop()))
  const organization = await signet.organization()
  await publish(organization, 5, signet)
  const reader = await follow(organization, signet)
  const [, second, , fourth] = await reader.waitFor(5)
  reader.cut()
  const database = openDatabase(signet.database)
  const [kept] = await database.read.rows(sql<{ position: number }>`
    select position from events where org_id = ${organization.id} order by position offset 2 limit 1`)
  await endHistoryAt(database.write, kept?.position ?? 0)
  await database.close()
  // As after a restore, for which the service is stopped.
  const restored = await startSignet({
    databaseUrl: signet.database.url,
    env: { ...env, SIGNET_BASE_URL: signet.baseUrl },
  })
  context.onTestFinished(() => restored.kill())
  for (const path of ['/events', '/organizations/webhooks/listen?target_url=http://localhost:3000/hook']) {
    const headers = { accept: 'text/event-stream', 'last-event-id': fourth?.id ?? '' }
    const { status, body } = await restored.as(organization, 'GET', path, undefined, headers)
    const message = expect.stringContaining(
      'Last-Event-ID: comes from another database, or from a history that a restore',
    )
    expect([status, body.errors[0]]).toEqual([410, { httpcode: 410, message }])
  }
  const resumed = await follow(organization, restored, second?.id)
  await resumed.waitFor(3)
  expect(idsOf(resumed)).toEqual(idsOf(reader).slice(2))
  resumed.cut()
})

test('A listener gets nothing that is signed with a withdrawn key', async (context) => {
  const signet = await startOwnSignet({ env })
  context.onTestFinished(async () => void (await signet.stop()))
  const organization = await signet.organization()
  const targetUrl = 'http://localhost:3000/hook'
  const listener = await follow(organization, signet, '', `/organizations/webhooks/listen?target_url=${targetUrl}`)
  while (listener.lastId() === '') await wait(5)
  let isWriting = true
  const write = async () => {
    while (isWriting) {
      await publish(organization, 1, signet)
      await wait(20)
    }
  }
  const writing = write()
  const rotate = () =>
    signet.as(organization, 'POST', '/organizations/webhooks/verification-keys/rotate', { emergency: true })
  // Too soon after the organization was made, the keys cannot be rotated.
  while ((await rotate()).status !== 202) await wait(200)
  const withdrawn = kidOf(listener.messages()[0]?.data ?? '')
  const sentBefore = listener.messages().length
  await listener.waitFor(sentBefore + 20)
  isWriting = false
  await writing
  const after = listener.messages().slice(sentBefore + 1)
  expect(after.map(({ data }) => kidOf(data))).not.toContain(withdrawn)
  await verifyWebhook(after[0]?.data ?? '', { issuer: signet.baseUrl, organizationId: organization.id, targetUrl })
  listener.cut()
})

test('A live reader ends with the 401 within 15 seconds of the revocation of its key, and at once with the service', async (context) => {
  const signet = await startOwnSignet({ env })
  context.onTestFinished(async () => void (await signet.stop()))
  const organization = await signet.organization()
  const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', { scopes: ['events:read'] })
  const narrow = { id: organization.id, apiKey: body.result.api_key }
  const [revoked, kept] = [await follow(narrow, signet), await follow(organization, signet)]
  await signet.as(organization, 'DELETE', `/organizations/api-keys/${body.result.id}`)
  const [last] = await revoked.waitFor(1)
  const message = 'Service-API-Key: is not valid for this organization'
  const refusal = { errors: [{ httpcode: 401, message }], codes: ['key_not_valid'] }
  expect([last?.event, JSON.parse(last?.data ?? '')]).toEqual(['error', refusal])
  expect(kept.isOver()).toBe(false)
  const before = performance.now()
  signet.process.kill('SIGTERM')
  while (!kept.isOver()) await wait(5)
  expect(performance.now() - before).toBeLessThan(1_000)
})

/** What a statement counts in is real time of PostgreSQL's log; so long after readers have come or gone no look is on its way. */
const settledMs = 1_000
const idleMs = 15_000
const readersMs = 30_000

test('A process makes no statement for live readers where there are none, and twenty a minute for a hundred', async (context) => {
  const folder = join(temporaryFolder(context), 'postgres')
  const settings = { fsync: 'off', log_statement: 'all', log_line_prefix: '%d ' }
  const postgres = await startEmbeddedPostgres({ folder, settings, diesWithParent: true })
  context.onTestFinished(postgres.stop)
  const { host, port, user } = postgres.connection
  await administer(postgres.connection, 'create database idle')
  const databaseUrl = `postgresql:///idle?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
  const signet = await startSignet({ databaseUrl, env })
  context.onTestFinished(() => signet.kill())
  const organization = await signet.organization()
  const looks = () =>
    readFileSync(join(folder, 'postgres.log'), 'utf8')
      .split('\n')
      .filter((line) => /^idle LOG: +(?:statement|execute)/.test(line))
      .filter((line) => /positions_end|asked|signet_published/.test(line)).length
  const countFor = async (ms: number) => {
    const before = looks()
    await wait(ms)
    return looks() - before
  }
  expect(await countFor(idleMs)).toBe(0)
  const clients = await Promise.all(Array.from({ length: 100 }, () => follow(organization, signet)))
  await wait(settledMs)
  const withReaders = await countFor(readersMs)
  expect(withReaders).toBeGreaterThan(0)
  expect(withReaders).toBeLessThanOrEqual(11)
  for (const client of clients) client.cut()
  await wait(settledMs)
  expect(await countFor(idleMs)).toBe(0)
})
