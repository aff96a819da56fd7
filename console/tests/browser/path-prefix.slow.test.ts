import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { type HttpProxy, startProxy } from '../support/proxy.ts'
import { heading, press, type Site, startSite } from '../support/site.ts'
import { goTo, homeOf, signIn, untilQuiet } from '../support/visit.ts'

/** Behind a proxy that serves it below a path, as its base URL says: the files of the console are the same. */
let site: Site
let proxy: HttpProxy
let page: Page
const asked: string[] = []

beforeAll(async () => {
  const port = await freePort()
  site = await startSite({ SIGNET_BASE_URL: `http://localhost:${port}/signet` })
  proxy = await startProxy(site.signet.baseUrl, { prefix: '/signet', port })
  page = await (await site.browser.newContext()).newPage()
  page.on('request', (request) => asked.push(request.url()))
})
afterAll(async () => {
  await proxy?.stop()
  await site?.stop()
})
afterEach(() => expect(asked.filter((url) => !url.startsWith(`${proxy.baseUrl}/`))).toEqual([]))

test('A deep link opens after the sign-in, and a reload opens it again', async () => {
  await signIn(page, proxy.baseUrl, site.organization, `/webhooks/${site.names.billing}/settings`)
  await heading(page, 'Billing')
  await page.reload()
  await heading(page, 'Billing')
  expect(page.url()).toBe(`${homeOf(proxy.baseUrl, site.organization.id)}/webhooks/${site.names.billing}/settings`)
})

test('Every section sends its requests below the path, and example code has it in its addresses', async () => {
  const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
  expect(await sections.count()).toBeGreaterThan(5)
  for (const section of await sections.all()) {
    await section.click()
    await untilQuiet(page)
  }
  const { application, billing } = site.names
  for (const path of [`/sign-in/applications/${application}`, `/webhooks/${billing}/receiver-code`]) {
    await goTo(page, path)
    await untilQuiet(page)
  }
  expect(await page.locator('pre').first().innerText()).toContain(proxy.baseUrl)
  // What Home follows, by a client of its own.
  expect(asked.some((url) => url.startsWith(`${proxy.baseUrl}/events?since=`))).toBe(true)
})

test('A form saves, and signing out ends at the top', async () => {
  await goTo(page, '/groups/new')
  await page.getByLabel('Name', { exact: true }).fill('Below')
  await press(page, 'Create group')
  await heading(page, 'Below')
  await press(page, 'Sign out')
  await page.getByLabel('Organization ID').waitFor()
  expect(page.url()).toBe(`${proxy.baseUrl}/console/`)
})
