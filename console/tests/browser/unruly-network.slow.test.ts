import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeProxiedSite, listing, openHome, openProxiedSite, page, proxy, site } from '../support/proxied-site.ts'
import type { Mishap } from '../support/proxy.ts'
import { heading, press } from '../support/site.ts'
import { goTo } from '../support/visit.ts'

beforeAll(openProxiedSite)
afterAll(closeProxiedSite)
beforeEach(openHome)
afterEach(() => site.leave())

const open = () => page.getByRole('link', { name: 'Webhooks', exact: true }).click()
/** Of the list of webhooks, as often as it is asked for. */
const meet = (mishap: Mishap) => proxy.meet((request) => (listing(request) ? mishap : undefined))
const problem = (code: string, message: string) => JSON.stringify({ errors: [{ code, message }], meta: {} })

async function retried() {
  proxy.meet(() => undefined)
  await press(page, 'Try again')
  await page.getByRole('link', { name: /Billing/ }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
}

/** Each in a turn of its own, before any timer. */
const threeClicks = `(async () => {
  const click = () => document.querySelector('form [type=submit]').click()
  for (let press = 0; press < 3; press++) await scheduler.postTask(click, { priority: 'user-blocking' })
})()`

describe('A service that answers late', () => {
  test('The page says that it loads, then that it takes longer, and shows what comes', async () => {
    meet({ delayMs: 4_000 })
    await open()
    await page.getByRole('status').getByText('Loading…').waitFor()
    await page.getByText('Loading takes longer than usual…').waitFor()
    await page.getByRole('link', { name: /Billing/ }).waitFor()
  })

  /** `press`: gets the button. */
  async function expectSentOnce(press: (send: Locator) => Promise<unknown>) {
    await goTo(page, '/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Once')
    let sent = 0
    proxy.meet(({ method }) => {
      if (method === 'POST') sent++
      return method === 'POST' ? { delayMs: 4_000 } : undefined
    })
    await press(page.getByRole('button', { name: 'Create group' }))
    await heading(page, 'Once')
    expect(sent).toBe(1)
  }

  test('A form that is being sent cannot be sent twice', () =>
    expectSentOnce(async (send) => {
      await send.click()
      await page.keyboard.press('Enter')
      await send.click({ force: true, noWaitAfter: true }).catch(() => undefined)
    }))

  test('It cannot be sent twice by clicks that come before any timer of a busy page', () =>
    expectSentOnce(() => page.evaluate(threeClicks)))
})

describe('A service that fails', () => {
  test.each([
    ['A 503', { status: 503, body: problem('unavailable', 'later') }, 'Signet is unavailable for now.'],
    ['A connection that drops', { drop: true }, 'Signet does not answer.'],
    ['A 500', { status: 500, body: problem('internal_error', 'failed') }, 'Signet failed.'],
    [
      'A page of a proxy',
      { status: 502, body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } },
      'A proxy in front of Signet answered, with status 502.',
    ],
  ] satisfies [string, Mishap, string][])(
    '%s is told in words, and Try again shows the list',
    async (_, mishap, words) => {
      meet(mishap)
      await open()
      await page.getByRole('alert').getByText(words).waitFor({ timeout: 30_000 })
      await retried()
    },
  )

  test('A failure names the request, as the log of the service does', async () => {
    const headers = { 'content-type': 'application/json', 'x-request-id': '0198-of-the-proxy' }
    meet({ status: 500, headers, body: problem('internal_error', 'failed') })
    await open()
    await page
      .getByRole('alert')
      .getByText(/Request 0198-of-the-proxy/)
      .waitFor({ timeout: 30_000 })
  })

  test('A limit is waited for as long as the service asks', async () => {
    const headers = { 'retry-after': '3', 'content-type': 'application/json' }
    let asked = 0
    let refusedAt = 0
    proxy.meet((request) => {
      if (!listing(request)) return undefined
      asked++
      refusedAt = performance.now()
      return { status: 429, headers, body: problem('rate_limited', 'too many') }
    })
    await open()
    await page.getByRole('alert').getByText('Too many requests.').waitFor()
    expect(asked).toBe(1)
    expect(await page.getByRole('button', { name: /^Try again in \d s$/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Try again', exact: true }).waitFor()
    // Timers of a browser may be a little early.
    expect(performance.now() - refusedAt).toBeGreaterThan(2_900)
    await retried()
  })

  test('What is too large is told at the form, which keeps what was typed', async () => {
    await goTo(page, '/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Large')
    const headers = { 'content-type': 'application/json' }
    proxy.meet(({ method }) =>
      method === 'POST' ? { status: 413, headers, body: problem('body_too_large', 'at most 1 MiB') } : undefined,
    )
    await press(page, 'Create group')
    await page.getByRole('alert').getByText('That is too large.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Large')
    proxy.meet(() => undefined)
    await press(page, 'Create group')
    await heading(page, 'Large')
  })

  test('What was shown stays when it cannot be read again, and is said to be older', async () => {
    await goTo(page, '/deliveries')
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
    proxy.meet(({ url = '' }) => (url.startsWith('/organizations/deliveries') ? { drop: true } : undefined))
    await press(page, 'Refresh')
    await page
      .getByRole('alert')
      .getByText(/What follows is older/)
      .waitFor({ timeout: 30_000 })
    expect(await page.getByRole('table', { name: 'Deliveries' }).isVisible()).toBe(true)
  })

  test('Who cannot reach the session is told so, with a way to try again', async () => {
    proxy.meet(({ url = '' }) => (url.startsWith('/console/session') ? { drop: true } : undefined))
    await goTo(page, '/webhooks')
    await page.getByRole('alert').getByText('Signet does not answer.').waitFor({ timeout: 30_000 })
    await retried()
  })

  test('A script of a page that is refused though nothing was upgraded is told in words, and loading again helps', async () => {
    const pages: string[] = []
    proxy.meet(({ url = '' }) => {
      if (!/pages-[^/]*\.js$/.test(url)) return undefined
      pages.push(url)
      return { status: 404, body: 'gone' }
    })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('Signet does not give out the script of this page.').waitFor()
    expect(pages).not.toEqual([])
    proxy.meet(() => undefined)
    await press(page, 'Load it again')
    await heading(page, 'Audit log')
  })
})
