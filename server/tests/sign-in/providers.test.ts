import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgressClient } from '../../src/ground/outbound/index.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeOrganizationToken } from '../../src/ground/runtime/organization-token.ts'
import type { Credential, Provider } from '../../src/identity/credentials/index.ts'
import { createProviders, type ProviderOverrides, type Providers } from '../../src/identity/providers/index.ts'
import {
  browse,
  callbackUrl,
  client,
  otherClient,
  startOauthProviders,
  startOidcProviders,
  type Upstreams,
} from '../support/upstreams.ts'

const scopes: Record<Provider, string[]> = {
  provider_a: ['openid', 'email', 'profile'],
  provider_b: ['read:user', 'user:email'],
  provider_c: ['account'],
  provider_d: ['read_user'],
  provider_e: ['email', 'public_profile'],
  provider_f: ['openid', 'email', 'profile'],
  provider_g: ['openid', 'email', 'profile', 'User.Read'],
  provider_h: ['openid', 'email', 'profile'],
}
/** By what an application asks for with `prompt`: what the provider is sent; and what else it is sent. */
type Known = { prompts: Record<string, string | null>; others: ('max_age' | 'login_hint' | 'ui_locales')[] }
const noPrompt = { login: null, select_account: null, consent: null }
const known: Record<Provider, Known> = {
  provider_a: { prompts: { ...noPrompt, select_account: 'select_account' }, others: ['login_hint'] },
  provider_b: { prompts: { ...noPrompt, select_account: 'select_account' }, others: [] },
  provider_c: { prompts: noPrompt, others: [] },
  provider_d: { prompts: noPrompt, others: [] },
  provider_e: { prompts: noPrompt, others: [] },
  provider_f: { prompts: { ...noPrompt, login: 'login' }, others: ['max_age', 'ui_locales'] },
  provider_g: {
    prompts: { login: 'login', select_account: 'select_account', 'select_account login': 'login', consent: null },
    others: ['max_age', 'login_hint'],
  },
  provider_h: { prompts: { ...noPrompt, login: 'login' }, others: ['max_age', 'login_hint'] },
}
const tenant = '11111111-2222-4333-8444-555555555555'
const oid = '99999999-8888-4777-8666-555555555555'

let oidc: Upstreams<'google' | 'line' | 'entra' | 'okta' | 'second'>
let oauth: Upstreams<'github' | 'bitbucket' | 'gitlab' | 'facebook'>
let overrides: ProviderOverrides
const opened: Providers[] = []

beforeAll(async () => {
  ;[oidc, oauth] = await Promise.all([startOidcProviders(), startOauthProviders()])
  const { github, bitbucket, gitlab, facebook } = oauth.urls
  overrides = {
    provider_a: { issuer: oidc.urls.google, trust_email: true },
    provider_b: {
      authorization_endpoint: `${github}/login/oauth/authorize`,
      token_endpoint: `${github}/login/oauth/access_token`,
      user_endpoint: `${github}/api/user`,
      emails_endpoint: `${github}/api/user/emails`,
      trust_email: true,
    },
    provider_c: {
      authorization_endpoint: `${bitbucket}/site/oauth2/authorize`,
      token_endpoint: `${bitbucket}/site/oauth2/access_token`,
      user_endpoint: `${bitbucket}/2.0/user`,
      emails_endpoint: `${bitbucket}/2.0/user/emails`,
      trust_email: true,
    },
    provider_d: {
      authorization_endpoint: `${gitlab}/oauth/authorize`,
      token_endpoint: `${gitlab}/oauth/token`,
      user_endpoint: `${gitlab}/api/v4/user`,
      trust_email: true,
    },
    provider_e: {
      authorization_endpoint: `${facebook}/v25.0/dialog/oauth`,
      token_endpoint: `${facebook}/v25.0/oauth/access_token`,
      user_endpoint: `${facebook}/v25.0/me`,
    },
    provider_f: { issuer: oidc.urls.line },
    provider_g: { issuer: oidc.urls.entra, trust_email: true },
    provider_h: { issuer: oidc.urls.okta },
  }
})

