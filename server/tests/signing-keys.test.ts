import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runningClock, toTimestamp } from '../src/clock.ts'
import { type Database, openDatabase } from '../src/database/database.ts'
import { sql } from '../src/database/sql.ts'
import { makeId } from '../src/identifiers.ts'
import { createKeys, createVault, makeMasterKey, parseMasterKeys, type Vault } from '../src/keys/index.ts'
import { testDatabase } from './support/database.ts'

const minuteMs = 60_000
const clock = runningClock()
const vault = newVault()
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
  organizationId = makeId(clock.now())
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at)
    values (${organizationId}, 'Test', 'unlimited', ${toTimestamp(clock.now())})`)
})

function newVault(): Vault {
  const parsed = parseMasterKeys(makeMasterKey())
  if ('problem' in parsed) throw new Error(parsed.problem)
  return createVault(parsed.masterKeys)
}

/** A process of its own, as far as keys go: it remembers nothing yet. */
const newKeys = (own = vault) => createKeys({ database, clock, vault: own })

const publishedKids = async () => (await newKeys().publishedKeys(organizationId)).map((key) => key.kid)
const currentKid = async () => (await newKeys().signingKey(organizationId)).kid

async function makeKeys() {
  await database.transaction((tx) => newKeys().createSigningKeys(tx, organizationId))
  const [current, next] = (await publishedKids()) as [string, string]
  return { current, next }
}

async function setKey(kid: string, { signsFrom, withdrawnAt }: { signsFrom?: number; withdrawnAt?: number }) {
  const time = (ms: number | undefined) => (ms === undefined ? null : toTimestamp(ms))
  await database.write.rows(sql`
    update signing_keys
       set signs_from = coalesce(${time(signsFrom)}, signs_from), withdrawn_at = ${time(withdrawnAt)}
     where org_id = ${organizationId} and kid = ${kid}`)
}

test('a new organization has a key that signs, and the next one published after it', async () => {
  const { current, next } = await makeKeys()
  expect(await publishedKids()).toEqual([current, next])
  expect(await currentKid()).toBe(current)
})

test('the newest key that may sign does, and is the first of the set', async () => {
  const { current, next } = await makeKeys()
  const promotedAt = clock.now() + minuteMs
  await setKey(next, { signsFrom: promotedAt })
  expect([await currentKid(), ...(await publishedKids())]).toEqual([current, current, next])
  clock.set(promotedAt)
  expect([await currentKid(), ...(await publishedKids())]).toEqual([next, next, current])
})

test('a withdrawn key neither signs nor is published, from that time on', async () => {
  const { current, next } = await makeKeys()
  const withdrawnAt = clock.now() + minuteMs
  await setKey(next, { signsFrom: clock.now(), withdrawnAt })
  expect([await currentKid(), ...(await publishedKids())]).toEqual([next, next, current])
  clock.set(withdrawnAt)
  expect([await currentKid(), ...(await publishedKids())]).toEqual([current, current])
})

test('a process notices within a minute that another one changed the key', async () => {
  const { current, next } = await makeKeys()
  const keys = newKeys()
  expect((await keys.signingKey(organizationId)).kid).toBe(current)
  await setKey(next, { signsFrom: clock.now() })
  expect((await keys.signingKey(organizationId)).kid).toBe(current)
  clock.set(clock.now() + minuteMs)
  expect((await keys.signingKey(organizationId)).kid).toBe(next)
})

test('private keys are stored sealed, for their organization alone', async () => {
  await makeKeys()
  const otherId = makeId(clock.now())
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at)
    select ${otherId}::uuid, name, pricing_tier, created_at from organizations where id = ${organizationId}`)
  await database.write.rows(sql`
    insert into signing_keys select ${otherId}::uuid, kid, public_jwk, private_key, published_at, signs_from
      from signing_keys where org_id = ${organizationId}`)
  await expect(newKeys().signingKey(otherId)).rejects.toThrow('sealed for another place')
  await expect(newKeys(newVault()).signingKey(organizationId)).rejects.toThrow('master key')
})

test('an organization without keys has no signing key and an empty set', async () => {
  await expect(newKeys().signingKey(organizationId)).rejects.toThrow('no signing key')
  expect(await publishedKids()).toEqual([])
})
