import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider } from '../../src/identity/credentials/index.ts'
import {
  closeUpstreams,
  credentialOf,
  failsWith,
  oauth,
  oid,
  oidc,
  open,
  openUpstreams,
  overrides,
  signIn,
  tenant,
} from '../support/own-providers.ts'

beforeAll(openUpstreams)
afterAll(closeUpstreams)

describe('Provider_a (Google)', () => {
  test.each([true, 'true'])('The address of Google is accepted as verified: %j', async (email_verified) => {
    const person = { sub: '1089', email: 'ada@gmail.com', email_verified, name: 'Ada' }
    expect(await signIn(credentialOf('provider_a'), person)).toEqual({
      issuer: oidc.urls.google,
      subject: '1089',
      email: 'ada@gmail.com',
      emailVerified: true,
      profile: { name: 'Ada' },
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
      profile: {},
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
      profile: { name: 'Ada' },
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
        profile: { name: 'Ada' },
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
      profile: { name: 'Ada' },
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
      profile: { name: 'Ada', preferred_username: 'ada' },
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
      profile: { name: 'Ada' },
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
      profile: { name: 'Ada' },
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
      profile: { name: 'Ada' },
    })
  })

  test('Facebook may give no address', async () => {
    expect(await signIn(credentialOf('provider_e'), { user: { id: '1' } })).not.toHaveProperty('email')
  })
})

const full = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  preferred_username: 'ada',
  picture: 'https://pictures.example/ada.png?size=96',
  locale: 'en-GB',
}
const hostile = [
  7,
  true,
  null,
  [],
  ['Ada'],
  {},
  { href: 1 },
  '',
  'x'.repeat(300),
  'a\u0000b',
  'a\nb',
  'a\u202eb',
  'a\u200bb',
]
const badPictures = [
  ...hostile,
  'javascript:alert(1)',
  'http://pictures.example/ada.png',
  'data:image/png;base64,AA==',
  '/ada.png',
]

describe('The profile at an OpenID provider', () => {
  const claims = (more: object) => ({ sub: '5', tid: tenant, oid, ver: '2.0', ...more })

  test.each<[Provider]>([['provider_a'], ['provider_f'], ['provider_g'], ['provider_h'], ['oidc']])(
    '%s: every member that it sends is given on, and what is no member is not',
    async (provider) => {
      const identity = await signIn(
        credentialOf(provider),
        claims({ ...full, nickname: 'a', email: 'ada@corp.example' }),
      )
      expect(identity).toMatchObject({ profile: full, email: 'ada@corp.example', emailVerified: false })
      expect(Object.keys(identity.profile ?? {}).sort()).toEqual(Object.keys(full).sort())
    },
  )

  test.each<[Provider]>([['provider_a'], ['provider_f'], ['provider_g'], ['provider_h'], ['oidc']])(
    '%s: what is no text of a profile is left out',
    async (provider) => {
      for (const value of hostile) {
        const { picture, ...others } = full
        const lie = Object.fromEntries(Object.keys(others).map((name) => [name, value]))
        expect((await signIn(credentialOf(provider), claims({ ...lie, picture }))).profile).toEqual({ picture })
      }
      for (const picture of badPictures)
        expect((await signIn(credentialOf(provider), claims({ picture }))).profile).toEqual({})
    },
  )
})

type Answers = { provider: Provider; user: object; told: object; picture: (value: unknown) => object; names: string[] }

describe('The profile at an OAuth provider', () => {
  test.each<Answers>([
    {
      provider: 'provider_b',
      user: { id: 1, login: 'ada', name: full.name, avatar_url: full.picture, bio: 'x', email: null },
      told: { name: full.name, preferred_username: 'ada', picture: full.picture },
      picture: (value) => ({ id: 1, avatar_url: value }),
      names: ['name', 'login', 'avatar_url'],
    },
    {
      provider: 'provider_c',
      user: {
        type: 'user',
        uuid: '{4f2c8a4e-0000-4000-8000-000000000001}',
        display_name: full.name,
        nickname: 'ada',
        username: 'ada_l',
        links: { avatar: { href: full.picture }, self: { href: 'https://api.bitbucket.example' } },
      },
      told: { name: full.name, preferred_username: 'ada', picture: full.picture },
      picture: (value) => ({
        type: 'user',
        uuid: '{4f2c8a4e-0000-4000-8000-000000000001}',
        links: { avatar: { href: value } },
      }),
      names: ['display_name', 'nickname', 'username', 'links'],
    },
    {
      provider: 'provider_d',
      user: { id: 1, name: full.name, username: 'ada', avatar_url: full.picture, state: 'active' },
      told: { name: full.name, preferred_username: 'ada', picture: full.picture },
      picture: (value) => ({ id: 1, avatar_url: value }),
      names: ['name', 'username', 'avatar_url'],
    },
    {
      provider: 'provider_e',
      user: {
        id: '1',
        name: full.name,
        first_name: 'Ada',
        last_name: 'Lovelace',
        picture: { data: { url: full.picture, is_silhouette: false, height: 50, width: 50 } },
      },
      told: { name: full.name, given_name: 'Ada', family_name: 'Lovelace', picture: full.picture },
      picture: (value) => ({ id: '1', picture: { data: { url: value } } }),
      names: ['name', 'first_name', 'last_name', 'picture'],
    },
  ])('$provider: what it sends is given on by the names of OpenID Connect, and nothing hostile', async (answers) => {
    const { provider, user, told, picture, names } = answers
    const profileOf = async (answer: object) => (await signIn(credentialOf(provider), { user: answer })).profile
    expect(await profileOf(user)).toEqual(told)
    for (const value of hostile) {
      expect(await profileOf({ ...user, ...Object.fromEntries(names.map((name) => [name, value])) })).toEqual({})
    }
    for (const value of badPictures) expect(await profileOf(picture(value))).toEqual({})
  })

  test('Bitbucket may have no nickname, and Facebook only the outline of a head', async () => {
    const user = { type: 'user', uuid: '{1}', username: 'ada_l', links: [] }
    expect((await signIn(credentialOf('provider_c'), { user })).profile).toEqual({ preferred_username: 'ada_l' })
    const outline = { id: '1', picture: { data: { url: full.picture, is_silhouette: true } } }
    expect((await signIn(credentialOf('provider_e'), { user: outline })).profile).toEqual({})
  })
})
