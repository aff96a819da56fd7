import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'
import { untilQuiet } from '../support/visit.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
const search = async (query: string) =>
  (await site.signet.as(site.organization, 'GET', `/organizations/deliveries?${query}`)).body.result

test('Filters live in the address: they survive a reload, go by Back, and are taken away at once', async () => {
  const page = await site.enter(site.organization, '/deliveries')
  await page.getByLabel('Status', { exact: true }).selectOption('pending')
  await page.getByLabel('Last status').fill('503')
  await page.getByLabel('Last status').press('Enter')
  await page.waitForURL(/status=pending.*status_code=503/)
  await page.reload()
  await untilQuiet(page)
  expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('pending')
  expect(await page.getByLabel('Last status').inputValue()).toBe('503')
  const shown = await rowsOf(page).allInnerTexts()
  expect(shown.length).toBe((await search('status=pending&status_code=503&limit=25')).length)
  for (const row of shown) expect(row).toMatch(/pending[\s\S]*503/)
  await page.goBack()
  await expect.poll(() => page.getByLabel('Last status').inputValue()).toBe('')
  await press(page, 'Clear')
  await expect.poll(() => page.url()).toMatch(/\/deliveries$/)
})

test('What the service refuses of a filter is told in words', async () => {
  const page = await site.enter(site.organization, '/deliveries?status=nonsense')
  expect(await page.getByRole('alert').innerText()).toMatch(/status/)
})

test('The list pages from the newest to older ones, and back', async () => {
  const page = await site.enter(site.organization, '/deliveries')
  // Its words change with the time.
  const firstOf = () => rowsOf(page).first().getByRole('link').first().getAttribute('href')
  const first = await firstOf()
  expect(await rowsOf(page).count()).toBe(25)
  await press(page, 'Older')
  await page.waitForURL(/after=/)
  await expect.poll(firstOf).not.toBe(first)
  await press(page, 'Newest')
  await expect.poll(firstOf).toBe(first)
})

test('The time line of a delivery shows its attempts, the claims that each sent, and why the next is when it is', async () => {
  const { directory = '', failed = '' } = site.names
  const page = await site.enter(site.organization, `/deliveries/${directory}/${failed}`)
  const attempts = page.getByRole('list', { name: 'Attempts' })
  const told = await attempts.innerText()
  for (const words of ['Attempt 1', '503', 'maintenance until 14:00']) expect(told).toContain(words)
  const sent = page.getByLabel('Request of attempt 1')
  await sent.click()
  const claims = await attempts.innerText()
  for (const claim of ['"iss"', '"jti"', '"trigger_content"', failed]) expect(claims).toContain(claim)
  expect(await page.getByRole('heading', { name: 'What happens next' }).count()).toBe(1)
  await page
    .getByText(/next attempt/i)
    .first()
    .waitFor()
})

test('One delivery is made once more', async () => {
  const { billing = '', delivered = '' } = site.names
  const page = await site.enter(site.organization, `/deliveries/${billing}/${delivered}`)
  await press(page, 'Resend')
  await dialogOf(page).getByRole('button', { name: 'Resend' }).click()
  await page.getByText('The delivery is due at once.').waitFor()
  await page.getByRole('heading', { name: /^Attempt 2/ }).waitFor()
})

test('Many are chosen on several pages and made once more, with progress', async () => {
  const page = await site.enter(site.organization, `/deliveries?webhook_id=${site.names.billing}&status=succeeded`)
  const before = site.receiver.received('/billing').length
  await page.getByLabel('Choose all on this page').check()
  await page.getByText('25 chosen').waitFor()
  await press(page, 'Older')
  await expect.poll(() => rowsOf(page).first().getByRole('checkbox').isChecked()).toBe(false)
  await rowsOf(page).first().getByRole('checkbox').check()
  await page.getByText('26 chosen').waitFor()
  await press(page, 'Resend 26')
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'Resend', exact: true }).click()
  await dialog.getByText('26 deliveries accepted.').waitFor({ timeout: 60_000 })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => site.receiver.received('/billing').length, { timeout: 30_000 }).toBe(before + 26)
  expect(await page.getByText('chosen').count()).toBe(0)
})

test('A span of time is made once more, after it has said how many there are', async () => {
  const { billing = '' } = site.names
  const page = await site.enter(site.organization, `/deliveries?webhook_id=${billing}&status=succeeded`)
  await press(page, 'Recover failed')
  const dialog = dialogOf(page)
  await dialog.getByText(/[\d,]+ finished deliveries are in the span\./).waitFor()
  expect(await dialog.getByLabel('Webhook').inputValue()).toBe(billing)
  await dialog.getByRole('button', { name: 'Resend', exact: true }).click()
  await dialog.getByText('Done: what was finished in the span is due at once.').waitFor({ timeout: 60_000 })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await heading(page, 'Deliveries')
})
