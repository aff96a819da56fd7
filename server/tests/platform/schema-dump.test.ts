import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/ground/database/migrate.ts'
import { countRows, type Notes, readDump, readNotes } from '../schema-dump/kept-dump.ts'
import { emptyDatabase } from '../support/database.ts'
import { type Signet, startSignet } from '../support/signet.ts'

/** The rows of the dump are as old as it is: no retention removes them. */
const settings = { SIGNET_RETENTION: '876000h', SIGNET_ROLES: 'api' }

let database: Awaited<ReturnType<typeof emptyDatabase>>
let inside: pg.Client
let notes: Notes
let signet: Signet

beforeAll(async () => {
  notes = readNotes()
  database = await emptyDatabase()
  const restoring = new pg.Client(database)
  await restoring.connect()
  await restoring.query(readDump())
  // It sets a search path of its own.
  await restoring.end()
  inside = new pg.Client(database)
  await inside.connect()
})
afterAll(async () => {
  await signet?.stop()
  await inside?.end()
  await database?.drop()
})

const read = async (path: string) => (await signet.as(notes.organization, 'GET', path)).body.result

describe('A database of 0.1.0', () => {
  test('It keeps every row when it is migrated', async () => {
    await migrate(database, async () => {})
    const { rows } = await inside.query<{ table: string; count: number }>(countRows)
    const counts = Object.fromEntries(rows.map(({ table, count }) => [table, count]))
    expect(counts).toMatchObject({ ...notes.rows, schema_migrations: expect.any(Number) })
  })

  test('A service starts on it, and the interface gives what was stored', async () => {
    const { baseUrl, masterKey } = notes
    const env = { ...settings, SIGNET_BASE_URL: baseUrl }
    signet = await startSignet({ databaseUrl: database.url, masterKey, env })
    expect(await read(`/persons/${notes.personId}`)).toMatchObject({ active: true, groups: ['engineering'] })
    expect(await read(`/persons/${notes.personId}/identities`)).toMatchObject([{ provider: 'provider_a' }])
    expect(await read('/organizations/applications')).toHaveLength(1)
    expect(await read('/organizations/sso/oidc/provider-credentials')).toHaveLength(1)
  })

  test('Secrets are decrypted with its master key', async () => {
    const { custom_headers } = await read(`/organizations/webhooks/${notes.webhookId}`)
    expect(custom_headers).toEqual({ authorization: ['Bearer for this dump alone'] })
  })

  test('Deliveries of every state are shown', async () => {
    const webhooks = await read('/organizations/webhooks')
    const lists = await Promise.all(
      webhooks.map(({ id }: { id: string }) => read(`/organizations/webhooks/${id}/deliveries`)),
    )
    const states = new Set(lists.flat().map(({ status }) => status))
    expect([...states].sort()).toEqual(['cancelled', 'dropped', 'held', 'in_flight', 'pending', 'succeeded'])
  })
})
