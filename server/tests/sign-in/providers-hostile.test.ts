import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider } from '../../src/identity/credentials/index.ts'
import {
  type AuthRequirements,
  closeHostile,
  count,
  credentialOf,
  failsWith,
  hostile,
  issuerOf,
  newState,
  open,
  openAt,
  openHostile,
  signIn,
  tenant,
} from '../support/hostile-provider.ts'
import { browse, callbackUrl } from '../support/upstreams.ts'

beforeAll(openHostile)
afterAll(closeHostile)

describe('Honest replies', () => {
  test.each<[Provider, string]>([
    ['provider_a', 'honest'],
    ['provider_a', 'aud-several-for-us'],
    ['provider_f', 'hmac-with-secret'],
    ['provider_f', 'ec-signed'],
    ['provider_g', 'entra-honest'],
    ['provider_g', 'entra-personal'],
    ['provider_g', 'entra-key-of-any-tenant'],
    ['provider_h', 'honest'],
    ['provider_a', 'null-in-unused'],
    ['provider_a', 'empty-in-unused'],
    ['provider_h', 'null-in-unused'],
    ['provider_a', 'null-in-document'],
  ])('An honest reply is accepted, so that each refusal below is for its lie: %s: %s', async (provider, lie) => {
    expect(await signIn(lie, { provider })).toHaveProperty('subject')
  })
})

describe('Refused ID tokens', () => {
  // Proves sign-in/20.
  test.each([
    ['iss-other', /iss is another issuer/],
    ['iss-with-slash', /iss is another issuer/],
    ['iss-absent', /"iss"/],
    ['aud-other', /"aud"/],
    ['aud-several', /aud or azp/],
    ['aud-several-for-another', /aud or azp/],
    ['azp-other', /aud or azp/],
    ['nonce-other', /nonce/],
    ['nonce-absent', /nonce/],
    ['sub-absent', /"sub"/],
    ['sub-is-number', /sub is no usable text/],
    ['sub-is-empty', /sub is no usable text/],
    ['sub-is-too-long', /sub is no usable text/],
    ['expired', /"exp"/],
    ['exp-absent', /"exp"/],
    ['made-tomorrow', /"iat"/],
    ['made-yesterday', /"iat"/],
    ['not-yet', /"nbf"/],
    ['alg-none', /alg is not allowed/],
    ['alg-none-signed', /alg is not allowed/],
    ['alg-absent', /alg is not allowed/],
    ['hmac-with-public-key', /alg is not allowed/],
    ['hmac-with-public-jwk', /alg is not allowed/],
    ['hmac-with-secret', /alg is not allowed/],
    ['ec-signed', /alg is not allowed/],
    ['other-key', /signature verification failed/],
    ['other-claims', /signature verification failed/],
    ['no-signature', /signature verification failed/],
    ['key-in-header', /signature verification failed/],
    ['unknown-key', /no published key fits/],
    ['key-twice', /no published key fits/],
    ['key-for-encryption', /no published key fits/],
    ['key-of-other-algorithm', /no published key fits/],
    ['kid-absent', /no published key fits/],
    ['critical-header', /Extension Header/],
    ['token-is-text', /ID token/],
    ['token-is-object', /is missing/],
    ['token-absent', /is missing/],
  ])('An ID token that lies is refused: %s', async (lie, detail) => {
    await expect(signIn(lie)).rejects.toMatchObject(failsWith('oidc_token_invalid', detail))
  })

  // Proves sign-in/20.
  test.each([
    ['hmac-with-ec-key', /signature verification failed/],
    ['hmac-with-nothing', /signature verification failed/],
    ['honest', /alg is not allowed/],
    ['alg-none', /alg is not allowed/],
  ])('An ID token of LINE that lies is refused: %s', async (lie, detail) => {
    const signingIn = signIn(lie, { provider: 'provider_f' })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', detail))
  })

  // Proves sign-in/20.
  test.each([
    ['entra-tid-is-text', 'common', /iss is another issuer/],
    ['entra-tid-absent', 'common', /iss is another issuer/],
    ['entra-tid-and-iss-differ', 'common', /iss is another issuer/],
    ['entra-template-as-iss', 'common', /iss is another issuer/],
    ['plain-entra-of-no-tenant', 'common', /tid is no tenant/],
    ['entra-personal', 'organizations', /tid is another tenant/],
    ['entra-ver-1', 'common', /ver is not 2.0/],
    ['entra-oid-absent', 'common', /oid is missing/],
    ['entra-key-of-other-tenant', 'common', /key is of another issuer/],
  ])('An ID token of Entra that lies is refused: %s at %s', async (lie, name, detail) => {
    const signingIn = signIn(lie, { provider: 'provider_g', credential: { tenant: name } })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', detail))
  })

  // Proves sign-in/23.
  test.each<[string, AuthRequirements]>([
    ['anew', { prompt: 'login' }],
    ['not half an hour ago', { max_age: '1800' }],
  ])(
    'An ID token of a person who authenticated an hour ago, and was to do so %s, is refused',
    async (_, authRequirements) => {
      const signingIn = signIn('proved-an-hour-ago', { provider: 'provider_h', authRequirements })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', /auth_time/))
      for (const others of [{ authRequirements: { max_age: '7200' } }, {}])
        expect(await signIn('proved-an-hour-ago', { provider: 'provider_h', ...others })).toHaveProperty('subject')
    },
  )

  // Proves sign-in/24.
  test.each(['other-userinfo', 'userinfo-of-number', 'userinfo-of-nobody'])(
    'An ID token is refused where the profile is another person’s: %s',
    async (lie) => {
      const signingIn = signIn(lie, { provider: 'provider_h' })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_token_invalid', /sub is another person/))
    },
  )
})

