import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import type { ProviderFailure } from '../../src/identity/providers/index.ts'
import {
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
import { callbackUrl } from '../support/upstreams.ts'

beforeAll(openHostile)
afterAll(closeHostile)

const hourMs = 3_600_000

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
    ['keys-absent', 'oidc_provider_error', /^keys: no key that could be used/],
    ['keys-broken', 'oidc_provider_error', /^keys: no key that could be used/],
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
})