afterAll(() => Promise.all([oidc.stop(), oauth.stop(), ...opened.map((providers) => providers.close())]))

function open(providerOverrides: ProviderOverrides = overrides): Providers {
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: 10 }),
    clock: runningClock(),
    overrides: providerOverrides,
  })
  opened.push(providers)
  return providers
}

const newState = () => makeOrganizationToken('01a1fdec-4b58-7279-8a15-173fda3083f7')

const credentialOf = (provider: Provider, options: Partial<Credential> = {}): Credential => ({
  id: '0190a5a0-0000-7000-8000-000000000001',
  version: 1,
  issuer: undefined,
  provider,
  ...client,
  scopes: scopes[provider],
  tenant: provider === 'provider_g' ? 'common' : undefined,
  organizationUrl: provider === 'provider_h' ? 'https://acme.okta.example' : undefined,
  ...options,
})

async function signIn(credential: Credential, person: object, providers = open()) {
  const { url, ...expected } = await providers.beginUpstream({ credential, callbackUrl, state: newState() })
  const answer = await browse(url, person)
  return providers.finishUpstream({ credential, callbackUrl, parameters: answer, expected })
}

const failsWith = (code: string, detail: string | RegExp = '') => ({
  code,
  message: expect.stringMatching(detail),
})

describe('The parameters of a redirect to a provider', () => {
  // Proves sign-in/19.
  test.each(Object.keys(scopes) as Provider[])(
    '%s: the browser is sent with state, PKCE S256, and a nonce where there is an ID token',
    async (provider) => {
      const credential = credentialOf(provider, { scopes: [...scopes[provider], 'more'] })
      const { url, state, nonce, codeVerifier } = await open().beginUpstream({
        credential,
        callbackUrl,
        state: newState(),
      })
      const parameters = Object.fromEntries(new URL(url).searchParams)
      expect(parameters).toEqual({
        client_id: client.clientId,
        response_type: 'code',
        redirect_uri: callbackUrl,
        scope: [...scopes[provider], 'more'].join(' '),
        state,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        ...(scopes[provider].includes('openid') && { nonce }),
      })
      expect(nonce).toMatch(/^[\da-f]{64}$/)
      expect(codeVerifier).toHaveLength(43)
    },
  )

  test.each(Object.keys(scopes) as Provider[])(
    '%s: the browser is sent with the other parameters of the application where the provider knows them',
    async (provider) => {
      for (const [prompt, wanted] of Object.entries(known[provider].prompts)) {
        const authRequirements = { prompt, max_age: '600', login_hint: 'ada@example.com', ui_locales: 'ja en' }
        const { url } = await open().beginUpstream({
          credential: credentialOf(provider),
          callbackUrl,
          state: newState(),
          authRequirements,
        })
        const { searchParams } = new URL(url)
        const sent = Object.keys(authRequirements).filter((name) => name !== 'prompt' && searchParams.has(name))
        expect([prompt, searchParams.get('prompt'), sent]).toEqual([prompt, wanted, known[provider].others])
        for (const name of known[provider].others) expect(searchParams.get(name)).toBe(authRequirements[name])
      }
    },
  )

  test('The redirect to a provider has no parameter that the application left out or left empty', async () => {
    for (const authRequirements of [{}, { prompt: '', login_hint: '', ui_locales: '' }]) {
      const begun = { credential: credentialOf('provider_g'), callbackUrl, state: newState(), authRequirements }
      const { searchParams } = new URL((await open().beginUpstream(begun)).url)
      for (const name of ['prompt', 'max_age', 'login_hint', 'ui_locales']) expect(searchParams.has(name)).toBe(false)
    }
  })

  test('The redirect to a provider is never the same twice', async () => {
    const providers = open()
    const begin = () =>
      providers.beginUpstream({ credential: credentialOf('provider_a'), callbackUrl, state: newState() })
    const [one, two] = [await begin(), await begin()]
    for (const name of ['nonce', 'codeVerifier'] as const) expect(one[name]).not.toBe(two[name])
  })

  test('The redirect to a provider goes to its public addresses unless the operator says otherwise', async () => {
    const starts = ['provider_b', 'provider_c', 'provider_d', 'provider_e'] as const
    const begun = starts.map((provider) =>
      open({}).beginUpstream({ credential: credentialOf(provider), callbackUrl, state: newState() }),
    )
    expect(
      (await Promise.all(begun)).map(({ url, issuer }) => [new URL(url).origin + new URL(url).pathname, issuer]),
    ).toEqual([
      ['https://github.com/login/oauth/authorize', 'https://github.com/login/oauth'],
      ['https://bitbucket.org/site/oauth2/authorize', 'https://bitbucket.org'],
      ['https://gitlab.com/oauth/authorize', 'https://gitlab.com'],
      ['https://www.facebook.com/v25.0/dialog/oauth', 'https://www.facebook.com'],
    ])
  })
})

