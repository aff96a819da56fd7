import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from '../support/browser.ts'
import { application, baseUrl, openBrowser } from '../support/browser.ts'
import { type App, type Issuers, redirectUri, signedIn, startIssuers, type Tokens } from '../support/issuer.ts'
import type { Organization } from '../support/signet.ts'

const target = `${application}bye`

let issuers: Issuers
let organization: Organization
let app: App
let person: string

beforeAll(async () => {
  issuers = await startIssuers()
  organization = await issuers.organization()
  app = await issuers.app(organization, { post_logout_redirect_uris: [target] })
  const groups = Array.from({ length: 40 }, (_, index) => `${'g'.repeat(95)}-${10 + index}`)
  person = await issuers.person(organization, groups)
})

afterAll(() => issuers?.stop())

const issuer = () => `${baseUrl}/oidc/${organization.id}`

async function signIn(claims: Record<string, unknown> = {}): Promise<{ browser: Browser; tokens: Tokens }> {
  const browser = issuers.browser()
  const authRequest = await issuers.request(app)
  const end = await issuers.signIn(browser, app, authRequest, signedIn(person, issuers.clock.now(), claims))
  return { browser, tokens: await issuers.exchange(app, authRequest, end) }
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { url } = await issuers.request(app, { prompt: 'none' })
  return new URL((await browser.go(url.href)).url).searchParams.has('code')
}

const headingOf = ({ html }: Pick<Page, 'html'>) => /<h1>(.*)<\/h1>/.exec(html)?.[1]
const fieldsIn = ({ html }: Page): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
const actionIn = ({ html }: Page) => /action="([^"]+)"/.exec(html)?.[1] ?? ''
const without = (fields: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name))

/** What a form of another site gets: the browser sends no cookie of ours along. */
const post = (url: string, form: Record<string, string>) => issuers.browser().go(url, { form })

