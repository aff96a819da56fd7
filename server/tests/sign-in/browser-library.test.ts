import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PageSite, startPageSite, type Told } from '../support/page-site.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const viewed = 'VirtualPageLoaded_v1'
const soon = { timeout: 30_000 }

let site: PageSite
/** A tab of a browser that nobody has used. */
let page: Page
/** What no page of an application may meet: an error that nobody caught. */
const uncaught: string[] = []
/** So many events were there before the test. */
let before: number

beforeAll(async () => {
  site = await startPageSite()
})

afterAll(() => site?.stop())

beforeEach(async () => {
  before = (await site.events()).length
  const context = await site.browser.newContext()
  context.on('weberror', (error) => uncaught.push(error.error().message))
  page = await context.newPage()
})

afterEach(async () => {
  await Promise.all(site.browser.contexts().map((context) => context.close()))
  expect(uncaught.splice(0)).toEqual([])
})

const eventsSince = async () => (await site.events()).slice(before)
const nameOf = ({ event_metadata }: Told): string => event_metadata.event_name
const placeOf = ({ browser_metadata }: Told): string => browser_metadata.window_location.replace(site.url, '')
/** The events of this test, as soon as there are so many. */
async function events(count: number): Promise<Told[]> {
  await expect.poll(eventsSince, soon).toHaveLength(count)
  return eventsSince()
}

/** In the page, where `signet` is the library's. */
const inPage = <Result>(code: string): Promise<Result> => page.evaluate<Result>(code)
/** Leaves the page, so that there is nothing to wait for in it. */
const leave = (code: string) => inPage(`void ${code}`)
const visit = (path: string) => page.goto(site.url + path)
const callback = () => page.waitForURL((url) => url.pathname === '/callback')

/** As somebody who was never there before. */
async function logIn() {
  await page.getByLabel('E-mail').fill(`${randomUUID()}@example.com`)
  await page.getByRole('button', { name: 'Log in' }).click()
  await callback()
}

/** Gives what `finishSignIn` gave. */
async function signIn(options = '{}') {
  await leave(`signet.signIn(${options})`)
  await logIn()
  return inPage<{ claims: { sub: string }; returnTo: string; accessToken: string }>('ended')
}

/** Signs in anew, with the token from before still there, and comes back to the page that has yet to finish it. */
async function beSomebodyElse() {
  await page.context().clearCookies()
  await inPage(`sessionStorage.setItem('waits', 'yes')`)
  await leave('signet.signIn()')
  await logIn()
}

