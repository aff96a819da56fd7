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

/** Runs in the page: the names of what can be pressed or switched, without what stands in a form that cannot be sent. */
const namesOfOpenControls = `[...document.querySelectorAll('button, [role="switch"], input[type="checkbox"]')]
  .filter((control) => !control.disabled && control.ariaDisabled !== 'true' && !('disabled' in control.dataset))
  .filter((control) => control.checkVisibility() && !control.closest('form')?.querySelector('[type="submit"]:disabled'))
  .map((control) => (control.ariaLabel ?? control.textContent).trim())`

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
    for (const name of await page.evaluate<string[]>(namesOfOpenControls))
      if (!harmless.test(name)) found.push(`${path}: ${name}`)
  }
  expect([...new Set(found)]).toEqual([])
  expect(written).toEqual([])
})
