import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { createKeys, type Keys } from '../../src/ground/keys/index.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { kidOf, signedAt } from '../support/jwt.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring } from '../support/service.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const keyring = makeKeyring()

let connection: Awaited<ReturnType<typeof testDatabase>>
let database: Database

beforeAll(async () => {
  connection = await testDatabase()
  database = openDatabase(connection, 20)
})

afterAll(async () => {
  await database?.close()
  await connection?.drop()
})

/** An organization with its keys, in a time of its own that stands still unless it is set. */
async function newOrganization({ keyLeadMs = dayMs, keyRotationMs = 90 * dayMs, year = 2026 } = {}) {
  const time = { now: Date.UTC(year) }
  const clock = { now: () => time.now }
  const id = makeId(time.now)
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at)
    values (${id}, 'x', 'unlimited', ${toTimestamp(time.now)})`)
  /** A process of its own, as far as keys go. */
  const newKeys = () => createKeys({ database, clock, keyring, keyLeadMs, keyRotationMs })
  const keys = newKeys()
  await keys.createSigningKeys(database.write, id)
  const publishedKids = async () => (await newKeys().publishedKeys(id)).map(({ kid }) => kid)
  return { id, time, keys, newKeys, publishedKids, signingKid: () => signingKid(newKeys(), id) }
}

async function signingKid(keys: Keys, id: string): Promise<string | undefined> {
  const signer = (await keys.findSigners([id], (_, error) => expect.fail(String(error)))).get(id)
  return signer && signer.goodForMs() > 0 ? signer.key.kid : undefined
}

async function storedKids(id: string): Promise<string[]> {
  const rows = await database.write.rows(sql<{ kid: string }>`select kid from signing_keys where org_id = ${id}`)
  return rows.map(({ kid }) => kid)
}

const statusOf = (rotation: Promise<void>) =>
  rotation.then(
    () => 202,
    (error) => error.problems[0].httpcode,
  )

/** Begins all of them, and lets none go on until each waits for another one or for the key that they would promote. */
async function atOnce(id: string, calls: (() => Promise<void>)[]): Promise<number[]> {
  let statuses: Promise<number>[] = []
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from signing_keys where org_id = ${id} and signs_from is null for update`)
    statuses = calls.map((call) => statusOf(call()))
    await vi.waitFor(async () => expect(await waitingStatements()).toBe(calls.length), { timeout: 5_000 })
  })
  return Promise.all(statuses)
}

