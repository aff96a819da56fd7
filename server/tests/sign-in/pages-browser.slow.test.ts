import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { type Issuers, startIssuers } from '../support/issuer.ts'
import { type SignInSite, type SiteTenant, signetHost, startSignInSite } from '../support/sign-in-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const labels = ['Google', 'Staff: Okta of the department for research and development']
const ada = { name: 'Ada', email: 'ada@example.com' }
const ownScheme = 'com.example.app:/arrived'

let site: SignInSite
let tenant: SiteTenant
let page: Page

beforeAll(async () => {
  site = await startSignInSite()
  tenant = await site.tenant(labels)
})

afterAll(() => site?.stop())

beforeEach(async () => {
  page = await (await site.profile()).newPage()
})

/** No page may need what its policy forbids. */
afterEach(async () => {
  expect(site.violations.splice(0)).toEqual([])
  await Promise.all(site.browser.contexts().map((context) => context.close()))
})

const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const signetUrl = () => tenant.url.replace(new URL(tenant.url).hostname, signetHost)
const issuer = () => `${signetUrl()}/oidc/${tenant.organization.id}`

async function begin() {
  await page.goto(tenant.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await heading('Sign in to Northwind')
}

async function logIn() {
  await page.getByLabel('Name').fill(ada.name)
  await page.getByLabel('E-mail').fill(ada.email)
  await press('Log in')
}

async function signIn() {
  await begin()
  await press('Google')
  await logIn()
  await page.locator('#claims').waitFor()
}

/** On the page as it is shown in light and dark, on a telephone and a desk: the rules that it breaks. */
async function expectAccessible() {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1_280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const { violations } = await page.evaluate<AxeResults>(`${axe}; axe.run()`)
      const broken = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
      expect({ colorScheme, width, broken }).toEqual({ colorScheme, width, broken: [] })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
}

describe('Pages without obstacles (axe)', () => {
  test("Nothing is in anybody's way on the page to choose from, which names the application and the organization", async () => {
    await begin()
    await page.getByText('Example asks you to sign in.').waitFor()
    await expectAccessible()
  })

  test("Nothing is in anybody's way on the page that leads on, nor for browsers that do not go by themselves", async () => {
    await begin()
    const isProvider = /provider\.test/
    await page.route(isProvider, (route) => route.abort('aborted'))
    await press('Google')
    await heading('One moment')
    await expectAccessible()
    await page.unroute(isProvider)
    await page.getByRole('link', { name: 'Continue' }).click()
    await heading('Example Login')
  })

  test("Nothing is in anybody's way on the question of a sign-out, and on what follows each answer", async () => {
    await signIn()
    await page.goto(`${issuer()}/logout`)
    await heading('Sign out?')
    await expectAccessible()
    await press('Stay signed in')
    await heading('You are still signed in')
    await expectAccessible()
    await page.goto(`${issuer()}/logout`)
    await press('Sign out')
    await heading('You are signed out')
    await expectAccessible()
  })

  test("Nothing is in anybody's way on the page about a request that cannot be answered to the application", async () => {
    const applications = await site.node.as(tenant.organization, 'GET', '/organizations/applications')
    const client_id = applications.body.result[0].client_id
    const redirect_uri = `https://elsewhere.example.com/${'long/'.repeat(30)}`
    await page.goto(`${issuer()}/authorize?${new URLSearchParams({ client_id, redirect_uri, response_type: 'code' })}`)
    await heading('This sign-in cannot go on')
    await page.getByText(redirect_uri).waitFor()
    await expectAccessible()
    await page.goto(`${issuer()}/logout?client_id=unknown`)
    await heading('This sign-out cannot go on')
    await expectAccessible()
  })

  test.each([
    ['/oidc/00000000-0000-7000-8000-000000000000/authorize', 'This page does not exist'],
    ['/oidc/mistyped', 'This page does not exist'],
    ['/sso/callback/00000000-0000-7000-8000-000000000000?state=x&code=y', 'This sign-in cannot go on'],
  ])("Nothing is in anybody's way on the page that %s shows", async (path, title) => {
    await page.goto(signetUrl() + path)
    await heading(title)
    await expectAccessible()
  })

  describe('Pages of a service at its limits', () => {
    let issuers: Issuers
    let url: string

    beforeAll(async () => {
      issuers = await startIssuers({ SIGNET_RATE_SIGN_IN: '1/5', SIGNET_LOG_LEVEL: 'silent' })
      const organization = await issuers.organization()
      const { url: requestUrl } = await issuers.request(await issuers.app(organization))
      url = `${issuers.address}/oidc/${organization.id}/authorize${requestUrl.search}`
    })

    afterAll(() => issuers?.stop())

    /** Ends what waits for a lock, as a database does that is overloaded. */
    async function goWhileAway() {
      const away = issuers.database.transaction(async (tx) => {
        await tx.rows(sql`lock table issuer_interactions in access exclusive mode`)
        const going = page.goto(url)
        const cancelling = expect.poll(async () => {
          const cancelled = await tx.rows(sql`
            select pg_cancel_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`)
          return cancelled.length
        })
        await cancelling.toBeGreaterThan(0)
        return going
      })
      return away
    }

    test("Nothing is in anybody's way on the page of a 503", async () => {
      expect((await goWhileAway())?.status()).toBe(503)
      await heading('Signing in is not possible right now')
      await expectAccessible()
    })

    test("Nothing is in anybody's way on the page of a 500", async () => {
      await issuers.database.write.rows(sql`alter table issuer_interactions rename to elsewhere`)
      expect((await page.goto(url))?.status()).toBe(500)
      await issuers.database.write.rows(sql`alter table elsewhere rename to issuer_interactions`)
      await expectAccessible()
    })

    test("Nothing is in anybody's way on the page of a 431 for a long address", async () => {
      expect((await page.goto(`${url}&more=${'x'.repeat(40_000)}`))?.status()).toBe(431)
      await heading('This sign-in cannot go on')
      await expectAccessible()
    })

    test("Nothing is in anybody's way on the page of a 431 for too many cookies", async () => {
      const cookies = Array.from({ length: 100 }, (_, at) => ({ name: `c${at}`, value: 'x'.repeat(3_000), url }))
      await page.context().addCookies(cookies)
      expect((await page.goto(url))?.status()).toBe(431)
      await heading('Please sign in again')
      await expectAccessible()
    })

    test("Nothing is in anybody's way on the page of a 429", async () => {
      await expect.poll(async () => (await page.goto(url))?.status()).toBe(429)
      await heading('Too many sign-ins')
      await expectAccessible()
    })
  })
})

describe('The arrival of a person', () => {
  test('A person arrives with the keyboard alone, at a sign-out as well', async () => {
    await begin()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await heading('Example Login')
    await logIn()
    await page.locator('#claims').waitFor()
    await page.goto(`${issuer()}/logout`)
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toBe('Sign out')
    await page.keyboard.press('Enter')
    await heading('You are signed out')
  })

  test('A person arrives also after a second click', async () => {
    await begin()
    await page.getByRole('button', { name: 'Google' }).dblclick()
    await heading('Example Login')
    await logIn()
    await page.locator('#claims').waitFor()
    await page.goto(`${issuer()}/logout`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).dblclick()
    await heading('You are signed out')
  })

  test('A person who goes back after a sign-out, and answers once more, is told that it is over or done', async () => {
    await signIn()
    await page.goto(`${issuer()}/logout`)
    await press('Sign out')
    await heading('You are signed out')
    await page.goBack()
    await page.getByRole('heading', { name: /sign(ed)?[ -]out/i }).waitFor()
  })

  // Proves sign-in/22.
  test('A person arrives without what a provider, or anybody else, put after the number sign', async () => {
    await begin()
    await press('Google')
    await heading('Example Login')
    // A redirect that has no fragment inherits that of the form.
    await page.evaluate("for (const form of document.forms) form.action += '#access_token=evil'")
    const arriving = page.waitForRequest(/\/callback\?code=.*&iss=/)
    await logIn()
    await page.locator('#claims').waitFor()
    expect(new URL((await arriving).url()).hash).toBe('')
    expect(await page.evaluate('location.hash')).toBe('')
  })
})

describe('A form of another site', () => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname !== '/form') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Arrived</h1>')
    const { action = '', ...fields } = Object.fromEntries(searchParams)
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    const form = `<form method="post" action="${action}">${inputs.join('')}<button>Go</button></form>`
    return response.writeHead(200, { 'content-type': 'text/html' }).end(form)
  })
  let elsewhere: string
  let client_id: string

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    elsewhere = site.lead('forms.app.test', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const uris = [`${elsewhere}/arrived`, ownScheme]
    const fields = { name: 'Forms', redirect_uris: uris, post_logout_redirect_uris: uris }
    const { body } = await site.node.as(tenant.organization, 'POST', '/organizations/applications', fields)
    client_id = body.result.client_id
  })

  afterAll(() => server.close())

  const send = async (endpoint: string, fields: Record<string, string>) => {
    const action = `${issuer()}/${endpoint}`
    await page.goto(`${elsewhere}/form?${new URLSearchParams({ action, client_id, ...fields })}`)
    await press('Go')
  }

  test.each(['/arrived', ownScheme])(
    'A form of another site signs a person out, once that is the answer to the question, at %s',
    async (end) => {
      const failed: (string | undefined)[] = []
      page.on('requestfailed', (request) => failed.push(request.url().split('?')[0]))
      await signIn()
      const target = end.startsWith('/') ? elsewhere + end : end
      await send('logout', { post_logout_redirect_uri: target, state: 'x' })
      await heading('Sign out?')
      await page.getByText('Forms asks to sign you out.').waitFor()
      await expectAccessible()
      await press('Sign out')
      if (end.startsWith('/')) await heading('Arrived')
      else await expect.poll(() => failed).toContain(ownScheme)
      await page.goto(`${issuer()}/logout`)
      await heading('You are signed out')
    },
  )

  test('A form of another site signs in a person who has a session', async () => {
    await signIn()
    await send('authorize', {
      redirect_uri: `${elsewhere}/arrived`,
      response_type: 'code',
      scope: 'openid',
      state: 'x',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    await heading('Arrived')
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/./)
  })
})
