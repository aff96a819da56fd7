import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const rowsOf = (page: Page, name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr')
const ask = async (path: string) => (await site.signet.as(site.organization, 'GET', path)).body.result

describe('Charts', () => {
  const chartOf = (page: Page) => page.getByRole('group', { name: /^Ended per 15 minutes/ })

  test('A bar leads to the list of what it counts, and to no other', async () => {
    const page = await site.enter(site.organization, '/')
    const bar = chartOf(page)
      .getByRole('link', { name: /succeeded$/ })
      .first()
    const counted = Number(
      /: ([\d,]+) succeeded$/.exec((await bar.getAttribute('aria-label')) ?? '')?.[1]?.replace(',', ''),
    )
    const query = ((await bar.getAttribute('href')) ?? '').split('?')[1]
    await bar.click()
    await page.waitForURL(/\/deliveries\?.*finished_since=/)
    expect(counted).toBeGreaterThan(0)
    const listed = await ask(`/organizations/deliveries?${query}&limit=1000`)
    expect(listed.length).toBe(counted)
    await expect.poll(() => rowsOf(page, 'Deliveries').count()).toBe(Math.min(counted, 25))
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('succeeded')
  })

  test('Each figure leads to the list of what it counts, of which test events are no sign-ins', async () => {
    const page = await site.enter(site.organization, '/')
    const names = [/^Events/, /^Sign-ins\d.*succeeded/, /^Sign-ins failed/, /^Deliveries\d/, /^Failed/]
    for (const name of names) {
      const figure = page.locator('main a').filter({ hasText: name })
      const counted = Number(/[\d,]+/.exec(await figure.innerText())?.[0].replace(',', ''))
      const [list, query] = ((await figure.getAttribute('href')) ?? '').split(/^.*\/|\?/).filter(Boolean)
      const listed = await ask(`/organizations/${list}?${query}&limit=1000`)
      expect([list, listed.length]).toEqual([list, counted])
    }
  })

  test('Keys lead from bar to bar, and one of them is in the order of Tab', async () => {
    const page = await site.enter(site.organization, '/')
    const bars = chartOf(page).getByRole('link')
    await bars.first().waitFor()
    expect(await chartOf(page).locator('a[tabindex="0"]').count()).toBe(1)
    await chartOf(page).locator('a[tabindex="0"]').focus()
    const focused = () => page.locator(':focus').getAttribute('aria-label')
    const last = await focused()
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).not.toBe(last)
    await page.keyboard.press('ArrowRight')
    expect((await focused())?.split(':').slice(0, -1)).toEqual(last?.split(':').slice(0, -1))
    await page.keyboard.press('Home')
    expect(await focused()).toBe(await bars.first().getAttribute('aria-label'))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/deliveries\?/)
  })
})

describe('Lists', () => {
  test('The size of a page is chosen and stays in the address', async () => {
    const page = await site.enter(site.organization, '/deliveries')
    await page.getByLabel('Rows').selectOption('50')
    await page.waitForURL(/size=50/)
    await expect.poll(() => rowsOf(page, 'Deliveries').count()).toBe(50)
    await page.reload()
    await expect.poll(() => rowsOf(page, 'Deliveries').count()).toBe(50)
  })

  test('Newer leads back page by page, also after a reload', async () => {
    const page = await site.enter(site.organization, '/deliveries')
    const first = () => rowsOf(page, 'Deliveries').first().getByRole('link').first().getAttribute('href')
    const seen = [await first()]
    for (let step = 0; step < 2; step++) {
      await press(page, 'Older')
      await expect.poll(async () => seen.includes(await first())).toBe(false)
      seen.push(await first())
    }
    await page.reload()
    await expect.poll(first).toBe(seen[2])
    await press(page, 'Newer')
    await expect.poll(first).toBe(seen[1])
    await press(page, 'Newer')
    await expect.poll(first).toBe(seen[0])
  })

  test('Groups are one request', async () => {
    const page = await site.enter(site.organization, '/webhooks')
    const asked: string[] = []
    page.on('request', (request) => void (/\/groups/.test(request.url()) && asked.push(request.url())))
    await page.getByRole('link', { name: 'Groups', exact: true }).click()
    await rowsOf(page, 'Groups').first().waitFor()
    expect(asked.filter((address) => /organizations\/groups\?|\/groups\//.test(address)).length).toBe(1)
  })

  test('A list with its filters is saved as the table that the service gives', async () => {
    const page = await site.enter(site.organization, '/deliveries?status=succeeded')
    const saving = page.waitForEvent('download')
    await press(page, 'Export CSV')
    const file = await saving
    expect(file.suggestedFilename()).toBe('deliveries.csv')
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines.length - 1).toBe((await ask('/organizations/deliveries?status=succeeded&limit=1000')).length)
    expect(lines.slice(1).every((line) => line.includes('succeeded'))).toBe(true)
    await page
      .getByText(/rows are in deliveries\.csv/)
      .first()
      .waitFor()
  })

  test.each([
    ['/webhooks?state=paused&sort=name', 'webhooks', '/organizations/webhooks/statistics?state=paused'],
    ['/events?event_name=PersonCreated_v1', 'events', '/organizations/events?event_name=PersonCreated_v1&limit=1000'],
  ])('%s is saved as it is filtered', async (path, name, list) => {
    const page = await site.enter(site.organization, path)
    const saving = page.waitForEvent('download')
    await press(page, 'Export CSV')
    const file = await saving
    expect(file.suggestedFilename()).toBe(`${name}.csv`)
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines.length - 1).toBe((await ask(list)).length)
  })

  test('The page of a proxy is not saved as a table', async () => {
    const page = await site.enter(site.organization, '/deliveries')
    const form = { contentType: 'text/html', body: '<h1>Sign in to the network</h1>' }
    await page.route(
      (url) => url.pathname === '/organizations/deliveries' && url.searchParams.get('limit') === '1000',
      (route) => route.fulfill(form),
    )
    await press(page, 'Export CSV')
    await page.getByText(/^Nothing was saved: Something else answered in place of Signet/).waitFor()
  })

  test('Logout tokens of an application are saved, also those that its page does not show', async () => {
    const path = `/applications/${site.names.application}`
    const page = await site.enter(site.organization, `/sign-in${path}`)
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
    expect(file.suggestedFilename()).toBe('logouts.csv')
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines.length - 1).toBe((await ask(`/organizations${path}/deliveries?limit=1000`)).length)
    expect(lines.length).toBeGreaterThan(1)
  })

  test('Keys act on a list that was just opened, and not where somebody types', async () => {
    const page = await site.enter(site.organization, '/webhooks')
    await page.getByRole('link', { name: 'Deliveries', exact: true }).first().click()
    await rowsOf(page, 'Deliveries').first().waitFor()
    const hrefOf = (place: number) =>
      rowsOf(page, 'Deliveries').nth(place).getByRole('link').first().getAttribute('href')
    const focused = () => page.locator(':focus').getAttribute('href')
    await page.keyboard.press('j')
    expect(await focused()).toBe(await hrefOf(0))
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe(await hrefOf(1))
    await page.keyboard.press('k')
    expect(await focused()).toBe(await hrefOf(0))
    await page.getByLabel('Last status').focus()
    await page.keyboard.type('j')
    expect(await page.getByLabel('Last status').inputValue()).toBe('j')
  })

  test('On a narrow screen filters fold, and a label stays beside its value', async () => {
    const page = await site.enter(site.organization, '/deliveries?status=pending&status_code=503', {
      viewport: { width: 390, height: 800 },
    })
    expect(await page.getByLabel('Status', { exact: true }).isVisible()).toBe(false)
    await press(page, 'Filters (2)')
    await page.getByLabel('Status', { exact: true }).waitFor()
    const widest = await page.evaluate<number>(`Math.max(...[...document.querySelectorAll('main td')].map((cell) => {
      const label = getComputedStyle(cell, '::before')
      return label.whiteSpace === 'nowrap' ? Infinity : Number.parseFloat(label.width)
    }))`)
    expect(widest).toBeLessThanOrEqual(108)
  })
})

