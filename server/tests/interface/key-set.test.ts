import { importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

let signet: Signet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

const keySet = (headers: Record<string, string>) =>
  signet.call('GET', '/organizations/webhooks/verification-jwks', headers)
const keysOf = async ({ id }: Organization) => (await keySet({ 'Service-OrgID': id })).body.keys

describe('The verification key set (4.8)', () => {
  // Proves 2.6/1, 2.6/2, 2.6/3, 2.6/4, 4.8/1.
  test('The key set needs no API key, and is bare, with exactly the fields of 2.6, for five minutes', async () => {
    const { status, headers, body } = await keySet({ 'Service-OrgID': organization.id })
    expect({ status, type: headers.get('content-type'), kept: headers.get('cache-control') }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      kept: 'max-age=300',
    })
    const coordinate = expect.stringMatching(/^[\w-]{43}$/)
    const key = {
      alg: 'ES256',
      crv: 'P-256',
      key_ops: ['verify'],
      kid: coordinate,
      kty: 'EC',
      use: 'sig',
      x: coordinate,
      y: coordinate,
    }
    expect(body).toEqual({ keys: [key, key] })
  })

  // Proves 2.6/1.
  test('The key set holds the signing key and the next one, the same at each call', async () => {
    const keys = await keysOf(organization)
    expect(new Set(keys.map((key: { kid: string }) => key.kid)).size).toBe(2)
    expect(await keysOf(organization)).toEqual(keys)
  })

  // Proves 2.6/3.
  test('The key set holds public keys of P-256 that another library reads', async () => {
    for (const key of await keysOf(organization))
      expect(await importJWK(key)).toMatchObject({ type: 'public', algorithm: { name: 'ECDSA', namedCurve: 'P-256' } })
  })

  // Proves 2.6/4.
  test('The key set is that of one organization alone', async () => {
    const [ours, theirs] = await Promise.all([keysOf(organization), keysOf(await signet.organization())])
    for (const field of ['kid', 'x', 'y'])
      expect(new Set([...ours, ...theirs].map((key: Record<string, string>) => key[field])).size).toBe(4)
  })

  // Proves 4.8/4.
  test('The key set is found by its address alone, whatever a header says', async () => {
    const other = await signet.organization()
    const byPath = (id: string, headers: Record<string, string> = {}) =>
      signet.call('GET', `/organizations/${id}/webhooks/verification-jwks`, headers)
    const { status, headers, body } = await byPath(organization.id)
    expect({ status, keys: body.keys }).toEqual({ status: 200, keys: await keysOf(organization) })
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['max-age=300', null])
    for (const named of [other.id, 'x'])
      expect((await byPath(organization.id.toUpperCase(), { 'Service-OrgID': named })).body).toEqual(body)
    for (const id of ['x', '01890000-0000-7000-8000-000000000000'])
      expect(await byPath(id)).toMatchObject(refused(404, 'organization: not found'))
  })

  test('The key set has one rate limit for both its addresses', async () => {
    const { id } = await signet.organization()
    const ask = (turn: number) =>
      turn % 2
        ? keySet({ 'Service-OrgID': id })
        : signet.call('GET', `/organizations/${id}/webhooks/verification-jwks`, {})
    const statuses: number[] = []
    for (let turn = 0; turn < 70; turn++) statuses.push((await ask(turn)).status)
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(200))
    // A slow machine may ask so slowly that single calls are allowed again.
    expect(statuses.slice(60)).toContain(429)
  })

  test('The key set is cached for its organization alone, also by a shared cache', async () => {
    expect((await keySet({ 'Service-OrgID': organization.id })).headers.get('vary')).toBe('Service-OrgID')
  })

  // Proves 4.8/2.
  test.each<[string, Record<string, string>, number, string]>([
    ['no organization', {}, 400, 'Service-OrgID: is required'],
    ['a malformed organization', { 'Service-OrgID': 'x' }, 400, 'Service-OrgID: must be a UUID'],
    [
      'an unknown organization',
      { 'Service-OrgID': '01890000-0000-7000-8000-000000000000' },
      404,
      'organization: not found',
    ],
  ])('A key set request with %s is refused', async (_, headers, status, message) => {
    expect(await keySet(headers)).toMatchObject(refused(status, message))
  })

  test('A wrong API key does not matter to the key set', async () => {
    const { status } = await keySet({ 'Service-OrgID': organization.id, 'Service-API-Key': 'wrong' })
    expect(status).toBe(200)
  })

  test('The key set is still served right after its organization was deleted', async () => {
    const deleted = await signet.organization()
    const keys = await keysOf(deleted)
    await signet.operate('DELETE', `/organizations/${deleted.id}`)
    expect(await keysOf(deleted)).toEqual(keys)
  })

  test('The key set is limited to 60 calls at once for an organization and address: 429 with Retry-After', async () => {
    const { id } = await signet.organization()
    const answers = await Promise.all(Array.from({ length: 70 }, () => keySet({ 'Service-OrgID': id })))
    const [late] = answers.filter(({ status }) => status !== 200)
    // One more is allowed every two seconds, which a slow machine may need.
    const allowed = answers.filter(({ status }) => status === 200).length
    expect(allowed).toBeGreaterThanOrEqual(60)
    expect(allowed).toBeLessThan(70)
    expect(late).toMatchObject({ status: 429, body: { errors: [{ httpcode: 429 }] } })
    expect(['1', '2']).toContain(late?.headers.get('retry-after'))
    expect((await keySet({ 'Service-OrgID': organization.id })).status).toBe(200)
  })
})
