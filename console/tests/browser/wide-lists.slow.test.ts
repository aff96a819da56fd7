import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { everyPage, toAddress } from '../support/pages.ts'
import { startSignIns } from '../support/sign-ins.ts'
import { outOfSight, type Site, startSite } from '../support/site.ts'
import { createVisitors } from '../support/visit.ts'

let site: Site

beforeAll(async () => {
  site = await startSite({}, await startSignIns())
  const inside = new pg.Client(site.database)
  await inside.connect()
  await inside.query(widest).finally(() => inside.end())
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** The longest words of the console in every row: some 930 ms, a failure among two thousand, `answer is no JSON object`; long names of others. */
const widest = `
  update webhooks set name = repeat('Receiver of ', 5) || repeat('W', 100);
  update lanes set failing_since = now() - interval '1000 days' where not is_logout;
  delete from attempt_counts;
  insert into attempt_counts (org_id, webhook_id, hour, trigger_type, failure, session, count, durations, last_at)
  select org_id, id, date_trunc('hour', now()), kind, failure, 0, count, count * 1e444, now()
    from webhooks, unnest(array['event', 'sync_hook']) kind,
         (values ('', 2000), ('answer_not_an_object', 1)) outcome (failure, count);
  update finished_deliveries
     set attempts_count = 1000, attempt_log = '[{"number": 1000, "status_code": 503, "error": "answer_not_an_object"}]';
  update api_keys set name = repeat('W', 100), last_used_at = now(), expires_at = now() + interval '10000 days'
   where name is distinct from 'Board';
  update applications set name = repeat('W', 100), redirect_uris = array['https://' || repeat('w', 200) || '.example/'];
  update resources set name = repeat('W', 100), scopes = array[repeat('w', 100), repeat('w', 90)];
  update groups set description = repeat('W', 700);
  update handles set value = repeat('w', 64) || '@' || repeat('w', 60) || '.example' where type = 'EmailAddress';
  update issuer_sessions set client_ip_address = '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff' where user_agent is not null;
  update organizations set name = repeat('W', 100);
  update processes set host = repeat('w', 200), version = '100.100.100-rc.100';`

const widths = [390, 641, 768, 861, 1024, 1280, 1440]
const pages = everyPage.filter((written) => !/^(?:nobody|new):/.test(written))

test('No column of a list is out of sight, whatever stands in it and however wide the window is', async () => {
  const found: string[] = []
  const visitors = createVisitors(site.browser, site)
  for (const written of pages) {
    const page = await visitors.open(toAddress(written, site))
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      for (const each of await outOfSight(page)) found.push(`${written} at ${width}: ${each}`)
    }
  }
  await visitors.close()
  expect(found).toEqual([])
})

const formOf = (page: Page, caption: string) =>
  page.getByRole('table', { name: caption }).locator('..').getAttribute('data-form')

test('A list is as full as the window lets it be, and stays where it was scrolled to', async () => {
  const page = await site.enter(site.organization, '/deliveries?size=100', { viewport: { width: 1440, height: 900 } })
  await expect.poll(() => formOf(page, 'Deliveries')).toBe('whole')
  await page.setViewportSize({ width: 768, height: 900 })
  await expect.poll(() => formOf(page, 'Deliveries')).toBe('cards')
  // As in browsers that do not scroll back to what was in view.
  await page.evaluate(`document.documentElement.style.overflowAnchor = 'none'`)
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  const place = await page.evaluate<number>('scrollY')
  // As when a word in it changes, such as how long ago something was.
  await page.evaluate(`document.querySelector('main time span').firstChild.data += ''`)
  await outOfSight(page)
  expect(await page.evaluate('scrollY')).toBe(place)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect.poll(() => formOf(page, 'Deliveries')).toBe('whole')
})