describe('A sign-out that is confirmed twice', () => {
  test('The second click of a person is told that they are signed out, and the form of another site is not', async () => {
    const { browser } = await signIn()
    const page = await browser.go(`${issuer()}/logout`)
    const cookie = browser.cookiesFor(page.url)
    const confirm = (site: string) =>
      fetch(actionIn(page).replace(baseUrl, issuers.address), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, accept: 'text/html', 'sec-fetch-site': site },
        body: new URLSearchParams({ ...fieldsIn(page), logout: 'yes' }),
      })
    expect((await confirm('same-origin')).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(false)
    const again = await confirm('same-origin')
    expect([again.status, headingOf({ html: await again.text() })]).toEqual([200, 'You are signed out'])
    const elsewhere = await confirm('cross-site')
    expect([elsewhere.status, headingOf({ html: await elsewhere.text() })]).toEqual([400, 'This sign-out cannot go on'])
  })

  test('The form of another page ends no session', async () => {
    const { browser } = await signIn()
    const page = await browser.go(`${issuer()}/logout`)
    const answer = await fetch(actionIn(page).replace(baseUrl, issuers.address), {
      method: 'POST',
      headers: { cookie: browser.cookiesFor(page.url), accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ xsrf: 'of another page', logout: 'yes' }),
    })
    expect([answer.status, headingOf({ html: await answer.text() })]).toEqual([400, 'This sign-out cannot go on'])
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('A sign-out by POST', () => {
  const logoutFields = () => ({ client_id: app.clientId, post_logout_redirect_uri: target, state: 'a "quoted" state' })

  test('A sign-out by POST asks on a page, whose form carries what the application wants, and ends the session with it', async () => {
    const { browser, tokens } = await signIn()
    const page = await post(`${issuer()}/logout`, { ...logoutFields(), id_token_hint: tokens.id_token ?? '' })
    expect([page.status, headingOf(page)]).toEqual([200, 'Sign out?'])
    expect(page.html).not.toMatch(/signed out/i)
    expect(page.headers.getSetCookie()).toEqual([])
    expect(fieldsIn(page)).toMatchObject({
      ...logoutFields(),
      state: 'a &quot;quoted&quot; state',
      id_token_hint: tokens.id_token,
    })
    expect(await isSignedIn(browser)).toBe(true)
    const left = await browser.go(actionIn(page), { form: { ...fieldsIn(page), ...logoutFields(), logout: 'yes' } })
    expect(left.url).toBe(`${target}?state=a+%22quoted%22+state`)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('A sign-out by POST is asked on the page also where the cookie comes along, and where nobody is signed in', async () => {
    const { browser } = await signIn()
    for (const one of [browser, issuers.browser()]) {
      const page = await one.go(`${issuer()}/logout`, { form: logoutFields() })
      expect([page.status, headingOf(page)]).toEqual([200, 'Sign out?'])
    }
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('A sign-out by POST leaves a person who wants to stay signed in, and goes where the application wants', async () => {
    const { browser, tokens } = await signIn()
    const page = await post(`${issuer()}/logout`, logoutFields())
    const left = await browser.go(actionIn(page), { form: { ...without(fieldsIn(page), 'logout'), ...logoutFields() } })
    expect(left.url).toBe(`${target}?state=a+%22quoted%22+state`)
    expect(await isSignedIn(browser)).toBe(true)
    const { access_token } = tokens
    const userInfo = await fetch(`${issuers.address}/oidc/${organization.id}/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(userInfo.status).toBe(200)
  })

  test('A sign-out by POST that names no application says what became of it', async () => {
    const { browser } = await signIn()
    const page = await post(`${issuer()}/logout`, {})
    const stayed = await browser.go(actionIn(page), { form: without(fieldsIn(page), 'logout') })
    expect(headingOf(stayed)).toBe('You are still signed in')
    expect(await isSignedIn(browser)).toBe(true)
    const left = await browser.go(actionIn(page), { form: { ...fieldsIn(page), logout: 'yes' } })
    expect(headingOf(left)).toBe('You are signed out')
    expect(await isSignedIn(browser)).toBe(false)
  })

  // Proves sign-in/21.
  test('A sign-out by POST is answered from the page alone: by its token, in time, of this organization, from our own origin', async () => {
    const { browser } = await signIn()
    const page = await post(`${issuer()}/logout`, logoutFields())
    const fields: Record<string, string> = { ...fieldsIn(page), ...logoutFields(), logout: 'yes' }
    const other = await issuers.organization()
    const foreign = await post(`${baseUrl}/oidc/${other.id}/logout`, {})
    const wrong = [without(fields, 'xsrf'), { ...fields, xsrf: `${fields.xsrf}x` }, { ...fields, ...fieldsIn(foreign) }]
    for (const form of wrong) {
      const refused = await browser.go(actionIn(page), { form })
      expect([refused.status, headingOf(refused)]).toEqual([400, 'This sign-out cannot go on'])
    }
    const neighbour = openBrowser(
      () => issuers.address,
      () => {},
      { 'sec-fetch-site': 'same-site' },
    )
    expect((await neighbour.go(actionIn(page), { form: fields })).status).toBe(400)
    issuers.clock.advance(15 * 60_000 + 1)
    expect((await browser.go(actionIn(page), { form: fields })).status).toBe(400)
    issuers.clock.reset()
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('A sign-out by POST ends nothing without the cookie', async () => {
    const { browser } = await signIn()
    const page = await post(`${issuer()}/logout`, logoutFields())
    await post(actionIn(page), { ...fieldsIn(page), ...logoutFields(), logout: 'yes' })
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('An authorize request by POST', () => {
  test('An authorize request by POST is redirected to the same by GET, with the browser’s cookies', async () => {
    const { browser } = await signIn()
    const { url } = await issuers.request(app, { prompt: 'none' })
    const form = new URLSearchParams(url.search)
    const answer = await fetch(`${issuers.address}/oidc/${organization.id}/authorize?idp=a%26b`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`${issuer()}/authorize?idp=a%26b&${form}`)
    const end = new URL((await browser.go(`${issuer()}/authorize`, { form: Object.fromEntries(form) })).url)
    expect(end.searchParams.get('code')).toMatch(/./)
  })

  test('An authorize request by POST without parameters ends on a page', async () => {
    const page = await post(`${issuer()}/authorize`, {})
    expect([page.status, headingOf(page)]).toEqual([400, 'This sign-in cannot go on'])
  })
})

describe('An ID token with all the claims that it may have', () => {
  let browser: Browser
  let hint: string

  beforeAll(async () => {
    const { browser: used, tokens } = await signIn({ profile: 'x'.repeat(8_170) })
    browser = used
    hint = tokens.id_token ?? ''
    expect(tokens.claims()).not.toHaveProperty('groups_truncated')
    expect(hint.length).toBeGreaterThan(16_384)
  })

  /** The client of this test reads no headers of 16 KiB unless it is told to. */
  async function locationAfterPost({ search }: URL): Promise<string> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const options = { method: 'POST', headers, maxHeaderSize: 32_768 }
    const call = request(`${issuers.address}/oidc/${organization.id}/authorize`, options).end(search.slice(1))
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.headers.location ?? ''
  }

  test.each(['GET', 'POST'])('A largest ID token is a hint at authorize by %s', async (method) => {
    const { url } = await issuers.request(app, { prompt: 'none', id_token_hint: hint })
    const end = await browser.go(method === 'GET' ? url.href : await locationAfterPost(url))
    expect(new URL(end.url).searchParams.get('code')).toMatch(/./)
  })

  test.each(['GET', 'POST'])('A largest ID token is a hint at logout by %s', async (method) => {
    const fields = { id_token_hint: hint, post_logout_redirect_uri: target }
    const page = await (method === 'GET'
      ? browser.go(`${issuer()}/logout?${new URLSearchParams(fields)}`)
      : browser.go(`${issuer()}/logout`, { form: fields }))
    expect([page.status, headingOf(page)]).toEqual([200, 'Sign out?'])
    if (method === 'POST')
      expect((await browser.go(actionIn(page), { form: { ...fieldsIn(page), logout: 'yes' } })).url).toBe(target)
  })

  test('An ID token that is longer than any of ours ends on a page', async () => {
    const tooLong = 'x'.repeat(40_000)
    for (const path of ['authorize', 'logout']) {
      for (const page of [
        await browser.go(`${issuer()}/${path}?id_token_hint=${tooLong}`),
        await browser.go(`${issuer()}/${path}`, { form: { id_token_hint: tooLong } }),
      ]) {
        expect([431, 413]).toContain(page.status)
        expect(page.headers.get('clear-site-data')).toBeNull()
        expect(headingOf(page)).toMatch(/^This sign-(in|out) cannot go on$/)
      }
    }
  })
})

describe('Errors as pages', () => {
  const unknown = '00000000-0000-7000-8000-000000000000'
  const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  type ErrorRequest = [path: () => string, status: number, heading: string | RegExp, options?: RequestInit]
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const own = (path: string) => () => `/oidc/${organization.id}${path}`
  const requests: ErrorRequest[] = [
    [() => `/oidc/${unknown}/authorize`, 404, 'This page does not exist'],
    [() => `/oidc/${organization.id.toUpperCase()}/logout`, 404, 'This page does not exist'],
    [() => `/oidc/%ff/authorize`, 400, 'This sign-in cannot go on'],
    [own('/authorize?client_id=unknown'), 400, 'This sign-in cannot go on'],
    [own('/logout?client_id=unknown'), 400, 'This sign-out cannot go on'],
    [own('/logout?id_token_hint=x'), 400, 'This sign-out cannot go on'],
    [own('/authorize/some-uid'), 400, 'This sign-in cannot go on'],
    [own('/authorize/some-uid/more'), 404, 'This page does not exist'],
    [own('/authorize'), 405, 'This sign-in cannot go on', { method: 'PUT' }],
    [own('/logout'), 405, 'This sign-out cannot go on', { method: 'DELETE' }],
    [own('/logout/confirm'), 405, 'This sign-out cannot go on'],
    [own('/logout/confirm'), 400, 'This sign-out cannot go on', { method: 'POST', headers: form, body: 'xsrf=x' }],
    [own('/authorize'), 415, 'This sign-in cannot go on', { method: 'POST', body: '{}' }],
    [own('/logout'), 413, 'This sign-out cannot go on', { method: 'POST', headers: form, body: 'x'.repeat(32_769) }],
    [() => '/sso/nothing', 404, 'This page does not exist'],
    [() => '/sso/callback/no-id', 400, 'This sign-in cannot go on'],
    [() => `/sso/callback/${unknown}`, 405, /./, { method: 'POST' }],
    [() => `/sso/flows/${organization.id}/some-uid`, 400, 'This sign-in cannot go on'],
    [() => `/sso/flows/${organization.id}/%00`, 400, 'This sign-in cannot go on'],
    [() => `/sso/flows/${organization.id}/some-uid`, 405, /./, { method: 'PUT' }],
    [() => `/sso/flows/${organization.id}/u`, 413, /./, { method: 'POST', headers: form, body: 'x'.repeat(1_025) }],
    [() => `/sso/flows/${organization.id}/u`, 415, /./, { method: 'POST', body: '{}' }],
    [own('/authorise'), 404, 'This page does not exist', { headers: { accept: html } }],
    [() => '/oidc', 404, 'This page does not exist', { headers: { accept: html } }],
  ]

  test.each(requests)('The page of %s has status %i', async (path, status, heading, options) => {
    const answer = await fetch(issuers.address + path(), { redirect: 'manual', ...options })
    const page = { status: answer.status, type: answer.headers.get('content-type') }
    expect(page).toEqual({ status, type: 'text/html; charset=utf-8' })
    expect(headingOf({ html: await answer.text() })).toMatch(heading)
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET|POST/)
  })

  test.each([
    ['/token', 'error'],
    ['/userinfo', 'errors'],
    ['/revoke', 'error'],
    ['/jwks', 'errors'],
    ['/.well-known/openid-configuration', 'errors'],
  ])('An application gets JSON and no page at %s, whatever it accepts', async (path, member) => {
    const answer = await fetch(`${issuers.address}/oidc/${unknown}${path}`, { headers: { accept: html } })
    expect([404, 405]).toContain(answer.status)
    expect(await answer.json()).toHaveProperty(member)
  })

  test('A page shows a wrong redirect URI as it came, cut, and without characters that reverse the text', async () => {
    const { url } = await issuers.request(app)
    url.searchParams.set('redirect_uri', `${redirectUri}?<b>\u202e${'x'.repeat(1_000)}`)
    const { html: page } = await issuers.browser().go(url.href)
    expect(page).toContain(`The application named ${redirectUri}?&lt;b&gt;\ufffdxxx`)
    expect(page).toMatch(/x…<\/p>/)
    expect(page.length).toBeLessThan(4_096)
    const logout = `${issuer()}/logout?client_id=${app.clientId}&post_logout_redirect_uri=${application}else`
    expect((await issuers.browser().go(logout)).html).toContain(`The application named ${application}else<`)
  })
})

describe('The fragment of a redirect to the application', () => {
  const locationOf = async (url: string, browser: Browser) => {
    const headers = { cookie: browser.cookiesFor(url) }
    const answer = await fetch(url.replace(baseUrl, issuers.address), { redirect: 'manual', headers })
    return answer.headers.get('location') ?? ''
  }

  test('A redirect to the application has a fragment of its own and inherits none, with a code and with an error', async () => {
    const { browser } = await signIn()
    for (const [of, parameter] of [
      [browser, 'code'],
      [issuers.browser(), 'error'],
    ] as const) {
      const { url } = await issuers.request(app, { prompt: 'none' })
      const location = await locationOf(url.href, of)
      expect(location).toMatch(/#$/)
      expect(new URL(location).searchParams.has(parameter)).toBe(true)
    }
  })
})
