import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { testDatabase } from '../support/database.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { everythingStored } from '../support/stored.ts'
import { addWebhook } from '../support/webhooks.ts'

const custom_headers = { 'x-secret-name': ['secret-value'] }
const client_secret = 'client-secret'
const oldKey = makeMasterKey()

let database: Awaited<ReturnType<typeof testDatabase>>
let signet: Signet
let organization: Organization
let webhookId: string
let application: { client_secret: string }

beforeAll(async () => {
  database = await testDatabase()
  signet = await startSignet({ databaseUrl: database.url, masterKey: oldKey })
  organization = await signet.organization()
  webhookId = await addWebhook(signet, organization, 'https://example.com', [], {
    custom_headers,
    description: 'plain',
  })
  const credential = { client_id: 'x', client_secret, provider: 'provider_a' }
  await signet.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', credential)
  const fields = { name: 'x', redirect_uris: ['https://example.com'], confidential: true }
  const { body } = await signet.as(organization, 'POST', '/organizations/applications', fields)
  application = body.result
})

afterAll(async () => {
  await signet?.stop()
  await database?.drop()
})

// Proves 2.1/5, 2.4/8.
test('No secret is stored in clear, neither of webhooks, keys, credentials nor applications (2.1, 2.4)', async () => {
  const stored = await everythingStored(database)
  expect(stored).toContain('plain')
  expect(stored).toContain('provider_a')
  expect(stored).toContain('https://example.com')
  const secrets = ['secret-name', 'secret-value', organization.apiKey, client_secret, application.client_secret]
  for (const secret of secrets)
    for (const text of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64url')])
      expect(stored).not.toContain(text)
})

test('Custom headers are read with the old master key beside a new one', async () => {
  const masterKey = `${makeMasterKey()},${oldKey}`
  const port = Number(new URL(signet.baseUrl).port)
  await signet.stop()
  signet = await startSignet({ databaseUrl: database.url, masterKey, port })
  const { body } = await signet.as(organization, 'GET', `/organizations/webhooks/${webhookId}`)
  expect(body.result.custom_headers).toEqual(custom_headers)
})
