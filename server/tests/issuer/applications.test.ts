import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { findApplication, isClientSecret } from '../../src/identity/applications/index.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const collection = '/organizations/applications'

let database: Database
let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
  database = openDatabase(signet.database)
  organization = await signet.organization()
})

afterAll(async () => {
  await database?.close()
  await signet?.stop()
})

type Created = { client_id: string; client_secret: string }

async function create(confidential: boolean): Promise<Created> {
  const body = { name: 'Shop', redirect_uris: ['https://example.com'], confidential }
  return (await signet.as(organization, 'POST', collection, body)).body.result
}

async function change({ client_id }: Created, changes: object): Promise<Created> {
  return (await signet.as(organization, 'PATCH', `${collection}/${client_id}`, changes)).body.result
}

/** Whether the application has this secret now. */
async function has({ client_id }: Created, secret: string): Promise<boolean> {
  const found = await findApplication(database.read, organization.id, client_id)
  return isClientSecret(secret, found?.secrets ?? [], { now: Date.now })
}

test('An application has the secret that was shown, and no other one', async () => {
  const [application, other] = [await create(true), await create(true)]
  expect(await has(application, application.client_secret)).toBe(true)
  expect(await has(application, other.client_secret)).toBe(false)
})

test('Changes leave the secret alone; made public it is refused, and confidential again there is a new one', async () => {
  const application = await create(true)
  await change(application, { name: 'Other', confidential: true })
  expect(await has(application, application.client_secret)).toBe(true)
  await change(application, { confidential: false })
  expect(await has(application, application.client_secret)).toBe(false)
  const { client_secret } = await change(application, { confidential: true })
  expect(await has(application, client_secret)).toBe(true)
  expect(await has(application, application.client_secret)).toBe(false)
})

test('An application is not found for another organization', async () => {
  const { client_id } = await create(false)
  const other = await signet.organization()
  expect(await findApplication(database.read, organization.id, client_id)).toMatchObject({ client_id, name: 'Shop' })
  expect(await findApplication(database.read, other.id, client_id)).toBeUndefined()
})
