import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type PageSite, startPageSite, type Told } from './page-site.ts'

/** A new tab for each test, on an application that uses the library for browsers. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const viewed = 'VirtualPageLoaded_v1'
export const soon = { timeout: 30_000 }

export let site: PageSite
/** A tab of a browser that nobody has used. */
export let page: Page
/** What no page of an application may meet: an error that nobody caught. */
export const uncaught: string[] = []
/** So many events were there before the test. */
export let before: number

/** Called by each file once. */
export function setUpPage() {
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
}

export const eventsSince = async () => (await site.events()).slice(before)
export const nameOf = ({ event_metadata }: Told): string => event_metadata.event_name
export const placeOf = ({ browser_metadata }: Told): string => browser_metadata.window_location.replace(site.url, '')
/** The events of this test, as soon as there are so many. */
export async function events(count: number): Promise<Told[]> {
  await expect.poll(eventsSince, soon).toHaveLength(count)
  return eventsSince()
}

/** In the page, where `signet` is the library's. */
export const inPage = <Result>(code: string): Promise<Result> => page.evaluate<Result>(code)
/** Leaves the page, so that there is nothing to wait for in it. */
export const leave = (code: string) => inPage(`void ${code}`)
export const visit = (path: string) => page.goto(site.url + path)
export const callback = () => page.waitForURL((url) => url.pathname === '/callback')

/** As somebody who was never there before. */
export async function logIn() {
  await page.getByLabel('E-mail').fill(`${randomUUID()}@example.com`)
  await page.getByRole('button', { name: 'Log in' }).click()
  await callback()
}

/** Gives what `finishSignIn` gave. */
export async function signIn(options = '{}') {
  await leave(`signet.signIn(${options})`)
  await logIn()
  return inPage<{ claims: { sub: string }; returnTo: string; accessToken: string }>('ended')
}

/** Signs in anew, with the token from before still there, and comes back to the page that has yet to finish it. */
export async function beSomebodyElse() {
  await page.context().clearCookies()
  await inPage(`sessionStorage.setItem('waits', 'yes')`)
  await leave('signet.signIn()')
  await logIn()
}

export function usePage(other: Page) {
  page = other
}
