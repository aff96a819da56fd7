import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SignInSite, type SiteTenant, signetHost, startSignInSite } from '../support/sign-in-site.ts'

const google = 'Google'
const labels = [google, 'Staff: Okta of the department for research and development']
const ada = { name: 'Ada', email: 'ada@example.com' }

let site: SignInSite

beforeAll(async () => {
  site = await startSignInSite()
})

afterAll(() => site?.stop())

/** No page may need what its policy forbids, whatever a test leads through it. */
afterEach(async () => {
  expect(site.violations.splice(0)).toEqual([])
  await Promise.all(site.browser.contexts().map((context) => context.close()))
})

async function begin(page: Page, tenant: SiteTenant) {
  await page.goto(tenant.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
}

const choose = (page: Page, label = google) => page.getByRole('button', { name: label }).click()

async function logIn(page: Page, { name, email } = ada) {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Log in' }).click()
}

const claimsOn = async (page: Page) => JSON.parse(await page.locator('#claims').innerText())
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

async function signIn(page: Page, tenant: SiteTenant) {
  await begin(page, tenant)
  await choose(page)
  await logIn(page)
  return claimsOn(page)
}

describe('A real browser', () => {
  test('A person signs in: application, page to choose, provider, application', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    await begin(page, tenant)
    await heading(page, 'Sign in to Northwind')
    expect(new URL(page.url()).hostname).toBe(signetHost)
    await choose(page)
    await logIn(page)
    expect(await claimsOn(page)).toMatchObject({ org_id: tenant.organization.id, authenticated_methods: ['oidc'] })
    expect(await tenant.persons()).toMatchObject([{ handles: [{ value: ada.email, verified: true }] }])
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The pages of the application tell Signet who looks at them', async () => {
    const tenant = await site.tenant([google])
    const page = await (await site.profile()).newPage()
    await page.goto(tenant.url)
    await expect.poll(tenant.viewers, { timeout: 30_000 }).toEqual([null])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await logIn(page)
    const { sub } = await claimsOn(page)
    await expect.poll(tenant.viewers, { timeout: 30_000 }).toEqual([null, sub])
  })

  test('Two organizations have each their own person and session', async () => {
    const tenants = [await site.tenant([google]), await site.tenant([google])] as const
    const page = await (await site.profile()).newPage()
    await begin(page, tenants[0])
    await logIn(page)
    const first = await claimsOn(page)
    // The provider remembers who logged in, Signet asks it all the same.
    await begin(page, tenants[1])
    const second = await claimsOn(page)
    expect(second.sub).not.toBe(first.sub)
    expect(second.org_id).toBe(tenants[1].organization.id)
    await page.goto(tenants[0].url)
    expect(await claimsOn(page)).toEqual(first)
  })

  test('Two tabs at once on a first sign-in make one person', async () => {
    const tenant = await site.tenant([google])
    const profile = await site.profile()
    const tabs = await Promise.all([profile.newPage(), profile.newPage()])
    for (const tab of tabs) await begin(tab, tenant)
    await Promise.all(tabs.map((tab) => logIn(tab)))
    const [first, second] = await Promise.all(tabs.map(claimsOn))
    expect(second.sub).toBe(first.sub)
    expect(await tenant.persons()).toHaveLength(1)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })

  test('A person who goes back from the provider chooses again, in the same sign-in', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    await begin(page, tenant)
    await choose(page)
    await heading(page, 'Example Login')
    await page.goBack()
    await choose(page)
    await logIn(page)
    expect(await claimsOn(page)).toHaveProperty('sub')
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A person who goes back after the end meets a page that says so, and stays signed in', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    const claims = await signIn(page, tenant)
    await page.goBack()
    await page.goBack()
    await heading(page, 'This sign-in cannot go on')
    await page.goto(tenant.url)
    expect(await claimsOn(page)).toEqual(claims)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A cookie that is lost on the way ends the sign-in, once, on a page that says so', async () => {
    const tenant = await site.tenant([google])
    const profile = await site.profile()
    const page = await profile.newPage()
    await begin(page, tenant)
    await heading(page, 'Example Login')
    await profile.clearCookies({ domain: signetHost })
    await logIn(page)
    await heading(page, 'This sign-in cannot go on')
    await page.reload()
    await heading(page, 'This sign-in cannot go on')
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
    expect(await tenant.persons()).toEqual([])
  })

  test('A sign-in that begins at one node ends at another, whichever takes the next step', async () => {
    const tenant = await site.tenant(labels)
    const nodes = [site.node, await site.startNode()]
    let steps = 0
    site.meet(() => nodes[steps++ % 2] ?? site.node)
    const page = await (await site.profile()).newPage()
    expect(await signIn(page, tenant)).toHaveProperty('sub')
    expect(steps).toBeGreaterThan(5)
    site.meet(() => site.node)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The application says so when the person refuses at the provider, or cancels', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    await begin(page, tenant)
    await choose(page)
    await page.getByRole('button', { name: 'No, thanks' }).click()
    await heading(page, 'Not signed in')
    await begin(page, tenant)
    await choose(page, 'Cancel')
    await heading(page, 'Not signed in')
    expect(await tenant.endings()).toEqual(['oidc_access_denied', 'flow_cancelled'])
  })

  test('A person who signs out is signed out of Signet too', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    await signIn(page, tenant)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign out?')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Hello')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await heading(page, 'Sign in to Northwind')
  })

  test('A person who stays signed in at Signet signs in again without being asked', async () => {
    const tenant = await site.tenant(labels)
    const page = await (await site.profile()).newPage()
    const { sub } = await signIn(page, tenant)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await heading(page, 'Hello')
    await begin(page, tenant)
    expect(await claimsOn(page)).toMatchObject({ sub })
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })
})