describe('Provider_a (Google)', () => {
  test.each([true, 'true'])('The address of Google is accepted as verified: %j', async (email_verified) => {
    const person = { sub: '1089', email: 'ada@gmail.com', email_verified, name: 'Ada' }
    expect(await signIn(credentialOf('provider_a'), person)).toEqual({
      issuer: oidc.urls.google,
      subject: '1089',
      email: 'ada@gmail.com',
      emailVerified: true,
      name: 'Ada',
    })
  })

  test("Google's verified address of a domain that it serves is accepted", async () => {
    const person = { sub: '3', email: 'ada@example.com', email_verified: true, hd: 'example.com' }
    expect(await signIn(credentialOf('provider_a'), person)).toMatchObject({ emailVerified: true })
  })

  test.each([{ email_verified: false }, {}, { email: 'ada@example.com', email_verified: true }])(
    'Google vouches for no other address: %j',
    async (more) => {
      const identity = await signIn(credentialOf('provider_a'), { sub: '2', email: 'ada@gmail.com', ...more })
      expect(identity).toMatchObject({ emailVerified: false })
    },
  )

  // Proves sign-in/37.
  test('A provider_a of one’s own vouches for no address unless the operator says so', async () => {
    const person = { sub: '4', email: 'ada@gmail.com', email_verified: true }
    const providers = open({ provider_a: { issuer: oidc.urls.google } })
    const identity = await signIn(credentialOf('provider_a'), person, providers)
    expect(identity).toMatchObject({ email: 'ada@gmail.com', emailVerified: false })
  })

  test("A provider_a of one's own may be another library altogether", async () => {
    const providers = open({ provider_a: { issuer: oidc.urls.second } })
    expect(await signIn(credentialOf('provider_a'), {}, providers)).toEqual({
      issuer: oidc.urls.second,
      subject: 'second-1',
      email: 'ada@example.com',
      emailVerified: false,
    })
  })
})

describe('Provider_f (LINE)', () => {
  test('LINE signs with the channel secret, and vouches for no address', async () => {
    const person = { sub: 'U123', email: 'ada@example.com', email_verified: true, name: 'Ada' }
    expect(await signIn(credentialOf('provider_f'), person)).toEqual({
      issuer: oidc.urls.line,
      subject: 'U123',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    })
  })
})

