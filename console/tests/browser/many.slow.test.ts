import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { press, type Site, startSite } from '../support/site.ts'

const organizationsCount = 10_000
const deliveriesCount = 100_000
/** Of a step on a busy machine, from the press to the rows. */
const maxMs = 5_000

let site: Site

beforeAll(async () => {
  site = await startSite()
  const inside = new pg.Client(site.database)
  await inside.connect()
  await inside.query(fill(site)).finally(() => inside.end())
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** The beginning of an id that is made now. */
const begun = Date.now().toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')

/** Ids are in the order of time, as the service makes them; each thousandth delivery was dropped after a 503. */
const fill = ({ organization, names }: Site) => `
  insert into organizations (id, name, pricing_tier, created_at)
  select ('${begun}-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'Tenant ' || lpad(number::text, 5, '0'),
         'unlimited', now()
    from generate_series(1, ${organizationsCount}) number;
  insert into finished_deliveries
    (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
  select '${organization.id}', '${names.billing}',
         ('${begun}-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'PersonCreated_v1',
         case when number % 1000 = 0 then 'dropped' else 'succeeded' end, 1,
         case when number % 1000 = 0 then '[{"number": 1, "status_code": 503}]'
              else '[{"number": 1, "status_code": 200}]' end::jsonb, now()
    from generate_series(1, ${deliveriesCount}) number;
  analyze`

const rowsOf = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr')

async function timed(work: () => Promise<unknown>) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

test('Ten thousand organizations are paged and searched', async () => {
  const page = await site.operate('/organizations')
  const rows = rowsOf(page, 'Organizations')
  await page.getByText(/1 to 25 of 10,00\d/).waitFor()
  expect(await rows.count()).toBe(25)
  await press(page, 'Next')
  await page.getByText(/26 to 50 of/).waitFor()
  await site.go(page, '/organizations?page=400')
  expect(await rows.count()).toBe(25)
  await page.getByLabel('Name begins with').fill('Tenant 0777')
  const searching = timed(async () => {
    await page.getByLabel('Name begins with').press('Enter')
    await expect.poll(() => rows.count()).toBe(10)
  })
  expect(await searching).toBeLessThan(maxMs)
  await rows.first().getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: /Tenant 0777\d/ }).waitFor()
})

test('A page beyond the last is empty, and leads back', async () => {
  const page = await site.operate('/organizations?page=9999')
  await press(page, 'Previous')
  await page.getByText(/of 10,00\d/).waitFor()
  await expect.poll(() => rowsOf(page, 'Organizations').count()).toBeGreaterThan(0)
})

test('A hundred thousand deliveries open, are filtered and paged as a few are', async () => {
  const page = await site.enter(site.organization, '/')
  const rows = rowsOf(page, 'Deliveries')
  const opening = timed(async () => {
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
    await rows.first().waitFor()
  })
  expect(await opening).toBeLessThan(maxMs)
  const filtering = timed(async () => {
    await page.getByLabel('Status', { exact: true }).selectOption('dropped')
    await expect.poll(async () => (await rows.allInnerTexts()).every((row) => /failed/.test(row))).toBe(true)
  })
  expect(await filtering).toBeLessThan(maxMs)
  expect(await rows.count()).toBe(25)
  const paging = timed(async () => {
    await press(page, 'Older')
    await page.waitForURL(/after=/)
    await rows.first().waitFor()
  })
  expect(await paging).toBeLessThan(maxMs)
  const none = timed(async () => {
    await site.go(page, '/deliveries?status_code=418')
    await page.getByText(/None so far|No delivery fits/).waitFor()
  })
  expect(await none).toBeLessThan(maxMs)
})