describe('The issuer of Entra for a credential of one tenant', () => {
  test.each([tenant, 'consumers', 'contoso.example'])(
    'Entra is refused an issuer that is a template, for a credential of one tenant: %s',
    async (name) => {
      const signingIn = signIn('entra-honest', { provider: 'provider_g', credential: { tenant: name } })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_provider_error', /names another issuer/))
    },
  )

  test('Entra is refused another issuer than a domain was known to stand for, also after a restart', async () => {
    const begin = (issuer?: string) =>
      openAt('provider_g', 'entra-moves').beginUpstream({
        credential: credentialOf('provider_g', { tenant: 'contoso.example', issuer }),
        callbackUrl,
        state: newState(),
      })
    const { issuer, isIssuerNew } = await begin()
    expect([issuer, isIssuerNew]).toEqual([expect.stringContaining(tenant), true])
    await expect(begin(issuer)).rejects.toMatchObject(failsWith('oidc_provider_error', /another issuer/))
  })

  test('A credential for which Entra names another issuer keeps no other credential waiting', async () => {
    const { beginUpstream } = openAt('provider_g', 'entra-moves', { now: () => 0 })
    const begin = (issuer?: string) =>
      beginUpstream({
        credential: credentialOf('provider_g', { tenant: 'contoso.example', issuer }),
        callbackUrl,
        state: newState(),
      })
    await expect(begin('https://issuer.test')).rejects.toMatchObject(failsWith('oidc_provider_error', /another issuer/))
    expect(await begin()).toHaveProperty('url')
  })

  test.each<[Provider, string, string]>([
    ['provider_a', 'honest', 'common'],
    ['provider_g', 'entra-honest', 'common'],
    ['provider_g', 'entra-of-one', tenant],
  ])(
    "Entra's issuer is remembered for no credential that names its tenant itself: %s, %s",
    async (provider, lie, named) => {
      const begun = { credential: credentialOf(provider, { tenant: named }), callbackUrl, state: newState() }
      expect(await openAt(provider, lie).beginUpstream(begun)).toMatchObject({ isIssuerNew: false })
    },
  )
})

