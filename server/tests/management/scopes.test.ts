import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/ground/http/app.ts'
import { operation } from '../../src/ground/http/chain/operation.ts'
import {
  allScopes,
  ask,
  closeOwnKeys,
  inside,
  keys,
  keyWith,
  keyWithout,
  newOrganization,
  openOwnKeys,
  ours,
  signet,
  unknownId,
  webhooks,
} from '../support/own-keys.ts'
import { keyNotValid, refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

const lacks = (...scopes: string[]) => refused(403, `Service-API-Key: lacks the scope ${scopes.join()}`)

/** Everything but this scope and the one that covers it. */
const without = (scope: string) => keyWithout(scope, scope.replace(':read', ':write'))

type Operation = { name: string; method: string; path: string; scopes: string[]; isAdminOnly: boolean }
type Described = { security: { key?: string[] }[]; description?: string }

/** Those with a key, as the OpenAPI document has them. */
async function keyOperations(): Promise<Operation[]> {
  const { body } = await signet.call('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([verb, { security, description = '' }]) => {
      const scopes = security[0]?.key
      const isAdminOnly = description.endsWith(', and only admin keys.')
      const method = verb.toUpperCase()
      return scopes ? [{ name: `${method} ${path}`, method, path, scopes, isAdminOnly }] : []
    }),
  )
}

/** Its things do not exist, and its body is missing: whether the key may call it is decided before. */
const call = ({ method, path }: Operation, by: Organization) => {
  const body = path === keys ? { scopes: ['api-keys:read'] } : undefined
  return ask(method, path.replaceAll(/\{\w+\}/g, unknownId), method === 'GET' ? undefined : body, by)
}

/** Makes each thing once. */
function once<Made>(make: (name: string) => Promise<Made>) {
  const made = new Map<string, Promise<Made>>()
  return (name: string) => made.get(name) ?? (made.set(name, make(name)).get(name) as Promise<Made>)
}

describe('Every operation with a key', () => {
  test('Every operation refuses a key that lacks one of its scopes, with a 403 that names it', async () => {
    const keyWithout = once(without)
    const check = async (each: Operation, scope: string) => {
      const { status, body } = await call(each, await keyWithout(scope))
      expect({ status, message: body?.errors?.[0].message }, each.name).toEqual({
        status: 403,
        message: expect.stringMatching(
          each.isAdminOnly ? `must be an admin key.*${scope}` : `lacks the scope ${scope}$`,
        ),
      })
    }
    const operations = await keyOperations()
    expect(operations.length).toBeGreaterThan(50)
    await Promise.all(operations.flatMap((each) => each.scopes.map((scope) => check(each, scope))))
  })

  test('Every operation takes a key that has its scopes and no other, and reads with those that write', async () => {
    // Any key may call an operation without a scope, which shows each thing by the scope of that thing.
    const keyOf = once((scopes) => keyWith(...(scopes || 'audit-log:read').split(' ')))
    const check = async (each: Operation, scopes: string[]) => {
      const { status, body } = await call(each, await keyOf(scopes.join(' ')))
      if (!each.isAdminOnly) return expect([401, 403], `${each.name} ${JSON.stringify(body)}`).not.toContain(status)
      expect({ status, message: body.errors[0].message }, each.name).toEqual({
        status: 403,
        message: expect.stringContaining('must be an admin key, which has'),
      })
    }
    const writing = new Set(await allScopes())
    const stronger = (scope: string) => scope.replace(':read', ':write')
    const canBeStronger = ({ scopes }: Operation) => scopes.every((scope) => writing.has(stronger(scope)))
    const operations = await keyOperations()
    await Promise.all(operations.map((each) => check(each, each.scopes)))
    await Promise.all(operations.filter(canBeStronger).map((each) => check(each, each.scopes.map(stronger))))
  })

  test('Every operation takes an admin key', async () => {
    for (const each of await keyOperations())
      expect([401, 403], each.name).not.toContain((await call(each, ours)).status)
  })

  test('The page about API keys lists every operation with its scopes', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/use/api-keys.md'), 'utf8')
    const rows = page.matchAll(/^\| `([a-z-]+:(?:read|write))` \| .* \| (.*) \|$/gm)
    const listed = [...rows].flatMap(([, scope, cell = '']) =>
      [...cell.matchAll(/`([A-Z]+ [^`]+)`([^,]*)/g)].map(([, name, note = '']) => {
        const also = /also `(.*)`/.exec(note)?.slice(1) ?? []
        return [name, [scope, ...also], note.includes('admin keys only')]
      }),
    )
    const described = await keyOperations()
    const scoped = described.filter(({ scopes }) => scopes.length > 0)
    expect(listed.toSorted()).toEqual(scoped.map((each) => [each.name, each.scopes, each.isAdminOnly]).toSorted())
    const ofAnyKey = described.filter(({ scopes }) => scopes.length === 0)
    const [, ofAny = ''] = /^\| any \| .* \| (.*) \|$/m.exec(page) ?? []
    expect(ofAny.split(', ')).toEqual(ofAnyKey.map(({ name }) => `\`${name}\``))
  })

  test.each<[string, object]>([
    ['no scope', {}],
    ['a scope that writes, though it reads', { scope: 'groups:write' }],
    ['a scope that reads, though it writes', { scope: 'groups:read', method: 'POST' }],
    ['scopes of each thing, though it writes', { scopeOfEachThing: true, method: 'POST' }],
    ['scopes of each thing, and one of its own', { scopeOfEachThing: true, scope: 'groups:read' }],
    ['a scope, though it takes no key', { scope: 'groups:read', access: 'operator' }],
  ])('An operation with %s keeps the service from starting', async (_name, fields) => {
    const common = { id: 'getThings', method: 'GET', path: '/things', tag: 'Groups' }
    const operations = [operation({ ...common, summary: 'Get the things', handle: async () => 1, ...fields } as never)]
    await expect(buildApp({ operations } as never)).rejects.toThrow('getThings: its scopes do not fit')
  })
})

