import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider } from '../../src/identity/credentials/index.ts'
import {
  closeUpstreams,
  credentialOf,
  failsWith,
  newState,
  oid,
  open,
  openUpstreams,
  scopes,
  signIn,
  tenant,
} from '../support/own-providers.ts'
import { browse, callbackUrl, client, otherClient } from '../support/upstreams.ts'

beforeAll(openUpstreams)
afterAll(closeUpstreams)

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
  oidc: { prompts: { ...noPrompt, login: 'login' }, others: ['max_age', 'login_hint'] },
}

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
