import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { everyPage, toAddress } from '../support/pages.ts'
import { type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** What changes nothing at the service: it looks, finds, copies, or belongs to the browser. */
const harmless =
  /^(Menu|Go to….*|Theme: \w+|Keyboard shortcuts|Sign out|Skip to the page|Refresh|Clear|Newest|Older|Later|From the beginning|Previous|Next|Look again|Last (hour|24 hours|7 days)|Copy.*|Show.*|Hide.*|Cancel|Back|Pause|Resume|Follow.*|\d+ (hour|days?)|24 hours|7 days|Wrap.*|Try again)$/

/** Controls that can be pressed or set, by their names, without those of filters and of forms that cannot be sent. */
async function openControls(page: Page): Promise<string[]> {
  const controls = page.locator('button:enabled, [role="switch"]:not([aria-disabled="true"]):not([data-disabled])')
  const names: string[] = []
  for (const control of await controls.all()) {
    if (!(await control.isVisible())) continue
    const name = (await control.getAttribute('aria-label')) ?? (await control.innerText())
    names.push(name.trim().replace(/\s+/g, ' '))
  }
  return names
}

test('A key that only reads sees every page, and finds no control that writes', async () => {
  const reader = { ...site.organization, apiKey: site.readOnlyKey }
  const page = await site.enter(reader)
  await page.getByText('This key reads: you see everything and change nothing.').waitFor()
  const written: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') written.push(`${request.method()} ${request.url()}`)
  })
  const found: string[] = []
  const paths = everyPage.filter((each) => each.startsWith('/') || each.startsWith('reader:'))
  for (const { path } of paths.map((each) => toAddress(each, site))) {
    await site.go(page, path)
    const alert = page.getByRole('alert')
    if ((await alert.count()) > 0) found.push(`${path}: ${await alert.first().innerText()}`)
    for (const name of await openControls(page)) if (!harmless.test(name)) found.push(`${path}: ${name}`)
  }
  expect([...new Set(found)]).toEqual([])
  expect(written).toEqual([])
})
