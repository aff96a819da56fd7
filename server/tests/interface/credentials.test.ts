import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keyNotValid, keyRequired, refused } from '../support/refused.ts'
import { type Headings, type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

const uuidv7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const collection = '/organizations/sso/oidc/provider-credentials'
const noCredential = refused(404, 'credential: not found')
const taken = refused(409, 'client_id: has a credential already')
const secret = 'the-client-secret'
const required = { client_id: 'client', client_secret: secret, provider: 'provider_a' }

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
const pathOf = (clientId: string) => `${collection}/${encodeURIComponent(clientId)}`
const get = (clientId = 'client') => ask('GET', pathOf(clientId))
const change = (changes: unknown, clientId = 'client') => ask('PATCH', pathOf(clientId), changes)
const textOf = (characters: number) => '\u{1f600}'.repeat(characters)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index))

/** The table of 2.1: what is requested by default and always. */
const scopes: Record<string, string[]> = {
  provider_a: ['openid', 'email', 'profile'],
  provider_b: ['read:user', 'user:email'],
  provider_c: ['account'],
  provider_d: ['read_user'],
  provider_e: ['email', 'public_profile'],
  provider_f: ['openid', 'email', 'profile'],
  provider_g: ['openid', 'email', 'profile', 'User.Read'],
  provider_h: ['openid', 'email', 'profile'],
}
const providers = Object.keys(scopes)
const organization_url = 'https://acme.okta.example'
/** What a credential of a provider must be given. */
const needed = (provider: string) => (provider === 'provider_h' ? { organization_url } : {})
const ofProvider = (provider: string, options: object = {}) => ({
  provider,
  options: { [provider]: { ...needed(provider), ...options } },
})

const clientIdRule = 'client_id: must be 1 to 500 printable ASCII characters, and neither . nor ..'
const secretRule = 'client_secret: must be 1 to 1000 printable ASCII characters'
const providerNames =
  'provider_a (Google), provider_b (GitHub), provider_c (Bitbucket Cloud), provider_d (GitLab), provider_e (Facebook), ' +
  'provider_f (LINE), provider_g (Microsoft Entra ID), provider_h (Okta)'
const providerRule = `provider: must be one of ${providerNames}`
const textRule = 'must be at most 200 characters'
const scopesRule = 'must be an array of at most 50 scopes'
const scopeRule = 'must be 1 to 256 printable ASCII characters without blank, comma, quote and back slash'
const tenantRule = 'options.provider_g.tenant: must be a GUID, a domain name, common, organizations or consumer'
const urlRule =
  'options.provider_h.organization_url: must be https:// and a host name, without user, other port, path and query, and not ' +
  'of an -admin host'
const urlMissing = 'options.provider_h.organization_url: is required for provider_h'
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
    ['a label that is null', { label: null }, `label: ${textRule}`],
    ['a label with U+0000', { label: 'a\u0000' }, 'label: must not contain U+0000 or lone surrogates'],
    ['an external_cred_id of 201 characters', { external_cred_id: textOf(201) }, `external_cred_id: ${textRule}`],
    ['an external_cred that is a number', { external_cred: 5 }, `external_cred: ${textRule}`],
    ['two different external ids', { external_cred: 'a', external_cred_id: 'b' }, sameRule],
    ['options that are null', { options: null }, 'options: must be an object'],
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
    ours = await signet.organization()
    expect((await create()).status).toBe(201)
  })
})

describe('The client id in the path (4.1, 4.2)', () => {
  // Proves 2.1/1, 4.1/1, 4.2/1.
  test.each([
    'https://example.com/client?a=b#c',
    'urn:client:1',
    '1-a.apps.example.com',
    'a/../b',
    '/',
    '.a',
    'a+b c',
    'a%2Fb',
    '%',
    ';',
    '~!$&\'()*,@"\\<>^`{|}',
    'c'.repeat(500),
    '%'.repeat(500),
  ])('The client id %j is found, changed and deleted, percent-encoded in the path', async (clientId) => {
    const created = (await create({ client_id: clientId })).body
    expect(created.result.client_id).toBe(clientId)
    expect((await get(clientId)).body).toEqual(created)
    const changed = await change({ label: 'Changed' }, clientId)
    expect(changed).toMatchObject({ status: 200, body: { result: { client_id: clientId, label: 'Changed' } } })
    expect(await ask('DELETE', pathOf(clientId))).toMatchObject({ status: 200, body: {} })
    expect(await get(clientId)).toMatchObject(noCredential)
  })

  test('A client id in the path may have only a colon and a period unencoded', async () => {
    await create({ client_id: 'urn:client.1' })
    expect((await ask('GET', `${collection}/urn:client.1`)).body.result.client_id).toBe('urn:client.1')
    await create({ client_id: 'a/b' })
    expect(await ask('GET', `${collection}/a/b`)).toMatchObject(refused(404, 'path: no such operation'))
  })

  test('A client id in the path is case-sensitive', async () => {
    await create()
    expect(await get('CLIENT')).toMatchObject(noCredential)
  })
})

