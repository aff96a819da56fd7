import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgressClient } from '../../src/ground/outbound/index.ts'
import { createNameLookup } from '../../src/ground/outbound/name-lookup.ts'
import { type Clock, runningClock } from '../../src/ground/runtime/clock.ts'
import { makeOrganizationToken } from '../../src/ground/runtime/organization-token.ts'
import type { Credential, Provider } from '../../src/identity/credentials/index.ts'
import {
  createProviders,
  type ProviderFailure,
  type ProviderOverrides,
  type Providers,
} from '../../src/identity/providers/index.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import { browse, callbackUrl, client, startHostileProvider, type Upstreams } from '../support/upstreams.ts'

const tenant = '11111111-2222-4333-8444-555555555555'
const hourMs = 3_600_000

let hostile: Upstreams<'base'>
let nameServer: NameServer
const opened: Providers[] = []

beforeAll(async () => {
  hostile = await startHostileProvider()
  nameServer = await startNameServer({
    'private.test': { A: ['127.0.0.1'] },
    'rebinding.test': { A: ['93.184.216.34', '10.0.0.1'] },
  })
})

afterAll(() => Promise.all([hostile.stop(), nameServer.stop(), ...opened.map((providers) => providers.close())]))

function open(overrides: ProviderOverrides, clock: Clock = runningClock()): Providers {
  const lookUpName = createNameLookup([nameServer.address])
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: 10, lookUpName }),
    clock,
    overrides,
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
  scopes: ['openid', 'email', 'profile'],
  tenant: 'common',
  organizationUrl: 'https://private.test',
  ...options,
})

const issuerOf = (lie: string) => `${hostile.urls.base}/${lie}${lie.startsWith('entra') ? '/{tenant}/v2.0' : ''}`
const openAt = (provider: Provider, lie: string, clock?: Clock) =>
  open({ [provider]: { issuer: issuerOf(lie) } }, clock)

type AuthRequirements = Parameters<Providers['beginUpstream']>[0]['authRequirements']

type Attempt = {
  provider?: Provider
  clock?: Clock
  credential?: Partial<Credential>
  providers?: Providers
  authRequirements?: AuthRequirements
  /** On the way back through the browser. */
  tamper?: (answer: URLSearchParams) => void
}

async function signIn(lie: string, attempt: Attempt = {}) {
  const { provider = 'provider_a', clock, credential, providers, authRequirements, tamper } = attempt
  const { beginUpstream, finishUpstream } = providers ?? openAt(provider, lie, clock)
  const begun = { credential: credentialOf(provider, credential), callbackUrl, state: newState() }
  const { url, ...expected } = await beginUpstream({ ...begun, ...(authRequirements && { authRequirements }) })
  const answer = await browse(url)
  tamper?.(answer)
  return finishUpstream({ ...begun, parameters: answer, expected })
}

const count = async (path: string): Promise<number> =>
  (await fetch(`${hostile.urls.base}/count${path}`)).json() as Promise<number>
const failsWith = (word: string, detail: RegExp) => ({ code: word, message: expect.stringMatching(detail) })

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
    ['keys-absent', /no published key fits/],
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

