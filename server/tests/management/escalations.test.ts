import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeOwnKeys,
  inside,
  keys,
  keyWith,
  keyWithout,
  make,
  newKey,
  newOrganization,
  openOwnKeys,
  ours,
  statusOf,
  unknownId,
  webhooks,
} from '../support/own-keys.ts'
import { keyNotValid, refused } from '../support/refused.ts'

const credentials = '/organizations/sso/oidc/provider-credentials'
const soon = '2199-01-01T00:00:00.000Z'
const later = '2199-01-02T00:00:00.000Z'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

/** Everything but being an admin key. */
const almostAdmin = () => keyWithout('audit-log:read')

describe('A key that makes keys', () => {
  const beyond = (scopes: string) => `scopes: must be within those of the key that asks, which lacks ${scopes}`

  test.each<[string, object, string]>([
    ['a scope of its own that also writes', { scopes: ['groups:write'] }, 'groups:write'],
    ['others', { scopes: ['persons:read', 'groups:read', 'settings:write'] }, 'persons:read and settings:write'],
  ])('A key makes none with %s: 403 that names what is beyond', async (_name, body, scopes) => {
    const maker = await keyWith('api-keys:write', 'groups:read')
    expect(await ask('POST', keys, body, maker)).toMatchObject(refused(403, beyond(scopes)))
    expect((await ask('GET', keys)).body.meta.pagination.total_count).toBe(2)
  })

  test('A key that lacks a scope makes no admin key and no read-only key by leaving the scopes out: 403', async () => {
    const maker = await keyWith('api-keys:write', 'groups:read')
    for (const body of [undefined, {}, { read_only: true }])
      expect(await ask('POST', keys, body, maker)).toMatchObject({ status: 403 })
    const almost = await almostAdmin()
    expect(await ask('POST', keys, {}, almost)).toMatchObject(refused(403, beyond('audit-log:read')))
  })

  test('A key makes keys within its own scopes, and a scope that writes gives the one that reads', async () => {
    const maker = await keyWith('api-keys:write', 'groups:write')
    const { status, body } = await ask('POST', keys, { scopes: ['groups:read', 'api-keys:read'] }, maker)
    expect({ status, scopes: body.result.scopes }).toEqual({ status: 201, scopes: ['groups:read', 'api-keys:read'] })
    const made = { id: ours.id, apiKey: body.result.api_key }
    expect(await statusOf(ask('GET', '/groups', undefined, made))).toBe(200)
    expect(await statusOf(ask('POST', keys, { scopes: ['groups:read'] }, made))).toBe(403)
  })

  test('A read-only key that a key with a list of scopes makes gets no later scopes, as its maker gets none', async () => {
    const everyRead = (await newKey({ read_only: true })).keyId
    const [{ scopes }] = (await ask('GET', keys)).body.result.filter(({ id }: { id: string }) => id === everyRead)
    const maker = await keyWith('api-keys:write', ...scopes)
    const { body } = await ask('POST', keys, { read_only: true }, maker)
    const stored = async (id: string) =>
      (await inside.query('select scopes from api_keys where org_id = $1 and id = $2', [ours.id, id])).rows[0].scopes
    expect(await stored(everyRead)).toBeNull()
    expect(await stored(body.result.id)).toEqual(scopes)
  })

  test('A key that expires makes none that outlives it, whatever its scopes: 403', async () => {
    const refusal = refused(403, `expires_at: must be at most that of the key that asks, ${soon}`)
    for (const fields of [{}, { scopes: ['api-keys:write'] }]) {
      const maker = await newKey({ ...fields, expires_at: soon })
      const scopes = ['api-keys:write']
      expect(await ask('POST', keys, { scopes }, maker)).toMatchObject(refusal)
      expect(await ask('POST', keys, { scopes, expires_at: later }, maker)).toMatchObject(refusal)
      expect(await statusOf(ask('POST', keys, { scopes, expires_at: soon }, maker))).toBe(201)
    }
  })

  test('A key that is revoked while it makes another one makes none', async () => {
    const maker = await keyWith('api-keys:write')
    await inside.query('begin')
    await inside.query(`select from organizations where id = '${ours.id}' for update`)
    const answer = ask('POST', keys, { scopes: ['api-keys:write'] }, maker)
    const waiting = `select count(*)::int as count from pg_locks where not granted`
    await expect.poll(async () => (await inside.query(waiting)).rows[0].count).toBe(1)
    await inside.query(`delete from api_keys where id = '${maker.keyId}'`)
    await inside.query('commit')
    expect(await answer).toMatchObject(keyNotValid)
    expect((await ask('GET', keys)).body.result).toHaveLength(1)
  })
})

