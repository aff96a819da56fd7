import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  change,
  closeCredentials,
  collection,
  create,
  get,
  newOrganization,
  numbered,
  ofProvider,
  openCredentials,
  ours,
  pathOf,
  required,
  signet,
} from '../support/own-credentials.ts'
import { refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

beforeAll(openCredentials)
afterAll(closeCredentials)
beforeEach(newOrganization)

const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const notOwn =
  "trust_email_domains: must be absent or empty where the provider is not the customer's own: it is for provider_h, oidc, provider_g with " +
  'the GUID or a domain of a tenant, and a server of SIGNET_PROVIDERS'
const trusting = (trust_email_domains: unknown, provider = 'provider_h', options: object = {}) => ({
  ...ofProvider(provider, options),
  trust_email_domains,
})
const trusted = async () => (await get()).body.result.trust_email_domains

describe('The domains in which a provider is trusted', () => {
  test.each<[string, object]>([
    ['provider_h', {}],
    ['oidc', {}],
    ['provider_g', { tenant }],
    ['provider_g', { tenant: 'Contoso.example' }],
  ])('They are for a provider that is the customer’s own: %s %j', async (provider, options) => {
    const { status, body } = await create(trusting(['corp.example'], provider, options))
    expect({ status, trusted: body.result.trust_email_domains }).toEqual({ status: 201, trusted: ['corp.example'] })
    expect(await trusted()).toEqual(['corp.example'])
  })

  // Proves sign-in/73.
  test.each<[string, object]>([
    ['provider_a', {}],
    ['provider_b', {}],
    ['provider_c', {}],
    ['provider_d', {}],
    ['provider_e', {}],
    ['provider_f', {}],
    ['provider_g', {}],
    ['provider_g', { tenant: 'common' }],
    ['provider_g', { tenant: 'organizations' }],
    ['provider_g', { tenant: 'consumer' }],
    ['provider_g', { tenant: 'consumers' }],
    ['provider_g', { tenant: '9188040D-6C67-4C5B-B112-36A304B66DAD' }],
    ['oidc', { issuer: 'https://gitlab.com' }],
    ['oidc', { issuer: 'https://appleid.apple.com' }],
    ['oidc', { issuer: 'https://Accounts.Google.com/' }],
    ['provider_h', { organization_url: 'https://login.salesforce.com' }],
  ])('They are not for one at which anybody may have an account: %s %j', async (provider, options) => {
    expect(await create(trusting(['corp.example'], provider, options))).toMatchObject(refused(400, notOwn))
    expect((await create(trusting([], provider, options))).status).toBe(201)
    expect(await change({ trust_email_domains: ['corp.example'] })).toMatchObject(refused(400, notOwn))
    expect((await change({ trust_email_domains: [] })).status).toBe(200)
    expect((await change({ trust_email_domains: null })).status).toBe(200)
  })

  test('They are kept as A-labels in lower case, each once', async () => {
    const given = ['Corp.Example', 'corp.example', 'B\u00dcCHER.example', 'xn--bcher-kva.example', 'ｃorp。example']
    const { body } = await create(trusting(given))
    expect(body.result.trust_email_domains).toEqual(['corp.example', 'xn--bcher-kva.example'])
  })

  test.each([
    '',
    'corp',
    '*.corp.example',
    '.corp.example',
    'corp.example.',
    '@corp.example',
    'jo@corp.example',
    'https://corp.example',
    'corp.example/',
    'corp .example',
    'corp\u200b.example',
    '127.0.0.1',
    '*',
  ])('A domain is not %j', async (domain) => {
    const message = 'trust_email_domains[1]: must be a domain name, such as corp.example'
    expect(await create(trusting(['corp.example', domain]))).toMatchObject(refused(400, message))
  })

  test.each([
    'gmail.com',
    'GoogleMail.com',
    'ｇmail.com',
    'outlook.com',
    'outlook.de',
    'hotmail.co.uk',
    'yahoo.com',
    'yahoo.co.jp',
    'icloud.com',
    'gmx.net',
    'web.de',
    'proton.me',
    'qq.com',
    'mail.ru',
    'users.noreply.github.com',
    'privaterelay.appleid.com',
    'onmicrosoft.com',
  ])('A domain is not that of a public mail service: %s', async (domain) => {
    const message = 'trust_email_domains[0]: is of a public mail service'
    expect(await create(trusting([domain]))).toMatchObject(refused(400, message))
  })

  test('There are at most fifty of them', async () => {
    const domains = numbered(51).map((n) => `d${n}.example`)
    const message = 'trust_email_domains: must be an array of at most 50 domain names'
    expect(await create(trusting(domains))).toMatchObject(refused(400, message))
    expect((await create(trusting(domains.slice(1)))).status).toBe(201)
  })

  test('All that is wrong with them comes in one answer', async () => {
    const { body } = await create({ ...trusting(['gmail.com', 'x', 5], 'provider_a'), label: 5 })
    expect(body.errors.map(({ message }: { message: string }) => message.split(':')[0]).sort()).toEqual([
      'label',
      'trust_email_domains',
      'trust_email_domains[0]',
      'trust_email_domains[1]',
      'trust_email_domains[2]',
    ])
  })
})

describe('Trust that ends', () => {
  // Proves sign-in/73.
  test.each<[string, object, object]>([
    ['provider_g', { tenant }, { tenant: 'contoso.example' }],
    ['provider_g', { tenant }, { tenant: null }],
    ['provider_g', { tenant }, { tenant: 'common' }],
    ['provider_h', {}, { organization_url: 'https://other.okta.example' }],
    ['oidc', {}, { issuer: 'https://id.acme.example/realms/others' }],
    ['oidc', { issuer: 'https://id.acme.example' }, { issuer: 'https://id.acme.example/' }],
  ])(
    'Whatever points the credential elsewhere empties the list, also by an admin key: %s from %j to %j',
    async (...row) => {
      const [provider, options, elsewhere] = row
      await create(trusting(['corp.example'], provider, options))
      const { status, body } = await change({ options: { [provider]: elsewhere } })
      expect({ status, trusted: body.result.trust_email_domains }).toEqual({ status: 200, trusted: [] })
      await change({ options: ofProvider(provider, options).options })
      expect(await trusted()).toEqual([])
    },
  )

  test('All options taken away empties the list', async () => {
    await create(trusting(['corp.example'], 'provider_g', { tenant }))
    expect((await change({ options: null })).body.result.trust_email_domains).toEqual([])
  })

  test('The same place in other letters, another secret, scope or label, leaves the list', async () => {
    await create(trusting(['corp.example'], 'provider_g', { tenant }))
    await change({ options: { provider_g: { tenant: tenant.toUpperCase(), authorize_scopes: ['offline_access'] } } })
    await change({ client_secret: 'new', label: 'New', active: false })
    await change({ active: true })
    expect(await trusted()).toEqual(['corp.example'])
    await change({ trust_email_domains: null })
    expect(await trusted()).toEqual([])
  })

  test('A list that is given with the new place is the one of that place', async () => {
    await create(trusting(['corp.example']))
    const options = { provider_h: { organization_url: 'https://other.okta.example' } }
    await change({ options, trust_email_domains: ['other.example'] })
    expect(await trusted()).toEqual(['other.example'])
  })
})

describe('Who may trust a provider', () => {
  let narrow: Organization
  const asNarrow = (method: string, path: string, body: unknown) => signet.as(narrow, method, path, body)
  const change403 = refused(403, 'trust_email_domains: must be absent, unless the key is an admin key')
  const create403 = refused(403, 'trust_email_domains: must be absent or empty, unless the key is an admin key')

  beforeEach(async () => {
    const { body } = await ask('POST', '/organizations/api-keys', { scopes: ['credentials:write', 'settings:write'] })
    narrow = { id: ours.id, apiKey: body.result.api_key }
  })

  // Proves sign-in/73.
  test('A narrower key sets, keeps and takes away no trust, whatever else it changes', async () => {
    const made = { ...required, ...trusting(['corp.example']) }
    expect(await asNarrow('POST', collection, made)).toMatchObject(create403)
    await create(trusting(['corp.example']))
    const options = { provider_h: { organization_url: 'https://mallory.okta.example' } }
    for (const changes of [
      { trust_email_domains: ['evil.example'] },
      { trust_email_domains: ['corp.example'] },
      { trust_email_domains: [] },
      { trust_email_domains: null },
      { trust_email_domains: ['corp.example'], options, client_secret: 'x' },
    ])
      expect(await asNarrow('PATCH', pathOf('client'), changes)).toMatchObject(change403)
    expect(await trusted()).toEqual(['corp.example'])
  })

  test('A narrower key that points the credential elsewhere empties the list, and leaves it inactive', async () => {
    await create(trusting(['corp.example'], 'oidc'))
    const options = { oidc: { issuer: 'https://mallory.example' } }
    expect(await asNarrow('PATCH', pathOf('client'), { options })).toMatchObject(
      refused(403, 'client_secret: is required with a new organization_url or issuer, unless the key is an admin key'),
    )
    const { body } = await asNarrow('PATCH', pathOf('client'), { options, client_secret: 'x' })
    expect(body.result).toMatchObject({ active: false, trust_email_domains: [] })
  })

  test('The audit log tells who trusted whom, and what ended it', async () => {
    await create(trusting(['corp.example']))
    await change({ trust_email_domains: ['corp.example', 'other.example'] })
    await change({ options: { provider_h: { organization_url: 'https://other.okta.example' } } })
    const { body } = await ask('GET', '/organizations/audit-log?action=modifyOidcCredential')
    expect(
      body.result.map(({ before, after }: Record<string, { trust_email_domains: unknown }>) => [
        before?.trust_email_domains,
        after?.trust_email_domains,
      ]),
    ).toEqual([
      [['corp.example', 'other.example'], []],
      [['corp.example'], ['corp.example', 'other.example']],
    ])
  })
})