describe('The mistrust of a token endpoint', () => {
  test.each([
    ['token-redirects', 'oidc_provider_error', /./],
    ['token-giant', 'oidc_provider_error', /more than 262144 bytes/],
    ['token-text', 'oidc_provider_error', /without JSON/],
    ['token-broken', 'provider_unreachable', /HTTP 500/],
    ['token-hangs-up', 'provider_unreachable', /connection_reset/],
    ['token-throttled', 'provider_unreachable', /HTTP 429/],
    ['token-of-no-type', 'oidc_provider_error', /./],
    ['token-of-other-type', 'oidc_provider_error', /./],
    ['expired-secret', 'credential_misconfigured', /AADSTS7000222/],
    ['keys-redirect', 'oidc_provider_error', /^keys: HTTP 307/],
    ['keys-giant', 'oidc_provider_error', /^keys: more than/],
  ])('A reply of a token endpoint is refused: %s: %s', async (lie, word, detail) => {
    await expect(signIn(lie)).rejects.toMatchObject(failsWith(word, detail))
  })

  test.each(['token-redirects', 'token-broken', 'token-hangs-up'])(
    'A token endpoint is sent a code once: %s',
    async (lie) => {
      const before = await count(`/${lie}/token`)
      await expect(signIn(lie)).rejects.toThrow()
      expect(await count(`/${lie}/token`)).toBe(before + 1)
      expect(await count(`/${lie}-on/token`)).toBe(0)
    },
  )

  test('A token endpoint puts no header into the next request', async () => {
    const signingIn = signIn('header-in-token', { provider: 'provider_h' })
    await expect(signingIn).rejects.toMatchObject({ code: 'provider_unreachable' })
    expect(await count('/header-in-token/userinfo')).toBe(0)
  })

  // Proves sign-in/28.
  test('A token endpoint does not get codes, addresses or control characters into the log', async () => {
    const error = await signIn('talkative').catch((failure) => failure)
    expect(error.message).toMatch(/^token: invalid_grant: \[secret\] and \[token\] of \[address\] \[31mno no /)
    expect(error.message.length).toBeLessThan(600)
  })
})

describe("The log of a token endpoint's reply", () => {
  // Proves sign-in/29.
  test('The log gets no secret of the sign-in from a token endpoint, however short, spelt or cut', async () => {
    const clientSecret = 'p&ss w0rd'
    const tamper = (answer: URLSearchParams) => answer.set('code', 'c0de')
    const error = await signIn('indiscreet', { credential: { clientSecret }, tamper }).catch((failure) => failure)
    expect(error.message).toMatch(/^token: invalid_grant: \[secret\] and \[secret\] and \[secret\]!+/)
    expect(error.message).not.toMatch(/p&ss|p%26ss|w0rd|c0de/)
    expect(error.trace).toEqual({})
  })

  test('The log gets Entra’s ids of what happened, and only those that are ids', async () => {
    const error = await signIn('entra-traced', { provider: 'provider_g' }).catch((failure) => failure)
    expect(error.trace).toEqual({ trace_id: 'f0b3f1ae-1d2c-4e5b-9a77-0123456789ab', error_codes: '70008' })
  })
})

/** Work that grows with the square of a text takes minutes here: no limit of a machine is near. */
const linearMs = 30_000

describe('Long texts', () => {
  const timed = async (signingIn: Promise<unknown>) => {
    const start = performance.now()
    const error = (await signingIn.catch((failure) => failure)) as ProviderFailure
    return { error, isLinear: performance.now() - start < linearMs }
  }

  // Proves sign-in/30.
  test.each([
    ['long-letters', 'c0de'],
    ['long-letters', 'a'],
    ['long-letters', 'a'.repeat(4_000)],
    ['long-letters-and-address', 'c0de'],
    ['long-addresses', 'c0de'],
    ['long-addresses', '@'],
    ['long-controls', 'c0de'],
  ])('A long text of a token endpoint holds nobody up: %s, where the code is %.9s', async (lie, code) => {
    const { error, isLinear } = await timed(signIn(lie, { tamper: (answer) => answer.set('code', code) }))
    expect(error.code).toBe('oidc_provider_error')
    expect(error.message.length).toBeLessThanOrEqual(500)
    expect(isLinear).toBe(true)
  })

  // Proves sign-in/30.
  test.each(['code', 'error', 'error_description'])('A long text of a browser is refused unread: %s', async (name) => {
    for (const text of ['a'.repeat(256 * 1_024), 'a@'.repeat(128 * 1_024)]) {
      const tamper = (answer: URLSearchParams) => {
        answer.set('error', 'odd')
        answer.set(name, text)
      }
      const { error, isLinear } = await timed(signIn('honest', { tamper }))
      expect(error).toMatchObject(failsWith('oidc_provider_error', /^callback: a parameter is too long$/))
      expect(isLinear).toBe(true)
    }
  })

  // Proves sign-in/30.
  test('A long text is cut without half a secret', async () => {
    const tamper = (answer: URLSearchParams) => answer.set('code', 'c0de'.repeat(500))
    const { error } = await timed(signIn('long-code', { tamper }))
    expect(error.message).toMatch(/^token: invalid_grant: (\[secret\] )*$/)
  })
})

describe('Addresses that no request goes to', () => {
  // Proves sign-in/25.
  test.each([
    'https://private.test',
    'https://rebinding.test',
    'https://127.0.0.1',
    'https://[::1]',
    'https://169.254.169.254',
    'http://93.184.216.34',
    'http://public.test',
    'https://public.test:8443',
    'https://me@public.test',
  ])('No request goes to a private address, or to what is no plain https origin: %s', async (organizationUrl) => {
    const begun = { credential: credentialOf('provider_h', { organizationUrl }), callbackUrl, state: newState() }
    const beginning = open({}).beginUpstream(begun)
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /^discovery: forbidden_address$/))
  })

  // Proves sign-in/25.
  test.each([
    ['private-token-endpoint', /^token: forbidden_address$/],
    ['private-keys', /^keys: forbidden_address$/],
  ])('No request goes to a private address that a document of a trusted issuer names: %s', async (lie, detail) => {
    await expect(signIn(lie)).rejects.toMatchObject(failsWith('provider_unreachable', detail))
  })

  // Proves sign-in/25.
  test('No request goes to an origin that another port of the trusted host has', async () => {
    const begun = {
      credential: credentialOf('provider_h', { organizationUrl: 'http://127.0.0.1:1' }),
      callbackUrl,
      state: newState(),
    }
    const beginning = openAt('provider_a', 'honest').beginUpstream(begun)
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /forbidden_address/))
  })
})