async function waitingStatements(): Promise<number> {
  const [row] = await database.write.rows(sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return row?.count ?? 0
}

/** The audit log is not what these tests are about. */
const unrecorded = async () => {}

describe.concurrent('A rotation', () => {
  test('A rotation lets the next key sign, adds a new next one, and keeps the old one for an hour', async () => {
    const { id, time, keys, publishedKids, signingKid } = await newOrganization()
    const [first, second] = await publishedKids()
    time.now += dayMs
    await keys.rotate(id, unrecorded)
    const [, , third] = await publishedKids()
    expect([first, second]).not.toContain(third)
    expect(await publishedKids()).toEqual([second, first, third])
    expect(await signingKid()).toBe(second)
    time.now += hourMs - 1
    expect(await publishedKids()).toEqual([second, first, third])
    time.now += 1
    expect(await publishedKids()).toEqual([second, third])
    expect(await signingKid()).toBe(second)
  })

  test('A rotation is refused until the next key was published for the lead time, counted anew each time', async () => {
    const { id, time, keys, publishedKids } = await newOrganization()
    const before = await publishedKids()
    const publishedAt = time.now
    for (const rotatesAt of [publishedAt + dayMs, publishedAt + 2 * dayMs]) {
      time.now = rotatesAt - 1
      const rule = `when the next key will have been published long enough`
      await expect(keys.rotate(id, unrecorded)).rejects.toMatchObject({
        problems: [
          { httpcode: 409, message: `emergency: must be true to rotate before ${toTimestamp(rotatesAt)}, ${rule}` },
        ],
      })
      time.now = rotatesAt
      await keys.rotate(id, unrecorded)
    }
    expect(await publishedKids()).not.toContain(before[0])
  })

  test('The keys show when each signs, through a rotation and one in an emergency', async () => {
    const { id, time, keys, publishedKids } = await newOrganization()
    const uses = async () => (await keys.keyUses(id)).map(({ kid, state }) => [kid, state])
    const start = time.now
    const [first, second] = await publishedKids()
    expect(await uses()).toEqual([
      [first, 'signing'],
      [second, 'published'],
    ])
    time.now += dayMs
    await keys.rotate(id, unrecorded)
    const [, , third] = await publishedKids()
    expect(await uses()).toEqual([
      [second, 'signing'],
      [third, 'published'],
      [first, 'retired'],
    ])
    expect((await keys.keyUses(id))[2]).toEqual({
      kid: first,
      state: 'retired',
      publishedAt: new Date(start),
      signsFrom: new Date(start),
      signsUntil: new Date(time.now),
      withdrawnAt: new Date(time.now + hourMs),
    })
    time.now += minuteMs
    await keys.rotateInEmergency(id, unrecorded)
    expect((await keys.keyUses(id)).map(({ state }) => state)).toEqual([
      'signing',
      'published',
      'withdrawn',
      'withdrawn',
    ])
    expect((await keys.keyUses(id))[2]).toMatchObject({ kid: second, withdrawnAt: new Date(time.now) })
  })

  test('An emergency rotation takes the next key however new, and withdraws at once all that have signed', async () => {
    const { id, time, keys, publishedKids, signingKid } = await newOrganization()
    time.now += dayMs
    await keys.rotate(id, unrecorded)
    time.now += minuteMs
    const [second, first, third] = await publishedKids()
    const answered = keys.rotateInEmergency(id, unrecorded)
    await vi.waitFor(async () => expect((await publishedKids())[0]).toBe(third), { timeout: 10_000 })
    // A process whose clock is behind sees the same.
    time.now -= minuteMs
    const [, fourth, ...others] = await publishedKids()
    expect([first, second, third]).not.toContain(fourth)
    expect(others).toEqual([])
    expect(await signingKid()).toBe(third)
    await answered
  })

  test('An emergency rotation is answered only when no process can sign with the old key any more', async () => {
    const { id, time, keys, publishedKids } = await newOrganization()
    const [first, second] = await publishedKids()
    time.now += minuteMs
    const running = { now: () => performance.now() }
    const other = createKeys({ database, clock: running, keyring, keyLeadMs: 0, keyRotationMs: 0 })
    const signer = (await other.findSigners([id], () => {})).get(id)
    expect(signer).toMatchObject({ key: { kid: first } })
    expect(signer?.goodForMs()).toBeGreaterThan(0)
    await keys.rotateInEmergency(id, unrecorded)
    expect(signer?.goodForMs()).toBeLessThanOrEqual(0)
    expect(await signingKid(other, id)).toBe(second)
  })

  test('Several rotations at once, by request and in an emergency, are one, and 409 for the others', async () => {
    const { id, time, newKeys, publishedKids } = await newOrganization()
    time.now += dayMs
    const before = await publishedKids()
    const kinds = ['rotate', 'rotateInEmergency', 'rotate', 'rotateInEmergency'] as const
    const calls = kinds.map((kind) => () => newKeys()[kind](id, unrecorded))
    expect((await atOnce(id, calls)).sort()).toEqual([202, 409, 409, 409])
    expect((await publishedKids())[0]).toBe(before[1])
    expect((await storedKids(id)).filter((kid) => !before.includes(kid))).toHaveLength(1)
  })

  test('An emergency rotation is refused a moment after another one, for then nobody knows the next key', async () => {
    const { id, time, keys, publishedKids } = await newOrganization()
    time.now += dayMs
    await keys.rotate(id, unrecorded)
    const kids = await publishedKids()
    time.now += 5_000
    const message = 'emergency: the keys were made or rotated a moment ago; ask again in some seconds'
    await expect(keys.rotateInEmergency(id, unrecorded)).rejects.toMatchObject({
      problems: [{ httpcode: 409, message }],
    })
    expect(await publishedKids()).toEqual(kids)
  })

  test('A rotation leaves one key that signs and one next key, whoever writes', async () => {
    const { id } = await newOrganization()
    const add = (signsFrom: string | null) =>
      database.write.rows(sql`
      insert into signing_keys (org_id, kid, public_jwk, private_key, published_at, signs_from)
      values (${id}, 'another', '{}', '', now(), ${signsFrom})`)
    await expect(add(null)).rejects.toThrow('signing_keys_next')
    await expect(add(toTimestamp(0))).rejects.toThrow('signing_keys_current')
  })
})

/** In a year of its own: the upkeep is for all organizations, and none of the others shall be due. */
describe('Scheduled rotation', () => {
  const year = 2000

  test('Scheduled rotation replaces a key that has signed for the set time, once, in however many processes', async () => {
    const { time, newKeys, publishedKids } = await newOrganization({ year })
    const [first, second] = await publishedKids()
    time.now += 90 * dayMs - 1
    await newKeys().rotateDueKeys()
    expect(await publishedKids()).toEqual([first, second])
    time.now += 1
    await Promise.all(Array.from({ length: 4 }, () => newKeys().rotateDueKeys()))
    const kids = await publishedKids()
    expect(kids).toEqual([second, first, expect.any(String)])
    await newKeys().rotateDueKeys()
    expect(await publishedKids()).toEqual(kids)
  })

  test('Scheduled rotation waits until the next key was published for the lead time', async () => {
    const { time, keys, publishedKids } = await newOrganization({ year, keyRotationMs: hourMs })
    time.now += dayMs - 1
    await keys.rotateDueKeys()
    expect(await publishedKids()).toHaveLength(2)
    time.now += 1
    await keys.rotateDueKeys()
    expect(await publishedKids()).toHaveLength(3)
  })

  test('Scheduled rotation removes a key once it has left the set, and no other one', async () => {
    const { id, time, keys } = await newOrganization({ year })
    time.now += dayMs
    await keys.rotate(id, unrecorded)
    time.now += hourMs - 1
    await keys.rotateDueKeys()
    expect(await storedKids(id)).toHaveLength(3)
    time.now += 1
    await keys.rotateDueKeys()
    expect(await storedKids(id)).toHaveLength(2)
  })

  test('Scheduled rotation leaves a deleted organization alone', async () => {
    const { id, time, keys } = await newOrganization({ year })
    await database.write.rows(sql`update organizations set deleted_at = now() where id = ${id}`)
    const before = await storedKids(id)
    time.now += 90 * dayMs
    await keys.rotateDueKeys()
    expect(await storedKids(id)).toEqual(before)
  })
})

describe('Two processes on one database', { timeout: 60_000 }, () => {
  const path = '/hook'
  let receiver: Receiver
  /** Publishes its keys for a day before they sign. */
  let api: Signet
  /** Its keys may sign at once. Makes the deliveries. */
  let worker: Signet
  let organization: Organization

  beforeAll(async () => {
    receiver = await startReceiver()
    api = await startSignet({ databaseUrl: connection.url, env: { SIGNET_ROLES: 'api' } })
    const env = { SIGNET_KEY_LEAD: '0s', SIGNET_BASE_URL: api.baseUrl, SIGNET_RATE_TEST_EVENTS: '99999/9999' }
    worker = await startSignet({ databaseUrl: connection.url, receiver, env })
    organization = await api.organization()
    await addWebhook(api, organization, receiver.url(path), ['PersonCreated_v1'])
  })

  afterAll(async () => {
    await Promise.all([api?.stop(), worker?.stop()])
    await receiver?.stop()
  })

  const rotate = (signet: Signet, body: object) =>
    signet.as(organization, 'POST', '/organizations/webhooks/verification-keys/rotate', body)

  async function keySet(): Promise<JSONWebKeySet> {
    const headers = { 'Service-OrgID': organization.id }
    return (await api.call('GET', '/organizations/webhooks/verification-jwks', headers)).body
  }

  /** As though some days had passed since the keys were made. */
  const letTimePass = () =>
    database.write.rows(sql`
    update signing_keys set published_at = published_at - interval '1 week' where org_id = ${organization.id}`)

  const kids = async () => (await keySet()).keys.map(({ kid }) => kid)

  /** Publishes one event and gives the JWT that the receiver got. */
  async function deliver(): Promise<string> {
    const before = receiver.received(path).length
    await worker.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
    return (await receiver.waitFor(path, before + 1)).at(-1)?.body ?? ''
  }

  test('A rotation before the lead time is 409, and changes nothing', async () => {
    const before = await kids()
    const answer = await rotate(api, {})
    expect(answer).toMatchObject({ status: 409, body: { errors: [{ httpcode: 409 }] } })
    expect(answer.body.errors[0].message).toMatch(/^emergency: must be true to rotate before \d{4}-/)
    expect(await rotate(api, { emergency: 'yes' })).toMatchObject(refused(400, 'emergency: must be a boolean'))
    expect(await kids()).toEqual(before)
  })

  test('A rotation is 202, and receivers know the key that signs from then on', async () => {
    const known = createLocalJWKSet(await keySet())
    const [first, second] = await kids()
    expect(kidOf(await deliver())).toBe(first)
    expect(await rotate(worker, { emergency: false })).toMatchObject({ status: 202, body: {} })
    expect((await kids()).slice(0, 2)).toEqual([second, first])
    await vi.waitFor(async () => expect(kidOf(await deliver())).toBe(second), { timeout: 10_000, interval: 250 })
    for (const { body } of receiver.received(path)) await jwtVerify(body, known)
  })

  test('Nothing is signed with a withdrawn key after the reply to an emergency rotation', async () => {
    await letTimePass()
    const known = createLocalJWKSet(await keySet())
    const [current] = await kids()
    let answeredAt = Number.POSITIVE_INFINITY
    const answer = rotate(api, { emergency: true }).finally(() => (answeredAt = Date.now()))
    const late = () => receiver.received(path).flatMap(({ body }) => (signedAt(body) >= answeredAt ? [body] : []))
    while (late().length < 6) await deliver()
    expect(await answer).toMatchObject({ status: 202, body: {} })
    const [signing] = await kids()
    expect([...new Set(late().map(kidOf))]).toEqual([signing])
    expect(await kids()).not.toContain(current)
    for (const jwt of late()) await jwtVerify(jwt, known)
  })

  test('A process that was stopped during an emergency rotation signs nothing with the withdrawn key', async () => {
    await letTimePass()
    const withdrawn = kidOf(await deliver())
    worker.process.kill('SIGSTOP')
    expect((await rotate(api, { emergency: true })).status).toBe(202)
    worker.process.kill('SIGCONT')
    const [signing] = await kids()
    expect(signing).not.toBe(withdrawn)
    expect(kidOf(await deliver())).toBe(signing)
  })
})
