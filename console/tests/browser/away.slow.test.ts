import type { Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeProxiedSite, listing, openHome, openProxiedSite, page, proxy, site } from '../support/proxied-site.ts'
import type { Mishap } from '../support/proxy.ts'
import { dialogOf, heading, press } from '../support/site.ts'
import { goTo } from '../support/visit.ts'

beforeAll(openProxiedSite)
afterAll(closeProxiedSite)
beforeEach(openHome)
afterEach(() => site.leave())

const section = (name: string) => page.getByRole('link', { name, exact: true })
const bar = () => page.getByText('No connection to Signet.', { exact: true })
const isChange = ({ method }: { method?: string | undefined }) => method !== 'GET' && method !== 'HEAD'

function changesOf(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request: Request) => {
    if (isChange({ method: request.method() })) changes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return changes
}

describe('Without a network', () => {
  test('A bar says so; a change fails at once in words, and is never sent later', async () => {
    await goTo(page, '/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Too late')
    await page.context().setOffline(true)
    await press(page, 'Create group')
    await page.getByRole('alert').getByText('There is no connection to Signet.').waitFor()
    await bar().waitFor()
    await section('Home').click()
    await press(page, 'Leave without saving')
    await heading(page, 'Home')
    const changes = changesOf(page)
    await page.context().setOffline(false)
    await bar().waitFor({ state: 'detached' })
    await section('Groups').click()
    await page.getByRole('link', { name: 'staff', exact: true }).or(page.getByRole('table')).first().waitFor()
    expect(changes).toEqual([])
    expect(await page.getByText('Too late').count()).toBe(0)
  })

  test('What could not be read comes by itself when the network is back', async () => {
    await section('Deliveries').click()
    await heading(page, 'Deliveries')
    await page.context().setOffline(true)
    await bar().waitFor()
    await section('Webhooks').click()
    await page.getByRole('alert').getByText('There is no connection to Signet.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('link', { name: /Billing/ }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('A section that was never opened says that it waits, and opens by itself', async () => {
    await page.context().setOffline(true)
    await bar().waitFor()
    await section('Audit log').click()
    await page.getByText('The page opens by itself when the connection is back.').waitFor()
    await page.context().setOffline(false)
    await heading(page, 'Audit log')
  })

  test('What is still being sent when its page is left goes no further', async () => {
    await goTo(page, `/webhooks/${site.names.billing}/settings`)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Never renamed')
    let changes = 0
    proxy.meet((request) => {
      if (isChange(request)) changes++
      return listing(request) ? { delayMs: 1_500 } : undefined
    })
    const asked = page.waitForRequest((request) => request.url().includes('/organizations/webhooks'))
    await press(page, 'Save')
    await asked
    const ended = page.waitForEvent('requestfailed')
    await section('Home').click()
    await press(page, 'Leave without saving')
    await ended
    await heading(page, 'Home')
    proxy.meet((request) => {
      if (isChange(request)) changes++
      return undefined
    })
    await section('Webhooks').click()
    await page.getByRole('link', { name: /Billing/ }).waitFor()
    expect(changes).toBe(0)
  })
})

describe('Another build', () => {
  test('A section whose script is gone is loaded again once, by itself, where the service has another console', async () => {
    const upgraded = { status: 200, headers: { 'content-type': 'text/html' }, body: '<script data-build="new.js">' }
    let compared = 0
    proxy.meet(({ url = '', headers }) => {
      if (compared > 0) return undefined
      if (/pages-[^/]*\.js$/.test(url)) return { status: 404, body: 'gone' }
      if (!url.includes('/console/o/') || headers['sec-fetch-dest'] === 'document') return undefined
      compared++
      return upgraded
    })
    await page.evaluate('globalThis.isFirst = true')
    await section('Audit log').click()
    await heading(page, 'Audit log')
    expect(compared).toBe(1)
    expect(await page.evaluate('globalThis.isFirst')).toBeUndefined()
  })

  test('It does not go round where the script stays away: it is told in words', async () => {
    let documents = 0
    proxy.meet(({ url = '', headers }) => {
      if (headers['sec-fetch-dest'] === 'document') documents++
      return /pages-[^/]*\.js$/.test(url) ? { status: 404, body: 'gone' } : undefined
    })
    await section('Audit log').click()
    await page.getByText('Signet does not give out the script of this page.').waitFor()
    expect(documents).toBe(1)
  })

  test('On the first page a script that does not come is told without any script', async () => {
    proxy.meet(({ url = '' }) => (url.endsWith('.js') ? { status: 503, body: 'refused' } : undefined))
    const fresh = await (await site.browser.newContext()).newPage()
    await fresh.goto(`${proxy.baseUrl}/console`)
    await fresh.getByText('The script of this page has not come yet.').waitFor()
    proxy.meet(() => undefined)
    await fresh.getByRole('link', { name: 'the first page' }).click()
    await fresh.getByRole('button', { name: 'Sign in', exact: true, disabled: false }).waitFor()
    expect(await fresh.getByText('The script of this page has not come yet.').isVisible()).toBe(false)
  })
})

describe('What is not Signet’s', () => {
  const html = { 'content-type': 'text/html' }
  const ofProxy = (status: number): Mishap => ({ status, headers: html, body: '<html>nginx</html>' })
  const other = 'Something else answered in place of Signet.'
  const answers: [string, Mishap, string][] = [
    ['A 502', ofProxy(502), 'A proxy in front of Signet answered, with status 502.'],
    ['A 503', ofProxy(503), 'A proxy in front of Signet answered, with status 503.'],
    ['A 504 without a body', { status: 504 }, 'A proxy in front of Signet answered, with status 504.'],
    ['A 401', ofProxy(401), 'A proxy in front of Signet answered, with status 401.'],
    ['A 404', ofProxy(404), 'A proxy in front of Signet answered, with status 404.'],
    ['The page of a sign-in', ofProxy(200), other],
    ['An empty page', { status: 200 }, other],
    ['A 204', { status: 204 }, other],
    ['Other JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }, other],
    ['A redirect', { status: 302, headers: { location: 'https://sso.example.com/' } }, other],
  ]

  test.each(answers)('%s is told as what it is, where something is read', async (_, mishap, words) => {
    proxy.meet((request) => (listing(request) ? mishap : undefined))
    await section('Webhooks').click()
    await page.getByRole('alert').getByText(words).waitFor({ timeout: 30_000 })
    expect(await dialogOf(page).count()).toBe(0)
    proxy.meet(() => undefined)
    await press(page, 'Try again')
    await page.getByRole('link', { name: /Billing/ }).waitFor()
  })

  test.each(answers.filter(([name]) => name !== 'A 204'))(
    '%s to a change keeps what was typed',
    async (_, mishap, words) => {
      await goTo(page, '/groups/new')
      await page.getByLabel('Name', { exact: true }).fill('Kept')
      proxy.meet((request) => (isChange(request) ? mishap : undefined))
      await press(page, 'Create group')
      await page.getByRole('alert').getByText(words).waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept')
    },
  )

  test.each(answers.filter(([name]) => name !== 'A 204'))(
    '%s to a sign-in signs nobody in',
    async (_, mishap, words) => {
      const fresh = await (await site.browser.newContext()).newPage()
      await fresh.goto(`${proxy.baseUrl}/console`)
      await fresh.getByLabel('Organization ID').fill(site.organization.id)
      await fresh.getByLabel('API key').fill(site.organization.apiKey)
      proxy.meet((request) => (isChange(request) ? mishap : undefined))
      await fresh.getByRole('button', { name: 'Sign in', exact: true }).click()
      await fresh.getByRole('alert').getByText(words).waitFor()
    },
  )
})

describe('A form with changes that are not saved', () => {
  const name = () => page.getByLabel('Name', { exact: true })
  const question = () => dialogOf(page).getByRole('heading', { name: 'Leave without saving?' })

  beforeEach(async () => {
    await goTo(page, `/webhooks/${site.names.billing}/settings`)
    await name().fill('Changed')
  })

  const ways: [string, () => Promise<unknown>][] = [
    ['Another section', () => section('Deliveries').click()],
    ['Another part of the same page', () => section('Triggers').click()],
    ['Sign out', () => press(page, 'Sign out')],
    [
      'The palette',
      async () => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Go to' }).fill('Deliveries')
        await page.keyboard.press('Enter')
      },
    ],
  ]

  test.each(ways)('%s asks first, and Stay loses nothing', async (_, leave) => {
    const url = page.url()
    await leave()
    await question().waitFor()
    await press(page, 'Stay')
    await question().waitFor({ state: 'detached' })
    expect(page.url()).toBe(url)
    expect(await name().inputValue()).toBe('Changed')
  })

  test('So does the way back of the browser, which then leads back', async () => {
    await goTo(page, `/webhooks/${site.names.billing}/triggers`)
    await section('Settings').last().click()
    await name().fill('Changed')
    const url = page.url()
    await page.evaluate('history.back()')
    await press(page, 'Stay')
    expect(page.url()).toBe(url)
    expect(await name().inputValue()).toBe('Changed')
    await page.evaluate('history.back()')
    await press(page, 'Leave without saving')
    await expect.poll(() => page.url()).toMatch(/triggers$/)
    await name().waitFor({ state: 'detached' })
  })

  test('Leave without saving leads where one wanted to go', async () => {
    await section('Deliveries').click()
    await press(page, 'Leave without saving')
    await heading(page, 'Deliveries')
  })

  test('Closing the tab and switching the organization ask in the words of the browser', async () => {
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => asked).toEqual(['beforeunload'])
    await press(page, /Switch organization/)
    await page.getByRole('link', { name: 'Sign in to another organization' }).click({ noWaitAfter: true })
    await expect.poll(() => asked).toEqual(['beforeunload', 'beforeunload'])
    expect(await name().inputValue()).toBe('Changed')
  })

  test('What was changed back, or saved, asks nothing', async () => {
    await name().fill('Billing')
    await section('Deliveries').click()
    await heading(page, 'Deliveries')
    await goTo(page, `/webhooks/${site.names.billing}/settings`)
    await name().fill('Billing 2')
    await press(page, 'Save')
    await page.getByText(/saved/).first().waitFor()
    await section('Deliveries').click()
    await heading(page, 'Deliveries')
  })
})
