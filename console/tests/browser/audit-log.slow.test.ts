import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Administrator, makeAdministrator } from '../../../server/tests/support/administrators.ts'
import { excessOf, heading, press, type Site, startSite } from '../support/site.ts'
import { untilQuiet } from '../support/visit.ts'

let site: Site
let inside: pg.Client
let ada: Administrator

beforeAll(async () => {
  site = await startSite()
  inside = new pg.Client(site.database)
  await inside.connect()
  ada = await makeAdministrator(site.signet, inside, site.organization, { role: 'owner' })
  await inside.query(`update identities set profile = '{"name": "Ada Lovelace"}' where id = $1`, [ada.identityId])
  const handles = [{ type: 'EmailAddress', value: 'lovelace@northwind.example' }]
  const named = await site.signet.as(site.organization, 'PATCH', `/persons/${ada.personId}`, { handles })
  expect(named.status, JSON.stringify(named.body)).toBe(200)
  await ada.call('PATCH', '/groups/Engineering', { description: 'Changed by Ada' })
  await ada.call('POST', '/groups', { name: 'Made-by-Ada' })
})
afterAll(async () => {
  await inside?.end()
  await site?.stop()
})
afterEach(() => site.leave())

const lines = (page: Page) => page.locator('main summary')

test('Who and what are chosen by name, and an entry says who did it, how and from where', async () => {
  const page = await site.enter(site.organization, '/audit-log')
  await page.getByLabel('Changed by').selectOption({ label: 'lovelace@northwind.example' })
  await expect.poll(() => lines(page).count()).toBe(2)
  expect((await lines(page).first().innerText()).replace(/\s+/g, ' ')).toMatch(
    /Create group group Made-by-Ada Ada Lovelace, by the console, from (127\.0\.0\.1|::1)/,
  )
  await page.getByLabel('Action').selectOption({ label: 'Change group' })
  await expect.poll(() => lines(page).allInnerTexts()).toEqual([expect.stringContaining('Engineering')])
  expect(page.url()).toMatch(new RegExp(`actor=${ada.personId}&action=changeGroup$`))
})

test('A click on a target keeps the list to it, and leads to its page, which leads back', async () => {
  const page = await site.enter(site.organization, `/audit-log?actor=${ada.personId}&action=changeGroup`)
  await lines(page).first().press('Enter')
  await page.getByRole('link', { name: 'All its changes' }).press('Enter')
  await page.getByText('Changes of Engineering').waitFor()
  await untilQuiet(page)
  await expect.poll(() => lines(page).count()).toBeGreaterThan(1)
  for (const line of await lines(page).allInnerTexts()) expect(line).toContain('Engineering')
  await page.locator('main').getByRole('link', { name: 'Engineering', exact: true }).click()
  await heading(page, 'Engineering')
  await page.getByRole('link', { name: 'Changes', exact: true }).click()
  await page.getByText('Changes of Engineering').waitFor()
  await press(page, 'Show all')
  await expect.poll(() => lines(page).count()).toBeGreaterThan(5)
})

test('A key leads to what it changed, and the filter names it', async () => {
  const page = await site.enter(site.organization, '/keys')
  await page.getByRole('link', { name: 'Changes by First key', exact: true }).click()
  await heading(page, 'Audit log')
  const chosen = page.getByLabel('Changed by').locator('option:checked')
  await expect.poll(() => chosen.innerText()).toBe('First key')
  expect(new URL(page.url()).searchParams.get('actor')).toBe(await chosen.getAttribute('value'))
})

test('The page fits 390 pixels with an entry open', async () => {
  const page = await site.enter(site.organization, `/audit-log?target=${ada.personId}`, {
    viewport: { width: 390, height: 800 },
  })
  await lines(page).first().click()
  await page.getByRole('link', { name: 'All its changes' }).waitFor()
  expect(await excessOf(page)).toBe(0)
})