describe('Refused callbacks', () => {
  const tampered: [string, string, RegExp, (answer: URLSearchParams) => void][] = [
    ['another state', 'oidc_state_mismatch', /state/, (answer) => answer.set('state', '0'.repeat(64))],
    ['a longer state', 'oidc_state_mismatch', /state/, (answer) => answer.set('state', `${answer.get('state')}0`)],
    ['no state', 'oidc_state_mismatch', /state/, (answer) => answer.delete('state')],
    ['two states', 'oidc_provider_error', /twice/, (answer) => answer.append('state', answer.get('state') ?? '')],
    ['two codes', 'oidc_provider_error', /twice/, (answer) => answer.append('code', 'another')],
    ['anything else twice', 'oidc_provider_error', /twice/, (answer) => ['1', '2'].map((x) => answer.append('x', x))],
    ['another iss', 'oidc_state_mismatch', /iss/, (answer) => answer.set('iss', 'https://accounts.google.com')],
    ['an iss with a slash more', 'oidc_state_mismatch', /iss/, (answer) => answer.set('iss', `${issuerOf('honest')}/`)],
    ['no code', 'oidc_provider_error', /neither code nor error/, (answer) => answer.delete('code')],
    ['an ID token', 'oidc_provider_error', /^token: /, (answer) => answer.set('id_token', 'a.b.c')],
    ['a whole answer in one token', 'oidc_provider_error', /^token: /, (answer) => answer.set('response', 'a.b.c')],
    ['access_denied', 'oidc_access_denied', /^callback: /, (answer) => answer.set('error', 'access_denied')],
    ['invalid_scope', 'credential_misconfigured', /^callback: /, (answer) => answer.set('error', 'invalid_scope')],
    ['temporarily_unavailable', 'oidc_provider_error', /./, (answer) => answer.set('error', 'temporarily_unavailable')],
    ['server_error', 'oidc_provider_error', /./, (answer) => answer.set('error', 'server_error')],
    [
      'a description alone',
      'oidc_provider_error',
      /neither code nor error: It rains$/,
      (answer) => {
        answer.delete('code')
        answer.set('error_description', 'It rains')
      },
    ],
    ['any other error', 'oidc_provider_error', /^callback: strange/, (answer) => answer.set('error', 'strange')],
    [
      'an error of another issuer',
      'oidc_state_mismatch',
      /iss/,
      (answer) => {
        answer.set('error', 'access_denied')
        answer.set('iss', 'https://accounts.google.com')
      },
    ],
  ]
  test.each(tampered)('A callback is refused with %s: %s', async (_, word, detail, tamper) => {
    await expect(signIn('honest', { tamper })).rejects.toMatchObject(failsWith(word, detail))
  })

  test('A callback is refused without the iss that was promised', async () => {
    await expect(signIn('promises-iss')).rejects.toMatchObject(failsWith('oidc_state_mismatch', /iss is missing/))
  })

  test('A callback with LINE’s errors in capitals means the same', async () => {
    const tamper = (answer: URLSearchParams) => answer.set('error', 'ACCESS_DENIED')
    const signingIn = signIn('honest', { provider: 'provider_f', tamper })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_access_denied', /./))
  })

  test('A callback is refused with an iss that is not Entra’s template filled in', async () => {
    const own = `${hostile.urls.base}/entra-honest/${tenant}/v2.0`
    for (const iss of [
      'https://evil.example/v2.0',
      `${own}/more`,
      own.replace(tenant, 'a/b'),
      own.replace(tenant, ''),
    ]) {
      const signingIn = signIn('entra-honest', { provider: 'provider_g', tamper: (answer) => answer.set('iss', iss) })
      await expect(signingIn).rejects.toMatchObject(failsWith('oidc_state_mismatch', /iss/))
    }
  })

  // Proves sign-in/18.
  test('A callback of a flow that was begun at another provider is refused (mix-up), and its code goes nowhere', async () => {
    const providers = open({
      provider_a: { issuer: issuerOf('mixed-up') },
      provider_h: { issuer: issuerOf('attacker') },
    })
    const atAttacker = { credential: credentialOf('provider_h'), callbackUrl, state: newState() }
    const { url, ...expected } = await providers.beginUpstream(atAttacker)
    const answer = await browse(url.replace('/attacker/', '/mixed-up/'))
    const finishing = providers.finishUpstream({
      credential: credentialOf('provider_a'),
      callbackUrl,
      parameters: answer,
      expected,
    })
    await expect(finishing).rejects.toMatchObject(failsWith('oidc_state_mismatch', /another issuer/))
    expect([await count('/mixed-up/token'), await count('/attacker/token')]).toEqual([0, 0])
  })
})

describe('Refused discovery documents', () => {
  test.each([
    ['discovery-redirects', 'oidc_provider_error', /HTTP 307/],
    ['discovery-giant', 'oidc_provider_error', /more than 262144 bytes/],
    ['discovery-text', 'oidc_provider_error', /without JSON/],
    ['discovery-list', 'oidc_provider_error', /without a document/],
    ['discovery-absent', 'credential_misconfigured', /HTTP 404/],
    ['discovery-broken', 'provider_unreachable', /HTTP 503/],
    ['discovery-throttled', 'provider_unreachable', /HTTP 429/],
    ['discovery-hangs-up', 'provider_unreachable', /connection_reset/],
    ['other-issuer', 'oidc_provider_error', /names another issuer/],
    ['issuer-almost', 'oidc_provider_error', /names another issuer/],
    ['no-keys-address', 'oidc_provider_error', /no usable jwks_uri/],
    ['plain-token-endpoint', 'oidc_provider_error', /no usable token_endpoint/],
    ['token-endpoint-with-port', 'oidc_provider_error', /no usable token_endpoint/],
    ['token-endpoint-with-user', 'oidc_provider_error', /no usable token_endpoint/],
    ['script-as-endpoint', 'oidc_provider_error', /no usable authorization_endpoint/],
  ])('A discovery document is refused: %s: %s', async (lie, word, detail) => {
    await expect(signIn(lie)).rejects.toMatchObject(failsWith(word, detail))
  })

  test('A discovery document of an Okta organization whose endpoints are elsewhere is refused', async () => {
    const signingIn = signIn('private-token-endpoint', { provider: 'provider_h' })
    await expect(signingIn).rejects.toMatchObject(failsWith('oidc_provider_error', /an endpoint is on another host/))
  })
})
