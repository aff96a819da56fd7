import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  change,
  closeCredentials,
  collection,
  create,
  get,
  newOrganization,
  noCredential,
  numbered,
  ofProvider,
  openCredentials,
  pathOf,
  scopeRule,
  scopes,
  secret,
  signet,
  tenantRule,
  urlMissing,
  urlRule,
} from '../support/own-credentials.ts'
import { refused } from '../support/refused.ts'

beforeAll(openCredentials)
afterAll(closeCredentials)
beforeEach(newOrganization)

const uuidv7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const taken = refused(409, 'client_id: has a credential already')
const textOf = (characters: number) => '\u{1f600}'.repeat(characters)
const clientIdRule = 'client_id: must be 1 to 500 printable ASCII characters, and neither . nor ..'
const secretRule = 'client_secret: must be 1 to 1000 printable ASCII characters'

const providerNames =
  'provider_a (Google), provider_b (GitHub), provider_c (Bitbucket Cloud), provider_d (GitLab), provider_e (Facebook), ' +
  'provider_f (LINE), provider_g (Microsoft Entra ID), provider_h (Okta), oidc (OpenID Connect)'
const providerRule = `provider: must be one of ${providerNames}`
const textRule = 'must be at most 200 characters'
const sameRule = 'external_cred: must be the same as external_cred_id, or absent'

describe('Credential creation', () => {
  // Proves 1/2, 2.1/1, 4.2/3.
  test('A new credential is 201 with the record of 2.1 and a callback of its own', async () => {
    const { status, body } = await create()
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        result: {
          client_id: 'client',
          provider: 'provider_a',
          label: '',
          external_cred_id: '',
          options: { provider_a: { authorize_scopes: scopes.provider_a } },
          active: true,
          trust_email_domains: [],
          callback_url: expect.stringMatching(new RegExp(`^${signet.baseUrl}/sso/callback/${uuidv7}$`)),
        },
      },
    })
    const other = await create({ client_id: 'other' })
    expect(other.body.result.callback_url).not.toBe(body.result.callback_url)
  })

  // Proves 2.1/3, 4.2/3, 7/3.
  test('All fields of a credential are stored and read back as given (2.1)', async () => {
    const fields = { label: 'Anmelden \u{1f511}', external_cred_id: 'crm/7', ...ofProvider('provider_g') }
    const { body } = await create(fields)
    expect(body.result).toMatchObject({ client_id: 'client', ...fields })
    expect((await get()).body).toEqual(body)
  })

  test('A credential requires client_id, client_secret and provider', async () => {
    const messages = ['client_id', 'client_secret', 'provider'].map((field) => `${field}: is required`)
    expect(await ask('POST', collection, {})).toMatchObject(refused(400, ...messages))
  })

  // Proves 2.1/1, 2.1/2, 2.1/3.
  test.each<[string, object, string]>([
    ['an empty client_id', { client_id: '' }, clientIdRule],
    ['a client_id of 501 characters', { client_id: 'c'.repeat(501) }, clientIdRule],
    ['a client_id beyond ASCII', { client_id: '\u00e9' }, clientIdRule],
    ['a client_id with a line end', { client_id: 'c\n' }, clientIdRule],
    ['the client_id .', { client_id: '.' }, clientIdRule],
    ['the client_id ..', { client_id: '..' }, clientIdRule],
    ['a client_id that is a number', { client_id: 5 }, clientIdRule],
    ['an empty client_secret', { client_secret: '' }, secretRule],
    ['a client_secret that is null', { client_secret: null }, secretRule],
    ['a client_secret of 1001 characters', { client_secret: 's'.repeat(1001) }, secretRule],
    ['a client_secret with a line end', { client_secret: `${secret}\n` }, secretRule],
    ['another provider', { provider: 'provider_i' }, providerRule],
    ['the name of a provider', { provider: 'google' }, providerRule],
    ['a provider that is null', { provider: null }, providerRule],
    ['a label of 201 characters', { label: textOf(201) }, `label: ${textRule}`],
    ['a label with U+0000', { label: 'a\u0000' }, 'label: must not contain U+0000 or lone surrogates'],
    ['an external_cred_id of 201 characters', { external_cred_id: textOf(201) }, `external_cred_id: ${textRule}`],
    ['an external_cred that is a number', { external_cred: 5 }, `external_cred: ${textRule}`],
    ['two different external ids', { external_cred: 'a', external_cred_id: 'b' }, sameRule],
    ['an id', { id: 'x' }, 'id: is not a known field'],
    ['a callback_url', { callback_url: 'https://example.com' }, 'callback_url: is not a known field'],
  ])('A credential with %s is refused', async (_, fields, message) => {
    const answer = await create(fields)
    expect(answer).toMatchObject(refused(400, message))
    expect(JSON.stringify(answer.body)).not.toContain(secret)
  })

  // Proves 2.1/3.
  test.each([
    ['a label of 200 characters', { label: textOf(200) }],
    ['an external_cred_id of 200 characters', { external_cred_id: textOf(200) }],
    ['the same external id by both names', { external_cred_id: 'a' }, { external_cred: 'a', external_cred_id: 'a' }],
    ['an external id by its other name', { external_cred_id: 'a' }, { external_cred: 'a' }],
    ['a client_secret of 1000 characters', {}, { client_secret: 's'.repeat(1000) }],
    ['a client_secret of any printable characters', {}, { client_secret: ' ~"\\,' }],
  ])('A credential with %s is accepted', async (_, shown, fields: object = shown) => {
    expect(await create(fields)).toMatchObject({ status: 201, body: { result: shown } })
  })

  test('A client id that has a credential already is 409 and changes nothing, and is free in another organization', async () => {
    const before = (await create({ label: 'first' })).body
    expect(await create({ label: 'second', provider: 'provider_b' })).toMatchObject(taken)
    expect((await get()).body).toEqual(before)
    expect((await create({ client_id: 'Client' })).status).toBe(201)
    await newOrganization()
    expect((await create()).status).toBe(201)
  })
})

