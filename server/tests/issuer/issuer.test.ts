import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, customFetch as joseFetch, jwtVerify } from 'jose'
import {
  authorizationCodeGrant,
  buildEndSessionUrl,
  fetchUserInfo,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { findInteraction, saveResult } from '../../src/identity/issuer/index.ts'
import { createIssuerKeys } from '../../src/identity/issuer/keys/issuer-keys.ts'
import { createClients } from '../../src/identity/issuer/library/clients.ts'
import { sweepExpired } from '../../src/identity/issuer/sweep-store.ts'
import { application, type Browser, baseUrl, fetchAt, type Page } from '../support/browser.ts'
import {
  type AnotherProcess,
  type App,
  type Issuers,
  loopbackForm,
  type Request,
  redirectUri,
  signedIn,
  startIssuers,
  type Tokens,
  uidIn,
} from '../support/issuer.ts'
import type { Organization } from '../support/signet.ts'

const secondMs = 1_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const denied = { error: 'access_denied', error_description: 'the sign-in failed: sync_hook_failed' }

let issuers: Issuers
let organization: Organization
let person: string
/** Public, and confidential without PKCE. */
let app: App
let confidential: App

beforeAll(async () => {
  issuers = await startIssuers()
  organization = await issuers.organization()
  person = await issuers.person(organization, ['crew', 'staff'])
  app = await issuers.app(organization)
  confidential = await issuers.app(organization, { confidential: true, require_pkce: false })
})

afterEach(() => issuers.clock.reset())
afterAll(() => issuers?.stop())

type Asked = { of?: App; as?: string; parameters?: Record<string, string>; browser?: Browser; claims?: object }
type SignedIn = { request: Request; end: URL; browser: Browser }

async function signIn({ of = app, as = person, parameters, browser, claims }: Asked = {}): Promise<SignedIn> {
  const request = await issuers.request(of, parameters)
  const used = browser ?? issuers.browser()
  const result = signedIn(as, issuers.clock.now(), claims as Record<string, unknown>)
  return { request, end: await issuers.signIn(used, of, request, result), browser: used }
}

async function tokensOf(options: Asked = {}): Promise<Tokens> {
  const { request, end } = await signIn(options)
  return issuers.exchange(options.of ?? app, request, end)
}

const offline = { parameters: { scope: 'openid offline_access' } }
const refresh = ({ refresh_token = '' }: Tokens, { config }: App = app) => refreshTokenGrant(config, refresh_token)
const userInfo = ({ access_token }: Tokens, { config }: App = app) => fetchUserInfo(config, access_token, person)
const invalidGrant = expect.objectContaining({ error: 'invalid_grant' })
const unauthorized = expect.objectContaining({ status: 401 })
const errorIn = (end: URL) =>
  Object.fromEntries(['error', 'error_description'].map((name) => [name, end.searchParams.get(name)]))
const issuerOf = ({ id }: Organization) => `${baseUrl}/oidc/${id}`

/** How many of these came through; every other one was refused so. */
async function countFulfilled(works: Promise<unknown>[], refusal: unknown): Promise<number> {
  const settled = await Promise.allSettled(works)
  for (const one of settled) if (one.status === 'rejected') expect(one.reason).toEqual(refusal)
  return settled.filter(({ status }) => status === 'fulfilled').length
}

const actionIn = ({ html }: Page) => /action="([^"]+)"/.exec(html)?.[1] ?? ''
const formIn = ({ html }: Page) =>
  Object.fromEntries(
    [...html.matchAll(/name="(\w+)" value="([^"]+)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

async function signOut(browser: Browser) {
  const page = await browser.go(`${issuerOf(organization)}/logout`)
  const { html } = await browser.go(actionIn(page), { form: { ...formIn(page), logout: 'yes' } })
  expect(html).toContain('You are signed out')
}

/** Straight to the service, as a program that is no browser. */
const send = (path: string, options: RequestInit = {}) =>
  fetch(`${issuers.address}/oidc/${organization.id}${path}`, { redirect: 'manual', ...options })

describe('Tokens', () => {
  test('Tokens say who signed in, in which organization, how and with which groups, and what the hooks add', async () => {
    const tokens = await tokensOf({ claims: { tier: { seats: [1, null] } } })
    const claims = {
      sub: person,
      org_id: organization.id,
      groups: ['crew', 'staff'],
      authenticated_methods: ['oidc'],
      region: 'local',
      tier: { seats: [1, null] },
    }
    expect(tokens.claims()).toMatchObject({ ...claims, iss: issuerOf(organization), aud: app.clientId })
    expect(await userInfo(tokens)).toEqual(claims)
    expect(tokens.expires_in).toBe(hourMs / secondMs)
    const { exp = 0, iat = 0 } = decodeJwt(tokens.id_token ?? '')
    expect(exp - iat).toBe(hourMs / secondMs)
  })

  // Proves sign-in/63.
  test('Tokens keep their own claims whatever a hook says', async () => {
    const claims = {
      sub: 'another',
      groups: ['admins'],
      org_id: 'x',
      region: 'x',
      iss: 'x',
      aud: 'x',
      nonce: 'x',
      exp: 1,
    }
    const tokens = await tokensOf({ claims })
    const own = { sub: person, groups: ['crew', 'staff'], org_id: organization.id, region: 'local' }
    expect(tokens.claims()).toMatchObject({ ...own, iss: issuerOf(organization), aud: app.clientId })
    expect(await userInfo(tokens)).toMatchObject(own)
  })

  test('Tokens leave out groups beyond 4 KiB, and say so', async () => {
    const groups = Array.from({ length: 50 }, (_, index) => `${'g'.repeat(90)}-${index}`)
    const as = await issuers.person(organization, groups)
    const claims = (await tokensOf({ as })).claims()
    expect(claims).toMatchObject({ groups_truncated: true })
    expect(claims).not.toHaveProperty('groups')
  })

  test.each(['RS256', 'ES256'])(
    'Tokens are signed with %s where the application chose it, by a published key',
    async (alg) => {
      const of = await issuers.app(organization, { id_token_signed_response_alg: alg })
      const { id_token = '' } = await tokensOf({ of })
      const jwks = createRemoteJWKSet(new URL(`${issuerOf(organization)}/jwks`), {
        [joseFetch]: fetchAt(() => issuers.address) as never,
      })
      const { protectedHeader } = await jwtVerify(id_token, jwks, {
        issuer: issuerOf(organization),
        audience: of.clientId,
      })
      expect(protectedHeader.alg).toBe(alg)
    },
  )

  // Proves sign-in/61.
  test('Tokens of one organization are worth nothing at another', async () => {
    const other = await issuers.organization()
    const { access_token, id_token = '' } = await tokensOf()
    const options = { headers: { authorization: `Bearer ${access_token}` } }
    expect((await fetch(`${issuers.address}/oidc/${other.id}/userinfo`, options)).status).toBe(401)
    const { keys } = (await (await fetch(`${issuers.address}/oidc/${other.id}/jwks`)).json()) as {
      keys: { kid: string }[]
    }
    expect(keys.map(({ kid }) => kid)).not.toContain(decodeProtectedHeader(id_token).kid)
  })

  test('Tokens go to a confidential application that authenticates in either way, and to nobody with a wrong secret', async () => {
    const { body } = await issuers.as(organization, 'POST', '/organizations/applications', {
      name: 'Post',
      redirect_uris: [redirectUri],
      confidential: true,
    })
    const { client_id, client_secret } = body.result
    const of = await issuers.app(organization)
    const exchanged = async (secret: string, basic: boolean) => {
      const { request, end } = await signIn({
        of,
        parameters: { client_id },
      })
      const sent = new URLSearchParams({
        grant_type: 'authorization_code',
        code: end.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: request.verifier,
        ...(basic ? {} : { client_id, client_secret: secret }),
      })
      const authorization = `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`
      const answer = await send('/token', { method: 'POST', body: sent, headers: basic ? { authorization } : {} })
      return answer.status
    }
    for (const basic of [true, false]) {
      expect(await exchanged(client_secret, basic)).toBe(200)
      expect(await exchanged(`${client_secret}x`, basic)).toBe(401)
    }
    const path = `/organizations/applications/${client_id}/client-secret`
    const { body: rotated } = await issuers.as(organization, 'POST', path)
    expect(await exchanged(client_secret, true)).toBe(401)
    expect(await exchanged(rotated.result.client_secret, true)).toBe(200)
  })

  test('Tokens and codes are stored nowhere as they are', async () => {
    const { request, end } = await signIn(offline)
    const code = end.searchParams.get('code') ?? ''
    const { access_token, refresh_token = '' } = await issuers.exchange(app, request, end)
    const rows = await issuers.database.write.rows(sql<{ row: string }>`
      select t::text as row from issuer_tokens t union all select g::text from issuer_grants g
      union all select s::text from issuer_sessions s`)
    const stored = rows.map(({ row }) => row).join()
    expect(stored).toContain(createHash('sha256').update(code).digest('hex'))
    for (const secret of [code, access_token, refresh_token])
      for (const text of [secret, Buffer.from(secret).toString('hex')]) expect(stored).not.toContain(text)
  })
})

describe('A request', () => {
  test.each<[string, Record<string, string>]>([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['another response type', { response_type: 'code id_token' }],
    ['an unknown prompt', { prompt: 'create' }],
    ['no openid in its scope', { scope: 'profile', nonce: '' }],
  ])('A request with %s is reported to the application', async (_what, parameters) => {
    const { url } = await issuers.request(app, parameters)
    for (const [name, value] of [...url.searchParams]) if (!value) url.searchParams.delete(name)
    const { url: end } = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
    expect(end).toMatch(/^https:\/\/app\.test\/callback[?#]/)
    expect(end).toContain('error=')
    expect(end).not.toContain('code=')
  })

  test.each(['nonce', 'code_challenge'])(
    'A request of a confidential application without PKCE needs at least a %s',
    async (kept) => {
      const { url } = await issuers.request(confidential)
      for (const name of ['nonce', 'code_challenge', 'code_challenge_method'])
        if (!name.startsWith(kept)) url.searchParams.delete(name)
      const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
      expect(uidIn(page.url)).not.toBe('')
      for (const name of ['nonce', 'code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
      const { url: refused } = await issuers.browser().go(url.href)
      expect(new URL(refused).searchParams.get('error_description')).toContain('nonce')
    },
  )

  // Proves sign-in/58.
  test.each([
    `${redirectUri}/`,
    `${redirectUri}?a=b`,
    `${redirectUri}#a`,
    `${redirectUri}%20`,
    redirectUri.replace('callback', 'Callback'),
    redirectUri.replace('callback', './callback'),
    redirectUri.replace('https', 'http'),
    redirectUri.replace('app.test', 'app.test:443'),
    redirectUri.replace('app.test', 'app.test.evil.test'),
    redirectUri.replace('app.test', 'evil.test@app.test'),
    '',
  ])('A request with the redirect URI %j, which is only almost registered, ends on a page of ours', async (uri) => {
    const { url } = await issuers.request(app)
    url.searchParams.set('redirect_uri', uri)
    const page = await issuers.browser().go(url.href)
    expect(page).toMatchObject({ status: 400, url: url.href })
    expect(page.html).toContain('This sign-in cannot go on')
    // As text, and nothing that leads there.
    if (uri) expect(page.html).toContain(`The application named ${uri}<`)
    expect(page.html).not.toMatch(/href|refresh|action/)
  })

  // Proves sign-in/58.
  test('A request of an application of another organization, or of none, ends on a page of ours', async () => {
    const other = await issuers.app(await issuers.organization())
    const { url } = await issuers.request(app)
    for (const clientId of [other.clientId, 'unknown', app.clientId.toUpperCase(), '<script>']) {
      url.searchParams.set('client_id', clientId)
      const page = await issuers.browser().go(url.href)
      expect(page.status).toBe(400)
      expect(page.html).not.toContain('<script')
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    }
  })

  test('A request with forged Host and X-Forwarded headers is answered with our own addresses', async () => {
    const forged = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.test;proto=http',
    }
    const discovered = await (await send('/.well-known/openid-configuration', { headers: forged })).text()
    expect(discovered).not.toContain('evil.test')
    const { url } = await issuers.request(app)
    const answer = await send(`/authorize${url.search}`, { headers: forged })
    expect(answer.headers.get('location')).toMatch(/^\/sso\/flows\//)
    expect(answer.headers.getSetCookie().every((cookie) => /; secure/i.test(cookie) && !/domain/i.test(cookie))).toBe(
      true,
    )
    const uid = uidIn(new URL(answer.headers.get('location') ?? '', baseUrl).href)
    const now = toTimestamp(issuers.clock.now())
    const found = await findInteraction(issuers.database.read, organization.id, uid, now)
    expect(found?.returnTo).toBe(`${issuerOf(organization)}/authorize/${uid}`)
  })

  test('A request of more than 24 KiB ends on a page of ours, and is not stored', async () => {
    const { url } = await issuers.request(app)
    const withLength = (length: number) => `${url.href}&more=${'x'.repeat(length - url.search.length - '&more'.length)}`
    const browser = issuers.browser()
    expect(uidIn((await browser.go(withLength(24_576), { stopAt: /\/sso\/flows\// })).url)).not.toBe('')
    const count = async () =>
      (await issuers.database.write.rows(sql<{ count: number }>`select count(*) from issuer_interactions`))[0]?.count
    const before = await count()
    const tooLong = withLength(24_577)
    const page = await browser.go(tooLong)
    expect(page).toMatchObject({ status: 400, url: tooLong })
    expect(page.html).toContain('This sign-in cannot go on')
    expect(await count()).toBe(before)
  })

  test('A request of a client that knows other scopes and prompts goes on; offline_access needs no consent', async () => {
    const tokens = await tokensOf({
      parameters: { scope: 'openid email profile offline_access address unknown', prompt: 'consent' },
    })
    expect(tokens.scope).toBe('openid email profile offline_access')
    expect(tokens.refresh_token).toBeDefined()
    expect((await tokensOf()).refresh_token).toBeUndefined()
  })

  test('A request is found with its parameters and where it came from', async () => {
    const parameters = { prompt: 'login', correlation_id: 'c', login_hint: 'jo' }
    const { url } = await issuers.request(app, parameters)
    const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\//, referer: 'https://app.test/start' })
    const now = toTimestamp(issuers.clock.now())
    const found = (id: string) => findInteraction(issuers.database.read, id, uidIn(page.url), now)
    expect(await found(organization.id)).toMatchObject({
      clientId: app.clientId,
      params: parameters,
      windowLocation: 'https://app.test/start',
      sessionPersonId: undefined,
      hasResult: false,
    })
    expect(await found((await issuers.organization()).id)).toBeUndefined()
  })

  test('A request keeps 2,048 characters of where it came from', async () => {
    const [{ url }, referer] = [await issuers.request(app), `https://app.test/${'x'.repeat(4_000)}`]
    const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\//, referer })
    const now = toTimestamp(issuers.clock.now())
    const found = await findInteraction(issuers.database.read, organization.id, uidIn(page.url), now)
    expect(found?.windowLocation).toHaveLength(2_048)
  })
})

describe('The result of a sign-in', () => {
  const begin = async (browser = issuers.browser(), parameters = {}) => {
    const request = await issuers.request(app, parameters)
    const { url } = await browser.go(request.url.href, { stopAt: /\/sso\/flows\// })
    const now = toTimestamp(issuers.clock.now())
    const save = (result = signedIn(person, issuers.clock.now())) =>
      issuers.database.transaction((tx) => saveResult(tx, organization.id, uidIn(url), result, now))
    return { browser, request, save, returnTo: `${issuerOf(organization)}/authorize/${uidIn(url)}` }
  }

  test('The result of a sign-in is written once', async () => {
    const { save } = await begin()
    const saved = await Promise.all(Array.from({ length: 8 }, () => save()))
    expect(saved.filter(Boolean)).toHaveLength(1)
  })

  // Proves sign-in/62.
  test('The result of a sign-in is used once, also by eight at once, and only in the browser that asked', async () => {
    const { browser, save, returnTo } = await begin()
    await save()
    expect((await issuers.browser().go(returnTo)).status).toBe(400)
    const cookie = browser.cookiesFor(returnTo)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        fetch(returnTo.replace(baseUrl, issuers.address), { redirect: 'manual', headers: { cookie } }),
      ),
    )
    const located = answers.filter((answer) => answer.headers.get('location')?.includes('code='))
    expect(located).toHaveLength(1)
    const others = answers.filter((answer) => !located.includes(answer))
    expect(others.map(({ status }) => status)).toEqual(Array(7).fill(400))
    expect(
      others
        .flatMap((answer) => answer.headers.getSetCookie())
        .filter((line) => line.startsWith('__Host-signet-session-') && !line.includes('1970')),
    ).toEqual([])
  })

  test('The result of a sign-in may be an error, which is reported to the application', async () => {
    const request = await issuers.request(app)
    const end = await issuers.signIn(issuers.browser(), app, request, denied)
    expect(errorIn(end)).toEqual(denied)
    expect(end.searchParams.get('state')).toBe(request.state)
  })

  test('The result of a sign-in is lost with a person who was deactivated before the browser came back', async () => {
    const as = await issuers.person(organization)
    const { browser, save, returnTo } = await begin()
    await save(signedIn(as, issuers.clock.now()))
    await issuers.as(organization, 'PATCH', `/persons/${as}`, { active: false })
    const page = await browser.go(returnTo)
    expect(page).toMatchObject({ status: 400, url: returnTo })
  })

  test('The result of a sign-in of another person replaces the session that was there', async () => {
    const another = await issuers.person(organization)
    const { browser, request, end } = await signIn()
    const before = await issuers.exchange(app, request, end)
    const next = await signIn({ as: another, browser, parameters: { prompt: 'login' } })
    const tokens = await issuers.exchange(app, next.request, next.end)
    expect(tokens.claims()?.sub).toBe(another)
    await expect(userInfo(before)).rejects.toEqual(unauthorized)
  })

  test.each<[string, (browser: Browser) => Promise<unknown>]>([
    ['a sign-out in another tab', (browser) => signOut(browser)],
    ['its own age', async () => issuers.clock.advance(10 * 60 * secondMs)],
    [
      'somebody else who signs in in another tab',
      async (browser) => signIn({ as: await issuers.person(organization), browser, parameters: { prompt: 'login' } }),
    ],
  ])('The result of a sign-in gives a code also where %s ends the session', async (_, end) => {
    const { browser } = await signIn()
    issuers.clock.advance(14 * dayMs - 5 * 60 * secondMs)
    const { request, save, returnTo } = await begin(browser, { prompt: 'login' })
    await end(browser)
    await save()
    const page = await browser.go(returnTo)
    const last = page.status === 200 ? await browser.go(actionIn(page), { form: formIn(page) }) : page
    expect((await issuers.exchange(app, request, new URL(last.url))).claims()?.sub).toBe(person)
  })

  test('The result of a sign-in gives each of eight tabs its code, also where all are collected at once in a browser with a session', async () => {
    const { browser } = await signIn()
    const begun = []
    for (let tab = 0; tab < 8; tab++) begun.push(await begin(browser, { prompt: 'login' }))
    for (const { save } of begun) await save()
    const codes = begun.map(async ({ request, returnTo }) =>
      issuers.exchange(app, request, new URL((await browser.go(returnTo)).url)),
    )
    expect(await countFulfilled(codes, undefined)).toBe(8)
  })
})

test('Two tabs of one browser may sign in two persons: the second takes the place of the first', async () => {
  const another = await issuers.person(organization)
  const browser = issuers.browser()
  const [first, second] = [await issuers.request(app), await issuers.request(app)]
  const pages = []
  for (const { url } of [first, second]) pages.push(await browser.go(url.href, { stopAt: /\/sso\/flows\// }))
  const finish = async (page: { url: string } | undefined, as: string) => {
    const uid = uidIn(page?.url ?? '')
    const now = toTimestamp(issuers.clock.now())
    await issuers.database.transaction((tx) =>
      saveResult(tx, organization.id, uid, signedIn(as, issuers.clock.now()), now),
    )
    return browser.go(`${issuerOf(organization)}/authorize/${uid}`)
  }
  const before = await issuers.exchange(app, first, new URL((await finish(pages[0], person)).url))
  const between = await finish(pages[1], another)
  const end = await browser.go(actionIn(between), { form: formIn(between) })
  expect((await issuers.exchange(app, second, new URL(end.url))).claims()?.sub).toBe(another)
  await expect(userInfo(before)).rejects.toEqual(unauthorized)
})

describe('A code', () => {
  // Proves sign-in/59.
  test('A code needs its own verifier, and a wrong one does not use it up', async () => {
    const { request, end } = await signIn()
    const wrong = (await issuers.request(app)).verifier
    await expect(issuers.exchange(app, { ...request, verifier: wrong }, end)).rejects.toEqual(invalidGrant)
    expect(await issuers.exchange(app, request, end)).toHaveProperty('id_token')
  })

  // Proves sign-in/59.
  test('A code is good for one application only', async () => {
    const { request, end } = await signIn()
    const other = await issuers.app(organization)
    await expect(issuers.exchange(other, request, end)).rejects.toEqual(invalidGrant)
  })

  // Proves sign-in/59.
  test('A code that is used a second time ends what the first use gave', async () => {
    const { request, end } = await signIn()
    const tokens = await issuers.exchange(app, request, end)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
  })

  test('A code that is used eight times at once gives tokens at most once, and none that live on', async () => {
    const { request, end } = await signIn(offline)
    const tokens: Tokens[] = []
    const exchange = async () => void tokens.push(await issuers.exchange(app, request, end))
    expect(await countFulfilled(Array.from({ length: 8 }, exchange), invalidGrant)).toBe(1)
    await expect(refresh(tokens[0] as Tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens[0] as Tokens)).rejects.toEqual(unauthorized)
  })

  test('A code is good for sixty seconds', async () => {
    const [early, late] = [await signIn(), await signIn()]
    issuers.clock.advance(50 * secondMs)
    expect(await issuers.exchange(app, early.request, early.end)).toHaveProperty('id_token')
    issuers.clock.advance(11 * secondMs)
    await expect(issuers.exchange(app, late.request, late.end)).rejects.toEqual(invalidGrant)
  })

  test('A code needs the redirect URI that it was sent to', async () => {
    const of = await issuers.app(organization, { redirect_uris: [redirectUri, `${application}other`] })
    const { request, end } = await signIn({ of })
    const elsewhere = new URL(`${application}other${end.search}`)
    await expect(
      authorizationCodeGrant(of.config, elsewhere, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      }),
    ).rejects.toEqual(invalidGrant)
  })
})

describe('A refresh token', () => {
  let other: AnotherProcess

  beforeAll(async () => {
    other = await issuers.another()
  })

  afterAll(() => other?.stop())

  test('A refresh token gives another one, reads the person anew, and keeps the claims of the hooks', async () => {
    const as = await issuers.person(organization, ['crew'])
    const tokens = await tokensOf({ ...offline, as, claims: { tier: 'gold' } })
    await issuers.as(organization, 'PUT', `/persons/${as}/groups`, { groups: ['staff'] })
    const next = await refresh(tokens)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(next.claims()).toMatchObject({ sub: as, groups: ['staff'], tier: 'gold' })
  })

  /** As if its first use had been so much earlier, by the clock of the database. */
  const age = ({ refresh_token = '' }: Tokens, seconds: number) =>
    issuers.database.write.rows(sql`
      update issuer_tokens set consumed_at = consumed_at - ${seconds}::int * interval '1 s'
       where id_hash = ${createHash('sha256').update(refresh_token).digest()}`)

  test('A refresh token used again within ten seconds of its first use gives another pair of the same sign-in, four in all', async () => {
    const tokens = await tokensOf(offline)
    const next: Tokens[] = []
    for (let count = 0; count < 4; count++) next.push(await refresh(tokens))
    expect(new Set(next.map(({ refresh_token }) => refresh_token)).size).toBe(4)
    const further = await Promise.all(next.map((each) => refresh(each)))
    for (const each of further) expect(await userInfo(each)).toMatchObject({ sub: person })
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    for (const each of further) await expect(refresh(each)).rejects.toEqual(invalidGrant)
  })

  // Proves sign-in/60.
  test('A refresh token used again later ends all tokens made from it, all lines included', async () => {
    const tokens = await tokensOf(offline)
    const lines = [await refresh(tokens), await refresh(tokens)]
    await age(tokens, 11)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    for (const line of lines) {
      await expect(refresh(line)).rejects.toEqual(invalidGrant)
      await expect(userInfo(line)).rejects.toEqual(unauthorized)
    }
  })

  test.each([
    ['0s', 0, 0],
    ['60s', 55, 1],
    ['60s', 61, 0],
    ['1s', 2, 0],
  ])(
    'A refresh token of an application with the grace %s, used again after %i s, gives %i more',
    async (refresh_token_grace, seconds, count) => {
      const of = await issuers.app(organization, { refresh_token_grace })
      const tokens = await tokensOf({ ...offline, of })
      await refresh(tokens, of)
      await age(tokens, seconds)
      expect(await countFulfilled([refresh(tokens, of)], invalidGrant)).toBe(count)
    },
  )

  test('A refresh token is not used again by another application, nor for a person or after a session that has ended', async () => {
    const other = await issuers.app(organization)
    const tokens = await tokensOf(offline)
    const next = await refresh(tokens)
    await expect(refresh(tokens, other)).rejects.toEqual(invalidGrant)
    expect(await refresh(next)).toHaveProperty('refresh_token')

    const { request, end, browser } = await signIn(offline)
    const left = await issuers.exchange(app, request, end)
    await refresh(left)
    await signOut(browser)
    await expect(refresh(left)).rejects.toEqual(invalidGrant)

    const outlived = await tokensOf(offline)
    issuers.clock.advance(14 * dayMs + secondMs)
    expect(await refresh(outlived)).toHaveProperty('refresh_token')
    await expect(refresh(outlived)).rejects.toEqual(invalidGrant)
    issuers.clock.reset()

    const as = await issuers.person(organization)
    const inactive = await tokensOf({ ...offline, as })
    await refresh(inactive)
    await issuers.as(organization, 'PATCH', `/persons/${as}`, { active: false })
    await expect(refresh(inactive)).rejects.toEqual(invalidGrant)
  })

  test('A refresh token is not used again once its application is deleted, nor after a change of the grace, whoever still knows the old one', async () => {
    const [gone, changed] = [await issuers.app(organization), await issuers.app(organization)]
    const at = (of: App, tokens: Tokens) => other.refresh(of, tokens.refresh_token ?? '')
    for (const [of, method, body] of [
      [gone, 'DELETE'],
      [changed, 'PATCH', { refresh_token_grace: '0s' }],
    ] as const) {
      const tokens = await tokensOf({ ...offline, of })
      expect((await at(of, tokens)).status).toBe(200)
      await issuers.as(organization, method, `/organizations/applications/${of.clientId}`, body)
      expect(await at(of, tokens)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
  })

  // Proves sign-in/60.
  test('A refresh token used at once at two processes gives four at most in all', async () => {
    const here = async ({ refresh_token = '' }: Tokens) =>
      refreshTokenGrant(app.config, refresh_token).then(
        () => 200,
        () => 400,
      )
    const there = async ({ refresh_token = '' }: Tokens) => (await other.refresh(app, refresh_token)).status
    const four = await tokensOf(offline)
    expect(await Promise.all([here(four), there(four), here(four), there(four)])).toEqual([200, 200, 200, 200])
    const many = await tokensOf(offline)
    const answers = await Promise.all(Array.from({ length: 5 }, () => [here(many), there(many)]).flat())
    expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(4)
    expect(await there(many)).toBe(400)
  })

  test('A refresh token used eight times at once gives four at most, and none that lives on', async () => {
    const tokens = await tokensOf(offline)
    const next: Tokens[] = []
    const exchange = async () => void next.push(await refresh(tokens))
    expect(await countFulfilled(Array.from({ length: 8 }, exchange), invalidGrant)).toBeLessThanOrEqual(4)
    for (const each of next) await expect(refresh(each)).rejects.toEqual(invalidGrant)
  })

  test('A refresh token used four times at once gives four that all live on', async () => {
    const tokens = await tokensOf(offline)
    const next = await Promise.all(Array.from({ length: 4 }, () => refresh(tokens)))
    for (const each of next) expect(await refresh(each)).toHaveProperty('refresh_token')
  })

  test('A refresh token takes the very scope of the sign-in again, a part of it, and nothing that was not granted', async () => {
    const scope = 'openid profile email offline_access made_up'
    const tokens = await tokensOf({ parameters: { scope } })
    const next = await refreshTokenGrant(app.config, tokens.refresh_token ?? '', { scope })
    expect(next.scope).toBe('openid profile email offline_access')
    const part = await refreshTokenGrant(app.config, next.refresh_token ?? '', { scope: 'openid other' })
    expect(part.scope).toBe('openid')
    const all = await refreshTokenGrant(app.config, part.refresh_token ?? '', { scope: 'other' })
    expect(all.scope).toBe('openid profile email offline_access')
    const more = refreshTokenGrant(app.config, all.refresh_token ?? '', { scope: 'openid phone' })
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' })
  })

  test('A refresh token is good for thirty days without use, and for ninety in all', async () => {
    const [idle, ...others] = await Promise.all([tokensOf(offline), tokensOf(offline), tokensOf(offline)])
    let used = others[0] as Tokens
    for (const days of [29, 29, 29]) {
      issuers.clock.advance(days * dayMs)
      used = await refresh(used)
    }
    issuers.clock.advance(3 * dayMs - hourMs / 2)
    used = await refresh(used)
    expect(used.expires_in).toBeLessThanOrEqual(hourMs / 2 / secondMs)
    issuers.clock.advance(hourMs)
    await expect(refresh(used)).rejects.toEqual(invalidGrant)
    await expect(userInfo(used)).rejects.toEqual(unauthorized)
    issuers.clock.reset()
    issuers.clock.advance(29 * dayMs)
    expect(await refresh(others[1] as Tokens)).toHaveProperty('id_token')
    issuers.clock.advance(2 * dayMs)
    await expect(refresh(idle as Tokens)).rejects.toEqual(invalidGrant)
  })

  test('A revoked refresh token ends its access tokens as well; revoked by another application it does not', async () => {
    const tokens = await tokensOf(offline)
    const other = await issuers.app(organization)
    await tokenRevocation(other.config, tokens.refresh_token ?? '')
    expect(await userInfo(tokens)).toHaveProperty('sub')
    await tokenRevocation(app.config, tokens.refresh_token ?? '')
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
  })
})

describe('The scopes email and phone', () => {
  const handles = [
    { type: 'EmailAddress', value: 'first@example.com' },
    { type: 'EmailAddress', value: 'vouched@example.com', verified: true },
    { type: 'PhoneNumber', value: '+12025550123' },
  ]
  const email = { email: 'vouched@example.com', email_verified: true }
  const phone = { phone_number: '+12025550123', phone_number_verified: false }
  const none = [...Object.keys(email), ...Object.keys(phone)]

  const personWith = async (fields: object): Promise<string> =>
    (await issuers.as(organization, 'POST', '/persons', fields)).body.result.person_id
  const claimsOf = async (as: string, scope: string, claims?: object) => {
    const tokens = await tokensOf({ as, parameters: { scope }, ...(claims && { claims }) })
    return [tokens.claims(), await fetchUserInfo(app.config, tokens.access_token, as)]
  }

  test('The scopes email and phone give the handles of a person, a verified one first, in ID token and user info', async () => {
    const as = await personWith({ handles })
    for (const claims of await claimsOf(as, 'openid email phone profile'))
      expect(claims).toMatchObject({ ...email, ...phone })
    for (const claims of await claimsOf(as, 'openid phone')) {
      expect(claims).toMatchObject(phone)
      expect(claims).not.toHaveProperty('email')
    }
    for (const claims of await claimsOf(as, 'openid')) for (const name of none) expect(claims).not.toHaveProperty(name)
    for (const claims of await claimsOf(await personWith({}), 'openid email phone'))
      for (const name of none) expect(claims).not.toHaveProperty(name)
  })

  test('The scopes email and phone say nothing that a hook says, and read the person anew at a refresh', async () => {
    const as = await personWith({ handles: [{ type: 'EmailAddress', value: 'own@example.com' }] })
    const stored = { email: 'hook@example.com', email_verified: true }
    for (const claims of await claimsOf(as, 'openid email', stored))
      expect(claims).toMatchObject({ email: 'own@example.com', email_verified: false })
    const tokens = await tokensOf({ as, parameters: { scope: 'openid email offline_access' } })
    const changed = { handles: [{ type: 'EmailAddress', value: 'new@example.com' }] }
    expect((await issuers.as(organization, 'PATCH', `/persons/${as}`, changed)).status).toBe(200)
    expect((await refresh(tokens)).claims()).toMatchObject({ email: 'new@example.com', email_verified: false })
  })

  test('The scopes email and phone are in the discovery document, with what revocation takes, which may be cached for a while', async () => {
    const answer = await send('/.well-known/openid-configuration')
    const document = (await answer.json()) as { [name: string]: string[] }
    expect(document.scopes_supported).toEqual(['openid', 'offline_access', 'email', 'phone', 'profile'])
    expect(document.claims_supported).toEqual(expect.arrayContaining(none))
    expect(document.claims_supported).not.toContain('sid')
    expect(document.revocation_endpoint_auth_methods_supported).toEqual(document.token_endpoint_auth_methods_supported)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect((await send('/jwks')).headers.get('cache-control')).toBe('public, max-age=300')
  })
})

test('An application may have no groups in its tokens', async () => {
  const of = await issuers.app(organization, { groups_claim: false })
  const tokens = await tokensOf({ of })
  for (const claims of [tokens.claims(), await userInfo(tokens, of)]) {
    expect(claims).not.toHaveProperty('groups')
    expect(claims).not.toHaveProperty('groups_truncated')
  }
})

const corsIn = (headers: Headers | undefined) =>
  [...(headers?.keys() ?? [])].filter((name) => name.startsWith('access-control-'))

describe('A page of another origin', () => {
  const post = (path: string, origin: string, body: Record<string, string>, headers = {}) =>
    send(path, { method: 'POST', headers: { origin, ...headers }, body: new URLSearchParams(body) })

  test.each(['https://evil.test', 'null', 'capacitor://localhost', 'chrome-extension://abc', `${application}`])(
    'A page of another origin such as %s is answered, and cannot read the reply',
    async (origin) => {
      const tokens = await tokensOf(offline)
      const body = { grant_type: 'refresh_token', client_id: app.clientId, refresh_token: tokens.refresh_token ?? '' }
      const answers = [
        await post('/token', origin, body),
        await post('/userinfo', origin, {}, { authorization: `Bearer ${tokens.access_token}` }),
        await post('/revoke', origin, { client_id: app.clientId, token: tokens.access_token }),
      ]
      for (const { status, headers } of answers) {
        expect(status).toBe(200)
        expect(corsIn(headers)).toEqual([])
      }
    },
  )

  test.each(['/token', '/userinfo', '/revoke'])('A preflight of another origin is refused at %s', async (path) => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = (origin: string) => send(path, { method: 'OPTIONS', headers: { ...headers, origin } })
    expect(corsIn((await preflight('https://evil.test')).headers)).toEqual([])
    const allowed = (await preflight(new URL(application).origin)).headers
    expect(allowed.get('access-control-allow-origin')).toBe(new URL(application).origin)
  })

  test('A page on another port of the loopback interface is of another origin, whatever ports a redirect may take', async () => {
    await issuers.app(organization, { redirect_uris: ['http://127.0.0.1:8123/cb'] })
    const body = { grant_type: 'refresh_token', client_id: app.clientId }
    const [same, other] = [8123, 8124].map((port) => post('/token', `http://127.0.0.1:${port}`, body))
    expect(corsIn((await same)?.headers)).toContain('access-control-allow-origin')
    expect(corsIn((await other)?.headers)).toEqual([])
  })

  test('A page of another application of the organization can read the reply', async () => {
    const { origin } = new URL(application)
    const answer = await post('/token', origin, { grant_type: 'refresh_token', client_id: app.clientId })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  })
})

test('Revocation replies with JSON', async () => {
  const answer = await send('/revoke', {
    method: 'POST',
    body: new URLSearchParams({ client_id: app.clientId, token: 'unknown' }),
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect([answer.status, await answer.json()]).toEqual([200, {}])
})

test.each(['/token', '/userinfo', '/revoke'])('A refusal of %s is JSON, whatever the client accepts', async (path) => {
  for (const accept of ['text/html', '*/*']) {
    const answer = await send(path, { method: 'POST', headers: { accept }, body: new URLSearchParams({ a: 'b' }) })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await answer.json()).toHaveProperty('error')
  }
})

describe('A redirect URI', () => {
  test('A redirect URI keeps its query as it is, in success and error, and has a fragment of its own', async () => {
    const uri = `${application}cb?flag&n=%E4&&p=a+b%20c`
    const of = await issuers.app(organization, { redirect_uris: [uri] })
    const end = async (parameters: object) =>
      (await signIn({ of, parameters: { redirect_uri: uri, ...parameters } })).end.href
    expect(await end({})).toMatch(
      /^https:\/\/app\.test\/cb\?flag&n=%E4&&p=a\+b%20c&code=[\w-]+&state=[^&]+&iss=[^&]+#$/,
    )
    const { url } = await issuers.request(of, { redirect_uri: uri, prompt: 'none' })
    expect((await issuers.browser().go(url.href)).url).toContain(`${uri}&error=login_required`)
  })

  test('A redirect URI keeps its query also where the reply is in the fragment, and after a sign-out', async () => {
    const uri = `${application}a/../cb?flag&n=%E4&&p=a+b%20c`
    const of = await issuers.app(organization, { redirect_uris: [redirectUri, uri], post_logout_redirect_uris: [uri] })
    const { request, end, browser } = await signIn({ of })
    const tokens = await issuers.exchange(of, request, end)
    const { url } = await issuers.request(of, { redirect_uri: uri, prompt: 'none', response_mode: 'fragment' })
    const answer = await fetch(url.href.replace(baseUrl, issuers.address), { redirect: 'manual' })
    expect(answer.headers.get('location')).toContain(`${uri}#error=login_required`)

    const parameters = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: uri, state: 'left' }
    const ask = () => browser.go(buildEndSessionUrl(of.config, parameters).href)
    const page = await ask()
    const left = await browser.go(actionIn(page), { form: { ...formIn(page), logout: 'yes' } })
    const arrived = new URL(uri).href
    expect(left.url).toBe(`${arrived}&state=left`)
    expect((await ask()).url).toBe(`${arrived}&state=left#`)
  })

  const loopback = { redirect_uris: ['http://127.0.0.1/cb'], post_logout_redirect_uris: ['http://[::1]:8000'] }

  test.each(['http://127.0.0.1:49152/cb', 'http://127.0.0.1:1/cb', 'http://127.0.0.1/cb'])(
    'A redirect URI of a public application on the loopback interface may have any port, as in %s, the same one at the token endpoint',
    async (redirect_uri) => {
      const of = await issuers.app(organization, loopback)
      const { request, end } = await signIn({ of, parameters: { redirect_uri } })
      expect(end.href).toMatch(`${redirect_uri}?code=`)
      const other = new URL(end)
      other.port = '50000'
      await expect(issuers.exchange(of, request, other)).rejects.toEqual(invalidGrant)
      expect(await issuers.exchange(of, request, end)).toHaveProperty('id_token')
    },
  )

  test.each([
    ['a confidential application', { ...loopback, confidential: true }, 'http://127.0.0.1:49152/cb'],
    ['another loopback address', loopback, 'http://[::1]:49152/cb'],
    ['localhost', { redirect_uris: ['http://localhost/cb'] }, 'http://localhost:49152/cb'],
    ['no port that there is', loopback, 'http://127.0.0.1:65536/cb'],
  ])('A redirect URI of %s has no other port than the registered one', async (_whose, fields, redirect_uri) => {
    const of = await issuers.app(organization, fields)
    const { url } = await issuers.request(of, { redirect_uri })
    expect((await issuers.browser().go(url.href)).status).toBe(400)
  })

  test('A post-logout redirect URI on the loopback interface may have any port as well', async () => {
    const of = await issuers.app(organization, loopback)
    const leave = (to: string) =>
      issuers
        .browser()
        .go(buildEndSessionUrl(of.config, { post_logout_redirect_uri: to, client_id: of.clientId }).href, {
          stopAt: loopbackForm,
        })
    expect((await leave('http://[::1]:49152')).url).toMatch(/^http:\/\/\[::1\]:49152\/?#$/)
    expect((await leave('http://127.0.0.1:49152')).status).toBe(400)
  })
})

test('An access token that is revoked is worth nothing any more', async () => {
  const tokens = await tokensOf()
  await tokenRevocation(app.config, tokens.access_token)
  await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
})

test('An access token is good for an hour', async () => {
  const tokens = await tokensOf()
  issuers.clock.advance(hourMs - secondMs)
  expect(await userInfo(tokens)).toHaveProperty('sub')
  issuers.clock.advance(2 * secondMs)
  await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
})

test('A session lasts fourteen days, and is known to the next sign-in', async () => {
  const { browser } = await signIn()
  const known = async () => {
    const { url } = await issuers.request(app, { prompt: 'login' })
    const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
    const now = toTimestamp(issuers.clock.now())
    return (await findInteraction(issuers.database.read, organization.id, uidIn(page.url), now))?.sessionPersonId
  }
  for (const days of [7, 6.9]) {
    issuers.clock.advance(days * dayMs)
    expect(await known()).toBe(person)
  }
  issuers.clock.advance(0.2 * dayMs)
  expect(await known()).toBeUndefined()
})

describe('A session used again', () => {
  const countOf = async (name: string) => {
    const [row] = await issuers.database.write.rows(sql<{ count: number }>`
      select count(*) from events where org_id = ${organization.id} and name = ${name}`)
    return row?.count ?? 0
  }
  /** Where a browser that has signed in ends. */
  const again = async (browser: Browser, parameters: Record<string, string> = {}, of = app) => {
    const request = await issuers.request(of, parameters)
    const page = await browser.go(request.url.href, { stopAt: /\/sso\/flows\// })
    return { request, end: new URL(page.url) }
  }

  test.each<Record<string, string>>([{}, { prompt: 'none' }, { max_age: '3600' }])(
    'A session used again signs in with %j without a page, at another application too, and says so in an event',
    async (parameters) => {
      const { browser } = await signIn()
      const other = await issuers.app(organization)
      const before = await countOf('AuthenticationSucceeded_v1')
      const { request, end } = await again(browser, parameters, other)
      const claims = (await issuers.exchange(other, request, end)).claims()
      expect(claims).toMatchObject({ sub: person, authenticated_methods: ['oidc'] })
      expect(await countOf('AuthenticationSucceeded_v1')).toBe(before + 1)
    },
  )

  test('A session used again keeps no claims of the hooks at the sign-in before', async () => {
    const { browser } = await signIn({ claims: { tier: 'gold' } })
    const { request, end } = await again(browser)
    expect((await issuers.exchange(app, request, end)).claims()).not.toHaveProperty('tier')
  })

  test.each<[string, Record<string, string>]>([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['a sign-in that is too long ago', { max_age: '60' }],
  ])('A session used again is not enough for %s', async (_what, parameters) => {
    const { browser } = await signIn()
    issuers.clock.advance(61 * secondMs)
    const before = await countOf('AuthenticationSucceeded_v1')
    expect(uidIn((await again(browser, parameters)).end.href)).not.toBe('')
    expect(await countOf('AuthenticationSucceeded_v1')).toBe(before)
  })

  test('A session used again is not enough where the ID token of another person is the hint', async () => {
    const another = await issuers.person(organization)
    const { id_token = '' } = await tokensOf({ as: another })
    const { browser } = await signIn()
    const { end } = await again(browser, { id_token_hint: id_token, prompt: 'none' })
    expect(end.searchParams.get('error')).toBe('login_required')
  })

  test('A session is needed for prompt=none, and nothing is published without it', async () => {
    const before = await countOf('AuthenticationFailed_v1')
    const { end } = await again(issuers.browser(), { prompt: 'none' })
    expect(end.searchParams.get('error')).toBe('login_required')
    expect(await countOf('AuthenticationFailed_v1')).toBe(before)
  })

  // Proves sign-in/6.
  test('A session used again ends after fourteen days, however often it is asked for', async () => {
    const { browser } = await signIn()
    issuers.clock.advance(14 * dayMs - secondMs)
    const ask = async () => (await again(browser, { prompt: 'none' })).end.searchParams.get('error')
    for (let times = 0; times < 5; times++) {
      await ask()
      issuers.clock.advance(secondMs / 2)
    }
    expect(await ask()).toBe('login_required')
  })

  test('A session used by eight requests at once gives eight codes that all hold', async () => {
    const { browser } = await signIn()
    const requests = await Promise.all(Array.from({ length: 8 }, () => again(browser)))
    const works = requests.map(({ request, end }) => issuers.exchange(app, request, end).then(userInfo))
    expect(await countFulfilled(works, undefined)).toBe(8)
  })
})

test('A request waits fifteen minutes for a person to sign in', async () => {
  const browser = issuers.browser()
  const { url } = await issuers.request(app)
  const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  const find = () =>
    findInteraction(issuers.database.read, organization.id, uidIn(page.url), toTimestamp(issuers.clock.now()))
  issuers.clock.advance(14 * 60 * secondMs)
  expect(await find()).toBeDefined()
  issuers.clock.advance(61 * secondMs)
  expect(await find()).toBeUndefined()
  expect((await browser.go(`${issuerOf(organization)}/authorize/${uidIn(page.url)}`)).status).toBe(400)
})

describe('A change of a person', () => {
  // Proves sign-in/42.
  test.each<[string, string, object | undefined]>([
    ['is deactivated', 'PATCH', { active: false }],
    ['is deleted', 'DELETE', undefined],
  ])('A person who %s has no session or token left after the reply', async (_what, method, body) => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    await tokensOf({ as })
    await issuers.as(organization, method, `/persons/${as}`, body)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
    const rows = await issuers.database.write.rows(sql`
      select from issuer_sessions where person_id = ${as} union all select from issuer_grants where person_id = ${as}`)
    expect(rows).toEqual([])
  })

  test('A person who is found inactive is given no token', async () => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    const { request, end } = await signIn({ as })
    // Not by the operation, which would leave nothing to be found.
    await issuers.database.write.rows(sql`update persons set active = false where id = ${as}`)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidGrant)
  })

  test('A person who is active again has no session or token of before', async () => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    for (const active of [false, true]) await issuers.as(organization, 'PATCH', `/persons/${as}`, { active })
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
  })
})

describe('Signing out', () => {
  const target = `${application}bye`
  let leaving: App

  beforeAll(async () => {
    leaving = await issuers.app(organization, { post_logout_redirect_uris: [target] })
  })

  const ask = async (browser: Browser, tokens: Tokens, parameters: Record<string, string> = {}) =>
    browser.go(
      buildEndSessionUrl(leaving.config, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: target,
        state: 'left',
        ...parameters,
      }).href,
    )

  const confirm = (browser: Browser, { html }: { html: string }, form: Record<string, string>) => {
    const action = /action="([^"]+)"/.exec(html)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
    return browser.go(action, { form: { xsrf, ...form } })
  }

  test('A sign-out asks on a page without any script, ends the session and its tokens, and goes where the application wants', async () => {
    const { browser, request, end } = await signIn({ of: leaving })
    const tokens = await issuers.exchange(leaving, request, end)
    const outliving = await tokensOf({ of: leaving, browser, parameters: { ...offline.parameters, prompt: 'login' } })
    const page = await ask(browser, tokens)
    expect(page.status).toBe(200)
    expect(page.html).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';")
    const left = await confirm(browser, page, { logout: 'yes' })
    expect(left.url).toBe(`${target}?state=left`)
    await expect(userInfo(tokens, leaving)).rejects.toEqual(unauthorized)
    expect(await userInfo(outliving, leaving)).toHaveProperty('sub')
    expect((await ask(browser, tokens)).url).toBe(`${target}?state=left#`)
  })

  test('A sign-out needs the answer to the page that asked', async () => {
    const { browser, request, end } = await signIn({ of: leaving })
    const tokens = await issuers.exchange(leaving, request, end)
    const page = await ask(browser, tokens)
    expect(
      (await confirm(browser, { html: page.html.replace(/name="xsrf" value="/, '$&x') }, { logout: 'yes' })).status,
    ).toBe(400)
    expect(await userInfo(tokens, leaving)).toHaveProperty('sub')
    expect((await confirm(browser, page, {})).url).toBe(`${target}?state=left`)
    expect(await userInfo(tokens, leaving)).toHaveProperty('sub')
  })

  test.each([`${target}/`, `${target}?a`, 'https://evil.test/', redirectUri])(
    'A sign-out never leads to %s, which is not registered for it',
    async (uri) => {
      const { browser, request, end } = await signIn({ of: leaving })
      const tokens = await issuers.exchange(leaving, request, end)
      const page = await ask(browser, tokens, { post_logout_redirect_uri: uri })
      expect(page.status).toBe(400)
    },
  )

  test('A sign-out needs no address, and says that it is done', async () => {
    const page = await issuers.browser().go(`${issuerOf(organization)}/logout`)
    expect(page).toMatchObject({ status: 200 })
    expect(page.html).toContain('You are signed out')
  })
})

test('Two organizations in one browser know nothing of each other', async () => {
  const other = await issuers.organization()
  const otherPerson = await issuers.person(other)
  const otherApp = await issuers.app(other)
  const browser = issuers.browser()
  const first = await signIn({ browser })
  const { url } = await issuers.request(otherApp)
  const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  const now = toTimestamp(issuers.clock.now())
  const found = await findInteraction(issuers.database.read, other.id, uidIn(page.url), now)
  expect(found).toMatchObject({ sessionPersonId: undefined })
  const second = await signIn({ of: otherApp, as: otherPerson, browser })
  expect((await issuers.exchange(otherApp, second.request, second.end)).claims()?.sub).toBe(otherPerson)
  expect((await issuers.exchange(app, first.request, first.end)).claims()?.sub).toBe(person)
})

test('A base URL with a path is in every address and cookie', async () => {
  const below = await startIssuers({ SIGNET_BASE_URL: `${baseUrl}/signet` })
  const organization = await below.organization()
  const { id } = organization
  const { body } = await below.call('GET', `/oidc/${id}/.well-known/openid-configuration`)
  const issuer = `${baseUrl}/signet/oidc/${id}`
  expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, end_session_endpoint: `${issuer}/logout` })
  const fields = { name: 'App', redirect_uris: [redirectUri] }
  const made = await below.as(organization, 'POST', '/organizations/applications', fields)
  const { url } = await issuers.request(app, { client_id: made.body.result.client_id })
  const answer = await fetch(`${below.address}/oidc/${id}/authorize${url.search}`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toMatch(/^\/signet\/sso\/flows\//)
  const ofPaths = answer.headers.getSetCookie().filter((line) => !line.startsWith('__Host-'))
  const paths = ofPaths.map((line) => /path=([^;]+)/.exec(line)?.[1])
  expect(paths.filter((path) => !path?.startsWith(`/signet/`))).toEqual([])
  await below.stop()
})

describe('A change of an application or organization', () => {
  test('A change of an application counts at once', async () => {
    const of = await issuers.app(organization)
    const path = `/organizations/applications/${of.clientId}`
    const { url } = await issuers.request(of)
    await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
    await issuers.as(organization, 'PATCH', path, { redirect_uris: [`${application}moved`] })
    expect((await issuers.browser().go(url.href)).status).toBe(400)
    url.searchParams.set('redirect_uri', `${application}moved`)
    expect(uidIn((await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })).url)).not.toBe('')
    await issuers.as(organization, 'DELETE', path)
    expect((await issuers.browser().go(url.href)).status).toBe(400)
  })

  test('A change of an application is not undone in the cache by a read from just before it', async () => {
    const of = await issuers.app(organization)
    const [hasRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Queries = {
      rows: async (statement) => {
        const rows = await issuers.database.read.rows(statement)
        hasRead.resolve()
        await mayGoOn.promise
        return rows
      },
    }
    const clients = createClients(slow, issuers.clock, organization.id)
    const reading = clients.find(of.clientId)
    await hasRead.promise
    await issuers.as(organization, 'DELETE', `/organizations/applications/${of.clientId}`)
    clients.forget(of.clientId)
    mayGoOn.resolve()
    expect(await reading).toBeDefined()
    expect(await clients.find(of.clientId)).toBeUndefined()
  })

  test('A deletion of an organization ends its issuer, which is not found any more', async () => {
    const gone = await issuers.organization()
    const discover = () => issuers.call('GET', `/oidc/${gone.id}/.well-known/openid-configuration`)
    expect((await discover()).status).toBe(200)
    await issuers.operate('DELETE', `/organizations/${gone.id}`)
    expect((await discover()).status).toBe(404)
  })
})

describe('Signing keys', () => {
  const rotating = { keyLeadMs: dayMs, keyRotationMs: 90 * dayMs, idTokenMs: hourMs, sessionMs: 14 * dayMs }
  type Published = { kid: string; alg: string; isPublished?: boolean }

  test('Signing keys sign once they have been published for long, and stay for an hour afterwards', async () => {
    const { database, clock, keyring } = issuers
    const of = await issuers.organization()
    const keys = createIssuerKeys({ database, clock, keyring, ...rotating })
    const published = async () =>
      ((await keys.find(of.id)) as Published[])
        .filter(({ alg, isPublished }) => alg === 'RS256' && isPublished)
        .map(({ kid }) => kid)
    const [first, next] = await published()
    await keys.rotateDueKeys()
    expect(await published()).toEqual([first, next])
    clock.advance(90 * dayMs)
    await keys.rotateDueKeys()
    const after = await published()
    expect(after).toEqual([next, first, expect.any(String)])
    await keys.rotateDueKeys()
    expect(await published()).toEqual(after)
    clock.advance(hourMs + secondMs)
    await keys.rotateDueKeys()
    expect(await published()).toEqual([next, after[2]])
    const count = async () => {
      const [row] = await database.write.rows(sql<{ count: number }>`
        select count(*) from issuer_keys where org_id = ${of.id}`)
      return row?.count
    }
    expect(await count()).toBe(6)
    clock.advance(14 * dayMs)
    await keys.rotateDueKeys()
    expect(await count()).toBe(4)
  })

  describe('Withdrawn signing keys', () => {
    let of: App
    let browser: Browser
    let as: string
    let signedInBefore: Tokens
    const rotate = (body: object = {}) =>
      issuers.as(of.organization, 'POST', '/organizations/sso/oidc/signing-keys/rotate', body)
    const kids = async () =>
      (await issuers.call('GET', `/oidc/${of.organization.id}/jwks`)).body.keys.map(({ kid }: Published) => kid)
    const signOut = (hint = signedInBefore.id_token ?? '') =>
      browser.go(buildEndSessionUrl(of.config, { id_token_hint: hint }).href)
    const tellPage = async (tokens: Tokens) => {
      const body = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.test/' }
      const headers = { 'Service-OrgID': of.organization.id, authorization: `Bearer ${tokens.id_token}` }
      return (await issuers.call('POST', '/sdk/events', headers, body)).status
    }

    beforeEach(async () => {
      of = await issuers.app(await issuers.organization())
      as = await issuers.person(of.organization)
      const { request, end, ...signed } = await signIn({ of, as })
      browser = signed.browser
      signedInBefore = await issuers.exchange(of, request, end)
    })

    // Proves sign-in/57.
    test('Withdrawn signing keys still check hints as long as a session lives, unpublished, and nothing else', async () => {
      const before = await kids()
      expect((await rotate()).status).toBe(409)
      issuers.clock.advance(dayMs)
      expect((await rotate()).status).toBe(202)
      const after = await kids()
      expect(after).toHaveLength(6)
      expect(before.every((kid: string) => after.includes(kid))).toBe(true)
      issuers.clock.advance(hourMs + secondMs)
      expect(await kids()).toHaveLength(4)
      expect((await signOut()).html).toContain('Sign out?')
      const { url } = await issuers.request(of, { prompt: 'none', id_token_hint: signedInBefore.id_token ?? '' })
      expect(new URL((await browser.go(url.href)).url).searchParams.has('code')).toBe(true)
      issuers.clock.advance(14 * dayMs)
      expect(await signOut()).toMatchObject({ status: 400 })
    })

    // Proves sign-in/57.
    test('Withdrawn signing keys check no bearer token, however long it is good', async () => {
      expect(await tellPage(signedInBefore)).toBe(202)
      await issuers.database.write.rows(sql`
        update issuer_keys set withdrawn_at = ${toTimestamp(issuers.clock.now())}
         where org_id = ${of.organization.id} and signs_from is not null`)
      issuers.clock.advance(3 * secondMs)
      expect(await tellPage(signedInBefore)).toBe(401)
      expect(await signOut()).toMatchObject({ status: 200 })
    })

    // Proves sign-in/57.
    test('Signing keys withdrawn in an emergency are worth nothing at once, and the next ones sign', async () => {
      const before = await kids()
      expect((await rotate({ emergency: true })).status).toBe(409)
      issuers.clock.advance(10 * secondMs)
      expect((await rotate({ emergency: true })).status).toBe(202)
      const after = await kids()
      expect(after).toHaveLength(4)
      expect(before.filter((kid: string) => after.includes(kid))).toHaveLength(2)
      expect(await signOut()).toMatchObject({ status: 400 })
      expect(await tellPage(signedInBefore)).toBe(401)
      const { request, end } = await signIn({ of, as, browser, parameters: { prompt: 'login' } })
      expect(await tellPage(await issuers.exchange(of, request, end))).toBe(202)
    })

    test('An ID token of another issuer, or for another application, makes no hint', async () => {
      const stranger = await issuers.app(of.organization)
      const { request, end } = await signIn({ of: stranger, as })
      const tokens = await issuers.exchange(stranger, request, end)
      const { url } = await issuers.request(of, { prompt: 'none', id_token_hint: tokens.id_token ?? '' })
      expect(new URL((await browser.go(url.href)).url).searchParams.get('error')).toBe('invalid_request')
      const forged = `${signedInBefore.id_token?.slice(0, -8)}AAAAAAAA`
      expect(await signOut(forged)).toMatchObject({ status: 400 })
    })
  })

  test('Signing keys of an issuer are made once, also by eight processes at once', async () => {
    const { database, clock, keyring } = issuers
    const of = await issuers.organization()
    const find = () => createIssuerKeys({ database, clock, keyring, ...rotating }).find(of.id)
    const found = await Promise.all(Array.from({ length: 8 }, find))
    expect(new Set(found.map((keys) => keys?.map(({ kid }) => kid).join())).size).toBe(1)
    const { body } = await issuers.call('GET', `/oidc/${of.id}/jwks`)
    expect(body.keys.map(({ kid }: Published) => kid)).toEqual(found[0]?.map(({ kid }) => kid))
  })
})

test('Rows that have expired are removed, and no others', async () => {
  const kept = await tokensOf(offline)
  const count = async () => {
    const rows = await issuers.database.write.rows(sql<{ count: number }>`
      select count(*) from issuer_tokens where expires_at <= ${toTimestamp(issuers.clock.now())}`)
    return rows[0]?.count
  }
  issuers.clock.advance(2 * hourMs)
  expect(await count()).toBeGreaterThan(0)
  await sweepExpired(issuers.database.write, issuers.clock, new AbortController().signal)
  expect(await count()).toBe(0)
  expect(await refresh(kept)).toHaveProperty('id_token')
})

test('Expired rows of every kind are removed in each run, however many tokens wait', async () => {
  const of = await issuers.app(await issuers.organization())
  const { id } = of.organization
  const browser = issuers.browser()
  await signIn({ of, as: await issuers.person(of.organization), browser })
  const { url } = await issuers.request(of, { prompt: 'login' })
  await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  await tokensOf()
  const { write } = issuers.database
  const soon = toTimestamp(issuers.clock.now() + 60 * secondMs)
  await write.rows(sql`
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select org_id, sha256(number::text::bytea), 'AccessToken', id, '{}', ${soon}
      from (select * from issuer_grants where org_id = ${organization.id} limit 1) g, generate_series(1, 3000) number`)
  // As if each step took longer than a run may.
  let now = issuers.clock.now() + 30 * dayMs
  await sweepExpired(write, { now: () => (now += hourMs) }, new AbortController().signal)
  const left = await write.rows(sql<{ count: number }>`
    select (select count(*) from issuer_grants where org_id = ${id})
         + (select count(*) from issuer_sessions where org_id = ${id})
         + (select count(*) from issuer_interactions where org_id = ${id}) as count`)
  expect(left[0]?.count).toBe(0)
})
