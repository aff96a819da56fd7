import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

type Schema = { $ref?: string; type?: string | string[]; enum?: unknown[]; properties?: Record<string, Schema> }
type Described = { requestBody?: { content: Record<string, { schema: Schema }> } }

let signet: Signet
let organization: Organization
let paths: Record<string, Record<string, Described>>
let schemas: Record<string, Schema>

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
  const { body } = await signet.call('GET', '/openapi.json')
  paths = body.paths
  schemas = body.components.schemas
})

afterAll(() => signet?.stop())

const resolved = (schema: Schema): Schema =>
  schema.$ref ? (schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}) : schema

const takesNull = (schema: Schema) => {
  const { type = [], enum: values = [] } = resolved(schema)
  return [type].flat().includes('null') || values.includes(null)
}

/** The members of what is created, and of its change. */
function membersOf(change: string): { created: Record<string, Schema>; changed: Record<string, Schema> } {
  const bodyOf = (described: Described | undefined) =>
    resolved(described?.requestBody?.content['application/json']?.schema ?? {}).properties ?? {}
  const collection = change.replace(/\/\{\w+\}$/, '')
  return { created: bodyOf(paths[collection]?.post), changed: bodyOf(paths[change]?.patch) }
}

/** Of what its own operations create. */
const changes = () =>
  Object.keys(paths).filter((path) => paths[path]?.patch && paths[path.replace(/\/\{\w+\}$/, '')]?.post)

test('A member takes null on creation if, and only if, it does in a change', () => {
  const pairs = changes().map((change) => ({ change, ...membersOf(change) }))
  expect(pairs.map(({ change }) => change)).toEqual(
    expect.arrayContaining(['/organizations/webhooks/{webhook_id}', '/groups/{group_name}', '/persons/{person_id}']),
  )
  for (const { change, created, changed } of pairs) {
    const both = Object.keys(changed).filter((name) => created[name])
    const takingNull = (members: Record<string, Schema>) => both.filter((name) => takesNull(members[name] ?? {}))
    expect({ change, taking: takingNull(created) }).toEqual({ change, taking: takingNull(changed) })
  }
})

const required: Record<string, (name: string) => object> = {
  '/groups/{group_name}': (name) => ({ name }),
  '/persons/{person_id}': () => ({}),
  '/organizations/{id}': (name) => ({ name }),
  '/organizations/api-keys/{id}': () => ({}),
  '/organizations/webhooks/{webhook_id}': (name) => ({ name, target_url: `https://${name}.example.com/` }),
  '/organizations/applications/{client_id}': (name) => ({ name, redirect_uris: [`https://${name}.example.com/`] }),
  '/organizations/resources/{id}': (name) => ({ name, identifier: `urn:example:${name}` }),
  '/organizations/directories/{id}': (name) => ({ name }),
  '/organizations/sso/oidc/provider-credentials/{oauth_client_id}': (name) => ({
    ...{ client_id: name, client_secret: 's' },
    provider: 'provider_g',
  }),
}

test('Null on creation gives the default, as it does in a change', async () => {
  expect(changes().toSorted()).toEqual(Object.keys(required).toSorted())
  for (const [change, bodyOf] of Object.entries(required)) {
    const { created } = membersOf(change)
    const nulls = Object.fromEntries(
      Object.keys(created).flatMap((name) => (takesNull(created[name] ?? {}) ? [[name, null]] : [])),
    )
    const collection = change.replace(/\/\{\w+\}$/, '')
    const make = async (name: string, members: object) => {
      const body = { ...bodyOf(name), ...members }
      const isOperators = change === '/organizations/{id}'
      const answer = await (isOperators
        ? signet.operate('POST', collection, body)
        : signet.as(organization, 'POST', collection, body))
      expect({ change, status: answer.status, errors: answer.body.errors }).toEqual({ change, status: 201 })
      const own = Object.entries<unknown>(answer.body.result).filter(
        ([member]) => created[member] && !(member in bodyOf('x')),
      )
      return Object.fromEntries(own)
    }
    expect(await make('with-nulls', nulls), change).toEqual(await make('without', {}))
  }
})

test('Null on creation is no way to activate a credential with a key that may not', async () => {
  const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', { scopes: ['credentials:write'] })
  const narrow = { id: organization.id, apiKey: body.result.api_key }
  const credential = { client_id: 'narrow', client_secret: 's', provider: 'provider_a', active: null }
  const created = await signet.as(narrow, 'POST', '/organizations/sso/oidc/provider-credentials', credential)
  expect(created).toMatchObject({ status: 201, body: { result: { active: false } } })
})
