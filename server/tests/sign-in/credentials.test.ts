import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { createKeyring, makeMasterKey, parseMasterKeys } from '../../src/ground/keys/index.ts'
import { type Clock, runningClock } from '../../src/ground/runtime/clock.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const collection = '/organizations/sso/oidc/provider-credentials'
const masterKey = makeMasterKey()
const client_secret = ' of ~any~ characters '

let database: Database
let signet: OwnSignet
let organization: Organization
let other: Organization

beforeAll(async () => {
  signet = await startOwnSignet({ masterKey })
  database = openDatabase(signet.database)
  organization = await signet.organization()
  other = await signet.organization()
})

afterAll(async () => {
  await database?.close()
  await signet?.stop()
})

type Rest = { own?: Organization; options?: object; label?: string }

/** Gives the id, which is the end of the callback. */
async function create(
  client_id: string,
  provider: string,
  { own = organization, options = {}, label = '' }: Rest = {},
): Promise<string> {
  const body = { client_id, client_secret, provider, label, options: { [provider]: options } }
  const answer = await signet.as(own, 'POST', collection, body)
  return answer.body.result.callback_url.split('/').at(-1)
}

/** Of a process that has just started. */
function credentialsWith(list: string, clock: Clock = runningClock()) {
  const parsed = parseMasterKeys(list)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return createCredentials({ database, clock, keyring: createKeyring(parsed.masterKeys) })
}
const findWith =
  (list: string) =>
  (credentialId: string, { id } = organization) =>
    credentialsWith(list).find(id, credentialId)
const find = findWith(masterKey)

describe('A credential, as a provider is asked with it', () => {
  // Proves 2.1/5, 4.1/4.
  test('A credential has the client and its secret in clear, which a change replaces', async () => {
    const id = await create('first', 'provider_c')
    const found = await find(id)
    expect(found).toMatchObject({ id, provider: 'provider_c', clientId: 'first', clientSecret: client_secret })
    await signet.as(organization, 'PATCH', `${collection}/first`, { label: 'Kept secret' })
    expect((await find(id))?.clientSecret).toBe(client_secret)
    await signet.as(organization, 'PATCH', `${collection}/first`, { client_secret: 'another' })
    const changed = await find(id)
    expect(changed?.clientSecret).toBe('another')
    expect(changed?.version).toBeGreaterThan(found?.version ?? 0)
  })

  // Proves 2.1/6.
  test('A credential asks for the scopes that are always requested, then for those given, each once (2.1)', async () => {
    const scopesOf = async (id: string) => (await find(id))?.scopes
    const always = ['openid', 'email', 'profile', 'User.Read']
    expect(await scopesOf(await create('scopes-1', 'provider_g'))).toEqual(always)
    expect(await scopesOf(await create('scopes-2', 'provider_g', { options: { authorize_scopes: [] } }))).toEqual(
      always,
    )
    const options = { authorize_scopes: ['x', 'email', 'y', 'x', 'openid'] }
    expect(await scopesOf(await create('scopes-3', 'provider_g', { options }))).toEqual([...always, 'x', 'y'])
  })

  // Proves 2.1/7.
  test.each([
    [undefined, 'common'],
    ['organizations', 'organizations'],
    ['consumer', 'consumers'],
    ['consumers', 'consumers'],
    ['Contoso.Example', 'contoso.example'],
    ['72F988BF-86F1-41AF-91AB-2D7CD011DB47', '72f988bf-86f1-41af-91ab-2d7cd011db47'],
  ])('A credential has for the tenant %s the segment %s', async (tenant, segment) => {
    const found = await find(await create(`tenant-${tenant}`, 'provider_g', { options: tenant ? { tenant } : {} }))
    expect(found).toMatchObject({ tenant: segment, organizationUrl: undefined })
  })

  test.each(['https://acme.okta.example', 'https://acme.okta.example/', 'https://ACME.okta.example:443'])(
    'A credential has for the organization_url %s its origin',
    async (organization_url) => {
      const found = await find(await create(organization_url, 'provider_h', { options: { organization_url } }))
      expect(found).toMatchObject({ tenant: undefined, organizationUrl: 'https://acme.okta.example' })
    },
  )

  test('A credential is not found for another organization, nor when it was deleted', async () => {
    const id = await create('deleted', 'provider_a')
    expect(await find(id, other)).toBeUndefined()
    await signet.as(organization, 'DELETE', `${collection}/deleted`)
    expect(await find(id)).toBeUndefined()
  })

  test('A credential is not decrypted with another master key, and the error shows nothing of it', async () => {
    const id = await create('sealed', 'provider_a')
    const place = `oidc_credentials.client_secret of organization ${organization.id}`
    await expect(findWith(makeMasterKey())(id)).rejects.toThrow(
      new RegExp(`^${place}: encrypted under a master key that was not given$`),
    )
  })
})

