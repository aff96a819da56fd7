import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeThings, type Things } from '../hostile/support/things.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let ours: Organization
let theirs: Organization
let things: Things

beforeAll(async () => {
  // Without a worker: deliveries stay as they are.
  const env = { SIGNET_ROLES: 'api', SIGNET_WEBHOOK_RESOLVE: 'billing.example.com:443:127.0.0.1' }
  signet = await startOwnSignet({ env })
  ours = await signet.organization()
  theirs = await signet.organization()
  things = await makeThings(signet, ours, 'billing')
})

afterAll(() => signet?.stop())

type Found = { type: string; id: string; name?: string }
const ask = (q: string, organization = ours) =>
  signet.as(organization, 'GET', `/organizations/search?${new URLSearchParams({ q })}`)
const found = async (q: string, organization?: Organization): Promise<Found[]> =>
  (await ask(q, organization)).body.result
const types = async (q: string, organization?: Organization) => (await found(q, organization)).map(({ type }) => type)

test('Everything is found by how its name begins, whatever the case of its letters', async () => {
  expect(await found('BILL')).toEqual([
    { type: 'webhook', id: things.webhooks, name: 'billing' },
    { type: 'group', id: 'billing', name: 'billing' },
    { type: 'group', id: 'billing-administrators', name: 'billing-administrators' },
    { type: 'application', id: things.applications, name: 'billing' },
    { type: 'directory', id: things.directories, name: 'billing' },
    { type: 'resource', id: things.resources, name: 'billing', identifier: 'https://billing.example.com' },
    { type: 'api_key', id: things['api-keys'], name: 'billing' },
    { type: 'person', id: things.persons, name: 'billing@example.com', handle: 'billing@example.com' },
  ])
  expect(await found('illing')).toEqual([])
})

test('A credential is found by its label, and by the whole of its client id', async () => {
  const path = `/organizations/sso/oidc/provider-credentials/${things['provider-credentials']}`
  await signet.as(ours, 'PATCH', path, { label: 'Customer sign-in' })
  const credential = { type: 'oidc_credential', id: 'billing-client', name: 'Customer sign-in', provider: 'provider_a' }
  expect(await found('customer s')).toEqual([credential])
  expect(await found('billing-client')).toEqual([credential])
  expect(await types('billing-clien')).not.toContain('oidc_credential')
})

test('Each thing is found by its whole id, in capital letters too', async () => {
  const byId = { webhook: 'webhooks', application: 'applications', resource: 'resources', api_key: 'api-keys' }
  for (const [type, kind] of Object.entries({ ...byId, person: 'persons' })) {
    const id = things[kind] as string
    expect((await found(` ${id.toUpperCase()} `)).map((each) => ({ type: each.type, id: each.id }))).toEqual([
      { type, id },
    ])
    expect(await found(id.slice(0, -1))).toEqual([])
  }
})

test('An event is found by its id, and so are its deliveries', async () => {
  const id = things.events as string
  const name = 'PersonCreated_v1'
  expect(await found(id)).toEqual([
    { type: 'event', id, name },
    { type: 'delivery', id, name, webhook_id: things.webhooks, status: 'pending' },
  ])
})

test('A person is found by a handle typed plainly, as its key has it', async () => {
  const handles = [
    { type: 'EmailAddress', value: 'Zoë+News@BÜCHER.example' },
    { type: 'PhoneNumber', value: '+12025550123' },
  ]
  const { body } = await signet.as(ours, 'POST', '/persons', { handles })
  const id = body.result.person_id
  const texts = ['zoë+news@bücher.example', 'zoë+news@xn--bcher-kva.example', 'Zoë+', '+12025550123', '12025550123']
  for (const text of texts)
    expect(
      (await found(text)).map((each) => each.id),
      text,
    ).toEqual([id])
  const address = `/organizations/search?q=${encodeURI('zoë+news@bücher.example')}`
  expect((await signet.as(ours, 'GET', address)).body.result[0]?.id, 'a blank in place of +').toBe(id)
  expect((await signet.as(ours, 'GET', '/organizations/search?q=+12025550123')).body.result[0]?.id).toBe(id)
})

test.each(['%', '_', 'bill%', 'bill\\', "'; drop table groups; --", 'bill"', '\u{202e}', '{}', '\n'])(
  'Nothing in %j is a wildcard, or breaks anything',
  async (q) => {
    const { status, body } = await ask(`${q}x`)
    expect({ status, found: body.result }).toEqual({ status: 200, found: [] })
  },
)

test('What is called by hostile characters is found by them', async () => {
  for (const name of ['%off', '_x\\', 'a"b\'c', '\u{202e}gnp', '=1+1']) {
    const webhook = { name, target_url: `https://billing.example.com/${encodeURIComponent(name)}` }
    await signet.as(ours, 'POST', '/organizations/webhooks', webhook)
    expect(
      (await found(name)).map((each) => each.name),
      name,
    ).toEqual([name])
    expect(
      (await found([...name].slice(0, 2).join(''))).map((each) => each.name),
      name,
    ).toEqual([name])
  }
})

test('Of each type at most five are found', async () => {
  for (let index = 0; index < 7; index++) {
    await signet.as(ours, 'POST', '/groups', { name: `many-${index}` })
    const handles = ['a', 'b'].map((part) => ({ type: 'EmailAddress', value: `many-${index}@${part}.example` }))
    await signet.as(ours, 'POST', '/persons', { handles })
  }
  const many = await found('many-')
  expect(many.filter(({ type }) => type === 'group').map(({ id }) => id)).toEqual(
    [0, 1, 2, 3, 4].map((index) => `many-${index}`),
  )
  expect(new Set(many.filter(({ type }) => type === 'person').map(({ id }) => id)).size).toBe(5)
  expect(many).toHaveLength(10)
})

test('A key finds what its scopes let it read, and any key may ask', async () => {
  const keyWith = async (scopes: string[]) => {
    const { body } = await signet.as(ours, 'POST', '/organizations/api-keys', { scopes })
    return { id: ours.id, apiKey: body.result.api_key }
  }
  expect(await types('billing', await keyWith(['groups:write']))).toEqual(['group', 'group'])
  expect(await types('billing', await keyWith(['persons:read']))).toEqual(['person'])
  expect(await types('billing', await keyWith(['audit-log:read']))).toEqual([])
  const id = things.events as string
  expect(await types(id, await keyWith(['events:read']))).toEqual(['event'])
  expect(await types(id, await keyWith(['deliveries:read']))).toEqual(['delivery'])
})

test('Another organization finds nothing', async () => {
  for (const text of ['billing', ...Object.values(things)])
    expect(await found(text, theirs)).not.toContainEqual(expect.objectContaining({ id: text }))
  expect(await found('billing', theirs)).toEqual([])
})

test.each(['', '   ', 'x'.repeat(201)])('A search for %j is 400', async (q) => {
  expect(await ask(q)).toMatchObject(refused(400, expect.stringMatching(/^q: must be 1 to 200 characters/)))
})
