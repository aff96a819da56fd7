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
  webhooks,
} from '../support/own-keys.ts'
import { refused } from '../support/refused.ts'

const credentials = '/organizations/sso/oidc/provider-credentials'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

describe('A key that changes hooks', () => {
  const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  const ofHook = '?trigger_type=sync_hook&trigger_name=token_minted'
  const lacking = (field: string) => refused(403, `${field}: the key lacks the scope hooks:write`)
  const withoutHooks = () => keyWithout('hooks:write', 'audit-log:read')
  const withHooks = () => keyWith('webhooks:write', 'events:read', 'hooks:write')
  const newWebhook = async (name = 'Ours') => {
    const { id } = await make(webhooks, { name, target_url: `https://${name}.example.com/`, timeout: '1s' })
    return `${webhooks}/${id}`
  }
  const newHook = async () => {
    const path = await newWebhook()
    await ask('POST', `${path}/triggers`, hook)
    return path
  }

  test('A synchronous hook is made and removed only with the scope of hooks: 403, and nothing changes', async () => {
    const path = await newWebhook()
    const narrow = await withoutHooks()
    expect(await ask('POST', `${path}/triggers`, hook, narrow)).toMatchObject(lacking('trigger_type'))
    expect((await ask('GET', `${path}/triggers`)).body.result).toEqual([])
    const wide = await withHooks()
    expect(await statusOf(ask('POST', `${path}/triggers`, hook, wide))).toBe(201)
    expect(await ask('POST', `${path}/triggers`, hook, narrow)).toMatchObject(lacking('trigger_type'))
    expect(await ask('DELETE', `${path}/triggers${ofHook}`, undefined, narrow)).toMatchObject(lacking('trigger_type'))
    expect((await ask('GET', `${path}/triggers`)).body.result).toHaveLength(1)
    expect(await statusOf(ask('DELETE', `${path}/triggers${ofHook}`, undefined, wide))).toBe(204)
    expect(await statusOf(ask('POST', `${path}/triggers`, { ...hook, trigger_type: 'event' }, narrow))).toBe(400)
  })

  test('A synchronous hook needs the other two scopes as well: 403', async () => {
    const path = await newWebhook()
    for (const scopes of [['hooks:write'], ['hooks:write', 'webhooks:write'], ['hooks:write', 'events:read']])
      expect(await statusOf(ask('POST', `${path}/triggers`, hook, await keyWith(...scopes)))).toBe(403)
  })

  test.each<[string, object]>([
    ['target_url', { target_url: 'https://theirs.example.com/' }],
    ['custom_headers', { custom_headers: { authorization: ['Bearer theirs'] } }],
    ['custom_headers', { custom_headers: null }],
    ['timeout', { timeout: '100ms' }],
    ['timeout', { timeout: null }],
  ])('A webhook with a hook gets another %s only with that scope: 403', async (field, changes) => {
    const path = await newHook()
    const before = (await ask('GET', path)).body.result
    expect(await ask('PATCH', path, changes, await withoutHooks())).toMatchObject(lacking(field))
    expect((await ask('GET', path)).body.result).toEqual(before)
    expect(await statusOf(ask('PATCH', path, changes, await withHooks()))).toBe(200)
    const other = await newWebhook('other')
    expect(await statusOf(ask('PATCH', other, changes, await withoutHooks()))).not.toBe(403)
  })

  test('Without that scope a webhook with a hook is named, paused, resumed and saved as it was', async () => {
    const path = await newHook()
    const narrow = await withoutHooks()
    const { target_url, timeout } = (await ask('GET', path)).body.result
    for (const changes of [{ name: 'New', description: 'New' }, { enabled: false }, { enabled: true }])
      expect(await statusOf(ask('PATCH', path, { ...changes, target_url, timeout }, narrow))).toBe(200)
  })

  test('A webhook with a hook is deleted only with that scope: 403', async () => {
    const path = await newHook()
    expect(await ask('DELETE', path, undefined, await withoutHooks())).toMatchObject(lacking('triggers'))
    expect((await ask('GET', `${path}/triggers`)).body.result).toHaveLength(1)
    expect(await statusOf(ask('DELETE', path, undefined, await withHooks()))).toBe(204)
  })

  test('A hook that was restored is called again only with that scope: 403', async () => {
    const path = await newHook()
    const narrow = await withoutHooks()
    await inside.query(`update lanes set paused_reason = 'requested', is_restored = true where org_id = $1`, [ours.id])
    expect(await ask('PATCH', path, { enabled: true }, narrow)).toMatchObject(lacking('enabled'))
    expect(await statusOf(ask('PATCH', path, { enabled: false }, narrow))).toBe(200)
    const { rows } = await inside.query('select is_restored from lanes where org_id = $1', [ours.id])
    expect(rows).toEqual([{ is_restored: true }])
    expect(await statusOf(ask('PATCH', path, { enabled: true }, await withHooks()))).toBe(200)
    expect(await statusOf(ask('PATCH', path, { enabled: true }, narrow))).toBe(200)
  })

  test('A hook that comes while the target of its webhook changes is waited for, and then needs the scope', async () => {
    const path = await newWebhook()
    const [narrow, id] = [await withoutHooks(), path.split('/').at(-1)]
    await inside.query('begin')
    await inside.query('select from webhooks where org_id = $1 and id = $2 for share', [ours.id, id])
    await inside.query(
      `insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
       values ($1, $2, 'sync_hook', 'token_minted', 'fail', now())`,
      [ours.id, id],
    )
    const change = ask('PATCH', path, elsewhere, narrow)
    await expect
      .poll(async () => (await inside.query(`select count(*)::int as n from pg_locks where not granted`)).rows[0].n)
      .toBeGreaterThan(0)
    await inside.query('commit')
    expect(await change).toMatchObject(lacking('target_url'))
  })

  const elsewhere = { target_url: 'https://theirs.example.com/' }
})

