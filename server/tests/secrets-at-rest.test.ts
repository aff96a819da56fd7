import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeMasterKey } from '../src/keys/index.ts'
import { testDatabase } from './support/database.ts'
import { type Organization, type Signet, startSignet } from './support/signet.ts'
import { addWebhook } from './support/webhooks.ts'

const custom_headers = { 'x-secret-name': ['secret-value'] }
const oldKey = makeMasterKey()

let database: Awaited<ReturnType<typeof testDatabase>>
let signet: Signet
let organization: Organization
let webhookId: string

beforeAll(async () => {
  database = await testDatabase()
  signet = await startSignet({ databaseUrl: database.url, masterKey: oldKey })
  organization = await signet.organization()
  webhookId = await addWebhook(signet, organization, 'https://example.com', [], {
    custom_headers,
    description: 'plain',
  })
})

afterAll(async () => {
  await signet?.stop()
  await database?.drop()
})

/** Every row of every table as text; binary columns are in hexadecimal there. */
async function everythingStored(): Promise<string> {
  const client = new pg.Client(database)
  await client.connect()
  const tables = await client.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  const dump: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    dump.push(...rows.map(({ row }) => row))
  }
  await client.end()
  return dump.join('\n')
}

test('neither custom headers nor API keys are stored as they are (2.4)', async () => {
  const stored = await everythingStored()
  expect(stored).toContain('plain')
  expect(stored).toContain('https://example.com')
  for (const secret of ['secret-name', 'secret-value', organization.apiKey])
    for (const text of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64url')])
      expect(stored).not.toContain(text)
})

test('custom headers are read with the old master key beside a new one', async () => {
  const masterKey = `${makeMasterKey()},${oldKey}`
  const port = Number(new URL(signet.baseUrl).port)
  await signet.stop()
  signet = await startSignet({ databaseUrl: database.url, masterKey, port })
  const { body } = await signet.as(organization, 'GET', `/organizations/webhooks/${webhookId}`)
  expect(body.result.custom_headers).toEqual(custom_headers)
})
