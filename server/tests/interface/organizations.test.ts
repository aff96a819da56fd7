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
  tiers,
  unknownId,
  utcForm,
  uuidForm,
} from '../support/own-organizations.ts'
import { keyNotValid, refused } from '../support/refused.ts'

beforeAll(openOrganizations)
afterAll(closeOrganizations)
beforeEach(() => newOrganization())

describe('Organization creation', () => {
  test('A new organization is answered with its id, name, tier and a key that may write', async () => {
    const { status, body } = await operate('POST', '/organizations', { name: 'Acme' })
    expect(status).toBe(201)
    expect(body.result).toEqual({
      id: expect.stringMatching(uuidForm),
      name: 'Acme',
      pricing_tier: 'unlimited',
      api_key: expect.stringMatching(/^signet_[0-9a-f]{32}[0-9A-Za-z]{43}[0-9a-z]{7}$/),
    })
    const made = { id: body.result.id, apiKey: body.result.api_key }
    expect((await signet.as(made, 'POST', '/groups', { name: 'staff' })).status).toBe(201)
  })

  test('Two organizations may have the same name', async () => {
    const [one, other] = [await signet.organization(), await signet.organization()]
    expect(one.id).not.toBe(other.id)
  })

  test.each(['unlimited', 'free', 'small'])('An organization may have the tier %s', async (pricing_tier) => {
    const { body } = await operate('POST', '/organizations', { name: 'x', pricing_tier })
    expect(body.result.pricing_tier).toBe(pricing_tier)
  })

  test.each<[string, object, string[]]>([
    ['no name', {}, ['name: is required']],
    ['an empty name', { name: '' }, [nameRule]],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, [nameRule]],
    ['a name that is no text', { name: 1 }, [nameRule]],
    [
      'an unknown tier',
      { name: 'x', pricing_tier: 'gold' },
      ['pricing_tier: must be one of unlimited, free, small, team'],
    ],
    [
      'the tier toString',
      { name: 'x', pricing_tier: 'toString' },
      ['pricing_tier: must be one of unlimited, free, small, team'],
    ],
    ['an unknown field', { name: 'x', tier: 'free' }, ['tier: is not a known field']],
  ])('An organization with %s is 400', async (_name, body, messages) => {
    expect(await operate('POST', '/organizations', body)).toMatchObject(refused(400, ...messages))
  })

  test('An organization may have a name of 1 and of 200 characters', async () => {
    for (const name of ['x', '😀'.repeat(200)])
      expect((await operate('POST', '/organizations', { name })).body.result.name).toBe(name)
  })
})