describe('Provider options (2.1)', () => {
  // Proves 2.1/2, 2.1/4, 2.1/6, 2.1/7, 4.2/3.
  test.each(providers)(
    'The credential of %s reads back the scopes and other defaults of its provider, and of no other',
    async (provider) => {
      const { status, body } = await create({ provider, options: { [provider]: needed(provider) } })
      const others = provider === 'provider_g' ? { tenant: 'common' } : needed(provider)
      expect({ status, options: body.result.options }).toEqual({
        status: 201,
        options: { [provider]: { authorize_scopes: scopes[provider], ...others } },
      })
      expect((await get()).body).toEqual(body)
    },
  )

  // Proves 2.1/6.
  test.each(providers)('The scopes of %s are read back as given', async (provider) => {
    for (const authorize_scopes of [[], ['x'], [...(scopes[provider] ?? []), 'x', 'x']]) {
      const client_id = String(authorize_scopes.length)
      const { body } = await create({ client_id, ...ofProvider(provider, { authorize_scopes }) })
      expect(body.result.options[provider].authorize_scopes).toEqual(authorize_scopes)
    }
  })

  // Proves 2.1/4.
  test('The options may hold those of all eight providers, and the credential shows those of its own', async () => {
    const options = Object.fromEntries(providers.map((each) => [each, { ...needed(each), authorize_scopes: [each] }]))
    for (const provider of providers) {
      const { status, body } = await create({ client_id: provider, provider, options })
      expect({ status, options: body.result.options }).toEqual({
        status: 201,
        options: { [provider]: expect.objectContaining({ authorize_scopes: [provider] }) },
      })
    }
  })

  test.each(['!', '~', 'user:email', 'https://example.com/auth/x.read', 'a[b]{c}|', 's'.repeat(256)])(
    'The scope %j is accepted (RFC 6749, 3.3)',
    async (scope) => {
      expect((await create(ofProvider('provider_b', { authorize_scopes: [scope] }))).status).toBe(201)
    },
  )

  test.each(['', ' ', 'a b', 'a,b', '"', '\\', 'a\n', 'a\u007f', '\u00e9', 's'.repeat(257)])(
    'The scope %j is refused for every provider (RFC 6749, 3.3)',
    async (scope) => {
      for (const provider of providers) {
        const options = { [provider]: { authorize_scopes: ['fine', scope] } }
        const message = `options.${provider}.authorize_scopes[1]: ${scopeRule}`
        expect(await create({ options })).toMatchObject(refused(400, message))
      }
    },
  )

  // Proves 2.1/4.
  test.each<[string, unknown, string]>([
    ['a string for an object', 'x', 'options: must be an object'],
    ['an array for an object', [], 'options: must be an object'],
    ['an unknown provider', { provider_i: {} }, 'options.provider_i: is not a known field'],
    ['null for a provider', { provider_b: null }, 'options.provider_b: must be an object'],
    ['an array for a provider', { provider_b: [] }, 'options.provider_b: must be an object'],
    ['an unknown option', { provider_b: { scope: [] } }, 'options.provider_b.scope: is not a known field'],
    [
      'the tenant of another provider',
      { provider_a: { tenant: 'common' } },
      'options.provider_a.tenant: is not a known field',
    ],
    [
      'the organization_url of another provider',
      { provider_g: { organization_url } },
      'options.provider_g.organization_url: is not a known field',
    ],
    [
      'scopes in one string',
      { provider_c: { authorize_scopes: 'a b' } },
      `options.provider_c.authorize_scopes: ${scopesRule}`,
    ],
    [
      'a scope that is a number',
      { provider_c: { authorize_scopes: [5] } },
      `options.provider_c.authorize_scopes[0]: ${scopeRule}`,
    ],
    [
      '51 scopes',
      { provider_c: { authorize_scopes: numbered(51) } },
      `options.provider_c.authorize_scopes: ${scopesRule}`,
    ],
  ])('Provider options with %s are refused', async (_, options, message) => {
    expect(await create({ options })).toMatchObject(refused(400, message))
  })

  test('Provider options with 50 scopes are accepted', async () => {
    expect((await create(ofProvider('provider_c', { authorize_scopes: numbered(50) }))).status).toBe(201)
  })

  // Proves 2.1/7.
  test.each([
    'common',
    'organizations',
    'consumer',
    'consumers',
    '72F988BF-86f1-41af-91ab-2d7cd011db47',
    'contoso.onmicrosoft.com',
    'Contoso.com',
    'xn--bcher-kva.example',
  ])('The tenant %s is accepted, and read back as given', async (tenant) => {
    const { status, body } = await create(ofProvider('provider_g', { tenant }))
    expect({ status, tenant: body.result.options.provider_g.tenant }).toEqual({ status: 201, tenant })
  })

  // Proves 2.1/7.
  test.each([
    '',
    'Common',
    'contoso',
    'common/x',
    '../common',
    '..',
    'a..b',
    '-a.com',
    'a_b.com',
    'contoso.com.',
    'contoso.com/',
    'contoso.com?x',
    'contoso.com\n',
    '%63ommon',
    'b\u00fccher.example',
    '127.0.0.1',
    '72f988bf86f141af91ab2d7cd011db47',
    '{72f988bf-86f1-41af-91ab-2d7cd011db47}',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(126)}com`,
    5,
    null,
  ])('The tenant %j is refused', async (tenant) => {
    expect(await create(ofProvider('provider_g', { tenant }))).toMatchObject(refused(400, tenantRule))
    expect(await create({ options: { provider_g: { tenant } } })).toMatchObject(refused(400, tenantRule))
  })

  // Proves 2.1/8.
  test.each([
    'https://acme.okta.example',
    'https://acme.okta.example/',
    'https://acme.okta.example:443',
    'https://Acme.Okta.Example',
    'https://id.xn--bcher-kva.example',
    'https://admin.okta.example',
    'https://a-administrator.okta.example',
    'https://localhost.example.com',
  ])('The organization_url %s is accepted, and read back as given', async (url) => {
    const { status, body } = await create(ofProvider('provider_h', { organization_url: url }))
    expect({ status, url: body.result.options.provider_h.organization_url }).toEqual({ status: 201, url })
  })

  // Proves 2.1/8.
  test.each([
    '',
    'acme.okta.example',
    'http://acme.okta.example',
    'HTTPS://acme.okta.example',
    'https://',
    'https:///acme.okta.example',
    'https://acme-admin.okta.example',
    'https://Acme-Admin.okta.example',
    'https://acme.okta.example/oauth2/default',
    'https://acme.okta.example//',
    'https://acme.okta.example?',
    'https://acme.okta.example/?a',
    'https://acme.okta.example#',
    'https://acme.okta.example:8443',
    'https://acme.okta.example:',
    'https://user@acme.okta.example',
    'https://a:b@acme.okta.example',
    'https://acme.okta.example\\',
    'https://acme.okta.example.',
    'https://acme.okta.example ',
    'https://acme.okta.example\n',
    'https://acme%2eokta.example',
    'https://acme_x.okta.example',
    'https://acme',
    'https://localhost',
    'https://acme.localhost',
    'https://acme.LOCALHOST/',
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    `https://${'a'.repeat(64)}.example`,
    `https://${'a.'.repeat(130)}example`,
    5,
    null,
  ])('The organization_url %j is refused', async (url) => {
    expect(await create(ofProvider('provider_h', { organization_url: url }))).toMatchObject(refused(400, urlRule))
    expect(await create({ options: { provider_h: { organization_url: url } } })).toMatchObject(refused(400, urlRule))
  })

  // Proves 2.1/8.
  test.each([
    {},
    { options: {} },
    { options: { provider_h: {} } },
    { options: { provider_h: { authorize_scopes: [] } } },
  ])('An organization_url is required for provider_h, and not given by %j', async (fields) => {
    expect(await create({ provider: 'provider_h', ...fields })).toMatchObject(refused(400, urlMissing))
    expect((await create(fields)).status).toBe(201)
  })
})