test('A character that would turn a name around is shown by its code', async () => {
  const webhook = { name: 'Team \u202Egpj.exe', target_url: site.receiver.url('/turned') }
  const { body } = await site.signet.as(site.organization, 'POST', '/organizations/webhooks', webhook)
  const page = await site.enter(site.organization, '/webhooks?size=100')
  const row = rowsOf(page, 'Webhooks').filter({ hasText: 'gpj.exe' })
  expect(await row.innerText()).toContain('U+202E')
  await site.go(page, `/webhooks/${body.result.id}`)
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'U+202E' }).waitFor()
  expect(await page.title()).toBe('Team [U+202E]gpj.exe · Signet')
})

type Styled = { getComputedStyle(element: unknown): { getPropertyValue(name: string): string } }
const styleOf = (element: Locator, name: string) =>
  element.evaluate(
    (each, property) => (globalThis as unknown as Styled).getComputedStyle(each).getPropertyValue(property),
    name,
  )

test('Where more contrast is asked for, what is current has a line around it', async () => {
  const page = await site.enter(site.organization, '/webhooks?sort=p95', { contrast: 'more' })
  const outlineOf = (link: Locator) => styleOf(link, 'outline-style')
  for (const nav of ['Sections', 'Order']) {
    const links = page.getByRole('navigation', { name: nav })
    expect(await outlineOf(links.locator('[aria-current]'))).toBe('solid')
    expect(await outlineOf(links.locator('a:not([aria-current])').first())).toBe('none')
  }
})

describe('Forced colours', () => {
  const inForcedColours = { forcedColors: 'active' } as const
  /** Whether two elements look different, pixel by pixel. */
  const areDifferent = async (one: Locator, other: Locator) =>
    !(await one.screenshot({ animations: 'disabled' })).equals(await other.screenshot({ animations: 'disabled' }))

  test('A switch shows whether it is on', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.billing}/triggers`, inForcedColours)
    const on = page.locator('[role="switch"][aria-checked="true"]').first()
    const off = page.locator('[role="switch"][aria-checked="false"]').first()
    await on.waitFor()
    expect(await areDifferent(on, off)).toBe(true)
    expect(await styleOf(on, 'background-color')).not.toBe(await styleOf(off, 'background-color'))
    expect(await styleOf(off, 'border-top-width')).toBe('1px')
  })

  test('The current section, the open tab and the series of a chart are told apart', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.billing}`, inForcedColours)
    const sections = page.getByRole('navigation', { name: 'Sections' })
    expect(await styleOf(sections.locator('[aria-current]'), 'outline-style')).toBe('solid')
    expect(await styleOf(sections.locator('a:not([aria-current])').first(), 'outline-style')).toBe('none')
    const tabs = page.locator('main nav').first()
    const lineOf = (tab: Locator) => styleOf(tab, 'border-bottom-color')
    const closed = await lineOf(tabs.locator('a:not([aria-current])').first())
    expect(closed).toBe(await styleOf(page.locator('body'), 'background-color'))
    expect(await lineOf(tabs.locator('[aria-current]'))).not.toBe(closed)
    const swatches = page.locator('figcaption [class*="swatch"]')
    expect(await areDifferent(swatches.nth(0), swatches.nth(1))).toBe(true)
    expect(await areDifferent(swatches.nth(1), swatches.nth(2))).toBe(true)
  })
})