describe('Provider_g (Microsoft Entra ID)', () => {
  const person = {
    sub: 'pairwise',
    tid: tenant,
    oid,
    ver: '2.0',
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada',
  }

  test.each(['common', 'organizations', tenant, 'contoso.example'])(
    'Entra at %s: the subject is tenant and object',
    async (name) => {
      expect(await signIn(credentialOf('provider_g', { tenant: name }), person)).toEqual({
        issuer: oidc.urls.entra.replace('{tenant}', tenant),
        subject: `${tenant}:${oid}`,
        email: 'ada@example.com',
        emailVerified: false,
        name: 'Ada',
      })
    },
  )

  test.each([
    [true, true],
    [1, true],
    ['1', true],
    [false, false],
    ['yes', false],
  ])('Entra vouches for an address by xms_edov alone: %j', async (xms_edov, emailVerified) => {
    expect(await signIn(credentialOf('provider_g'), { ...person, xms_edov })).toMatchObject({ emailVerified })
  })

  // Proves sign-in/37.
  test('A provider_g of one’s own vouches for no address unless the operator says so', async () => {
    const providers = open({ provider_g: { issuer: oidc.urls.entra } })
    const identity = await signIn(credentialOf('provider_g'), { ...person, xms_edov: true }, providers)
    expect(identity).toMatchObject({ email: 'ada@example.com', emailVerified: false })
  })

  test.each([
    ['another tenant', 'aaaaaaaa-2222-4333-8444-555555555555', /names another issuer/],
    ['personal accounts', 'consumers', /names another issuer/],
  ])('Entra is refused where the credential is for %s', async (_, name, detail) => {
    const signingIn = signIn(credentialOf('provider_g', { tenant: name }), person)
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_provider_error', detail))
  })

  test.each([
    ['ver', { ver: '1.0' }],
    ['tid', { tid: 'common' }],
    ['tid', { tid: undefined }],
    ['oid', { oid: undefined }],
    ['iss', { tid: 'aaaaaaaa-2222-4333-8444-555555555555' }],
  ])('Entra is refused with a wrong %s: %j', async (_, claims) => {
    const signingIn = signIn(credentialOf('provider_g'), { ...person, ...claims })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid'))
  })
})

describe('Provider_h (Okta)', () => {
  test('Okta has its profile from userinfo, and vouches for no address', async () => {
    const person = { sub: '00u1', email: 'ada@example.com', email_verified: true, name: 'Ada' }
    expect(await signIn(credentialOf('provider_h'), person)).toEqual({
      issuer: oidc.urls.okta,
      subject: '00u1',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    })
  })
})

describe('Provider_b (GitHub)', () => {
  const user = { id: 583231, login: 'ada', name: 'Ada', email: 'public@example.com' }
  const emails = [
    { email: 'second@example.com', primary: false, verified: true },
    { email: 'ada@example.com', primary: true, verified: true },
  ]
  const without = async (more: object) => signIn(credentialOf('provider_b'), { user, ...more })

  test('GitHub gives its number, and the address that is primary and verified', async () => {
    expect(await without({ emails })).toEqual({
      issuer: `${oauth.urls.github}/login/oauth`,
      subject: '583231',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
    })
  })

  test("GitHub's public address is never accepted, nor one that is not primary", async () => {
    expect(await without({ emails: emails.slice(0, 1) })).not.toHaveProperty('email')
    expect(await without({ emails: [{ ...emails[1], verified: false }] })).toMatchObject({ emailVerified: false })
    const noReply = { email: '1+ada@users.noreply.github.com', primary: true, verified: true }
    expect(await without({ emails: [noReply] })).not.toHaveProperty('email')
  })

  test.each([403, 404])('GitHub has no address where the app may not read them: %d', async (emailsStatus) => {
    expect(await without({ emailsStatus })).toMatchObject({ subject: '583231', emailVerified: false })
  })

  // Proves sign-in/37.
  test('A provider_b of one’s own vouches for no address unless the operator says so', async () => {
    const { trust_email, ...own } = overrides.provider_b ?? {}
    const identity = await signIn(credentialOf('provider_b'), { user, emails }, open({ provider_b: own }))
    expect(identity).toMatchObject({ email: 'ada@example.com', emailVerified: false })
  })
})

