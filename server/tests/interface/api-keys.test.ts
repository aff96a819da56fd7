import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeOrganizations,
  nameRule,
  newOrganization,
  openOrganizations,
  operate,
  ours,
  signet,
  unknownId,
  utcForm,
  uuidForm,
} from '../support/own-organizations.ts'
import { keyNotValid, refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

beforeAll(openOrganizations)
afterAll(closeOrganizations)
beforeEach(() => newOrganization())

const areas = [
  ...[
    'groups',
    'persons',
    'webhooks',
    'hooks',
    'deliveries',
    'events',
    'credentials',
    'directories',
    'applications',
    'resources',
    'settings',
  ],
  ...['api-keys', 'audit-log'],
]

async function newKey(fields: object = {}): Promise<Organization & { keyId: string }> {
  const { body } = await ask('POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}

async function keyIds(): Promise<string[]> {
  const { body } = await ask('GET', '/organizations/api-keys?limit=1000')
  return body.result.map((key: { id: string }) => key.id)
}

describe('An API key', () => {
  test('An API key is shown once, with what it was created with, and works at once', async () => {
    const fields = { name: 'CI', read_only: true, expires_at: '2199-12-31T23:59:59+01:00' }
    const { status, body } = await ask('POST', '/organizations/api-keys', fields)
    const shown = {
      id: expect.stringMatching(uuidForm),
      name: 'CI',
      scopes: areas.map((area) => `${area}:read`),
      read_only: true,
      created_at: expect.stringMatching(utcForm),
      expires_at: '2199-12-31T22:59:59.000Z',
    }
    expect(status).toBe(201)
    expect(body.result).toEqual({ ...shown, api_key: expect.stringMatching(/^signet_/) })
    const list = await signet.as({ ...ours, apiKey: body.result.api_key }, 'GET', '/organizations/api-keys')
    expect(list.body.result[0]).toMatchObject({ ...shown, id: body.result.id, created_at: body.result.created_at })
    expect(JSON.stringify(list.body)).not.toContain('signet_')
  })

  test('An API key may write and does not expire, unless it says so', async () => {
    const { body } = await ask('POST', '/organizations/api-keys', {})
    expect(Object.keys(body.result).toSorted()).toEqual(['api_key', 'created_at', 'id', 'read_only', 'scopes'])
    expect(body.result.read_only).toBe(false)
    const both = areas.flatMap((area) => [`${area}:read`, `${area}:write`])
    expect(body.result.scopes).toEqual(both.filter((scope) => scope !== 'audit-log:write'))
  })

  test('Several API keys are valid at once', async () => {
    for (const key of [ours, await newKey(), await newKey({ read_only: true })])
      expect((await signet.as(key, 'GET', '/groups')).status).toBe(200)
  })

  test('The list of API keys has their last use to the minute, the newest first, in pages', async () => {
    const unused = await newKey()
    const listed = async () => (await ask('GET', '/organizations/api-keys')).body
    await expect
      .poll(async () => (await listed()).result[1].last_used_at)
      .toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/)
    const { result, meta } = await listed()
    expect(result.map((key: { id: string }) => key.id)).toEqual((await keyIds()).toSorted().toReversed())
    expect(result[0].id).toBe(unused.keyId)
    expect(result[0]).not.toHaveProperty('last_used_at')
    expect(meta.pagination.total_count).toBe(2)
    expect((await ask('GET', '/organizations/api-keys?limit=1&offset=1')).body.result).toEqual([result[1]])
  })

  test.each<[string, object, string]>([
    ['an empty name', { name: '' }, nameRule],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, nameRule],
    [
      'a name that turns what follows around',
      { name: 'reverse \u202e' },
      'name: must not contain control or format characters, such as line breaks',
    ],
    ['read_only that is no boolean', { read_only: 'yes' }, 'read_only: must be a boolean'],
    ['a past expires_at', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at: must be in the future'],
    ['expires_at without a zone', { expires_at: '2199-01-01T00:00:00' }, 'expires_at: must be a time as in RFC 3339'],
    ['expires_at on a day alone', { expires_at: '2199-01-01' }, 'expires_at: must be a time as in RFC 3339'],
    ['expires_at on no day', { expires_at: '2199-02-29T00:00:00Z' }, 'expires_at: must be a time as in RFC 3339'],
    ['expires_at in no month', { expires_at: '2199-13-01T00:00:00Z' }, 'expires_at: must be a time as in RFC 3339'],
    ['expires_at at 24 hours', { expires_at: '2199-01-01T24:00:00Z' }, 'expires_at: must be a time as in RFC 3339'],
    ['expires_at as a number', { expires_at: 7_000_000_000 }, 'expires_at: must be a time as in RFC 3339'],
    ['an unknown field', { scope: 'all' }, 'scope: is not a known field; did you mean scopes?'],
  ])('An API key with %s is 400', async (_name, body, message) => {
    expect(await ask('POST', '/organizations/api-keys', body)).toMatchObject(refused(400, message))
  })

  test('An API key is refused from the moment its revocation is answered, also the one that revokes itself', async () => {
    const second = await newKey()
    const revoke = await signet.as(second, 'DELETE', `/organizations/api-keys/${second.keyId}`)
    expect(revoke).toMatchObject({ status: 204, body: undefined })
    expect(await signet.as(second, 'GET', '/groups')).toMatchObject(keyNotValid)
    expect(await keyIds()).not.toContain(second.keyId)
    const again = await ask('DELETE', `/organizations/api-keys/${second.keyId}`)
    expect(again).toMatchObject(refused(404, 'API key: not found'))
  })

  test('An API key that is unknown, or of another organization, is 404', async () => {
    const theirs = await signet.organization()
    const { body } = await signet.as(theirs, 'POST', '/organizations/api-keys', {})
    for (const id of [unknownId, 'x', body.result.id])
      expect(await ask('DELETE', `/organizations/api-keys/${id}`)).toMatchObject(refused(404, 'API key: not found'))
    expect((await signet.as({ ...theirs, apiKey: body.result.api_key }, 'GET', '/groups')).status).toBe(200)
  })

  test('The first key of an organization has a name, so that no entry of its audit log is of a key without one', async () => {
    await ask('POST', '/groups', { name: 'engineering' })
    const { body } = await ask('GET', '/organizations/audit-log?action=createGroup')
    const first = (await ask('GET', '/organizations/api-keys')).body.result.at(-1)
    expect(first.name).toBe('First key')
    expect(body.result[0].actor).toEqual({ type: 'key', id: first.id, name: 'First key' })
  })

  test('An API key is renamed, stays what it is, and the audit log has both names', async () => {
    const key = await newKey({ name: 'CI', scopes: ['groups:read'] })
    const path = `/organizations/api-keys/${key.keyId}`
    const { status, body } = await ask('PATCH', path, { name: 'Deployment' })
    expect(status).toBe(200)
    const listed = async () => (await ask('GET', '/organizations/api-keys')).body.result[0]
    expect(body.result).toEqual(await listed())
    expect(body.result).toMatchObject({ id: key.keyId, name: 'Deployment', scopes: ['groups:read'] })
    expect((await signet.as(key, 'GET', '/groups')).status).toBe(200)
    expect((await ask('PATCH', path, {})).body.result.name).toBe('Deployment')
    expect((await ask('PATCH', path, { name: null })).body.result).not.toHaveProperty('name')
    expect(await listed()).not.toHaveProperty('name')
    const log = await ask('GET', '/organizations/audit-log?action=changeApiKey')
    expect(log.body.result).toMatchObject([
      { before: { name: 'Deployment' }, after: { id: key.keyId } },
      { before: { name: 'CI' }, after: { name: 'Deployment' } },
    ])
    expect(log.body.result).toHaveLength(2)
    expect(JSON.stringify(log.body)).not.toContain(key.apiKey)
  })

  test.each<[string, object, string]>([
    ['an empty name', { name: '' }, `${nameRule}, or null`],
    ['a member that does not change', { scopes: ['groups:read'] }, 'scopes: is not a known field'],
  ])('To rename an API key with %s is 400', async (_name, body, message) => {
    const { keyId } = await newKey()
    expect(await ask('PATCH', `/organizations/api-keys/${keyId}`, body)).toMatchObject(refused(400, message))
  })

  test('A key renames only keys within its own scopes and expiry', async () => {
    const [first] = await keyIds()
    const within = await newKey({ scopes: ['groups:read'], expires_at: '2100-01-01T00:00:00Z' })
    const beyond = await newKey({ scopes: ['groups:write'], expires_at: '2100-01-01T00:00:00Z' })
    const narrow = await newKey({ scopes: ['api-keys:write', 'groups:read'], expires_at: '2150-01-01T00:00:00Z' })
    const rename = async (id: string | undefined) =>
      (await signet.as(narrow, 'PATCH', `/organizations/api-keys/${id}`, { name: 'New' })).status
    expect([await rename(within.keyId), await rename(narrow.keyId)]).toEqual([200, 200])
    expect([await rename(beyond.keyId), await rename(first)]).toEqual([403, 403])
    for (const id of [unknownId, 'x'])
      expect(await ask('PATCH', `/organizations/api-keys/${id}`, { name: 'New' })).toMatchObject(
        refused(404, 'API key: not found'),
      )
  })

  test('The last admin key cannot be revoked, whatever other keys there are: 409', async () => {
    const [first] = await keyIds()
    await newKey({ read_only: true })
    await newKey({ scopes: ['api-keys:write', 'settings:write'] })
    const refusal = refused(409, 'API key: the last admin key cannot be revoked')
    expect(await ask('DELETE', `/organizations/api-keys/${first}`)).toMatchObject(refusal)
    const expiring = await newKey({ expires_at: '2199-01-01T00:00:00Z' })
    expect((await ask('DELETE', `/organizations/api-keys/${first}`)).status).toBe(204)
    const lastOne = await signet.as(expiring, 'DELETE', `/organizations/api-keys/${expiring.keyId}`)
    expect(lastOne).toMatchObject(refusal)
  })

  test('An API key that has expired does not count as an admin key', async () => {
    const [first] = await keyIds()
    const expiring = await newKey({ expires_at: new Date(Date.now() + 3_000).toISOString() })
    await expect.poll(async () => (await signet.as(expiring, 'GET', '/groups')).status, { timeout: 30_000 }).toBe(401)
    expect((await ask('DELETE', `/organizations/api-keys/${first}`)).status).toBe(409)
  })

  test('An organization has at most 100 API keys, and the operator can create ten more', async () => {
    const more = await Promise.all(Array.from({ length: 99 }, () => ask('POST', '/organizations/api-keys', {})))
    expect(new Set(more.map((answer) => answer.status))).toEqual(new Set([201]))
    const full = (count: number) => refused(409, `API keys: there are ${count} already; revoke one`)
    expect(await ask('POST', '/organizations/api-keys', {})).toMatchObject(full(100))
    const path = `/organizations/${ours.id}/api-keys`
    const tenMore = await Promise.all(Array.from({ length: 10 }, () => operate('POST', path, {})))
    expect(new Set(tenMore.map((answer) => answer.status))).toEqual(new Set([201]))
    expect(await operate('POST', path, {})).toMatchObject(full(110))
  })

  test('An API key that the operator created works like any other', async () => {
    const { status, body } = await operate('POST', `/organizations/${ours.id}/api-keys`, {
      name: 'rescue',
      read_only: true,
    })
    expect({ status, name: body.result.name }).toEqual({ status: 201, name: 'rescue' })
    const rescued = { id: ours.id, apiKey: body.result.api_key }
    expect((await signet.as(rescued, 'GET', '/groups')).status).toBe(200)
    expect((await signet.as(rescued, 'POST', '/groups', { name: 'ab' })).status).toBe(403)
  })
})