describe('The scope of hooks', () => {
  test('Keys that have all scopes stay admin keys when an area is added, read-only keys read it, others do not have it', async () => {
    const admin = (await ask('GET', keys)).body.result[0]
    expect(admin.scopes).toEqual(expect.arrayContaining(['hooks:read', 'hooks:write']))
    const readOnly = await newKey({ read_only: true })
    const narrow = await keyWith('webhooks:write', 'events:read')
    const scopesOf = async (id: string) =>
      (await ask('GET', keys)).body.result.find((key: { id: string }) => key.id === id).scopes
    expect(await scopesOf(readOnly.keyId)).toContain('hooks:read')
    expect(await scopesOf(readOnly.keyId)).not.toContain('hooks:write')
    expect(await scopesOf(narrow.keyId)).toEqual(['webhooks:write', 'events:read'])
    // All scopes are stored as none, so that they are all there are, whenever an area is added.
    const { rows } = await inside.query('select scopes, read_only from api_keys where org_id = $1 order by id', [
      ours.id,
    ])
    expect(rows.slice(0, 2)).toEqual([
      { scopes: null, read_only: false },
      { scopes: null, read_only: true },
    ])
  })
})

describe('A key that changes who is in a group', () => {
  const change = async () => {
    await ask('POST', '/groups', { name: 'staff' })
    const person = (await make('/persons', { groups: ['staff'] })).person_id
    const other = (await make('/persons', {})).person_id
    return [
      ['POST', '/groups/staff/persons', { persons: [other] }],
      ['DELETE', `/groups/staff/persons/${person}`],
      ['PUT', `/persons/${other}/groups`, { groups: ['staff'] }],
      ['POST', `/persons/${other}/groups`, { groups: ['staff'] }],
      ['DELETE', `/persons/${person}/groups/staff`],
      ['DELETE', '/groups/staff'],
    ] as [string, string, object?][]
  }

  test('Every way into or out of a group is closed to a key with every other scope that writes: 403', async () => {
    const narrow = await keyWithout('groups:write', 'audit-log:read')
    for (const [method, path, body] of await change())
      expect(await ask(method, path, body, narrow)).toMatchObject(
        refused(403, 'Service-API-Key: lacks the scope groups:write'),
      )
    const { result } = (await ask('GET', '/groups/staff/persons')).body
    expect(result).toHaveLength(1)
  })

  test('The members of a group are read with its scope, and the groups of a person too', async () => {
    await change()
    const [groups, persons] = [await keyWith('groups:read'), await keyWith('persons:read')]
    const [id] = (await ask('GET', '/groups/staff/persons')).body.result
    for (const path of ['/groups/staff/persons', `/persons/${id}/groups`]) {
      expect(await statusOf(ask('GET', path, undefined, groups))).toBe(200)
      expect(await statusOf(ask('GET', path, undefined, persons))).toBe(403)
    }
  })
})