describe('Provider_c (Bitbucket)', () => {
  const user = {
    type: 'user',
    uuid: '{4f2c8a4e-0000-4000-8000-000000000001}',
    display_name: 'Ada',
    account_id: '557058',
  }
  const second = { email: 'second@example.com', is_primary: false, is_confirmed: true }

  test('Bitbucket gives its uuid with braces, and the primary address from whichever page', async () => {
    const emails = [second, { email: 'ada@example.com', is_primary: true, is_confirmed: true }]
    expect(await signIn(credentialOf('provider_c'), { user, emails })).toEqual({
      issuer: new URL(oauth.urls.bitbucket).origin,
      subject: user.uuid,
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
    })
  })

  test('Bitbucket vouches for no address that is not confirmed, and only the primary one is accepted', async () => {
    const unconfirmed = { email: 'ada@example.com', is_primary: true, is_confirmed: false }
    expect(await signIn(credentialOf('provider_c'), { user, emails: [unconfirmed] })).toMatchObject({
      emailVerified: false,
    })
    expect(await signIn(credentialOf('provider_c'), { user, emails: [second] })).not.toHaveProperty('email')
  })

  // Proves sign-in/37.
  test('A provider_c of one’s own vouches for no address unless the operator says so', async () => {
    const { trust_email, ...own } = overrides.provider_c ?? {}
    const emails = [{ email: 'ada@example.com', is_primary: true, is_confirmed: true }]
    const identity = await signIn(credentialOf('provider_c'), { user, emails }, open({ provider_c: own }))
    expect(identity).toMatchObject({ email: 'ada@example.com', emailVerified: false })
  })

  test('Bitbucket cannot have the token sent to another origin', async () => {
    const emails = [second, { email: 'ada@example.com', is_primary: true, is_confirmed: true }]
    const next = `${oauth.urls.bitbucket.replace('127.0.0.1', 'localhost')}/2.0/user/emails?page=2`
    expect(await signIn(credentialOf('provider_c'), { user, emails, next })).not.toHaveProperty('email')
  })

  test('Bitbucket is refused as a team', async () => {
    const signingIn = signIn(credentialOf('provider_c'), { user: { ...user, type: 'team' } })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_provider_error', /type is not user/))
  })
})

describe('Provider_d (GitLab)', () => {
  const user = {
    id: 42,
    name: 'Ada',
    email: 'ada@example.com',
    state: 'active',
    confirmed_at: '2020-01-01T00:00:00.000Z',
  }

  test('GitLab gives its number, and vouches for a confirmed address', async () => {
    expect(await signIn(credentialOf('provider_d'), { user, late: 2 })).toEqual({
      issuer: oauth.urls.gitlab,
      subject: '42',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
    })
  })

  test.each([{ state: 'blocked' }, { locked: true }, { confirmed_at: null }])(
    'GitLab vouches for no address with %j',
    async (more) => {
      expect(await signIn(credentialOf('provider_d'), { user: { ...user, ...more } })).toMatchObject({
        emailVerified: false,
      })
    },
  )

  // Proves sign-in/37.
  test('A provider_d of one’s own vouches for no address unless the operator says so', async () => {
    const { trust_email, ...own } = overrides.provider_d ?? {}
    expect(await signIn(credentialOf('provider_d'), { user }, open({ provider_d: own }))).toMatchObject({
      emailVerified: false,
    })
  })

  test('GitLab that never accepts the token is asked three times', async () => {
    const signingIn = signIn(credentialOf('provider_d'), { user, late: 3 })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_provider_error', /profile: HTTP 401/))
  })

  describe('GitLab with the scope openid', () => {
    const credential = credentialOf('provider_d', { scopes: ['read_user', 'openid'] })

    test('GitLab with the scope openid gives an ID token of the same subject', async () => {
      expect(await signIn(credential, { user })).toMatchObject({ issuer: oauth.urls.gitlab, subject: '42' })
    })

    test('GitLab with the scope openid must give an ID token', async () => {
      const signingIn = signIn(credential, { user, noIdToken: true })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', /is missing/))
    })

    test('GitLab with the scope openid must give an ID token of the same person', async () => {
      const signingIn = signIn(credential, { user, sub: '43' })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', /id is another person/))
    })
  })
})