describe('Credential lists', () => {
  test('The list of credentials has the newest first, in pages, without secrets', async () => {
    for (const client_id of numbered(3)) await create({ client_id })
    const { status, body } = await ask('GET', collection)
    expect({ status, meta: body.meta }).toEqual({
      status: 200,
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect(body.result).toEqual(
      await Promise.all(
        numbered(3)
          .toReversed()
          .map(async (id) => (await get(id)).body.result),
      ),
    )
    expect(JSON.stringify(body)).not.toContain(secret)
    const page = await ask('GET', `${collection}?limit=1&offset=1`)
    expect(page.body.result.map((each: { client_id: string }) => each.client_id)).toEqual(['1'])
    expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, total_count: 3 })
  })

  test('The list of credentials with oauth_provider has those of that provider', async () => {
    for (const client_id of numbered(4)) await create({ client_id, provider: `provider_${'abab'[Number(client_id)]}` })
    const { body } = await ask('GET', `${collection}?oauth_provider=provider_b&limit=1`)
    expect(body.result.map((each: { client_id: string }) => each.client_id)).toEqual(['3'])
    expect(body.meta.pagination.total_count).toBe(2)
    expect((await ask('GET', `${collection}?oauth_provider=provider_h`)).body.result).toEqual([])
  })

  test.each(['provider_i', '', 'PROVIDER_A'])(
    'The list of credentials with an unknown oauth_provider %j is 400',
    async (provider) => {
      const answer = await ask('GET', `${collection}?oauth_provider=${provider}`)
      expect(answer).toMatchObject(
        refused(
          400,
          `oauth_provider: must be one of ${providerNames}${provider === 'PROVIDER_A' ? '; did you mean provider_a?' : ''}`,
        ),
      )
    },
  )

  test('The list of an organization without credentials is empty', async () => {
    await create()
    await newOrganization()
    expect((await ask('GET', collection)).body.result).toEqual([])
  })
})