describe('The scopes of a key', () => {
  test('A key is shown with the scopes that it was made with, each once', async () => {
    const scopes = ['persons:write', 'groups:read']
    const { body } = await ask('POST', keys, { scopes: [...scopes, 'persons:write'] })
    expect(body.result).toMatchObject({ scopes, read_only: false })
    const reading = await keyWith('groups:read', 'api-keys:read')
    const { result } = (await ask('GET', keys, undefined, reading)).body
    expect(result[1]).toMatchObject({ id: body.result.id, scopes, read_only: false })
    expect(result[0]).toMatchObject({ scopes: ['groups:read', 'api-keys:read'], read_only: true })
  })

  test('A key that was made with every scope that writes and that of the audit log is an admin key', async () => {
    const all = await allScopes()
    const scopes = all.filter((scope) => scope.endsWith(':write') || scope === 'audit-log:read')
    const { result } = (await ask('POST', keys, { scopes })).body
    expect(result.scopes).toEqual(all)
    const admin = { id: ours.id, apiKey: result.api_key }
    const rotation = await ask('POST', `${webhooks}/verification-keys/rotate`, {}, admin)
    expect(rotation.status).toBe(409)
  })

  test.each<[string, object, string]>([
    ['none', { scopes: [] }, 'scopes: must be an array of 1 to 100 scopes'],
    ['null', { scopes: null }, 'scopes: must be an array of 1 to 100 scopes'],
    ['a text', { scopes: 'groups:read' }, 'scopes: must be an array of 1 to 100 scopes'],
    [
      'read_only as well',
      { scopes: ['groups:read'], read_only: true },
      'read_only: must be absent where scopes is given',
    ],
    [
      'read_only: false',
      { scopes: ['groups:write'], read_only: false },
      'read_only: must be absent where scopes is given',
    ],
  ])('Scopes that are given as %s are 400', async (_name, body, message) => {
    expect(await ask('POST', keys, body)).toMatchObject(refused(400, message))
    const path = `/organizations/${ours.id}/api-keys`
    expect(await signet.operate('POST', path, body)).toMatchObject(refused(400, message))
  })

  test('Scopes that there are not are 400, and each is named beside whatever else is wrong', async () => {
    const scopes = ['groups:read', 'audit-log:write', 'groups', 7]
    const { status, body } = await ask('POST', keys, { scopes, read_only: true, expires_at: '2020-01-01T00:00:00Z' })
    const messages = body.errors.map((error: { message: string }) => error.message.split(',')[0])
    const rule = 'must be one of groups:read'
    const others = ['expires_at: must be in the future', 'read_only: must be absent where scopes is given']
    expect({ status, messages }).toEqual({
      status: 400,
      messages: [...[1, 2, 3].map((index) => `scopes[${index}]: ${rule}`), ...others],
    })
  })

  test('The operator makes an admin key, or a key with the scopes that are asked for', async () => {
    const make = async (body: object) =>
      (await signet.operate('POST', `/organizations/${ours.id}/api-keys`, body)).body.result
    expect((await make({})).scopes).toEqual(await allScopes())
    expect((await make({ scopes: ['groups:read'] })).scopes).toEqual(['groups:read'])
  })

  test('A key is refused for its scopes after it was found valid, and before its body is read', async () => {
    const key = await keyWith('groups:read')
    expect(await ask('POST', '/groups', '{', { ...key, apiKey: `${key.apiKey}x` })).toMatchObject(keyNotValid)
    const readOnly = 'Service-API-Key: this key is read-only; it lacks the scope groups:write'
    expect(await ask('POST', '/groups', '{', key)).toMatchObject(refused(403, readOnly))
    expect(await ask('POST', '/groups', '{', await keyWith('persons:write'))).toMatchObject(lacks('groups:write'))
    const { status, body } = await ask('POST', `${webhooks}/${unknownId}/triggers`, {}, await keyWith('persons:write'))
    const message = 'Service-API-Key: lacks the scopes webhooks:write and events:read'
    expect({ status, body }).toMatchObject(refused(403, message))
  })

  test('A process of 0.1.0, which knows no scopes, finds a key with some of them to be read-only', async () => {
    const { keyId } = await keyWith('groups:write')
    const { rows } = await inside.query(`select read_only from api_keys where id = '${keyId}'`)
    expect(rows).toEqual([{ read_only: true }])
  })
})
