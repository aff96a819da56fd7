import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { createKeys, type Keys } from '../../src/ground/keys/index.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { makeKeyring } from '../support/service.ts'

/** Stands still unless it is set. */
const clock = { now: () => now }
let now = Date.now()
const keyring = makeKeyring()
let drop: () => Promise<void>
let database: Database
let organizationId: string

beforeAll(async () => {
  const connection = await testDatabase()
  drop = connection.drop
  database = openDatabase(connection)
})

afterAll(async () => {
  await database.close()
  await drop()
})

beforeEach(async () => {
  organizationId = await newOrganization()
})

async function newOrganization(): Promise<string> {
  const id = makeId(clock.now())
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at)
    values (${id}, 'Test', 'unlimited', ${toTimestamp(clock.now())})`)
  return id
}

/** A process of its own, as far as keys go: it has looked up nothing yet. */
const newKeys = (own = keyring) => createKeys({ database, clock, keyring: own, keyLeadMs: 0, keyRotationMs: 0 })

const publishedKids = async () => (await newKeys().publishedKeys(organizationId)).map((key) => key.kid)

async function makeKeys(id = organizationId) {
  await database.transaction((tx) => newKeys().createSigningKeys(tx, id))
}

/** What finds a signer for this organization, and what is told of it when there is none. */
async function find(keys: Keys, id = organizationId) {
  const problems: string[] = []
  const signers = await keys.findSigners([id], (about, error) => problems.push(`${about} ${(error as Error).message}`))
  return { signer: signers.get(id), problems }
}

async function signingKid(keys: Keys) {
  const { signer } = await find(keys)
  return signer && signer.goodForMs() > 0 ? signer.key.kid : undefined
}

test('A new organization has a key that signs, and the next one published after it', async () => {
  await makeKeys()
  const kids = await publishedKids()
  expect(kids).toHaveLength(2)
  expect(await signingKid(newKeys())).toBe(kids[0])
})

test('A process looks for the key again after two seconds, however often it signs', async () => {
  await makeKeys()
  const [current, next] = await publishedKids()
  const keys = newKeys()
  expect(await signingKid(keys)).toBe(current)
  await newKeys().rotate(organizationId, async () => {})
  now += 1_999
  expect(await signingKid(keys)).toBe(current)
  now += 1
  expect(await signingKid(keys)).toBe(next)
})

test('A key that was looked up signs for five seconds and no longer, whichever way the clock is set', async () => {
  await makeKeys()
  const lookedUpAt = now
  const { signer } = await find(newKeys())
  expect(signer?.goodForMs()).toBe(5_000)
  now = lookedUpAt + 4_999
  expect(signer?.goodForMs()).toBe(1)
  now = lookedUpAt + 5_000
  expect(signer?.goodForMs()).toBe(0)
  now = lookedUpAt - 5_000
  expect(signer?.goodForMs()).toBe(0)
})

test('A look-up gives a signer that is good for three seconds at the least', async () => {
  await makeKeys()
  const keys = newKeys()
  await find(keys)
  now += 1_999
  const { signer } = await find(keys)
  now += 2_999
  expect(signer?.goodForMs()).toBeGreaterThan(0)
})

test('Private keys are stored encrypted, for their organization alone', async () => {
  await makeKeys()
  const otherId = await newOrganization()
  await database.write.rows(sql`
    insert into signing_keys select ${otherId}::uuid, kid, public_jwk, private_key, published_at, signs_from
      from signing_keys where org_id = ${organizationId}`)
  const place = 'signing_keys.private_key of organization'
  expect((await find(newKeys(), otherId)).problems).toEqual([
    `${otherId} ${place} ${otherId}: changed since it was encrypted, or encrypted for another organization or column`,
  ])
  expect((await find(newKeys(makeKeyring()))).problems).toEqual([
    `${organizationId} ${place} ${organizationId}: encrypted under a master key that was not given`,
  ])
})

test('An organization without keys has no signer and an empty set, and holds up no other one', async () => {
  expect(await find(newKeys())).toEqual({
    signer: undefined,
    problems: [`${organizationId} organization ${organizationId}: no signing key`],
  })
  expect(await publishedKids()).toEqual([])
  const otherId = await newOrganization()
  await makeKeys(otherId)
  const signers = await newKeys().findSigners([organizationId, otherId, otherId], () => {})
  expect([...signers.keys()]).toEqual([otherId])
})