describe('The credentials that a person may choose from', () => {
  test('A person may choose from all credentials of the organization, the oldest first, or by client id; no secrets', async () => {
    const own = await signet.organization()
    const ids = [await create('b', 'provider_b', { own, label: 'GitHub' }), await create('a', 'provider_a', { own })]
    const credentials = credentialsWith(masterKey)
    const choices = await credentials.list(own.id)
    expect(choices).toEqual([
      { id: ids[0], client_id: 'b', provider: 'provider_b', label: 'GitHub' },
      { id: ids[1], client_id: 'a', provider: 'provider_a', label: '' },
    ])
    expect(await credentials.findNamed(own.id, 'b')).toEqual(choices[0])
    expect(await credentials.findNamed(own.id, 'c')).toBeUndefined()
    expect(await credentials.findNamed(other.id, 'b')).toBeUndefined()
    expect(await credentials.list(other.id)).toEqual([])
  })

  test('A credential is found by its id or client id also beyond the hundred that are shown; no text is too odd to ask for', async () => {
    const own = await signet.organization()
    const ids: string[] = []
    for (let number = 1; number <= 101; number++) ids.push(await create(`client-${number}`, 'provider_b', { own }))
    const credentials = credentialsWith(masterKey)
    const id = String(ids.at(-1))
    expect((await credentials.list(own.id)).map((choice) => choice.id)).toEqual(ids.slice(0, 100))
    expect(await credentials.find(own.id, id)).toMatchObject({ id, clientId: 'client-101' })
    expect(await credentials.findNamed(own.id, 'client-101')).toMatchObject({ id })
    expect(await credentials.findNamed(own.id, '\u0000')).toBeUndefined()
  })
})

describe('Changes by another process', () => {
  const clientsIn = (choices: { client_id: string }[]) => choices.map(({ client_id }) => client_id)

  test('A credential changed by another process is changed here two seconds later; a new one can be used at once', async () => {
    const own = await signet.organization()
    const clock = runningClock()
    const credentials = credentialsWith(masterKey, clock)
    expect(await credentials.list(own.id)).toEqual([])
    const first = await create('first', 'provider_b', { own })
    expect(clientsIn(await credentials.list(own.id))).toEqual(['first'])
    const second = await create('second', 'provider_b', { own })
    expect(clientsIn(await credentials.list(own.id))).toEqual(['first'])
    expect(await credentials.find(own.id, second)).toMatchObject({ clientId: 'second' })
    expect(await credentials.findNamed(own.id, 'second')).toMatchObject({ id: second })
    expect(await credentials.has(own.id, first)).toBe(true)

    await signet.as(own, 'DELETE', `${collection}/first`)
    await signet.as(own, 'PATCH', `${collection}/second`, { client_secret: 'changed' })
    expect(await credentials.has(own.id, first)).toBe(true)
    clock.set(clock.now() + 2_000)
    expect(clientsIn(await credentials.list(own.id))).toEqual(['second'])
    expect(await credentials.has(own.id, first)).toBe(false)
    expect(await credentials.find(own.id, second)).toMatchObject({ clientSecret: 'changed' })
  })

  test('A credential changed by another process is changed at once where that is announced', async () => {
    const own = await signet.organization()
    const credentials = credentialsWith(masterKey)
    const id = await create('told', 'provider_b', { own, label: 'Before' })
    expect(await credentials.list(own.id)).toMatchObject([{ label: 'Before' }])
    expect(await credentials.find(own.id, id)).toMatchObject({ clientSecret: client_secret })
    await signet.as(own, 'PATCH', `${collection}/told`, { client_secret: 'changed', label: 'After' })
    credentials.forget(own.id, id)
    expect(await credentials.list(own.id)).toMatchObject([{ label: 'After' }])
    expect(await credentials.find(own.id, id)).toMatchObject({ clientSecret: 'changed' })
  })
})