describe('A key that revokes keys', () => {
  test('A key revokes none with scopes, or an expiry, beyond its own: 403, and that one goes on', async () => {
    const revoker = await newKey({ scopes: ['api-keys:write', 'groups:read'], expires_at: soon })
    const wider = await newKey({ scopes: ['groups:write'], expires_at: soon })
    const longer = await newKey({ scopes: ['groups:read'], expires_at: later })
    const endless = await newKey({ scopes: ['groups:read'] })
    for (const key of [wider, longer, endless]) {
      const { status, body } = await ask('DELETE', `${keys}/${key.keyId}`, undefined, revoker)
      const field = key === wider ? 'scopes' : 'expires_at'
      expect({ status, message: body.errors[0].message }).toMatchObject({
        status: 403,
        message: expect.stringMatching(field),
      })
      expect(await statusOf(ask('GET', '/groups', undefined, key))).toBe(200)
    }
  })

  test('A key revokes those within its own, and itself; one that there is not is 404', async () => {
    const revoker = await newKey({ scopes: ['api-keys:write', 'groups:write'], expires_at: later })
    const within = await newKey({ scopes: ['groups:read'], expires_at: soon })
    expect(await statusOf(ask('DELETE', `${keys}/${unknownId}`, undefined, revoker))).toBe(404)
    for (const key of [within, revoker])
      expect(await statusOf(ask('DELETE', `${keys}/${key.keyId}`, undefined, revoker))).toBe(204)
  })
})

describe('A key that changes persons', () => {
  const address = (value: string, fields = {}) => ({ type: 'EmailAddress', value: `${value}@example.com`, ...fields })

  test('Only an admin key says whether a handle is verified: 403 that names each, and no person is made or changed', async () => {
    const almost = await almostAdmin()
    const handles = [address('a', { verified: true }), address('b'), address('c', { verified: false })]
    const refusal = refused(
      403,
      'handles[0].verified: must be absent, for only admin keys set it',
      'handles[2].verified: must be absent, for only admin keys set it',
    )
    expect(await ask('POST', '/persons', { handles }, almost)).toMatchObject(refusal)
    expect((await ask('GET', '/persons')).body.result).toEqual([])
    const { person_id } = await make('/persons', { handles: [address('a')] })
    expect(await ask('PATCH', `/persons/${person_id}`, { handles }, almost)).toMatchObject(refusal)
    expect((await ask('GET', `/persons/${person_id}`)).body.result.handles).toEqual([address('a', { verified: false })])
  })

  test('A handle that an admin key verified stays so when another key changes the person', async () => {
    const { person_id } = await make('/persons', { handles: [address('a', { verified: true })] })
    const changes = { handles: [address('b'), address('a')] }
    const { body } = await ask('PATCH', `/persons/${person_id}`, changes, await keyWith('persons:write'))
    expect(body.result.handles).toEqual([address('b', { verified: false }), address('a', { verified: true })])
  })

  test('A new person is put into groups only with the scope of groups, and a key without it learns of none: 403', async () => {
    await make('/groups', { name: 'staff' })
    const persons = await keyWith('persons:write')
    const refusal = refused(403, 'groups: the key lacks the scope groups:write')
    for (const body of [{ groups: ['staff'] }, { groups: ['nobody'], handles: [address('not an address')] }])
      expect(await ask('POST', '/persons', body, persons)).toMatchObject(refusal)
    expect(await statusOf(ask('POST', '/persons', { groups: [] }, persons))).toBe(201)
    const both = await keyWith('persons:write', 'groups:write')
    expect((await ask('POST', '/persons', { groups: ['staff'] }, both)).body.result.groups).toEqual(['staff'])
  })
})