describe('Provider_e (Facebook)', () => {
  test('Facebook gives the id of the app, proves the secret, and vouches for no address', async () => {
    const user = { id: '10224', name: 'Ada', email: 'ada@example.com' }
    expect(await signIn(credentialOf('provider_e'), { user })).toEqual({
      issuer: new URL(oauth.urls.facebook).origin,
      subject: '10224',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    })
  })

  test('Facebook may give no address', async () => {
    expect(await signIn(credentialOf('provider_e'), { user: { id: '1' } })).not.toHaveProperty('email')
  })
})

describe('Codes for the acts of persons and administrators', () => {
  test.each([
    ['1349003', 'oidc_provider_error', /^callback: error_code 1349003: App Not Set Up/],
    ['101', 'credential_misconfigured', /^callback: invalid_client: App Not Set Up/],
  ])("Facebook's error of its own page has its code: error_code=%s without error", async (error_code, word, detail) => {
    const person = { refuse: { error_code, error_message: 'App Not Set Up: it is in development.' } }
    await expect(signIn(credentialOf('provider_e'), person)).rejects.toMatchObject(failsWith(word, detail))
  })

  const refusals: [Provider, object][] = [
    ['provider_a', { refuse: true }],
    ['provider_b', { refuse: { error: 'access_denied', error_description: 'The user has denied your access.' } }],
    ['provider_d', { refuse: { error: 'access_denied' } }],
    ['provider_e', { refuse: { error: 'access_denied', error_reason: 'user_denied', error_code: '200' } }],
    ['provider_f', { refuse: true }],
    ['provider_g', { refuse: true }],
    ['provider_h', { refuse: true }],
  ]
  test.each(refusals)('%s: a refusal by the person has its code', async (provider, person) => {
    await expect(signIn(credentialOf(provider), person)).rejects.toMatchObject(
      failsWith('oidc_access_denied', /^callback: /),
    )
  })

  test.each(Object.keys(scopes) as Provider[])('%s: a wrong client secret has its code', async (provider) => {
    const credential = credentialOf(provider, { clientSecret: 'wrong' })
    const person = { sub: '1', tid: tenant, oid, ver: '2.0', user: { id: 1 } }
    await expect(signIn(credential, person)).rejects.toMatchObject(failsWith('credential_misconfigured', /^token: /))
  })

  test.each(Object.keys(scopes) as Provider[])(
    '%s: an authorization code from another flow has its code',
    async (provider) => {
      const providers = open()
      const credential = credentialOf(provider)
      const [mine, theirs] = await Promise.all(
        [0, 1].map(() => providers.beginUpstream({ credential, callbackUrl, state: newState() })),
      )
      const answer = await browse(theirs?.url ?? '', { sub: '1', tid: tenant, oid, ver: '2.0', user: { id: 1 } })
      answer.set('state', mine?.state ?? '')
      const finishing = providers.finishUpstream({
        credential,
        callbackUrl,
        parameters: answer,
        expected: mine as never,
      })
      await expect(finishing).rejects.toMatchObject(failsWith('oidc_provider_error', /^token: /))
    },
  )

  test('An authorization code of another client has its code', async () => {
    const providers = open()
    const credential = credentialOf('provider_a')
    const theirs = await providers.beginUpstream({
      credential: { ...credential, ...otherClient },
      callbackUrl,
      state: newState(),
    })
    const answer = await browse(theirs.url, { sub: '1' })
    const finishing = providers.finishUpstream({ credential, callbackUrl, parameters: answer, expected: theirs })
    await expect(finishing).rejects.toMatchObject(failsWith('oidc_provider_error', /^token: invalid_grant/))
  })

  test('An authorization code used twice has its code', async () => {
    const providers = open()
    const credential = credentialOf('provider_a')
    const { url, ...expected } = await providers.beginUpstream({ credential, callbackUrl, state: newState() })
    const finish = { credential, callbackUrl, parameters: await browse(url, { sub: '1' }), expected }
    await providers.finishUpstream(finish)
    await expect(providers.finishUpstream(finish)).rejects.toMatchObject(
      failsWith('oidc_provider_error', /invalid_grant/),
    )
  })
})
