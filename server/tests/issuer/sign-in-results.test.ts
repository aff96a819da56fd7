import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { type Browser, baseUrl } from '../support/browser.ts'
import { saveAs, signedIn, uidIn } from '../support/issuer.ts'
import {
  actionIn,
  app,
  closeIssuer,
  countFulfilled,
  dayMs,
  formIn,
  issuerOf,
  issuers,
  openIssuer,
  organization,
  person,
  secondMs,
  signIn,
  signOut,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

const denied = { error: 'access_denied', error_description: 'the sign-in failed: sync_hook_failed' }
const errorIn = (end: URL) =>
  Object.fromEntries(['error', 'error_description'].map((name) => [name, end.searchParams.get(name)]))

describe('The result of a sign-in', () => {
  const begin = async (browser = issuers.browser(), parameters = {}) => {
    const request = await issuers.request(app, parameters)
    const { url } = await browser.go(request.url.href, { stopAt: /\/sso\/flows\// })
    const now = toTimestamp(issuers.clock.now())
    const save = (result = signedIn(person, issuers.clock.now())) =>
      issuers.database.transaction((tx) => saveAs(tx, organization.id, uidIn(url), result, now))
    return { browser, request, save, returnTo: `${issuerOf(organization)}/authorize/${uidIn(url)}` }
  }

  test('The result of a sign-in is written once', async () => {
    const { save } = await begin()
    const saved = await Promise.all(Array.from({ length: 8 }, () => save()))
    expect(saved.filter((outcome) => outcome === 'saved')).toHaveLength(1)
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
    await issuers.database.transaction((tx) => saveAs(tx, organization.id, uid, signedIn(as, issuers.clock.now()), now))
    return browser.go(`${issuerOf(organization)}/authorize/${uid}`)
  }
  const before = await issuers.exchange(app, first, new URL((await finish(pages[0], person)).url))
  const between = await finish(pages[1], another)
  const end = await browser.go(actionIn(between), { form: formIn(between) })
  expect((await issuers.exchange(app, second, new URL(end.url))).claims()?.sub).toBe(another)
  await expect(userInfo(before)).rejects.toEqual(unauthorized)
})