describe('The whole way', () => {
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

    const told = await events(5)
    expect(told.map((event) => [nameOf(event), event.person_id])).toEqual([
      [viewed, undefined],
      ['PersonCreated_v1', claims.sub],
      ['AuthenticationSucceeded_v1', claims.sub],
      [viewed, claims.sub],
      [viewed, undefined],
    ])
    const views = told.filter((event) => nameOf(event) === viewed)
    expect(views.map(placeOf)).toEqual(['/shop?q=1#top', '/account', '/bye'])
    expect(views.map(({ region }) => region)).toEqual([undefined, 'local', undefined])
    const userAgent = await inPage('navigator.userAgent')
    expect(views.map(({ browser_metadata }) => browser_metadata.user_agent)).toEqual(Array(3).fill(userAgent))
    const ids = new Set(told.map(({ analytics_metadata }) => analytics_metadata.analytics_correlation_id))
    expect([...ids]).toEqual([expect.stringMatching(uuid)])
  })

  test('Another tab is another browsing session, in which nobody is signed in; a reload is not', async () => {
    await visit('/')
    await signIn()
    const id = await inPage('signet.correlationId()')
    await page.reload()
    expect(await inPage('signet.correlationId()')).toBe(id)
    expect(await inPage('signet.person()')).toHaveProperty('sub')
    page = await page.context().newPage()
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
    page = await page.context().newPage()
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
    const told = await events(3)
    expect(told.map(nameOf).at(-1)).toBe(viewed)
    expect(told.at(-1)).not.toHaveProperty('person_id')
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
    expect((await events(5)).at(-1)).not.toHaveProperty('person_id')
    expect(await inPage('signet.person()')).toEqual(claims)
  })

  test('A page view names the person whom the server of the application has signed in', async () => {
    await visit('/')
    const { claims } = await signIn()
    const token = await inPage<string>(
      `sessionStorage.getItem(Object.keys(sessionStorage).find((key) => /id_token/.test(key)))`,
    )
    page = await page.context().newPage()
    await visit('/')
    const { aud, org_id, iss } = claims as unknown as { aud: string; org_id: string; iss: string }
    const settings = { baseUrl: new URL(iss).origin, organizationId: org_id, clientId: aud, idToken: token }
    await leave(`Signet.createSignet(${JSON.stringify(settings)}).trackVirtualPageView('/served')`)
    const told = await events(3)
    expect(told.map(nameOf).at(-1)).toBe(viewed)
    expect(told.at(-1)).toMatchObject({ person_id: claims.sub })
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

describe('The options of createSignet', () => {
  /** What the library says of these options; undefined where it takes them. */
  const saidOf = (options: string) =>
    inPage<string | undefined>(`(() => {
      const right = { baseUrl: 'https://id.example.com', organizationId: crypto.randomUUID(), clientId: 'a' }
      try { Signet.createSignet(${options}) } catch (error) { return String(error) }
    })()`)

  test.each([
    ['undefined', 'baseUrl'],
    ['{ ...right, baseUrl: undefined }', 'baseUrl'],
    [`{ ...right, baseUrl: 'id.example.com' }`, 'baseUrl'],
    [`{ ...right, baseUrl: '/signet' }`, 'baseUrl'],
    [`{ ...right, baseUrl: 'https://id.example.com/?a=1' }`, 'baseUrl'],
    [`{ ...right, organizationId: undefined }`, 'organizationId'],
    [`{ ...right, organizationId: 'acme' }`, 'organizationId'],
    [`{ ...right, clientId: undefined }`, 'clientId'],
    [`{ ...right, clientId: '' }`, 'clientId'],
    [`{ ...right, redirectUri: '/callback' }`, 'redirectUri'],
  ])('The options %s are refused by the name of the first wrong one', async (options, name) => {
    await visit('/')
    expect(await saidOf(options)).toMatch(new RegExp(`^TypeError: createSignet: ${name}: must be `))
  })

  test.each([
    'right',
    `{ ...right, baseUrl: 'http://localhost:8080/base/' }`,
    `{ ...right, redirectUri: 'com.example.app:/callback' }`,
    `{ ...right, redirectUri: 'https://app.example.com/callback?tenant=1' }`,
    '{ ...right, redirectUri: undefined, idToken: undefined }',
  ])('The options %s are accepted', async (options) => {
    await visit('/')
    expect(await saidOf(options)).toBeUndefined()
  })

  test('The base URL may end in a slash and the organization be in capitals: a sign-in succeeds with them', async () => {
    await visit('/')
    await inPage(`sessionStorage.setItem('waits', 'yes')`)
    const other = `(() => {
      const { baseUrl, organizationId, ...others } = ${JSON.stringify(site.settings())}
      return Signet.createSignet({ baseUrl: baseUrl + '/', organizationId: organizationId.toUpperCase(), ...others })
    })()`
    await leave(`${other}.signIn()`)
    await logIn()
    expect(await inPage(`${other}.finishSignIn()`)).toHaveProperty('claims.sub')
  })
})

test('A sign-in that is finished twice at once, as in the strict mode of React, is finished once for both', async () => {
  await visit('/')
  await beSomebodyElse()
  const [first, second] = await inPage<unknown[]>('Promise.all([signet.finishSignIn(), signet.finishSignIn()])')
  expect(first).toHaveProperty('claims.sub')
  expect(second).toEqual(first)
  expect(await inPage('signet.finishSignIn().then(String)')).toBe('undefined')
})

describe('The refusal of a callback', () => {
  const outcome = () => inPage(`ended.then(() => 'finished', (error) => [error.name, error.code, error.message])`)
  /** In words: what Signet describes, or the library's own. */
  const words = expect.stringMatching(/^\S+ \S+ .*\S$/)
  const refusedWith = (code: string) => ['SignInError', code, words]
  /** Begins, and comes back with something else than what was asked for. */
  async function comeBack(change: (answer: URL) => void, tamper = '') {
    await visit('/')
    await inPage(`sessionStorage.setItem('waits', 'yes')`)
    await leave('signet.signIn()')
    await logIn()
    const answer = new URL(page.url())
    // With its fragment, the same address would not be loaded again.
    answer.hash = ''
    change(answer)
    await inPage(`sessionStorage.removeItem('waits')`)
    if (tamper) await inPage(tamper)
    await page.goto(answer.href)
    return outcome()
  }
  const changeBegun = (field: string) => `{
    const key = Object.keys(sessionStorage).find((key) => /sign_in/.test(key))
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), ${field}: 'x'.repeat(43) }))
  }`

  test('A callback is accepted where nothing in it was changed', async () => {
    expect(await comeBack(() => {})).toBe('finished')
  })

  test.each<[string, (answer: URL) => void, string, string]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'other'), '', 'state_mismatch'],
    [
      'another issuer (RFC 9207)',
      ({ searchParams }) => searchParams.set('iss', 'https://evil.test'),
      '',
      'issuer_mismatch',
    ],
    ['no issuer', ({ searchParams }) => searchParams.delete('iss'), '', 'issuer_mismatch'],
    ['another code', ({ searchParams }) => searchParams.set('code', 'other'), '', 'invalid_grant'],
    ['another nonce', () => {}, changeBegun('nonce'), 'invalid_id_token'],
    ['another verifier', () => {}, changeBegun('verifier'), 'invalid_grant'],
    ['what another tab began', () => {}, 'sessionStorage.clear()', 'state_mismatch'],
  ])('A callback is refused with %s', async (_what, change, tamper, code) => {
    expect(await comeBack(change, tamper)).toEqual(refusedWith(code))
    expect(await inPage('signet.person()')).toBeUndefined()
  })

  test('A callback is refused a second time', async () => {
    let answer = ''
    await comeBack(({ href }) => {
      answer = href
    })
    await page.goto(answer)
    expect(await outcome()).toEqual(refusedWith('state_mismatch'))
  })

  test('A callback reports the error of Signet when the person refused', async () => {
    await visit('/')
    await leave('signet.signIn()')
    await page.getByRole('button', { name: 'No, thanks' }).click()
    await callback()
    expect(await outcome()).toEqual(refusedWith('access_denied'))
    expect(page.url()).toBe(`${site.url}/callback`)
  })

  test('A callback reports the error of Signet when nobody is signed in and nobody may be asked', async () => {
    await visit('/')
    await leave(`signet.signIn({ prompt: 'none' })`)
    await callback()
    expect(await outcome()).toEqual(refusedWith('login_required'))
  })
})
