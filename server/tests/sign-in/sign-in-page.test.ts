import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { baseUrl, openBrowser } from '../support/browser.ts'
import { callback, closeSignIns, newTenant, openSignIns, other, service, tenant } from '../support/own-sign-ins.ts'
import { chooseFirst, created, identitiesOf, namesOf, optionsIn, succeeded } from '../support/page-sign-ins.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { otherClient } from '../support/upstreams.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant({ name: 'Grüße & <Co>' }))

const credentials = '/organizations/sso/oidc/provider-credentials'

describe('The page', () => {
  beforeEach(async () => {
    await tenant.addCredential(providers.okta, { ...other, label: 'Staff & <b>' })
  })

  // Proves sign-in/13, sign-in/15.
  test('The page shows each credential by its label, and the organization, without script, to nobody from elsewhere', async () => {
    const { url } = await tenant.application.begin()
    const page = await tenant.browser.go(url)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Sign in to Grüße &amp; &lt;Co&gt;')
    expect(optionsIn(page.html).map(({ label }) => label)).toEqual(['signet', 'Staff &amp; &lt;b&gt;'])
    expect(page.html).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    // What a browser does with the redirects after the form: providers, whoever they ask, and the application.
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';")
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('The page leads to the provider that is chosen', async () => {
    const begun = await tenant.application.begin()
    const page = await tenant.browser.go(begun.url)
    const [, chosen] = optionsIn(page.html)
    const end = await tenant.browser.go(page.url, { form: { credential: chosen?.id ?? '' }, person: ada })
    const { sub } = await tenant.application.finish(begun, end.url)
    expect(await identitiesOf(sub)).toMatchObject([{ provider: providers.okta }])
  })

  test('The page shows at once what was made, changed and deleted', async () => {
    const labels = async () => {
      const { url } = await tenant.application.begin()
      return optionsIn((await tenant.browser.go(url)).html).map(({ label }) => label)
    }
    expect(await labels()).toEqual(['signet', 'Staff &amp; &lt;b&gt;'])
    await tenant.addCredential(providers.google, { client_id: 'third', label: 'Third' })
    expect(await labels()).toEqual(['signet', 'Staff &amp; &lt;b&gt;', 'Third'])
    await service.as(tenant.organization, 'PATCH', `${credentials}/third`, { label: 'Changed' })
    expect(await labels()).toEqual(['signet', 'Staff &amp; &lt;b&gt;', 'Changed'])
    await service.as(tenant.organization, 'DELETE', `${credentials}/third`)
    expect(await labels()).toEqual(['signet', 'Staff &amp; &lt;b&gt;'])
  })

  test('The page leads straight on when only one way is left', async () => {
    const begun = await tenant.application.begin()
    const { url } = await tenant.browser.go(begun.url, { stopAt: /\/sso\/flows\// })
    await service.as(tenant.organization, 'DELETE', `${credentials}/${other.client_id}`)
    await tenant.application.finish(begun, (await tenant.browser.go(url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page is not shown where the application names one (idp)', async () => {
    const params = { idp: otherClient.clientId }
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada, params })
    expect(await identitiesOf(sub)).toMatchObject([{ provider: providers.okta }])
  })

  test('The page can be left: the application is told, and the sign-in has failed (flow_cancelled)', async () => {
    const { url } = await tenant.application.begin()
    const page = await tenant.browser.go(url)
    expect(errorIn(await tenant.browser.go(page.url, { form: { cancel: 'yes' } }))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['flow_cancelled'])
  })

  test('The page asks again when something is sent that it does not offer', async () => {
    const { url } = await tenant.application.begin()
    const page = await tenant.browser.go(url)
    const again = await tenant.browser.go(page.url, { form: { credential: 'x' } })
    expect(optionsIn(again.html)).toHaveLength(2)
    expect(await tenant.endings()).toEqual([])
  })

  test('The page can be gone back to, for another choice: one sign-in, one final event', async () => {
    const begun = await tenant.application.begin()
    const page = await tenant.browser.go(begun.url)
    const [first, other] = optionsIn(page.html)
    await tenant.browser.go(page.url, { form: { credential: first?.id ?? '' }, person: ada, stopAt: callback })
    expect((await tenant.browser.go(page.url)).status).toBe(200)
    const end = await tenant.browser.go(page.url, { form: { credential: other?.id ?? '' }, person: ada })
    await tenant.application.finish(begun, end.url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page that was left open in a tab can do nothing any more once the sign-in is over', async () => {
    const begun = await tenant.application.begin()
    const page = await tenant.browser.go(begun.url)
    await chooseFirst(tenant.browser, page)
    expect((await tenant.browser.go(page.url)).status).toBe(400)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })
})

describe('The cookies of a sign-in', () => {
  const flowCookies = () => tenant.browser.cookiesFor(baseUrl).match(/__Host-signet-flow-/g) ?? []
  const requestCookies = () => tenant.browser.cookiesFor(baseUrl).match(/__Host-signet-interaction-/g) ?? []

  // Proves sign-in/4.
  test('The cookie of a flow is of this host alone, for https, out of reach of scripts and of other sites', async () => {
    const { url } = await tenant.application.begin()
    const lines: string[] = []
    const browser = openBrowser(
      () => service.baseUrl,
      (line) => lines.push(line),
    )
    await browser.go(url, { person: ada, stopAt: callback })
    expect(lines.filter((line) => line.startsWith('__Host-signet-flow-'))).toEqual([
      expect.stringMatching(/; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/),
    ])
  })

  // Proves sign-in/9.
  test('The cookie of a flow is there for twenty open flows at most: the oldest is dropped', async () => {
    const tabs = []
    for (let tab = 0; tab < 21; tab++) {
      const { url } = await tenant.application.begin()
      tabs.push(await tenant.browser.go(url, { person: ada, stopAt: callback }))
      expect(flowCookies()).toHaveLength(Math.min(tab + 1, 20))
    }
    const cookies = tenant.browser.cookiesFor(baseUrl)
    expect(cookies.length).toBeLessThan(5_400)
    // Its request was dropped as well, so that this browser cannot prove it.
    expect((await tenant.browser.go(tabs[0]?.url ?? '')).status).toBe(400)
    expect(errorIn(await tenant.browser.go(tabs[20]?.url ?? ''))).toBeUndefined()
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch', 'succeeded'])
  })

  test('The cookie of a flow is gone after the sign-in, and so is that of its request', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    expect([...flowCookies(), ...requestCookies()]).toEqual([])
  })

  // Proves sign-in/9.
  test('The cookie of a request is there for twenty at most: a person who opens more has left the oldest', async () => {
    await tenant.addCredential(providers.okta, other)
    const tabs = []
    for (let tab = 0; tab < 21; tab++) {
      const begun = await tenant.application.begin()
      tabs.push({ begun, page: await tenant.browser.go(begun.url, { stopAt: /\/sso\/flows\// }) })
      expect(requestCookies()).toHaveLength(Math.min(tab + 1, 20))
    }
    expect((await tenant.browser.go(tabs[0]?.page.url ?? '')).status).toBe(400)
    for (const { begun, page } of [tabs[1], tabs[20]].filter((tab) => tab !== undefined)) {
      const end = await chooseFirst(tenant.browser, await tenant.browser.go(page.url))
      await tenant.application.finish(begun, end.url)
    }
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })

  test('The cookie of a session is the only one besides those of requests and flows, and enough by itself', async () => {
    const names: string[] = []
    const browser = openBrowser(
      () => service.baseUrl,
      (line) => names.push(line.slice(0, line.indexOf('='))),
    )
    const { sub } = await tenant.application.signIn(browser, { person: ada })
    const session = `__Host-signet-session-${tenant.organization.id}`
    // The provider upstream sets some of its own.
    const others = names.filter((name) => /signet/.test(name) && !/^__Host-signet-(interaction|flow)-/.test(name))
    expect([...new Set(others)]).toEqual([session])
    expect((await tenant.application.signIn(browser, { params: { prompt: 'none' } })).sub).toBe(sub)
  })

  test('The cookie of a request that is lost on the way has the person begin again, and the sign-in its one event', async () => {
    const { url } = await tenant.application.begin()
    const back = await tenant.browser.go(url, { person: ada, stopAt: callback })
    tenant.browser.forget(/signet-interaction/)
    expect((await tenant.browser.go(back.url)).status).toBe(400)
    expect(await tenant.endings()).toEqual(['succeeded'])
    await tenant.application.signIn(tenant.browser, { person: ada })
  })
})

describe('A session that is used again', () => {
  // Proves 6.1/13.
  test('A session that is used again publishes AuthenticationSucceeded_v1 each time, also where nothing may be shown', async () => {
    const { application, browser } = tenant
    const first = await application.signIn(browser, { person: ada })
    const again = await application.signIn(browser, { referer: 'https://app.test/again' })
    const silent = await application.signIn(browser, { params: { prompt: 'none' } })
    expect([again.sub, silent.sub]).toEqual([first.sub, first.sub])
    const events = await tenant.events()
    expect(namesOf(events)).toEqual([created, succeeded, succeeded, succeeded])
    expect(events[2].browser_metadata.window_location).toBe('https://app.test/again')
  })

  test('A session that is not there fails with prompt=none, and nothing is published', async () => {
    const { url } = await tenant.application.begin({ prompt: 'none' })
    expect(errorIn(await tenant.browser.go(url))).toBe('login_required')
    expect(await tenant.events()).toEqual([])
  })

  test('A session of another credential than the one named (idp) is none: the person signs in anew', async () => {
    const { application, browser } = tenant
    await tenant.addCredential(providers.okta, other)
    const first = await application.signIn(browser, { person: ada, params: { idp: 'signet' } })
    const anew = await application.signIn(browser, { person: ada, params: { idp: other.client_id } })
    expect(anew.sub).not.toBe(first.sub)
    const { url } = await application.begin({ idp: 'signet', prompt: 'none' })
    expect(errorIn(await browser.go(url))).toBe('login_required')
  })

  // Proves sign-in/47.
  test('A session of a credential that was deleted is none: the person signs in anew', async () => {
    const { application, browser, organization } = tenant
    await tenant.addCredential(providers.okta, other)
    await application.signIn(browser, { person: ada, params: { idp: 'signet' } })
    await service.as(organization, 'DELETE', `${credentials}/signet`)
    for (const params of [{ prompt: 'none' }, { prompt: 'none', idp: 'signet' }]) {
      const { url } = await application.begin(params)
      expect(errorIn(await browser.go(url))).toBe('login_required')
    }
    const { sub } = await application.signIn(browser, { person: ada })
    expect(await identitiesOf(sub)).toMatchObject([{ provider: providers.okta }])
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })

  // Proves sign-in/44.
  test('A session ends with an identity that is taken from the person, who signs in as somebody new', async () => {
    const { application, browser, organization } = tenant
    const { sub } = await application.signIn(browser, { person: ada })
    const [identity] = await identitiesOf(sub)
    const path = `/persons/${sub}/identities`
    expect((await service.as(organization, 'DELETE', `${path}/${identity.id}`)).status).toBe(204)
    expect((await service.as(organization, 'DELETE', `${path}/${identity.id}`)).status).toBe(404)
    expect(await identitiesOf(sub)).toEqual([])
    const { url } = await application.begin({ prompt: 'none' })
    expect(errorIn(await browser.go(url))).toBe('login_required')
    expect((await application.signIn(browser, { person: ada })).sub).not.toBe(sub)
  })
})