describe('A key that changes webhooks', () => {
  const fields = { name: 'Ours', target_url: 'https://ours.example.com/' }
  const elsewhere = { target_url: 'https://theirs.example.com/' }
  const custom_headers = { authorization: ['Bearer secret'] }
  const addTrigger = (id: string, trigger_type: string, trigger_name: string) =>
    ask('POST', `${webhooks}/${id}/triggers`, { trigger_type, trigger_name })

  test('Only an admin key sees custom headers, also in what its own changes are answered', async () => {
    const almost = await almostAdmin()
    const created = await ask('POST', webhooks, { ...fields, custom_headers }, almost)
    const { id } = created.body.result
    const changed = await ask('PATCH', `${webhooks}/${id}`, { custom_headers }, almost)
    const seen = [created, changed, await ask('GET', `${webhooks}/${id}`, undefined, almost)]
    const list = await ask('GET', webhooks, undefined, almost)
    for (const { body } of [...seen, list]) {
      expect(JSON.stringify(body)).toContain(fields.name)
      expect(JSON.stringify(body)).not.toMatch(/custom_headers|secret/)
    }
    expect((await ask('GET', `${webhooks}/${id}`)).body.result.custom_headers).toEqual(custom_headers)
  })

  test('Custom headers are sent elsewhere only by an admin key, or with others in their place: 403', async () => {
    const { id } = await make(webhooks, { ...fields, custom_headers })
    const path = `${webhooks}/${id}`
    const almost = await almostAdmin()
    const rule = 'is required with a new target_url, unless the key is an admin key'
    expect(await ask('PATCH', path, elsewhere, almost)).toMatchObject(refused(403, `custom_headers: ${rule}`))
    expect((await ask('GET', path)).body.result).toMatchObject({ ...fields, custom_headers })
    expect(await statusOf(ask('PATCH', path, { ...fields, name: 'Same' }, almost))).toBe(200)
    expect(await statusOf(ask('PATCH', path, { ...elsewhere, custom_headers: null }, almost))).toBe(200)
    expect((await ask('GET', path)).body.result).toMatchObject({ ...elsewhere, custom_headers: {} })
    expect(await statusOf(ask('PATCH', path, { ...fields, custom_headers }))).toBe(200)
    expect(await statusOf(ask('PATCH', path, elsewhere))).toBe(200)
  })

  test.each([
    ['events', 'event', 'PersonDeleted_v1', 'webhooks:write'],
    ['sign-ins', 'sync_hook', 'token_minted', 'hooks:write'],
  ])(
    'A webhook that is called for %s gets another target only with the scope that reads events: 403',
    async (...trigger) => {
      const { id } = await make(webhooks, fields)
      const path = `${webhooks}/${id}`
      const narrow = await keyWith('webhooks:write', trigger[3])
      expect(await statusOf(ask('PATCH', path, { target_url: 'https://new.example.com/' }, narrow))).toBe(200)
      await addTrigger(id, trigger[1], trigger[2])
      const refusal = refused(403, 'target_url: the key lacks the scope events:read')
      expect(await ask('PATCH', path, elsewhere, narrow)).toMatchObject(refusal)
      expect(await statusOf(ask('PATCH', path, { name: 'New', enabled: false }, narrow))).toBe(200)
      const reading = await keyWith('webhooks:write', 'events:read', trigger[3])
      expect(await statusOf(ask('PATCH', path, elsewhere, reading))).toBe(200)
    },
  )
})

test('A client secret is sent to another server only by an admin key, or with a new one: 403', async () => {
  const at = (host: string) => ({ provider_h: { organization_url: `https://${host}.example.com` } })
  await make(credentials, { client_id: 'client', client_secret: 'first', provider: 'provider_h', options: at('ours') })
  const path = `${credentials}/client`
  const narrow = await keyWith('credentials:write')
  const rule = 'is required with a new organization_url or issuer, unless the key is an admin key'
  const refusal = refused(403, `client_secret: ${rule}`)
  expect(await ask('PATCH', path, { options: at('theirs') }, narrow)).toMatchObject(refusal)
  expect((await ask('GET', path)).body.result.options).toMatchObject(at('ours'))
  expect(await statusOf(ask('PATCH', path, { label: 'New', options: at('ours') }, narrow))).toBe(200)
  expect(await statusOf(ask('PATCH', path, { client_secret: 'second', options: at('theirs') }, narrow))).toBe(200)
  expect(await statusOf(ask('PATCH', path, { options: at('ours') }))).toBe(200)
})
