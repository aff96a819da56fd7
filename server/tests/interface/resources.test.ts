import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

const collection = '/organizations/resources'
const unknownId = '01890000-0000-7000-8000-000000000000'
const required = { identifier: 'https://api.example.com', name: 'Orders' }
const noResource = refused(404, 'resource: not found')
const lifetimeRule = 'token_lifetime: must be a duration from 1s to 24h0m0s, such as 10m'
const scopesRule = 'scopes: must be an array of at most 100 scopes, none of them twice'
const scopeRule = 'scopes[0]: must be 1 to 100 visible ASCII characters, without " and \\'

let signet: Signet
let ours: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
})
afterAll(() => signet?.stop())
beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
const create = (fields: object = {}) => ask('POST', collection, { ...required, ...fields })

describe('Resources', () => {
  test('A resource is made with defaults, read, listed, changed and deleted', async () => {
    const { status, body } = await create()
    expect({ status, result: body.result }).toEqual({
      status: 201,
      result: {
        id: expect.any(String),
        ...required,
        scopes: [],
        token_lifetime: '10m0s',
        created_at: expect.any(String),
      },
    })
    const at = `${collection}/${body.result.id}`
    expect((await ask('GET', at)).body).toEqual(body)
    expect((await ask('GET', collection)).body).toMatchObject({
      result: [body.result],
      meta: { pagination: { total_count: 1 } },
    })
    const changes = { name: 'All orders', scopes: ['orders:read', '!~'], token_lifetime: '90s' }
    const changed = { ...body.result, ...changes, token_lifetime: '1m30s' }
    expect((await ask('PATCH', at, changes)).body).toEqual({ result: changed })
    expect((await ask('PATCH', at, {})).body).toEqual({ result: changed })
    const restored = await ask('PATCH', at, { scopes: null, token_lifetime: null })
    expect(restored.body).toEqual({ result: { ...body.result, name: 'All orders' } })
    expect((await ask('DELETE', at)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expect(await ask(method, at)).toMatchObject(noResource)
    const { result } = (await ask('GET', '/organizations/audit-log')).body
    const entries = result.filter(({ target }: { target: { type: string } }) => target.type === 'resource')
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'deleteResource',
      'changeResource',
      'changeResource',
      'createResource',
    ])
  })

  test.each(['https://api.example.com/orders?x=1', 'http://localhost:3000', 'urn:example:api', 'com.example.api:/'])(
    'The identifier of a resource may be %s',
    async (identifier) => {
      expect((await create({ identifier })).body.result).toMatchObject({ identifier })
    },
  )

  test.each<[object, string]>([
    [{ identifier: 'orders' }, 'identifier: must be absolute, with its scheme in lower case'],
    [{ identifier: '/orders' }, 'identifier: must be absolute, with its scheme in lower case'],
    [{ identifier: 'urn:' }, 'identifier: must be absolute, with its scheme in lower case'],
    [{ identifier: 'https://api.example.com#a' }, 'identifier: must not have a fragment'],
    [{ identifier: 'https://api.example.com/\u00e9' }, 'identifier: must have only the characters of a URI'],
    [{ identifier: 'https:api' }, 'identifier: must have a host'],
    [{ identifier: 'https://[x' }, 'identifier: must be a valid URI'],
    [{ identifier: `https://api.example.com/${'a'.repeat(2_048)}` }, 'identifier: must be at most 2048 characters'],
    [{ name: '' }, 'name: must be 1 to 200 characters'],
    [{ scopes: 'a' }, scopesRule],
    [{ scopes: ['a', 'a'] }, scopesRule],
    [{ scopes: Array.from({ length: 101 }, (_, index) => `s${index}`) }, scopesRule],
    [{ scopes: ['a b'] }, scopeRule],
    [{ scopes: [''] }, scopeRule],
    [{ scopes: ['"'] }, scopeRule],
    [{ scopes: ['openid'] }, 'scopes[0]: must not be openid, a scope of sign-in'],
    [{ token_lifetime: '0s' }, lifetimeRule],
    [{ token_lifetime: '25h' }, lifetimeRule],
    [{ token_lifetime: 'soon' }, lifetimeRule],
    [{ id: unknownId }, 'id: is not a known field'],
  ])('A resource with %j is refused', async (fields, message) => {
    expect(await create(fields)).toMatchObject(refused(400, message))
    expect((await ask('GET', collection)).body.result).toEqual([])
  })

  test('All that is wrong with a resource is said at once', async () => {
    const answer = await create({ identifier: 'x#', scopes: ['email'], token_lifetime: '0s' })
    expect(answer).toMatchObject(
      refused(
        400,
        'identifier: must not have a fragment',
        'scopes[0]: must not be email, a scope of sign-in',
        lifetimeRule,
      ),
    )
  })

  test('An identifier is that of one resource of an organization, character by character, and does not change', async () => {
    const { body } = await create()
    expect(await create()).toMatchObject(refused(409, 'identifier: is that of another resource'))
    expect((await create({ identifier: `${required.identifier}/` })).status).toBe(201)
    const changed = await ask('PATCH', `${collection}/${body.result.id}`, { identifier: 'urn:x' })
    expect(changed).toMatchObject(refused(400, 'identifier: is not a known field'))
    const theirs = await signet.organization()
    expect((await signet.as(theirs, 'POST', collection, required)).status).toBe(201)
  })

  test('A resource is not found by an unknown or malformed id, nor by another organization', async () => {
    const { body } = await create()
    ours = await signet.organization()
    for (const id of [unknownId, 'x', body.result.id])
      for (const [method, changes] of [['GET'], ['PATCH', {}], ['DELETE']] as const)
        expect(await ask(method, `${collection}/${id}`, changes)).toMatchObject(noResource)
  })

  test('Resources are of a scope of their own', async () => {
    const makeKey = async (scopes: string[]) => {
      const { body } = await ask('POST', '/organizations/api-keys', { scopes })
      return { id: ours.id, apiKey: body.result.api_key }
    }
    const [reading, other] = [await makeKey(['resources:read']), await makeKey(['applications:write'])]
    expect((await signet.as(reading, 'GET', collection)).status).toBe(200)
    expect((await signet.as(reading, 'POST', collection, required)).status).toBe(403)
    expect((await signet.as(other, 'GET', collection)).status).toBe(403)
  })

  test('An organization has at most 500 resources', async () => {
    for (let from = 0; from < 500; from += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => create({ identifier: `urn:r:${from + index}` })))
    expect(await create()).toMatchObject(refused(409, 'resources: an organization has at most 500'))
    expect((await ask('GET', `${collection}?limit=1`)).body.meta.pagination.total_count).toBe(500)
  })
})