describe('Overridden origins of a provider', () => {
  const begin = (override: string, organizationUrl: string) =>
    open({ provider_a: { issuer: override } }).beginUpstream({
      credential: credentialOf('provider_h', { organizationUrl }),
      callbackUrl,
      state: newState(),
    })

  // Proves sign-in/26.
  test('An overridden origin at a private address is trusted for that provider alone', async () => {
    const beginning = begin('https://private.test', 'https://private.test')
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /forbidden_address$/))
  })

  // Proves sign-in/26.
  test('An overridden origin by plain http is trusted for that provider alone', async () => {
    const beginning = begin(issuerOf('honest'), issuerOf('honest'))
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /forbidden_address$/))
  })

  // Proves sign-in/26.
  test('An overridden origin is trusted for that provider alone also where its document was read before', async () => {
    const providers = open({ provider_a: { issuer: issuerOf('honest') } })
    await signIn('honest', { providers })
    const beginning = signIn('honest', {
      providers,
      provider: 'provider_h',
      credential: { organizationUrl: issuerOf('honest') },
    })
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /forbidden_address$/))
  })
})

describe('One deadline', () => {
  // Proves sign-in/25.
  test.each(['discovery-silent', 'token-silent'])('One deadline ends the wait of the whole step: %s', async (lie) => {
    let now = Date.now()
    // Of the ten seconds that there are, each reading takes almost all.
    let step = lie === 'discovery-silent' ? 9_900 : 0
    const clock = { now: () => (now += step) }
    const tamper = () => {
      step = 9_900
    }
    await expect(signIn(lie, { clock, tamper })).rejects.toMatchObject(failsWith('provider_unreachable', /timeout$/))
  })

  test('A provider that is not there is unreachable', async () => {
    const providers = open({ provider_a: { issuer: 'http://127.0.0.1:1' } })
    const beginning = providers.beginUpstream({
      credential: credentialOf('provider_a'),
      callbackUrl,
      state: newState(),
    })
    await expect(beginning).rejects.toMatchObject(failsWith('provider_unreachable', /connection_refused/))
  })
})

test('A document is asked for once more when the connection breaks', async () => {
  expect(await signIn('discovery-hangs-up-once')).toHaveProperty('subject')
})

