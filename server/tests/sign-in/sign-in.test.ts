import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { type Browser, baseUrl, openBrowser, type Page } from '../support/browser.ts'
import type { Service } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { otherClient } from '../support/upstreams.ts'
import { addWebhook } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const callback = /\/sso\/callback\//
/** Of the tenant's own credential. */
const provider = /client_id=signet&/
/** Of the time that the answer to a callback may take. */
const halfOfFinishMs = 75_000

let signIns: SignIns
let service: Service
let tenant: Tenant

beforeAll(async () => {
  signIns = await startSignIns()
  service = signIns.service
})

afterAll(() => signIns?.stop())

beforeEach(async () => {
  tenant = await signIns.tenant({ name: 'Grüße & <Co>' })
})

const credentials = '/organizations/sso/oidc/provider-credentials'
const created = 'PersonCreated_v1'
const succeeded = 'AuthenticationSucceeded_v1'
const namesOf = (events: Awaited<ReturnType<Tenant['events']>>) =>
  events.map((event) => event.event_metadata.event_name)
const second = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }
const optionsIn = (html: string) =>
  [...html.matchAll(/name="credential" value="([^"]+)">([^<]*)</g)].map(([, id, label]) => ({ id, label }))
/** From the page where one chooses. */
const chooseFirst = (browser: Browser, { url, html }: Page) =>
  browser.go(url, { form: { credential: optionsIn(html)[0]?.id ?? '' }, person: ada })
const identitiesOf = async (personId: string) =>
  (await service.as(tenant.organization, 'GET', `/persons/${personId}/identities`)).body.result