describe('A key that changes credentials', () => {
  const client = { client_id: 'client', client_secret: 'first', provider: 'provider_g' }
  const path = `${credentials}/client`
  const tenant = (name: string | null) => ({ options: { provider_g: { tenant: name } } })
  const isActive = async () => (await ask('GET', path)).body.result.active

  // Proves sign-in/51.
  test('What it makes is inactive until an admin key confirms it, also where it was deleted before', async () => {
    const narrow = await keyWithout('audit-log:read')
    const asked = refused(403, 'active: must be absent or false, unless the key is an admin key')
    expect(await ask('POST', credentials, { ...client, active: true }, narrow)).toMatchObject(asked)
    expect(await ask('POST', credentials, client)).toMatchObject({ status: 201, body: { result: { active: true } } })
    expect(await statusOf(ask('DELETE', path, undefined, narrow))).toBe(200)
    const made = await ask('POST', credentials, client, narrow)
    expect(made).toMatchObject({ status: 201, body: { result: { active: false } } })
    const own = refused(403, 'active: must stay as it is, unless the key is an admin key')
    for (const active of [true, null]) expect(await ask('PATCH', path, { active }, narrow)).toMatchObject(own)
    expect(await isActive()).toBe(false)
    expect(await statusOf(ask('PATCH', path, { active: true }))).toBe(200)
    expect(await isActive()).toBe(true)
  })

  // Proves sign-in/51.
  test('What it points elsewhere is inactive until an admin key confirms it; other changes leave it as it was', async () => {
    await ask('POST', credentials, { ...client, ...tenant('Contoso.example') })
    const narrow = await keyWith('credentials:write')
    const same = [tenant('contoso.example'), { client_secret: 'second' }, { label: 'New' }, { active: true }]
    for (const changes of same) expect(await statusOf(ask('PATCH', path, changes, narrow))).toBe(200)
    expect(await isActive()).toBe(true)
    const asked = refused(
      403,
      'active: must be absent with a new tenant, organization_url or issuer, unless the key is an admin key',
    )
    expect(await ask('PATCH', path, { ...tenant('evil.example'), active: true }, narrow)).toMatchObject(asked)
    expect(await isActive()).toBe(true)
    expect((await ask('PATCH', path, tenant('evil.example'), narrow)).body.result.active).toBe(false)
    // Leading it back does not confirm it.
    expect((await ask('PATCH', path, tenant('contoso.example'), narrow)).body.result.active).toBe(false)
    expect((await ask('PATCH', path, { ...tenant('contoso.example'), active: true })).body.result.active).toBe(true)
    expect((await ask('PATCH', path, tenant('fabrikam.example'))).body.result.active).toBe(true)
    expect((await ask('PATCH', path, { options: null }, narrow)).body.result.active).toBe(false)
  })

  test('Another server makes it inactive as well, and the same server in another spelling does not', async () => {
    const at = (url: string) => ({ options: { provider_h: { organization_url: url } } })
    const okta = { ...client, provider: 'provider_h', ...at('https://ours.example.com') }
    await ask('POST', credentials, okta)
    const narrow = await keyWith('credentials:write')
    expect((await ask('PATCH', path, at('https://OURS.example.com:443/'), narrow)).body.result.active).toBe(true)
    const changes = { client_secret: 'second', ...at('https://theirs.example.com') }
    expect((await ask('PATCH', path, changes, narrow)).body.result.active).toBe(false)
    const [entry] = (await ask('GET', '/organizations/audit-log?action=modifyOidcCredential')).body.result
    expect(entry).toMatchObject({ before: { active: true }, after: { active: false } })
  })
})