describe('An organization', () => {
  const record = () => ({
    id: ours.id,
    name: 'Test organization',
    pricing_tier: 'unlimited',
    created_at: expect.stringMatching(utcForm),
  })

  test('An organization is read by its id, in upper and lower case', async () => {
    const result = { ...record(), usage: { groups: { used: 0 }, persons: { used: 0 }, webhooks: { used: 0 } } }
    expect((await operate('GET', `/organizations/${ours.id}`)).body).toEqual({ result })
    expect((await operate('GET', `/organizations/${ours.id.toUpperCase()}`)).body).toEqual({ result })
  })

  test('The list of organizations has the newest first, in pages', async () => {
    const second = await signet.organization()
    const { body } = await operate('GET', '/organizations?limit=1000')
    const ids = body.result.map((organization: { id: string }) => organization.id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect(ids.slice(0, 2)).toEqual([second.id, ours.id])
    expect(body.meta.pagination).toEqual({ limit: 1000, offset: 0, total_count: ids.length })
    const page = await operate('GET', '/organizations?limit=1&offset=1')
    expect(page.body.result).toEqual([{ ...record(), state: 'active' }])
  })

  test('The operator sees how much of its limits an organization uses', async () => {
    const { id, apiKey } = await signet.organization({ pricing_tier: 'small' })
    await signet.as({ id, apiKey }, 'POST', '/groups', { name: 'staff' })
    const { body } = await operate('GET', `/organizations/${id}`)
    const usage = { groups: { used: 1, limit: 2 }, persons: { used: 0, limit: 1 }, webhooks: { used: 0, limit: 1 } }
    expect(body.result).toMatchObject({ id, pricing_tier: 'small', usage })
  })

  test('Organizations are found by the beginning of their name, whatever its case, and by their id', async () => {
    const named = async (name: string) => (await signet.organization({ name })).id
    const ids = [await named('Zürich Ärzte'), await named('zürich'), await named('Zur_ich'), await named('100% Zürich')]
    const find = async (query: string) => {
      const { result, meta } = (await operate('GET', `/organizations?${query}`)).body
      expect(meta.pagination.total_count).toBe(result.length)
      return result.map((organization: { id: string }) => organization.id)
    }
    expect(await find('name=Z%C3%BCR')).toEqual([ids[1], ids[0]])
    expect(await find('name=zur_')).toEqual([ids[2]])
    expect(await find('name=100%25%20z')).toEqual([ids[3]])
    expect(await find(`name=zur&id=${ids[2]?.toUpperCase()}`)).toEqual([ids[2]])
    for (const none of ['name=%25', 'name=_', `id=${unknownId}`, `id=${ids[0]}&name=zur`])
      expect(await find(none)).toEqual([])
    await operate('DELETE', `/organizations/${ids[1]}`)
    expect(await find('name=z%C3%BCrich')).toEqual([ids[0]])
  })

  test.each([
    ['id=x', 'id: must be a UUID'],
    ['name=', nameRule],
  ])('A list of organizations with %s is 400', async (query, rule) => {
    expect(await operate('GET', `/organizations?${query}`)).toMatchObject(refused(400, rule))
  })

  test('The name and tier of an organization are changed, kept when absent, and the default tier is restored by null', async () => {
    const change = async (body: object) => (await operate('PATCH', `/organizations/${ours.id}`, body)).body.result
    expect(await change({})).toEqual(record())
    expect(await change({ name: 'New name' })).toEqual({ ...record(), name: 'New name' })
    expect(await change({ pricing_tier: 'free' })).toEqual({ ...record(), name: 'New name', pricing_tier: 'free' })
    expect(await change({ pricing_tier: null })).toEqual({ ...record(), name: 'New name' })
  })

  test.each<[object, string]>([
    [{ name: '' }, nameRule],
    [{ name: 'x'.repeat(201) }, nameRule],
    [{ name: null }, nameRule],
    [{ pricing_tier: 'gold' }, 'pricing_tier: must be one of unlimited, free, small, team, or null'],
    [{ id: unknownId }, 'id: is not a known field'],
  ])('The change %j of an organization is 400', async (body, message) => {
    expect(await operate('PATCH', `/organizations/${ours.id}`, body)).toMatchObject(refused(400, message))
  })

  test.each([
    ['GET', '', undefined],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
    ['POST', '/api-keys', {}],
  ])('An unknown organization is 404 (%s /organizations/{id}%s)', async (method, rest, body) => {
    for (const id of [unknownId, 'x', `${unknownId}0`]) {
      const answer = await operate(method, `/organizations/${id}${rest}`, body)
      expect(answer).toMatchObject(refused(404, 'organization: not found'))
    }
  })
})

describe('A deleted organization', () => {
  beforeEach(async () => {
    expect(await operate('DELETE', `/organizations/${ours.id}`)).toMatchObject({ status: 204, body: undefined })
  })

  test('A deleted organization is refused at once, by every key', async () => {
    for (const path of ['/groups', '/organizations/settings', '/organizations/quota/current-tier'])
      expect(await ask('GET', path)).toMatchObject(keyNotValid)
  })

  test('A deleted organization does not exist for the operator', async () => {
    const gone = refused(404, 'organization: not found')
    expect(await operate('GET', `/organizations/${ours.id}`)).toMatchObject(gone)
    expect(await operate('PATCH', `/organizations/${ours.id}`, { name: 'x' })).toMatchObject(gone)
    expect(await operate('DELETE', `/organizations/${ours.id}`)).toMatchObject(gone)
    expect(await operate('POST', `/organizations/${ours.id}/api-keys`, {})).toMatchObject(gone)
    const { body } = await operate('GET', '/organizations?limit=1000')
    expect(body.result.map((organization: { id: string }) => organization.id)).not.toContain(ours.id)
  })

  test('A deleted organization still has its key set served', async () => {
    const { status, body } = await ask('GET', '/organizations/webhooks/verification-jwks')
    expect(status).toBe(200)
    expect(body.keys.length).toBeGreaterThan(0)
  })
})

describe('The settings', () => {
  const defaults = {
    self_registration: true,
    allowed_email_domains: [],
    link_by_verified_email: false,
    default_locale: 'en',
    branding: {},
    console_access: [],
    console_key_sign_in: true,
  }
  const change = (body: object) => ask('PATCH', '/organizations/settings', body)

  test('The settings have their defaults at first', async () => {
    expect(await ask('GET', '/organizations/settings')).toMatchObject({ status: 200, body: { result: defaults } })
  })

  test('Each setting is changed by itself, kept when absent, and restored to its default by null', async () => {
    const changed = {
      self_registration: false,
      allowed_email_domains: ['example.com'],
      link_by_verified_email: true,
      default_locale: 'ja',
      branding: { display_name: 'Acme', accent_color: '#0b57d0' },
    }
    for (const [name, value] of Object.entries(changed))
      expect((await change({ [name]: value })).body.result).toMatchObject({ [name]: value })
    // What opens the console has tests of its own.
    const { console_access, console_key_sign_in } = defaults
    const all = { ...changed, console_access, console_key_sign_in }
    expect((await change({})).body.result).toEqual(all)
    expect((await ask('GET', '/organizations/settings')).body.result).toEqual(all)
    const nulls = Object.fromEntries(Object.keys(changed).map((name) => [name, null]))
    expect((await change(nulls)).body.result).toEqual(defaults)
  })

  test('The settings keep domains as A-labels in lower case, each once', async () => {
    const domains = ['Example.COM', 'bücher.example', 'example.com', 'xn--bcher-kva.example']
    const { body } = await change({ allowed_email_domains: domains })
    expect(body.result.allowed_email_domains).toEqual(['example.com', 'xn--bcher-kva.example'])
  })

  test('The settings take 100 domains and refuse 101', async () => {
    const domains = Array.from({ length: 101 }, (_, index) => `d${index}.example`)
    expect((await change({ allowed_email_domains: domains.slice(1) })).status).toBe(200)
    const rule = 'allowed_email_domains: must be an array of at most 100 domain names, or null'
    expect(await change({ allowed_email_domains: domains })).toMatchObject(refused(400, rule))
  })

  test('The settings report each thing that is wrong, and do not change', async () => {
    const wrong = { self_registration: 'yes', link_by_verified_email: 1, allowed_email_domains: 'example.com', more: 1 }
    expect(await change(wrong)).toMatchObject(
      refused(
        400,
        'more: is not a known field',
        'self_registration: must be true, false or null',
        'allowed_email_domains: must be an array of at most 100 domain names, or null',
        'link_by_verified_email: must be true, false or null',
      ),
    )
    const domains = ['example.com', 'localhost', 'jo@example.com', '127.0.0.1']
    expect(await change({ self_registration: false, allowed_email_domains: domains })).toMatchObject(
      refused(
        400,
        'allowed_email_domains[1]: must be a domain name, such as example.com',
        'allowed_email_domains[2]: must be a domain name, such as example.com',
        'allowed_email_domains[3]: must be a domain name, such as example.com',
      ),
    )
    expect((await ask('GET', '/organizations/settings')).body.result).toEqual(defaults)
  })
})

describe('A pricing tier', () => {
  const webhook = (name: string) => ({ name, target_url: `https://example.com/${name}` })
  const usage = async () => (await ask('GET', '/organizations/quota/usage')).body.result

  // Proves 8/12.
  test.each([
    ['unlimited', {}],
    ['free', { max_groups: 10, max_persons: 1000, max_webhooks: 5 }],
    ['small', tiers.small],
    ['team', tiers.team],
  ])('The tier %s has the limits %j', async (pricing_tier, limits) => {
    await newOrganization({ pricing_tier })
    const { status, body } = await ask('GET', '/organizations/quota/current-tier')
    expect({ status, body }).toEqual({ status: 200, body: { result: { pricing_tier, limits } } })
  })

  test('The usage of a tier counts the groups, persons and webhooks of the organization', async () => {
    await newOrganization({ pricing_tier: 'team' })
    const { groups, persons, webhooks } = { groups: { used: 0, limit: 3 }, persons: { used: 0 }, webhooks: { used: 0 } }
    expect(await usage()).toEqual({ groups, persons, webhooks })
    await ask('POST', '/groups', { name: 'ab' })
    for (let person = 0; person < 2; person++) await ask('POST', '/persons', {})
    await ask('POST', '/organizations/webhooks', webhook('one'))
    expect(await usage()).toEqual({ groups: { used: 1, limit: 3 }, persons: { used: 2 }, webhooks: { used: 1 } })
  })

  // Proves 4.3/11, 7/8, 8/12.
  test('A tier is exceeded with 402, and what would exceed it is not created (4.3, 7, 8)', async () => {
    await newOrganization({ pricing_tier: 'small' })
    for (const name of ['one', 'two']) expect((await ask('POST', '/groups', { name })).status).toBe(201)
    expect((await ask('POST', '/persons', {})).status).toBe(201)
    expect((await ask('POST', '/organizations/webhooks', webhook('one'))).status).toBe(201)

    const over = (what: string, limit: number) => refused(402, `${what}: the pricing tier allows at most ${limit}`)
    expect(await ask('POST', '/groups', { name: 'three' })).toMatchObject(over('groups', 2))
    expect(await ask('POST', '/persons', {})).toMatchObject(over('persons', 1))
    expect(await ask('POST', '/organizations/webhooks', webhook('two'))).toMatchObject(over('webhooks', 1))
    const [groups, persons, webhooks] = [
      { used: 2, limit: 2 },
      { used: 1, limit: 1 },
      { used: 1, limit: 1 },
    ]
    expect(await usage()).toEqual({ groups, persons, webhooks })
  })

  // Proves 4.3/11.
  test('A tier at its limit lets an existing group be created again (4.3)', async () => {
    await newOrganization({ pricing_tier: 'small' })
    for (const name of ['one', 'two']) await ask('POST', '/groups', { name })
    expect((await ask('POST', '/groups', { name: 'one' })).status).toBe(201)
  })

  test('A tier at its limit has room again when something was deleted', async () => {
    await newOrganization({ pricing_tier: 'small' })
    const first = await ask('POST', '/persons', {})
    await ask('DELETE', `/persons/${first.body.result.person_id}`)
    expect((await ask('POST', '/persons', {})).status).toBe(201)
  })

  test('A tier that is exceeded already keeps what there is and refuses what is new', async () => {
    for (const name of ['one', 'two', 'three']) await ask('POST', '/groups', { name })
    await operate('PATCH', `/organizations/${ours.id}`, { pricing_tier: 'small' })
    expect((await usage()).groups).toEqual({ used: 3, limit: 2 })
    expect((await ask('POST', '/groups', { name: 'four' })).status).toBe(402)
    await operate('PATCH', `/organizations/${ours.id}`, { pricing_tier: 'unlimited' })
    expect((await ask('POST', '/groups', { name: 'four' })).status).toBe(201)
  })
})