describe('The cookies of a browser', () => {
  const cookiesOf = async (page: Page) => (await page.context().cookies()).filter(({ name }) => /signet/.test(name))

  /** Where the application sends a browser that is to sign in. */
  async function authorizeUrlOf(page: Page, tenant: SiteTenant): Promise<string> {
    const [request] = await Promise.all([page.waitForRequest(/\/authorize\?/), begin(page, tenant)])
    return request.url()
  }

  test("The cookies of a browser are not pushed out by a page that leads it through another organization's sign-in again and again", async () => {
    const [own, other] = [await site.tenant([google]), await site.tenant([google, 'Okta'])]
    const page = await (await site.profile()).newPage()
    await begin(page, own)
    await logIn(page)
    await claimsOn(page)
    const popup = await page.context().newPage()
    const url = await authorizeUrlOf(popup, other)
    // There the browser gets no further.
    for (let time = 0; time < 25; time++) await popup.goto(`${url}&prompt=login&idp=other-1`)
    const cookies = await cookiesOf(page)
    const countOf = (kind: string) => cookies.filter(({ name }) => name.startsWith(`__Host-signet-${kind}-`)).length
    expect(['session', 'interaction', 'flow'].map(countOf)).toEqual([1, 20, 20])
    expect(cookies.length).toBe(41)
    expect(cookies.map(({ name, value }) => `${name}=${value}`).join('; ').length).toBeLessThan(6_000)
    expect(cookies.filter(({ path }) => path !== '/')).toEqual([])
    expect(cookies.map(({ name }) => name)).toContain(`__Host-signet-session-${own.organization.id}`)
  })

  test('The cookies of a browser are none after a sign-out where nobody was signed in, at however many organizations', async () => {
    const page = await (await site.profile()).newPage()
    for (const { organization } of [await site.tenant([google]), await site.tenant([google])]) {
      await page.goto(`${site.node.baseUrl}/oidc/${organization.id}/logout`)
      await heading(page, 'You are signed out')
    }
    expect(await page.context().cookies()).toEqual([])
  })

  test('The cookies of a browser are removed, and a page says so, when they are more than the service reads', async () => {
    const { organization } = await site.tenant([google])
    const { baseUrl } = site.node
    const page = await (await site.profile()).newPage()
    const many = Array.from({ length: 100 }, (_, at) => ({ name: `c${at}`, value: 'x'.repeat(3_000), url: baseUrl }))
    for (const path of [`/oidc/${organization.id}/logout`, `/sso/flows/${organization.id}/some-uid`]) {
      await page.context().addCookies(many)
      expect((await page.goto(baseUrl + path))?.status()).toBe(431)
      await heading(page, 'Please sign in again')
      expect(await page.context().cookies()).toEqual([])
      expect((await page.goto(baseUrl + path))?.status()).toBeLessThan(431)
    }
  })
})

