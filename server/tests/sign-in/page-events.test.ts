import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { type App, type Issuers, signedIn, startIssuers } from '../support/issuer.ts'
import { refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

const event_name = 'VirtualPageLoaded_v1'
const page = { event_name, window_location: 'https://app.test/orders' }
const invalid = refused(401, 'Authorization: must be absent, or Bearer with a valid ID token of this organization')
const hour = 3_600_000

let issuers: Issuers
let organization: Organization
let app: App
let personId: string

beforeAll(async () => {
  issuers = await startIssuers({ SIGNET_REGION: 'eu' })
  // One for all tests: it takes a second to make the keys of an issuer.
  organization = await issuers.organization()
})

afterAll(() => issuers?.stop())

beforeEach(async () => {
  issuers.clock.reset()
  await issuers.database.write.rows(sql`delete from events`)
  app = await issuers.app(organization)
  personId = await issuers.person(organization)
})

async function signIn(at: App = app, claims: Record<string, unknown> = {}) {
  const request = await issuers.request(at)
  const result = signedIn(personId, issuers.clock.now(), claims)
  const end = await issuers.signIn(issuers.browser(), at, request, result)
  return issuers.exchange(at, request, end)
}

const idTokenOf = async (at?: App, claims?: Record<string, unknown>) => String((await signIn(at, claims)).id_token)

const tell = (token?: string, { id }: Organization = organization) =>
  issuers.call(
    'POST',
    '/sdk/events',
    { 'Service-OrgID': id, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    page,
  )

async function storedEvents({ id }: Organization = organization) {
  const rows = await issuers.database.read.rows(sql<{ payload: string }>`
    select payload from events where org_id = ${id} and name = ${event_name} order by id`)
  return rows.map(({ payload }) => JSON.parse(payload))
}

/** The claims of an ID token, signed with the key that the issuer itself signs with, under the same header. */
async function signAnew(idToken: string, claims: Record<string, unknown>) {
  const [header = '', payload = ''] = idToken.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { kid, alg } = JSON.parse(header)
  const [key] = await issuers.database.read.rows(sql<{ private_key: Buffer }>`
    select private_key from issuer_keys where org_id = ${organization.id} and kid = ${kid}`)
  const place = { organizationId: organization.id, column: 'issuer_keys.private_key' }
  const der = issuers.keyring.decrypt(key?.private_key as Buffer, place)
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return new SignJWT({ ...JSON.parse(payload), ...claims }).setProtectedHeader({ kid, alg }).sign(privateKey)
}

describe('A page event with an ID token', () => {
  // Proves 6.1/17.
  test.each(['RS256', 'ES256'])('An ID token signed with %s names the person and the region (6.1)', async (alg) => {
    const other = await issuers.app(organization, { id_token_signed_response_alg: alg, confidential: true })
    expect(await tell(await idTokenOf(other))).toMatchObject({ status: 202, body: {} })
    expect(await storedEvents()).toMatchObject([{ event_metadata: { source: 2 }, person_id: personId, region: 'eu' }])
  })

  test('A page event with an ID token of the same claims from an issuer is accepted, so the tests below fail by their change', async () => {
    expect((await tell(await signAnew(await idTokenOf(), {}))).status).toBe(202)
  })

  test('A page event without an ID token names nobody', async () => {
    await tell()
    const [event] = await storedEvents()
    expect(event).not.toHaveProperty('person_id')
    expect(event).not.toHaveProperty('region')
  })
})

describe('A page event with a refused ID token: 401, and nothing is published', () => {
  const expectRefused = async (token: string, of: Organization = organization) => {
    expect(await tell(token, of)).toMatchObject(invalid)
    expect(await storedEvents(of)).toEqual([])
  }

  test('An ID token is refused once it has expired', async () => {
    const token = await idTokenOf()
    issuers.clock.advance(hour - 60_000)
    expect((await tell(token)).status).toBe(202)
    issuers.clock.advance(61_000)
    expect(await tell(token)).toMatchObject(invalid)
    expect(await storedEvents()).toHaveLength(1)
  })

  test('An ID token of another organization is refused', async () => {
    await expectRefused(await idTokenOf(), await issuers.organization())
  })

  test('An ID token whose signature, or anything that is signed, was changed is refused', async () => {
    const [header, payload = '', signature = ''] = (await idTokenOf()).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const other = Buffer.from(JSON.stringify({ ...claims, sub: organization.id })).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    await expectRefused(`${header}.${other}.${signature}`)
    await expectRefused(`${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`)
    await expectRefused(`${none}.${payload}.`)
  })

  test.each<[string, Record<string, unknown>]>([
    ['for an application that there is not', { aud: '01890000-0000-7000-8000-000000000000' }],
    ['for no application', { aud: undefined }],
    ['for several', { aud: ['a', 'b'] }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['that never expires', { exp: undefined }],
    ['about nobody', { sub: undefined }],
    ['about a person that there is not', { sub: '01890000-0000-7000-8000-000000000000' }],
  ])('An ID token %s is refused, whoever signed it', async (_what, claims) => {
    await expectRefused(await signAnew(await idTokenOf(), claims))
  })

  test('An ID token of an application that was deleted is refused', async () => {
    const token = await idTokenOf()
    await issuers.as(organization, 'DELETE', `/organizations/applications/${app.clientId}`)
    await expectRefused(token)
  })

  test('An ID token of a person who was deactivated is refused, and accepted again once that is undone', async () => {
    const token = await idTokenOf()
    await issuers.as(organization, 'PATCH', `/persons/${personId}`, { active: false })
    await expectRefused(token)
    await issuers.as(organization, 'PATCH', `/persons/${personId}`, { active: true })
    expect((await tell(token)).status).toBe(202)
  })

  test('An ID token of a person who was deleted is refused', async () => {
    const token = await idTokenOf()
    await issuers.as(organization, 'DELETE', `/persons/${personId}`)
    await expectRefused(token)
  })

  test('An access token is refused as an ID token', async () => {
    await expectRefused((await signIn()).access_token)
  })
})

test('A page event waits for a change of its person that is being made, and goes by it', async () => {
  const token = await idTokenOf()
  let telling: ReturnType<typeof tell> | undefined
  await issuers.database.transaction(async (tx) => {
    await tx.rows(sql`update persons set active = false where org_id = ${organization.id} and id = ${personId}`)
    telling = tell(token)
    const waiting = sql`select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    await expect.poll(() => tx.rows(waiting), { timeout: 30_000 }).toHaveLength(1)
  })
  expect(await telling).toMatchObject(invalid)
  expect(await storedEvents()).toEqual([])
})

test('Hook claims do not decide whose page it is', async () => {
  expect((await tell(await idTokenOf(app, { person_id: 'x', region: 'us' }))).status).toBe(202)
  expect(await storedEvents()).toMatchObject([{ person_id: personId, region: 'eu' }])
})