describe('Cached documents', () => {
  test('A document cached for one credential is held against the rule of the other', async () => {
    const providers = open({ provider_g: { issuer: `${hostile.urls.base}/entra-shared/common/v2.0` } })
    const begin = (name: string) =>
      providers.beginUpstream({
        credential: credentialOf('provider_g', { tenant: name }),
        callbackUrl,
        state: newState(),
      })
    expect(await begin('common')).toHaveProperty('url')
    await expect(begin(tenant)).rejects.toMatchObject(failsWith('oidc_provider_error', /names another issuer/))
  })

  test('A document is asked for once, and shared by all who sign in', async () => {
    const providers = openAt('provider_a', 'kept')
    await Promise.all(Array.from({ length: 5 }, () => signIn('kept', { providers })))
    await signIn('kept', { providers })
    expect(await count('/kept/.well-known/openid-configuration')).toBe(1)
    expect(await count('/kept/keys')).toBe(1)
    expect(await count('/kept/token')).toBe(6)
  })

  test('A cached document expires in an hour, a key set in ten minutes', async () => {
    const clock = runningClock()
    const providers = openAt('provider_a', 'ageing', clock)
    await signIn('ageing', { providers })
    clock.set(clock.now() + 10.1 * 60_000)
    await signIn('ageing', { providers })
    expect([await count('/ageing/.well-known/openid-configuration'), await count('/ageing/keys')]).toEqual([1, 2])
    clock.set(clock.now() + hourMs)
    await providers.beginUpstream({ credential: credentialOf('provider_a'), callbackUrl, state: newState() })
    expect(await count('/ageing/.well-known/openid-configuration')).toBe(2)
  })

  test('A cached document is used for a day while there is nothing newer, which is looked for once a minute', async () => {
    const clock = runningClock()
    const providers = openAt('provider_a', 'discovery-vanishes', clock)
    const begin = () =>
      providers.beginUpstream({ credential: credentialOf('provider_a'), callbackUrl, state: newState() })
    const tries = () => count('/discovery-vanishes/.well-known/openid-configuration')
    await begin()
    clock.set(clock.now() + 2 * hourMs)
    await begin()
    await begin()
    expect(await tries()).toBe(2)
    clock.set(clock.now() + 61_000)
    await begin()
    expect(await tries()).toBe(3)
    clock.set(clock.now() + 22 * hourMs)
    await expect(begin()).rejects.toMatchObject(failsWith('provider_unreachable', /HTTP 503/))
  })

  // Proves sign-in/31.
  test.each([
    ['discovery-says-wait', 20_000],
    ['discovery-says-wait-long', 60_000],
    ['discovery-says-until', 60_000],
    ['discovery-says-nonsense', 1_000],
  ])('Nobody asks again for as long as the provider says, and never longer than a minute: %s', async (lie, waitMs) => {
    let now = Date.now()
    const providers = openAt('provider_a', lie, { now: () => now })
    const begin = () =>
      providers.beginUpstream({ credential: credentialOf('provider_a'), callbackUrl, state: newState() })
    const tries = () => count(`/${lie}/.well-known/openid-configuration`)
    for (let times = 0; times < 3; times++)
      await expect(begin()).rejects.toMatchObject(failsWith('provider_unreachable', /HTTP (429|503)/))
    expect(await tries()).toBe(1)
    now += waitMs - 1
    await expect(begin()).rejects.toMatchObject({ code: 'provider_unreachable' })
    expect(await tries()).toBe(1)
    now += 1
    await expect(begin()).rejects.toMatchObject({ code: 'provider_unreachable' })
    expect(await tries()).toBe(2)
  })

  test('A cached key set, too, is used while there is nothing newer', async () => {
    const providers = openAt('provider_a', 'keys-say-wait')
    for (let times = 0; times < 3; times++)
      await expect(signIn('keys-say-wait', { providers })).rejects.toMatchObject(
        failsWith('provider_unreachable', /^keys: HTTP 503/),
      )
    expect(await count('/keys-say-wait/keys')).toBe(1)
  })

  test('A cached key set is read again for a key that it lacks, but not twice in a minute', async () => {
    const clock = runningClock()
    const providers = openAt('provider_a', 'rotates', clock)
    await signIn('rotates', { providers })
    await expect(signIn('rotates', { providers })).rejects.toMatchObject(
      failsWith('oidc_token_invalid', /no published key/),
    )
    expect(await count('/rotates/keys')).toBe(1)
    clock.set(clock.now() + 61_000)
    await signIn('rotates', { providers })
    expect(await count('/rotates/keys')).toBe(2)
  })
})
