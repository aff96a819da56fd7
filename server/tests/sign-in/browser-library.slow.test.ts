import { describe, expect, test } from 'vitest'
import {
  beSomebodyElse,
  callback,
  events,
  eventsSince,
  inPage,
  leave,
  nameOf,
  page,
  placeOf,
  setUpPage,
  signIn,
  site,
  soon,
  usePage,
  uuid,
  viewed,
  visit,
} from '../support/library-page.ts'

setUpPage()

describe('The whole way', () => {
  // Proves 6.1/17.
  test('A page, a sign-in, a page as that person, a sign-out and a page as nobody have one correlation id in all events', async () => {
    await visit('/shop?q=1#top')
    await leave('signet.trackVirtualPageView()')
    await events(1)
    const { claims, returnTo } = await signIn(`{ returnTo: '/account' }`)
    expect({ url: page.url(), returnTo }).toEqual({ url: `${site.url}/callback`, returnTo: '/account' })
    await visit('/account')
    expect(await inPage('signet.person()')).toEqual(claims)
    await leave('signet.trackVirtualPageView()')
    await events(4)
    await leave(`signet.signOut('${site.url}/bye')`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${site.url}/bye`)
    expect(await inPage('signet.person()')).toBeUndefined()
    await leave('signet.trackVirtualPageView()')

    const received = await events(5)
    expect(received.map((event) => [nameOf(event), event.person_id])).toEqual([
      [viewed, undefined],
      ['PersonCreated_v1', claims.sub],
      ['AuthenticationSucceeded_v1', claims.sub],
      [viewed, claims.sub],
      [viewed, undefined],
    ])
    const views = received.filter((event) => nameOf(event) === viewed)
    expect(views.map(placeOf)).toEqual(['/shop?q=1#top', '/account', '/bye'])
    expect(views.map(({ region }) => region)).toEqual([undefined, 'local', undefined])
    const userAgent = await inPage('navigator.userAgent')
    expect(views.map(({ browser_metadata }) => browser_metadata.user_agent)).toEqual(Array(3).fill(userAgent))
    const ids = new Set(received.map(({ analytics_metadata }) => analytics_metadata.analytics_correlation_id))
    expect([...ids]).toEqual([expect.stringMatching(uuid)])
  })

  test('Another tab is another browsing session, in which nobody is signed in; a reload is not', async () => {
    await visit('/')
    await signIn()
    const id = await inPage('signet.correlationId()')
    await page.reload()
    expect(await inPage('signet.correlationId()')).toBe(id)
    expect(await inPage('signet.person()')).toHaveProperty('sub')
    usePage(await page.context().newPage())
    await visit('/')
    expect(await inPage('signet.correlationId()')).not.toBe(id)
    expect(await inPage('signet.person()')).toBeUndefined()
  })

  test('Nobody is signed in any more where the application has cleared the session storage', async () => {
    await visit('/')
    await signIn()
    await inPage('sessionStorage.clear()')
    expect(await inPage('signet.person()')).toBeUndefined()
  })

  test('A token that the session storage has no space for is kept as long as the page, in place of the one before', async () => {
    await visit('/')
    await signIn()
    await beSomebodyElse()
    await inPage(`(Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') })`)
    const { claims } = await inPage<{ claims: { sub: string } }>('signet.finishSignIn()')
    expect(await inPage('signet.person()')).toEqual(claims)
  })

  test('A person who still has a session at Signet is signed in without being asked', async () => {
    await visit('/')
    const { claims } = await signIn()
    usePage(await page.context().newPage())
    await visit('/')
    await leave(`signet.signIn({ prompt: 'none' })`)
    await callback()
    expect(await inPage('ended')).toMatchObject({ claims: { sub: claims.sub } })
  })

  test('The access token is good for user info, and kept nowhere', async () => {
    await visit('/')
    const { claims, accessToken } = await signIn()
    const { baseUrl } = await inPage<{ baseUrl: string }>(`({ baseUrl: signet.person().iss })`)
    const ask = `fetch('${baseUrl}/userinfo', { headers: { authorization: 'Bearer ${accessToken}' } }).then((it) => it.json())`
    expect(await inPage(ask)).toMatchObject({ sub: claims.sub })
    expect(await inPage('JSON.stringify([sessionStorage, localStorage])')).not.toContain(accessToken)
  })
})

describe('A page view', () => {
  // Proves 6.1/17.
  test('A page view arrives when its tab is closed while it is on its way', async () => {
    await visit('/leaving')
    await leave('signet.trackVirtualPageView()')
    await events(1)
    site.wire.hold()
    await leave(`signet.trackVirtualPageView('/left')`)
    await expect.poll(site.wire.held, soon).toBe(1)
    const other = await page.context().newPage()
    await page.close()
    // What the browser gives up with a tab it has given up before it loads the next page.
    await other.goto(`${site.url}/other`)
    site.wire.release()
    expect((await events(2)).map(placeOf)).toEqual(['/leaving', '/left'])
  })

  test('A page view is sent once for each change of the address, until that is stopped', async () => {
    await visit('/a')
    await inPage('void (window.stop_ = signet.trackHistory())')
    await events(1)
    const go = async (code: string, count: number) => {
      await inPage(`void ${code}`)
      return (await events(count)).map(placeOf)
    }
    expect(await go(`history.pushState({}, '', '/b')`, 2)).toEqual(['/a', '/b'])
    await inPage(`history.replaceState({ scroll: 1 }, '', '/b')`)
    await go(`history.replaceState({}, '', '/b?page=2')`, 3)
    await go(`(location.hash = 'end')`, 4)
    expect(await go('history.back()', 5)).toEqual(['/a', '/b', '/b?page=2', '/b?page=2#end', '/b?page=2'])
    await inPage(`void (stop_(), history.pushState({}, '', '/c'))`)
    expect((await go(`signet.trackVirtualPageView('/last')`, 6)).at(-1)).toBe('/last')
  })

  test('A page view never contains what a sign-in brings back', async () => {
    await visit('/')
    await signIn()
    const answer = '/elsewhere?code=secret&state=secret&iss=secret&error_description=secret&page=2'
    await visit(answer)
    await leave('signet.trackVirtualPageView()')
    await events(3)
    await leave(`signet.trackVirtualPageView('${answer}')`)
    const views = (await events(4)).filter((event) => nameOf(event) === viewed)
    expect(views.map(placeOf)).toEqual(['/elsewhere?page=2', '/elsewhere?page=2'])
  })

  test('A page view has the first 2,048 characters of a longer address', async () => {
    await visit('/')
    await leave(`signet.trackVirtualPageView('/' + 'x'.repeat(3_000))`)
    expect((await events(1)).map(placeOf)).toEqual([`/${'x'.repeat(2_047)}`])
  })

  test('A page view names nobody once Signet no longer takes the token, and nobody is signed in any more', async () => {
    await visit('/')
    const { claims } = await signIn()
    await site.signet.as(site.organization, 'PATCH', `/persons/${claims.sub}`, { active: false })
    await leave('signet.trackVirtualPageView()')
    const received = await events(4)
    expect(received.map(nameOf).at(-1)).toBe(viewed)
    expect(received.at(-1)).not.toHaveProperty('person_id')
    await expect.poll(() => inPage('signet.person()'), soon).toBeUndefined()
  })

  test('A page view names nobody any more once the ID token has expired, which is then not sent', async () => {
    await visit('/')
    const { claims } = await signIn()
    await page.clock.setFixedTime(new Date((claims as unknown as { exp: number }).exp * 1_000))
    expect(await inPage('signet.person()')).toBeUndefined()
    const sent = page.waitForRequest((request) => request.url().endsWith('/sdk/events'), soon)
    await leave('signet.trackVirtualPageView()')
    expect((await sent).headers()).not.toHaveProperty('authorization')
    expect((await events(3)).at(-1)).not.toHaveProperty('person_id')
  })

  test('A page view that is refused for its old token leaves the new one', async () => {
    await visit('/')
    const { claims: old } = await signIn()
    await site.signet.as(site.organization, 'PATCH', `/persons/${old.sub}`, { active: false })
    await beSomebodyElse()
    site.wire.hold()
    await leave('signet.trackVirtualPageView()')
    await expect.poll(site.wire.held, soon).toBe(1)
    const { claims } = await inPage<{ claims: { sub: string } }>('signet.finishSignIn()')
    expect(claims.sub).not.toBe(old.sub)
    site.wire.release()
    expect((await events(6)).at(-1)).not.toHaveProperty('person_id')
    expect(await inPage('signet.person()')).toEqual(claims)
  })

  test('A page view names the person whom the server of the application has signed in', async () => {
    await visit('/')
    const { claims } = await signIn()
    const token = await inPage<string>(
      `sessionStorage.getItem(Object.keys(sessionStorage).find((key) => /id_token/.test(key)))`,
    )
    usePage(await page.context().newPage())
    await visit('/')
    const { aud, org_id, iss } = claims as unknown as { aud: string; org_id: string; iss: string }
    const settings = { baseUrl: new URL(iss).origin, organizationId: org_id, clientId: aud, idToken: token }
    await leave(`Signet.createSignet(${JSON.stringify(settings)}).trackVirtualPageView('/served')`)
    const received = await events(3)
    expect(received.map(nameOf).at(-1)).toBe(viewed)
    expect(received.at(-1)).toMatchObject({ person_id: claims.sub })
    expect(await inPage('signet.person()')).toBeUndefined()
  })

  test.each([
    ['Signet cannot be reached', '/', async () => site.wire.cut(true)],
    ['the page has neither cookies nor storage, nor an origin', '/boxed', async () => {}],
  ])('A page view breaks nothing when %s', async (_what, path, happen) => {
    await visit(path)
    await happen()
    const failed = page.waitForEvent('requestfailed', soon)
    await leave('signet.trackVirtualPageView()')
    await failed
    expect(await inPage('signet.correlationId() === signet.correlationId()')).toBe(true)
    site.wire.cut(false)
    expect(await eventsSince()).toEqual([])
  })
})