describe('Credential changes (4.1) with a JSON merge patch', () => {
  const fields = { label: 'Label', external_cred_id: 'external', ...ofProvider('provider_g') }
  const own = { authorize_scopes: ['x'], tenant: 'organizations' }
  const defaults = { authorize_scopes: scopes.provider_g, tenant: 'common' }
  const shown = (options: object) => ({ options: { provider_g: options } })

  // Proves 2.1/9, 4.1/5, 7/3.
  test.each<[object, object]>([
    [{}, {}],
    [{ label: 'Other' }, { label: 'Other' }],
    [{ label: '' }, { label: '' }],
    [{ label: null }, { label: '' }],
    [{ external_cred_id: 'other' }, { external_cred_id: 'other' }],
    [{ external_cred_id: null }, { external_cred_id: '' }],
    [{ external_cred: 'other' }, { external_cred_id: 'other' }],
    [{ external_cred: null }, { external_cred_id: '' }],
    [{ external_cred: 'other', external_cred_id: 'other' }, { external_cred_id: 'other' }],
    [{ client_secret: 'another-secret' }, {}],
    [{ options: {} }, {}],
    [{ options: null }, shown(defaults)],
    [{ options: { provider_g: {} } }, {}],
    [{ options: { provider_g: null } }, shown(defaults)],
    [{ options: { provider_g: { tenant: 'common' } } }, shown({ ...own, tenant: 'common' })],
    [{ options: { provider_g: { tenant: null } } }, shown({ ...own, tenant: 'common' })],
    [{ options: { provider_g: { authorize_scopes: ['y'] } } }, shown({ ...own, authorize_scopes: ['y'] })],
    [{ options: { provider_g: { authorize_scopes: [] } } }, shown({ ...own, authorize_scopes: [] })],
    [{ options: { provider_g: { authorize_scopes: null } } }, shown({ ...defaults, tenant: own.tenant })],
    [{ options: { provider_a: { authorize_scopes: ['y'] }, provider_h: null } }, {}],
    [
      { label: 'Other', options: { provider_g: null } },
      { label: 'Other', ...shown(defaults) },
    ],
  ])('The change %j changes what is given and nothing else', async (changes, changed) => {
    const before = (await create({ ...fields, options: { provider_g: own } })).body.result
    const { status, body } = await change(changes)
    expect({ status, body }).toEqual({ status: 200, body: { result: { ...before, ...changed } } })
    expect((await get()).body).toEqual(body)
  })

  // Proves 2.1/9, 4.1/6, 7/7.
  test.each<[unknown, string]>([
    [{ client_secret: null }, secretRule],
    [{ client_secret: '' }, secretRule],
    [{ client_secret: `${secret}\n` }, secretRule],
    [{ client_secret: 5 }, secretRule],
    [{ client_id: 'other' }, 'client_id: is not a known field'],
    [{ provider: 'provider_a' }, 'provider: is not a known field'],
    [{ callback_url: 'https://example.com' }, 'callback_url: is not a known field'],
    [{ label: textOf(201) }, `label: ${textRule}, or null`],
    [{ external_cred: 'a', external_cred_id: 'b' }, sameRule],
    [{ external_cred: null, external_cred_id: 'b' }, sameRule],
    [{ external_cred: 'a', external_cred_id: null }, sameRule],
    [{ options: 'x' }, 'options: must be an object or null'],
    [{ options: { provider_i: null } }, 'options.provider_i: is not a known field'],
    [{ options: { provider_g: [] } }, 'options.provider_g: must be an object or null'],
    [{ options: { provider_g: { scopes: null } } }, 'options.provider_g.scopes: is not a known field'],
    [{ options: { provider_g: { tenant: 'x/y' } } }, tenantRule],
    [{ options: { provider_h: { organization_url: 'http://acme.okta.example' } } }, urlRule],
    [
      { options: { provider_a: { authorize_scopes: ['a b'] } } },
      `options.provider_a.authorize_scopes[0]: ${scopeRule}`,
    ],
    [[], 'body: must be an object'],
  ])('The change %j is refused, and nothing changes', async (changes, message) => {
    const before = (await create({ ...fields, options: { provider_g: own } })).body
    const answer = await change(changes)
    expect(answer).toMatchObject(refused(400, message))
    expect(JSON.stringify(answer.body)).not.toContain(secret)
    expect((await get()).body).toEqual(before)
  })

  test.each([
    { options: null },
    { options: { provider_h: null } },
    { options: { provider_h: { organization_url: null } } },
  ])(
    'The change %j is refused, for it would take from provider_h what it requires, and nothing changes',
    async (changes) => {
      const before = (await create(ofProvider('provider_h'))).body
      expect(await change(changes)).toMatchObject(refused(400, urlMissing))
      expect((await get()).body).toEqual(before)
    },
  )

  test('Concurrent changes of a credential all take effect', async () => {
    await create(fields)
    for (const round of numbered(10)) {
      const tenant = `${round}.example`
      const all = [{ label: round }, { external_cred_id: round }, { options: { provider_g: { tenant } } }]
      const answers = await Promise.all(all.map((changes) => change(changes)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await get()).body.result).toMatchObject(Object.assign({}, ...all))
    }
  })
})

describe('The client secret (2.1)', () => {
  // Proves 2.1/5.
  test('The client secret is accepted and never returned', async () => {
    const answers = [
      await create(),
      await create(),
      await get(),
      await ask('GET', collection),
      await change({ client_secret: `${secret}-2` }),
      await change({ client_secret: `${secret}\u00e9`, label: 5 }),
      await ask('DELETE', pathOf('client')),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 200, 200, 200, 400, 200])
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret)
    expect(signet.output()).not.toContain(secret)
  })
})

describe('Credential deletion', () => {
  test('A deleted credential is 200 and {}, and gone, and one created anew has another callback', async () => {
    const first = (await create()).body.result
    expect(await ask('DELETE', pathOf('client'))).toMatchObject({ status: 200, body: {} })
    expect(await get()).toMatchObject(noCredential)
    expect(await ask('DELETE', pathOf('client'))).toMatchObject(noCredential)
    expect((await ask('GET', collection)).body.result).toEqual([])
    expect((await create()).body.result.callback_url).not.toBe(first.callback_url)
  })
})
