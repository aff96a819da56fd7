import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { everyPage, toAddress } from '../support/pages.ts'
import { type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
  const link = { provider: 'provider_a', label: 'Open' }
  const { status } = await site.signet.as(site.organization, 'POST', '/organizations/sso/oidc/credential-links', link)
  expect(status).toBeLessThan(300)
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

/** Fills in what lets itself be filled in, for most forms of a record have nothing to save before. */
async function change(page: Page) {
  for (const field of await page.locator('main form').locator('input[type="text"], input[type="url"], textarea').all())
    if (await field.isEditable()) await field.fill('changed.example')
  for (const each of await page.locator('main form').getByRole('switch').all())
    if (await each.isEnabled()) await each.click()
}

test('A form that it changes cannot be sent', async () => {
  const page = await site.enter({ ...site.organization, apiKey: site.readOnlyKey })
  const { billing, credential, application, person } = site.names
  const found: string[] = []
  for (const path of [
    ...['/settings', `/webhooks/${billing}/settings`, `/persons/${person}`, '/groups/Engineering'],
    ...[`/sign-in/credentials/${encodeURIComponent(credential ?? '')}`, `/sign-in/applications/${application}`],
    ...['/webhooks/new', '/persons/new', '/groups/new', '/sign-in/applications/new', '/keys/new'],
    ...['/sign-in/credentials/new/provider_a', '/sign-in/links/new'],
  ]) {
    await site.go(page, path)
    await change(page)
    for (const send of await page.locator('main form [type="submit"]').all())
      if (await send.isEnabled()) found.push(`${path}: ${await send.innerText()}`)
  }
  expect(found).toEqual([])
})
