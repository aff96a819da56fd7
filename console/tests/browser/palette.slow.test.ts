import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dialogOf, excessOf, heading, type Site, startSite } from '../support/site.ts'

let site: Site
const script = `<script>alert('script')</script>`
const hostile = `${script}${'\u202e'}gnp.exe`.padEnd(200, 'W')

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) =>
  (await site.signet.as(site.organization, method, path, body)).body.result
const option = (page: Page, name: RegExp) => page.getByRole('option', { name })
const fieldOf = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Go to' })

/** Opens it, and waits for its field. */
async function openPalette(page: Page) {
  await page.keyboard.press('Control+k')
  await expect.poll(() => fieldOf(page).evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
}

async function search(page: Page, text: string) {
  await openPalette(page)
  await page.keyboard.insertText(text)
}

test('What is typed at once goes into the palette, whose script has yet to come, and Enter with it', async () => {
  const page = await site.enter(site.organization, '/groups')
  let letCome = () => {}
  const held = new Promise<void>((resolve) => {
    letCome = resolve
  })
  await page.route(/command-palette/, async (route) => {
    await held
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audig')
  await page.keyboard.press('Backspace')
  await page.getByRole('status').getByText('audi').waitFor()
  letCome()
  await expect.poll(() => fieldOf(page).inputValue()).toBe('audi')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('setti')
  await page.keyboard.press('Enter')
  await heading(page, 'Settings')
})

test('Letters that are typed while it opens are no shortcuts of the page, and Escape gives it up', async () => {
  const page = await site.enter(site.organization, '/groups')
  await page.route(/command-palette/, () => undefined)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('gw?')
  await page.getByRole('status').getByText('gw?').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('gw?').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toMatch(/groups$/)
  expect(await dialogOf(page).count()).toBe(0)
  await page.keyboard.type('gh')
  await heading(page, 'Home')
})

test('Where its script does not come it says so in sight, and what is typed goes into the page again', async () => {
  const page = await site.enter(site.organization, '/groups/new')
  await page.route(/command-palette/, (route) => route.abort())
  await page.keyboard.press('Control+k')
  const told = page.getByRole('alert')
  await told.getByText('Signet does not give out a script of this page.').waitFor()
  const { y = 0, height = 0 } = (await told.boundingBox()) ?? {}
  expect(height).toBeGreaterThan(0)
  expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
  await page.getByLabel('Name', { exact: true }).pressSequentially('Sales')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Sales')
  await page.getByLabel('Name', { exact: true }).fill('')
  await page.unroute(/command-palette/)
  await told.getByRole('button', { name: 'Try again' }).click()
  // It may have loaded the page anew.
  await told.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await fieldOf(page).waitFor()
})

test('Whoever presses something else while it is awaited has given it up', async () => {
  const page = await site.enter(site.organization, '/groups/new')
  await page.route(/command-palette/, () => undefined)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sup')
  await page.getByRole('status').getByText('sup').waitFor()
  await page.getByLabel('Name', { exact: true }).click()
  await page.keyboard.type('Sales')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Sales')
})

test('What has a name is found by how it begins, and told by its kind', async () => {
  const page = await site.enter(site.organization, '/')
  const rows: [typed: string, name: RegExp, path: string][] = [
    ['bill', /^Billing Webhook$/, `/webhooks/${site.names.billing}`],
    ['ENGIN', /^Engineering Group$/, '/groups/Engineering/members'],
    ['back off', /^Back office Application$/, `/sign-in/applications/${site.names.application}`],
    ['partn', /^Partners Credential, Microsoft/, '/sign-in/credentials/9f0c4c1e-5b3b-4a53-9c1b-0d9f3f1f2a10'],
    ['grace@nor', /^grace@northwind.example Person$/, '/persons/'],
    ['audito', /^Auditors API key$/, '/keys'],
  ]
  for (const [typed, name, path] of rows) {
    await search(page, typed)
    await option(page, name).click()
    await page.waitForURL((url) => url.pathname.includes(path))
  }
})

test('An ID leads straight to its thing by one request, and letters before it to none', async () => {
  const { person = '', organization: __, ...names } = site.names
  const page = await site.enter(site.organization, '/')
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/organizations/search') && asked.push(request.url()))
  await openPalette(page)
  await page.keyboard.type(person)
  await option(page, / Person$/).waitFor()
  expect(await page.getByRole('option').count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/persons/${person}$`))
  expect(asked).toEqual([expect.stringContaining(`q=${person}`)])
  await search(page, names.delivered ?? '')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/events/${names.delivered}$`))
})

test('An answer that is outdated is neither waited for nor shown', async () => {
  const page = await site.enter(site.organization, '/')
  const ended: string[] = []
  page.on('requestfailed', (request) => ended.push(request.url()))
  await page.route(/organizations\/search\?q=bill$/, () => undefined)
  const asked = page.waitForRequest(/organizations\/search\?q=bill$/)
  await search(page, 'bill')
  await asked
  await page.getByText('Searching…').waitFor()
  await page.keyboard.type('ing')
  await option(page, /^Billing Webhook$/).waitFor()
  expect(ended).toEqual([expect.stringMatching(/q=bill$/)])
})

test('Where nothing is found it says so, and where the service refuses, why', async () => {
  const page = await site.enter(site.organization, '/')
  await search(page, 'zzzz')
  await page.getByText('Nothing is called that, and nothing has this ID.').waitFor()
  await page.route(/organizations\/search/, (route) =>
    route.fulfill({ status: 400, json: { errors: [{ httpcode: 400, message: 'q: is not liked' }] } }),
  )
  await page.keyboard.type('y')
  await page.getByText('The search failed: q: is not liked').waitFor()
})

test('Names of others stay text, and inside the palette, on a narrow screen', async () => {
  const { id } = await as('POST', '/organizations/webhooks', { name: hostile, target_url: 'https://hooks.example/' })
  const page = await site.enter(site.organization, '/', { viewport: { width: 390, height: 800 } })
  page.on('dialog', () => site.faults.push('a script ran'))
  await search(page, '<script')
  await option(page, /alert\('script'\)/).waitFor()
  expect(await excessOf(page)).toBe(0)
  const list = page.getByRole('listbox')
  expect(await list.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(id))
})

test('A key finds what its scopes let it read, and the operator is not asked for a search', async () => {
  const { api_key: apiKey } = await as('POST', '/organizations/api-keys', { name: 'G', scopes: ['groups:read'] })
  const page = await site.enter({ ...site.organization, apiKey }, '/groups')
  await search(page, 'bil')
  await page.getByText('Nothing is called that').waitFor()
  const other = await site.operate('/organizations')
  const asked: string[] = []
  other.on('request', (request) => asked.push(request.url()))
  await search(other, 'organi')
  await option(other, /^Organizations$/).waitFor()
  await page.keyboard.press('Backspace')
  expect(asked.filter((url) => url.includes('search'))).toEqual([])
})
