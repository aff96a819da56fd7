import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  change,
  closeCredentials,
  create,
  get,
  issuerMissing,
  issuerRule,
  needed,
  newOrganization,
  numbered,
  ofProvider,
  openCredentials,
  organization_url,
  scopeRule,
  scopes,
  tenantRule,
  urlMissing,
  urlRule,
} from '../support/own-credentials.ts'
import { refused } from '../support/refused.ts'

beforeAll(openCredentials)
afterAll(closeCredentials)
beforeEach(newOrganization)

const providers = Object.keys(scopes)
const scopesRule = 'must be an array of at most 50 scopes'

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
  test('The options may hold those of all providers, and the credential shows those of its own', async () => {
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
    ['a string for an object', 'x', 'options: must be an object or null'],
    ['an array for an object', [], 'options: must be an object or null'],
    ['an unknown provider', { provider_i: {} }, 'options.provider_i: is not a known field'],
    ['an array for a provider', { provider_b: [] }, 'options.provider_b: must be an object or null'],
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
  ])('The organization_url %j is refused', async (url) => {
    expect(await create(ofProvider('provider_h', { organization_url: url }))).toMatchObject(refused(400, urlRule))
    expect(await create({ options: { provider_h: { organization_url: url } } })).toMatchObject(refused(400, urlRule))
  })

  // Proves 2.1/8.
  test.each([
    {},
    { options: {} },
    { options: { provider_h: {} } },
    { options: { provider_h: null } },
    { options: { provider_h: { organization_url: null } } },
    { options: { provider_h: { authorize_scopes: [] } } },
  ])('An organization_url is required for provider_h, and not given by %j', async (fields) => {
    expect(await create({ provider: 'provider_h', ...fields })).toMatchObject(refused(400, urlMissing))
    expect((await create(fields)).status).toBe(201)
  })

  test.each([
    'https://id.acme.example',
    'https://acme.eu.auth0.example/',
    'https://id.acme.example/realms/staff',
    'https://auth.ping.example/7f8c4c1e-2d0f-4f7e-9f10-3a9b8e1c0d2a/as',
    'https://acme.onelogin.example/oidc/2',
    'https://ID.Acme.example:443/Realms/Staff%20One/',
    'https://id.xn--bcher-kva.example/a/.well',
  ])('The issuer %s is accepted, and read back character by character', async (named) => {
    const { status, body } = await create(ofProvider('oidc', { issuer: named }))
    expect({ status, issuer: body.result.options.oidc.issuer }).toEqual({ status: 201, issuer: named })
  })

  test.each([
    '',
    'id.acme.example',
    'http://id.acme.example',
    'https://',
    'https:///id.acme.example',
    'https://id.acme.example?tenant=1',
    'https://id.acme.example/?',
    'https://id.acme.example/#',
    'https://id.acme.example:8443/',
    'https://me@id.acme.example/',
    'https://id.acme.example/..',
    'https://id.acme.example/a/../b',
    'https://id.acme.example/./a',
    'https://id.acme.example/a b',
    'https://id.acme.example/a\\b',
    'https://id.acme.example/%zz',
    'https://id.acme.example/\u00e9',
    'https://localhost/realms/staff',
    'https://id.localhost/',
    'https://127.0.0.1/',
    'https://[::1]/',
    `https://id.acme.example/${'a'.repeat(500)}`,
    5,
  ])('The issuer %j is refused', async (named) => {
    expect(await create(ofProvider('oidc', { issuer: named }))).toMatchObject(refused(400, issuerRule))
  })

  test('A credential of oidc needs an issuer, also after a change', async () => {
    expect(await create({ provider: 'oidc' })).toMatchObject(refused(400, issuerMissing))
    expect(await create({ provider: 'oidc', options: { oidc: {} } })).toMatchObject(refused(400, issuerMissing))
    await create(ofProvider('oidc'))
    expect(await change({ options: { oidc: { issuer: null } } })).toMatchObject(refused(400, issuerMissing))
  })
})
