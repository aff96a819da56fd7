import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { baseUrl, openBrowser } from '../support/browser.ts'
import {
  callback,
  closeSignIns,
  newTenant,
  openSignIns,
  other,
  service,
  signIns,
  tenant,
} from '../support/own-sign-ins.ts'
import { chooseFirst, created, identitiesOf, namesOf, succeeded } from '../support/page-sign-ins.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant({ name: 'Grüße & <Co>' }))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Of the tenant's own credential. */
const provider = /client_id=signet&/

/** Of the time that the answer to a callback may take. */
const halfOfFinishMs = 75_000

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
      return (await tenant.persons())[0]?.handles.map(({ value, verified }) => [value, verified])
    }
    const moved = { ...ada, email: 'ada.new@gmail.com' }
    const unsure = { ...ada, email_verified: false }

    test('A new address that the provider vouches for takes the place of the earlier one', async () => {
      expect(await comesAs(ada, moved, moved)).toEqual([[moved.email, true]])
    })

    test('A new address that a key wrote for another person, and nobody vouches for, gives way', async () => {
      await service.as(tenant.organization, 'POST', '/persons', {
        handles: [{ type: 'EmailAddress', value: moved.email }],
      })
      expect(await comesAs(ada, moved)).toEqual([[moved.email, true]])
    })

    test('A new address that an admin key vouched for as another person’s stays with that person', async () => {
      await service.as(tenant.organization, 'POST', '/persons', {
        handles: [{ type: 'EmailAddress', value: moved.email, verified: true }],
      })
      expect(await comesAs(ada, moved)).toEqual([])
    })

    test('A new address that the provider does not vouch for is no handle, and the earlier one is none any more', async () => {
      expect(await comesAs(ada, { ...moved, email_verified: false })).toEqual([])
    })

    // Proves sign-in/33.
    test('An address that the provider vouched for is no handle once it says so, and is one again', async () => {
      expect(await comesAs(ada, unsure)).toEqual([])
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
    if (others) await tenant.addCredential(providers.okta, other)
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
    if (others) await tenant.addCredential(providers.okta, other)
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

test('Identities of a person who does not exist are not found', async () => {
  const { organization } = tenant
  const path = `/persons/${organization.id}/identities`
  expect((await service.as(organization, 'GET', path)).status).toBe(404)
  expect((await service.as(organization, 'DELETE', `${path}/x`)).status).toBe(404)
})