describe('The whole way', () => {
  // Proves 6.1/9, 6.1/11, 6.1/13, 6.1/18.
  test('A first sign-in makes a person and publishes both events with all their fields (6.1)', async () => {
    const { application, browser, organization } = tenant
    const correlationId = '01890a5d-ac96-774b-bcce-b302099a8057'
    const params = { correlation_id: correlationId }
    const referer = 'https://app.test/start?x=1'
    const claims = await application.signIn(browser, { person: ada, params, referer })
    expect(claims).toMatchObject({
      org_id: organization.id,
      authenticated_methods: ['oidc'],
      region: 'local',
      groups: [],
    })
    const events = await tenant.events()
    expect(namesOf(events)).toEqual([created, succeeded])
    const analytics_metadata = { analytics_correlation_id: correlationId, client_ip_address: '127.0.0.1' }
    expect(events[0]).toEqual({
      event_metadata: expect.objectContaining({ source: 1 }),
      analytics_metadata,
      person_id: claims.sub,
      region: 'local',
    })
    expect(events[1]).toEqual({
      event_metadata: expect.objectContaining({ source: 2 }),
      analytics_metadata,
      browser_metadata: { user_agent: 'A browser', window_location: referer },
      person_id: claims.sub,
      region: 'local',
      success_authn_method: 'oidc',
      authenticated_methods: ['oidc'],
    })
  })

  test('An address that the provider vouches for becomes a verified handle, and the identity is listed', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    expect(await tenant.persons()).toMatchObject([
      { person_id: sub, handles: [{ type: 'EmailAddress', value: ada.email, verified: true }] },
    ])
    expect(await identitiesOf(sub)).toEqual([
      {
        id: expect.stringMatching(uuid),
        provider: providers.google,
        issuer: expect.stringMatching(/^http:\/\/127/),
        subject: ada.sub,
        email: ada.email,
        created_at: expect.any(String),
      },
    ])
  })

  describe('Handles that follow what the provider says later', () => {
    const comesAs = async (...people: object[]) => {
      for (const person of people)
        await tenant.application.signIn(
          openBrowser(() => service.baseUrl),
          { person },
        )
      return (await tenant.persons()).at(-1)?.handles.map(({ value, verified }) => [value, verified])
    }
    const moved = { ...ada, email: 'ada.new@gmail.com' }
    const unsure = { ...ada, email_verified: false }

    test('A new address that the provider vouches for is added', async () => {
      expect(await comesAs(ada, moved, moved)).toEqual([
        [ada.email, true],
        [moved.email, true],
      ])
    })

    test('A new address that another person has stays with that person', async () => {
      await service.as(tenant.organization, 'POST', '/persons', {
        handles: [{ type: 'EmailAddress', value: moved.email }],
      })
      expect(await comesAs(ada, moved)).toEqual([[ada.email, true]])
    })

    test('A new address that the provider does not vouch for is not added', async () => {
      expect(await comesAs(ada, { ...moved, email_verified: false })).toEqual([[ada.email, true]])
    })

    // Proves sign-in/33.
    test('An address that the provider vouched for is unverified once it says so, and verified again', async () => {
      expect(await comesAs(ada, unsure)).toEqual([[ada.email, false]])
      expect(await comesAs(ada)).toEqual([[ada.email, true]])
    })

    test('An address that an admin key vouched for stays verified', async () => {
      const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
      const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
      await service.as(tenant.organization, 'PATCH', `/persons/${sub}`, { handles })
      expect(await comesAs(unsure)).toEqual([[ada.email, true]])
    })

    test('A person who has twenty handles gets no more', async () => {
      const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
      const handles = Array.from({ length: 20 }, (_, n) => ({ type: 'EmailAddress', value: `${n}@example.com` }))
      await service.as(tenant.organization, 'PATCH', `/persons/${sub}`, { handles })
      expect(await comesAs(moved)).toHaveLength(20)
    })
  })

  test('A person who comes again is the same person, whatever the address is by then', async () => {
    const { application, browser } = tenant
    const first = await application.signIn(browser, { person: ada })
    const moved = { ...ada, email: 'ada.new@gmail.com' }
    const again = await application.signIn(
      openBrowser(() => service.baseUrl),
      { person: moved },
    )
    expect(again.sub).toBe(first.sub)
    expect(namesOf(await tenant.events())).toEqual([created, succeeded, succeeded])
    expect(await identitiesOf(first.sub)).toMatchObject([{ email: moved.email }])
  })

  test('A correlation id that is no UUID is not accepted, and an event has no field of a page that is not known', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada, params: { correlation_id: 'x' } })
    const [, event] = await tenant.events()
    expect(event.analytics_metadata.analytics_correlation_id).toMatch(uuid)
    expect(event.browser_metadata.window_location).toBe('')
  })

  // Proves sign-in/43.
  test('Two organizations in one browser have each their own person, and their own session', async () => {
    const other = await signIns.tenant()
    const first = await tenant.application.signIn(tenant.browser, { person: ada })
    const second = await other.application.signIn(tenant.browser, { person: ada })
    expect(second.sub).not.toBe(first.sub)
    expect((await tenant.application.signIn(tenant.browser, { params: { prompt: 'none' } })).sub).toBe(first.sub)
    expect((await other.application.signIn(tenant.browser, { params: { prompt: 'none' } })).sub).toBe(second.sub)
  })

  // Proves sign-in/23.
  test.each([
    ['prompt=login', { prompt: 'login' }, ['login', null]],
    ['max_age', { max_age: '600' }, [null, '600']],
    ['max_age=0, which is prompt=login', { max_age: '0' }, ['login', null]],
    ['neither', {}, [null, null]],
  ])('The provider is asked to authenticate as freshly as the application wants: %s', async (_, params, expected) => {
    await tenant.addCredential(providers.okta, { client_id: 'okta' })
    const { url } = await tenant.application.begin({ idp: 'okta', ...params })
    const { searchParams } = new URL((await tenant.browser.go(url, { stopAt: /client_id=okta/ })).url)
    expect(['prompt', 'max_age'].map((name) => searchParams.get(name))).toEqual(expected)
  })

  test('Two tabs at once, one of them late: a sign-in is not tried anew when there may be no time for all of it', async () => {
    const { application, browser, organization } = tenant
    const path = `/${organization.id}/hook`
    signIns.receiver.behave(path, { inTurn: [{ together: 3 }, { together: 3 }, { together: 3 }, {}] })
    const id = await addWebhook(service, organization, signIns.receiver.url(path), [], { timeout: '20s' })
    const webhook = `/organizations/webhooks/${id}`
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await service.as(organization, 'POST', `${webhook}/triggers`, trigger)
    const tabs = await Promise.all([application.begin(), application.begin()])
    const backs = await Promise.all(tabs.map(({ url }) => browser.go(url, { person: ada, stopAt: callback })))
    const ending = Promise.all(backs.map(({ url }) => browser.go(url)))
    await signIns.receiver.waitFor(path, 2)
    signIns.clock.set(signIns.clock.now() + halfOfFinishMs)
    await service.as(organization, 'POST', `${webhook}/dry-run`)
    const ends = await ending
    signIns.clock.set(signIns.clock.now() - halfOfFinishMs)
    expect(ends.map(errorIn).toSorted()).toEqual(['server_error', undefined])
    expect((await tenant.endings()).toSorted()).toEqual(['succeeded', 'unspecified'])
    expect(signIns.receiver.received(path)).toHaveLength(3)
  })

  // Proves sign-in/41.
  test('Two tabs at once on a first sign-in make one person', async () => {
    const { application, browser, organization } = tenant
    // Both are at the hook, each for a new person, before either is committed; the loser is there once more.
    const path = `/${organization.id}/hook`
    signIns.receiver.behave(path, { inTurn: [{ together: 2 }, { together: 2 }, {}] })
    const id = await addWebhook(service, organization, signIns.receiver.url(path))
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await service.as(organization, 'POST', `/organizations/webhooks/${id}/triggers`, trigger)
    const tabs = await Promise.all([application.begin(), application.begin()])
    const backs = await Promise.all(tabs.map(({ url }) => browser.go(url, { person: ada, stopAt: callback })))
    const ends = await Promise.all(backs.map(({ url }) => browser.go(url)))
    expect(ends.map(errorIn)).toEqual([undefined, undefined])
    expect(await tenant.persons()).toHaveLength(1)
    expect(namesOf(await tenant.events()).toSorted()).toEqual([succeeded, succeeded, created])
    expect(signIns.receiver.received(path)).toHaveLength(3)
  })

  test('Eight browsers at once on a first sign-in make one person', async () => {
    const claims = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.application.signIn(
          openBrowser(() => service.baseUrl),
          { person: ada },
        ),
      ),
    )
    expect(new Set(claims.map(({ sub }) => sub)).size).toBe(1)
    expect(namesOf(await tenant.events()).filter((name) => name === created)).toHaveLength(1)
  })

  test.each([
    ['with one credential', 0, {}],
    ['with one that the application names (idp)', 1, { idp: 'signet' }],
  ])('A sign-in takes three requests where there is nothing to choose: %s', async (_, others, params) => {
    const { application, callbackUrl } = tenant
    if (others) await tenant.addCredential(providers.okta, second)
    const cookies: string[] = []
    const browser = openBrowser(() => {
      cookies.push(browser.cookiesFor(baseUrl))
      return service.baseUrl
    })
    const begun = await application.begin(params)
    const atProvider = await browser.go(begun.url, { stopAt: provider })
    expect(cookies).toHaveLength(1)
    expect(new URL(atProvider.url).searchParams.get('redirect_uri')).toBe(callbackUrl)
    expect(browser.cookiesFor(baseUrl)).toMatch(/__Host-signet-flow-/)
    const end = await browser.go(atProvider.url, { person: ada })
    expect(cookies).toHaveLength(3)
    await application.finish(begun, end.url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test.each([
    ['where there is nothing to choose', 3, 0],
    ['by way of the page', 5, 1],
  ])('Another node takes over a sign-in at each step: %s', async (_, steps, others) => {
    const node = await signIns.startNode()
    const nodes = [service, node]
    let taken = 0
    const browser = openBrowser(() => nodes[taken++ % 2]?.baseUrl ?? '')
    if (others) await tenant.addCredential(providers.okta, second)
    const begun = await tenant.application.begin()
    const first = await browser.go(begun.url, { person: ada })
    const end = others ? await chooseFirst(browser, first) : first
    const { sub } = await tenant.application.finish(begun, end.url)
    await node.stop()
    expect(sub).toMatch(uuid)
    expect(taken).toBe(steps)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })
})

describe('The page', () => {
  beforeEach(async () => {
    await tenant.addCredential(providers.okta, { ...second, label: 'Staff & <b>' })
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
    await service.as(tenant.organization, 'DELETE', `${credentials}/${second.client_id}`)
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
  test('The cookie of a flow is there for five open flows at most: the oldest is dropped', async () => {
    const tabs = []
    for (let tab = 0; tab < 6; tab++) {
      const { url } = await tenant.application.begin()
      tabs.push(await tenant.browser.go(url, { person: ada, stopAt: callback }))
      expect(flowCookies()).toHaveLength(Math.min(tab + 1, 5))
    }
    expect(errorIn(await tenant.browser.go(tabs[0]?.url ?? ''))).toBe('server_error')
    expect(errorIn(await tenant.browser.go(tabs[5]?.url ?? ''))).toBeUndefined()
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch', 'succeeded'])
  })

  test('The cookie of a flow is gone after the sign-in, and so is that of its request', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    expect([...flowCookies(), ...requestCookies()]).toEqual([])
  })

  // Proves sign-in/9.
  test('The cookie of a request is there for ten at most: a person who opens more has left the oldest', async () => {
    await tenant.addCredential(providers.okta, second)
    const tabs = []
    for (let tab = 0; tab < 11; tab++) {
      const begun = await tenant.application.begin()
      tabs.push({ begun, page: await tenant.browser.go(begun.url, { stopAt: /\/sso\/flows\// }) })
      expect(requestCookies()).toHaveLength(Math.min(tab + 1, 10))
    }
    expect((await tenant.browser.go(tabs[0]?.page.url ?? '')).status).toBe(400)
    for (const { begun, page } of [tabs[1], tabs[10]].filter((tab) => tab !== undefined)) {
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
    await tenant.addCredential(providers.okta, second)
    const first = await application.signIn(browser, { person: ada, params: { idp: 'signet' } })
    const other = await application.signIn(browser, { person: ada, params: { idp: second.client_id } })
    expect(other.sub).not.toBe(first.sub)
    const { url } = await application.begin({ idp: 'signet', prompt: 'none' })
    expect(errorIn(await browser.go(url))).toBe('login_required')
  })

  // Proves sign-in/47.
  test('A session of a credential that was deleted is none: the person signs in anew', async () => {
    const { application, browser, organization } = tenant
    await tenant.addCredential(providers.okta, second)
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

test('Identities of a person who does not exist are not found', async () => {
  const { organization } = tenant
  const path = `/persons/${organization.id}/identities`
  expect((await service.as(organization, 'GET', path)).status).toBe(404)
  expect((await service.as(organization, 'DELETE', `${path}/x`)).status).toBe(404)
})