describe('Credential lists', () => {
  test('The list of credentials has the oldest first, in pages, without secrets', async () => {
    for (const client_id of numbered(3)) await create({ client_id })
    const { status, body } = await ask('GET', collection)
    expect({ status, meta: body.meta }).toEqual({
      status: 200,
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect(body.result).toEqual(await Promise.all(numbered(3).map(async (id) => (await get(id)).body.result)))
    expect(JSON.stringify(body)).not.toContain(secret)
    const page = await ask('GET', `${collection}?limit=1&offset=1`)
    expect(page.body.result.map((each: { client_id: string }) => each.client_id)).toEqual(['1'])
    expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, total_count: 3 })
  })

  test('The list of credentials with oauth_provider has those of that provider', async () => {
    for (const client_id of numbered(4)) await create({ client_id, provider: `provider_${'abab'[Number(client_id)]}` })
    const { body } = await ask('GET', `${collection}?oauth_provider=provider_b&limit=1`)
    expect(body.result.map((each: { client_id: string }) => each.client_id)).toEqual(['1'])
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
    ours = await signet.organization()
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

describe('Unknown credentials (4.1, 4.2)', () => {
  // Proves 4.1/7, 4.2/5, 7/10.
  test.each([
    ['GET', undefined],
    ['PATCH', { label: 'Other' }],
    ['DELETE', undefined],
  ])(
    '%s of a credential is 404 for an unknown client id, and for that of another organization',
    async (method, body) => {
      await create({ client_id: 'theirs' })
      ours = await signet.organization()
      for (const clientId of ['unknown', 'theirs', '\u00e9'])
        expect(await ask(method, pathOf(clientId), body)).toMatchObject(noCredential)
    },
  )
})

describe('Malformed credential requests (4.1, 4.2)', () => {
  // Proves 4.1/2, 4.1/6, 4.2/2, 4.2/4, 7/7.
  test.each(['GET', 'PATCH'])(
    '%s of a credential is 400 without an organization, and for a path that is no text',
    async (method) => {
      const body = method === 'PATCH' ? {} : undefined
      const noOrganization = refused(400, 'Service-OrgID: is required')
      expect(await signet.call(method, pathOf('client'), {}, body)).toMatchObject(noOrganization)
      const badPath = refused(400, 'path: must be well-formed percent-encoded text')
      expect(await ask(method, `${collection}/%E0%A4`, body)).toMatchObject(badPath)
    },
  )

  // Proves 4.1/3.
  test('PATCH of a credential is 400 for an unknown consistency level or timeout', async () => {
    await create()
    const path = pathOf('client')
    const level = { 'Service-Required-Consistency': 'everywhere' }
    expect((await signet.as(ours, 'PATCH', path, {}, level)).status).toBe(400)
    const timeout = { 'Service-Required-Consistency-Timeout': '121' }
    expect((await signet.as(ours, 'PATCH', path, {}, timeout)).status).toBe(400)
    const lawful = { 'Service-Required-Consistency': 'all_regions', 'Service-Required-Consistency-Timeout': '120' }
    expect((await signet.as(ours, 'PATCH', path, {}, lawful)).status).toBe(200)
  })
})

describe('Credential requests without a valid key', () => {
  // Proves 5, rule 4/2.
  test.each<[string, string, object | undefined]>([
    ['GET', collection, undefined],
    ['POST', collection, { ...required, client_id: 'other' }],
    ['GET', pathOf('client'), undefined],
    ['PATCH', pathOf('client'), { label: 'Changed' }],
    ['DELETE', pathOf('client'), undefined],
  ])('%s %s is 401 without an API key, or with an invalid one (5, rule 4)', async (method, path, body) => {
    await create()
    const theirs = await signet.organization()
    for (const key of [undefined, '', 'wrong', theirs.apiKey]) {
      const headers: Headings = { 'Service-OrgID': ours.id, ...(key !== undefined && { 'Service-API-Key': key }) }
      expect(await signet.call(method, path, headers, body)).toMatchObject(key ? keyNotValid : keyRequired)
    }
    const { body: list } = await ask('GET', collection)
    expect(list.result).toMatchObject([{ client_id: 'client', label: '' }])
  })
})

describe('Read-only keys', () => {
  test.each([
    ['POST', collection, required],
    ['PATCH', pathOf('client'), {}],
    ['DELETE', pathOf('client'), undefined],
  ])('%s %s is 403 for a read-only key', async (method, path, body) => {
    const key = await ask('POST', '/organizations/api-keys', { read_only: true })
    const readOnly = { id: ours.id, apiKey: key.body.result.api_key }
    const answer = await signet.as(readOnly, method, path, body)
    expect(answer).toMatchObject(
      refused(403, 'Service-API-Key: this key is read-only; it lacks the scope credentials:write'),
    )
  })
})
