import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import {
  createAuthentication,
  createOrganization,
  type KeyAuthentication,
} from '../../src/identity/organizations/index.ts'
import { testDatabase } from '../support/database.ts'
import { makeRecord } from '../support/recorder.ts'

const startOfMinute = Math.floor(Date.now() / 60_000) * 60_000

const timestamp = (ms: number) => new Date(ms).toISOString()

let drop: () => Promise<void>
let database: Database

beforeAll(async () => {
  const connection = await testDatabase()
  drop = connection.drop
  database = openDatabase(connection)
})

afterAll(async () => {
  await database.close()
  await drop()
})

const clock = { now: () => now }
let now: number

const newOrganization = () =>
  database.transaction((tx) =>
    createOrganization(
      tx,
      { name: 'x', pricingTier: 'unlimited' },
      { clock, createSigningKeys: async () => {}, record: makeRecord(clock) },
    ),
  )

/** A process of its own, as far as keys go. */
const newProcess = () =>
  createAuthentication({
    database,
    clock,
    operatorKey: () => undefined,
    operatorGroup: undefined,
    tiers: { unlimited: {} },
  })

/** `version` is another one after every write of the row. */
async function keyOf(organizationId: string) {
  const [row] = await database.write.rows(sql<{ last_used_at: Date | null; version: string }>`
    select last_used_at, xmin::text as version from api_keys where org_id = ${organizationId}`)
  return row
}

const lastUse = async (organizationId: string) => (await keyOf(organizationId))?.last_used_at?.toISOString()

/** Uses are written in turn: once a later one is there, so are those before. */
async function untilWritten(authentication: KeyAuthentication) {
  const { id, apiKey } = await newOrganization()
  await authentication.authenticateKey(id, apiKey)
  await expect.poll(() => lastUse(id)).toBeDefined()
}

test('The use of a key is recorded to the minute, once a minute', async () => {
  now = startOfMinute + 12_345
  const { id, apiKey } = await newOrganization()
  const processes = [newProcess(), newProcess()]
  expect(await lastUse(id)).toBeUndefined()

  expect(await processes[0]?.authenticateKey(id, apiKey)).toBeDefined()
  await expect.poll(() => lastUse(id)).toBe(timestamp(startOfMinute))
  const noted = await keyOf(id)

  now = startOfMinute + 59_999
  for (const each of processes) {
    for (let use = 0; use < 20; use++) await each.authenticateKey(id, apiKey)
    await untilWritten(each)
  }
  expect(await keyOf(id)).toEqual(noted)

  now = startOfMinute + 60_000
  await processes[1]?.authenticateKey(id, apiKey)
  await expect.poll(() => lastUse(id)).toBe(timestamp(startOfMinute + 60_000))
})

test('A use that cannot be recorded fails no request, and the next one is recorded', async () => {
  now = startOfMinute
  const { id, apiKey } = await newOrganization()
  const authentication = newProcess()
  await database.write.rows(sql`alter table api_keys add constraint refusing check (last_used_at is null) not valid`)
  for (let use = 0; use < 3; use++) expect(await authentication.authenticateKey(id, apiKey)).toBeDefined()
  // Waits for the write in progress, which has the table.
  await database.write.rows(sql`alter table api_keys drop constraint refusing`)
  now = startOfMinute + 60_000
  expect(await authentication.authenticateKey(id, apiKey)).toBeDefined()
  await expect.poll(() => lastUse(id)).toBe(timestamp(startOfMinute + 60_000))
})