describe('Applications that redirect to another origin or to a scheme of their own', () => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const onward = { '/to-origin': `${elsewhere}/arrived`, '/to-scheme': ownScheme }[pathname]
    if (onward) response.writeHead(302, { location: onward }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Arrived</h1>')
  })
  const ownScheme = 'com.example.app:/arrived'
  const ends = ['/to-origin', '/to-scheme', ownScheme]
  let url: string
  let elsewhere: string
  let tenant: SiteTenant
  let clientId: string
  let page: Page
  /** What the page asked for in vain: no program of this machine has the scheme. */
  let failed: (string | undefined)[]

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    url = site.lead('leading.app.test', to)
    elsewhere = site.lead('elsewhere.app.test', to)
    tenant = await site.tenant(labels)
    const uris = ends.map(uriOf)
    const fields = { name: 'Leading', redirect_uris: uris, post_logout_redirect_uris: uris }
    const { body } = await site.node.as(tenant.organization, 'POST', '/organizations/applications', fields)
    clientId = body.result.client_id
  })

  afterAll(() => server.close())

  beforeEach(async () => {
    failed = []
    page = await (await site.profile()).newPage()
    page.on('requestfailed', (request) => failed.push(request.url().split('?')[0]))
  })

  const uriOf = (end: string) => (end.startsWith('/') ? url + end : end)
  const ask = (endpoint: string, parameters: Record<string, string>) => {
    const issuer = `${url.replace('leading.app.test', signetHost)}/oidc/${tenant.organization.id}`
    return page.goto(`${issuer}/${endpoint}?${new URLSearchParams({ client_id: clientId, ...parameters })}`)
  }
  const askToSignIn = (end: string) =>
    ask('authorize', {
      redirect_uri: uriOf(end),
      response_type: 'code',
      scope: 'openid',
      state: 'x',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
  const arriveAt = (end: string) =>
    end === '/to-origin' ? heading(page, 'Arrived') : expect.poll(() => failed).toContain(ownScheme)

  // Proves sign-in/14.
  test.each(ends)('A person arrives after a choice, at %s', async (end) => {
    await askToSignIn(end)
    await choose(page)
    await logIn(page)
    await arriveAt(end)
  })

  // Proves sign-in/14.
  test.each(ends)('A person arrives after Cancel, at %s', async (end) => {
    await askToSignIn(end)
    await choose(page, 'Cancel')
    await arriveAt(end)
  })

  describe.each(['Sign out', 'Stay signed in'])('Redirects after %s', (answer) => {
    // Proves sign-in/14.
    test.each(ends)('A person arrives after a sign-out, at %s', async (end) => {
      await signIn(page, tenant)
      await ask('logout', { post_logout_redirect_uri: uriOf(end) })
      await page.getByRole('button', { name: answer }).click()
      await arriveAt(end)
    })
  })
})

describe('The page to choose from', () => {
  let tenant: SiteTenant

  beforeAll(async () => {
    tenant = await site.tenant(labels)
  })

  test('The page to choose from needs the keyboard alone, and shows where it is', async () => {
    const page = await (await site.profile()).newPage()
    await begin(page, tenant)
    await heading(page, 'Sign in to Northwind')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toBe(google)
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    await heading(page, 'Example Login')
    for (const text of [ada.name, ada.email]) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    expect(await claimsOn(page)).toHaveProperty('sub')
  })

  test('The page to choose from needs no script', async () => {
    const page = await (await site.profile({ javaScriptEnabled: false })).newPage()
    expect(await signIn(page, tenant)).toHaveProperty('sub')
  })

  test('The page to choose from fits a telephone of 320 px, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await (await site.profile({ colorScheme, viewport: { width: 320, height: 568 } })).newPage()
      await begin(page, tenant)
      await heading(page, 'Sign in to Northwind')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      expect(await brightnessOf(page)).toBe(colorScheme)
    }
  })
})

/** Whether the page's card is nearer to white or to black. */
async function brightnessOf(page: Page): Promise<'light' | 'dark'> {
  const color = await page.evaluate<string>("getComputedStyle(document.querySelector('main')).backgroundColor")
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number)
  return red + green + blue > (3 * 255) / 2 ? 'light' : 'dark'
}
