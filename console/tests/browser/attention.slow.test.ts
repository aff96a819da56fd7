import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { button, dialogOf, excessOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) =>
  (await site.signet.as(site.organization, method, path, body)).body.result
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const lineOf = (page: Page, name: string) =>
  section(page, 'Needs attention').getByRole('listitem').filter({ hasText: name })
const rowsOf = (page: Page) => page.getByRole('table', { name: 'Webhooks' }).locator('tbody tr')
const namesOf = async (page: Page) =>
  (await rowsOf(page).locator('td:first-child').allInnerTexts()).map((text) => text.split('\n')[0])
const linkTo = (part: Page | Locator, name: string) => part.getByRole('link', { name, exact: true })

/** Requests of the interface that the page makes from now on, by their paths. */
function requestsOf(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (!pathname.startsWith('/console')) paths.push(pathname + search)
  })
  return paths
}

/** What a customer entered through a link. */
async function enterByLink(clientId: string) {
  const { url } = await as('POST', '/organizations/sso/oidc/credential-links', {
    provider: 'provider_a',
    label: clientId,
  })
  const entered = {
    token: new URL(url).hash.slice(1),
    client_id: clientId,
    client_secret: 'a-secret-of-a-customer-01234',
  }
  expect((await site.signet.call('POST', '/console/link/credential', {}, entered)).status).toBe(201)
}

describe('Home says what needs attention', () => {
  test('What fails, is paused or waits is said with its name as a link, and the section has a mark', async () => {
    await enterByLink('entered-by-link')
    const page = await site.enter(site.organization, '/')
    await lineOf(page, 'Staff directory')
      .getByText(/is failing: last error 503, (once|\d+ times)/)
      .waitFor()
    await lineOf(page, 'Risk scores')
      .getByText(/synchronous hook .* is failing.*go on without its claims/)
      .waitFor()
    await lineOf(page, 'Mail archive')
      .getByText(/is paused because its receiver kept failing/)
      .waitFor()
    await lineOf(page, 'Data warehouse')
      .getByText(/is paused by request: 7 deliveries held/)
      .waitFor()
    const webhooks = linkTo(page.getByRole('navigation', { name: 'Sections' }), 'Webhooks')
    await expect.poll(() => webhooks.getAttribute('aria-describedby')).toBeTruthy()
    await page.getByText('4 need attention in Webhooks').waitFor({ state: 'attached' })
    await page.getByText('1 needs attention in Sign-in').waitFor({ state: 'attached' })
    await linkTo(lineOf(page, 'entered-by-link'), 'Confirm entered-by-link').click()
    await page.waitForURL(/\/sign-in\/credentials\/entered-by-link$/)
    await as('DELETE', '/organizations/sso/oidc/provider-credentials/entered-by-link')
  })

  test('A paused webhook is resumed where it is said, and the line goes', async () => {
    const { warehouse = '' } = site.names
    const page = await site.enter(site.organization, '/')
    await press(page, 'Resume Data warehouse')
    await dialogOf(page).getByText('7 deliveries are held.').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Resume webhook' }).click()
    await page.getByText('The webhook is resumed.').waitFor()
    await lineOf(page, 'Data warehouse').waitFor({ state: 'detached' })
    expect(await as('GET', `/organizations/webhooks/${warehouse}`)).toMatchObject({ enabled: true })
    await page.getByText('3 need attention in Webhooks').waitFor({ state: 'attached' })
    await as('PATCH', `/organizations/webhooks/${warehouse}`, { enabled: false })
  })

  test('Where nothing needs attention one quiet line says so, and no section has a mark', async () => {
    const page = await site.enter(site.newOrganization, '/')
    await page.getByText('Nothing needs attention now.').waitFor()
    expect(await section(page, 'Needs attention').count()).toBe(0)
    expect(await page.getByText(/needs? attention in/).count()).toBe(0)
  })

  test('A key that only reads sees it, and cannot resume', async () => {
    const page = await site.enter({ ...site.organization, apiKey: site.readOnlyKey }, '/')
    const resume = button(page, 'Resume Data warehouse')
    await resume.waitFor()
    expect(await resume.isDisabled()).toBe(true)
    expect(await resume.getAttribute('title')).toBe('This key lacks the scope webhooks:write.')
  })

  test('A key that may not read webhooks is not asked about them', async () => {
    const { api_key: apiKey } = await as('POST', '/organizations/api-keys', {
      name: 'Persons',
      scopes: ['persons:read'],
    })
    const page = await site.enter({ ...site.organization, apiKey }, '/')
    await heading(page, 'Home')
    expect(await section(page, 'Needs attention').count()).toBe(0)
  })
})

describe('The list of webhooks', () => {
  test('The slowest receiver is two presses from Home, in one request of the interface', async () => {
    const page = await site.enter(site.organization, '/')
    await linkTo(page.getByRole('navigation', { name: 'Sections' }), 'Webhooks').click()
    await rowsOf(page).first().waitFor()
    const requests = requestsOf(page)
    await linkTo(page, 'Slowest').click()
    await expect.poll(async () => (await namesOf(page))[0]).toBe('Risk scores')
    expect(await rowsOf(page).first().innerText()).toMatch(/\d+ ms|\d(\.\d)? s/)
    expect(requests.filter((path) => path.startsWith('/organizations/webhooks'))).toEqual([
      expect.stringMatching(/^\/organizations\/webhooks\/statistics\?.*sort=p95/),
    ])
    expect(page.url()).toMatch(/\/webhooks\?sort=p95$/)
  })

  test('It is filtered by state and searched by name, and the address keeps both', async () => {
    const page = await site.enter(site.organization, '/webhooks')
    await page.getByLabel('State', { exact: true }).selectOption('paused')
    await expect.poll(async () => (await namesOf(page)).sort()).toEqual(['Data warehouse', 'Mail archive'])
    await page.getByLabel('Name or URL contains').fill('archive')
    await page.getByLabel('Name or URL contains').press('Enter')
    await expect.poll(() => namesOf(page)).toEqual(['Mail archive'])
    await site.go(page, new URL(page.url()).pathname.replace(/^.*(?=\/webhooks)/, '') + new URL(page.url()).search)
    expect(await namesOf(page)).toEqual(['Mail archive'])
    await page.getByLabel('Name or URL contains').fill('nowhere')
    await page.getByLabel('Name or URL contains').press('Enter')
    await page.getByText('No webhook fits these filters.').waitFor()
    await press(page, 'Clear')
    await expect.poll(async () => (await namesOf(page)).length).toBe(6)
  })

  test('On a narrow screen each number has its name beside it, and nothing is cut', async () => {
    const page = await site.enter(site.organization, '/webhooks', { viewport: { width: 390, height: 800 } })
    await rowsOf(page).first().waitFor()
    expect(await excessOf(page)).toBe(0)
    const heads = await page.evaluate<string[]>(headsShown)
    expect(heads).toEqual(expect.arrayContaining(['"State"', '"p50"', '"p95"', '"Error rate"', '"Held"']))
  })
})

/** Runs in the page: what stands beside each value of the first row. */
const headsShown = `[...document.querySelectorAll('main tbody tr:first-child td')]
  .map((cell) => getComputedStyle(cell, '::before').content)`

describe("A webhook's page", () => {
  test('Of one that Signet paused it says the last error, how often, since when, and what it holds; never that nothing failed', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.archive}`)
    const shown = page.locator('main')
    await page.getByText('The webhook is paused.', { exact: true }).waitFor()
    await shown.getByText(/Last error:\s*connection reset, .*(once|times)/).waitFor()
    await shown.getByText(/Failing since/).waitFor()
    await linkTo(page, '1 delivery held')
      .or(page.getByRole('link', { name: /^\d+ deliveries held$/ }))
      .waitFor()
    expect(await shown.innerText()).not.toMatch(/Nothing has failed/)
    expect(await page.getByRole('table', { name: 'Newest failures' }).locator('tbody tr').count()).toBeGreaterThan(0)
  })

  test('One is tried now: what became of it is told, and a success resumes nothing', async () => {
    const { archive = '' } = site.names
    const page = await site.enter(site.organization, `/webhooks/${archive}`)
    await press(page, 'Try one now')
    await page.getByText('It failed again: connection reset.').waitFor()
    site.receiver.behave('/archive', { status: 204 })
    await press(page, 'Try one now')
    await page.getByText('It succeeded: 204.').waitFor()
    expect(await as('GET', `/organizations/webhooks/${archive}`)).toMatchObject({ enabled: false })
    await linkTo(page, 'Look at the delivery').click()
    await heading(page, 'Delivery of PersonCreated_v1')
    await page.goBack()
    await press(page, 'Resume webhook')
    await dialogOf(page).getByRole('button', { name: 'Resume webhook' }).click()
    await page.getByText('The webhook is paused.', { exact: true }).waitFor({ state: 'detached' })
    const held = `/organizations/webhooks/${archive}/deliveries?status=held`
    await expect.poll(async () => (await as('GET', held)).length).toBe(0)
  })

  test('Of one that somebody paused it says who', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.warehouse}`)
    await page.getByText(/Paused .* by/).waitFor()
    await page
      .getByText(/First key/)
      .first()
      .waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/Nothing has failed/)
  })

  test('Its health is told for events and for the hook apart, by the rules of each', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.scores}`)
    await page.getByText('The synchronous hook is failing.').waitFor()
    await page.getByText('Last error: timeout, 9 times since then.').waitFor()
    const health = page.getByRole('table', { name: 'Health' }).locator('tbody tr')
    await expect.poll(() => health.count()).toBe(2)
    const [events = '', hook = ''] = await health.allInnerTexts()
    expect(events).toMatch(/Events.*200 to 299.*\d+ ms.*0 %/s)
    expect(hook).toMatch(/Synchronous hook.*A sign-in waits for it.*9\s+100 %.*timeout, 9 times/s)
    expect(hook).not.toMatch(/delivered|2XX/)
  })

  test('A run of a hook speaks of a sign-in, and not of a delivery that is sent again', async () => {
    const { scores = '' } = site.names
    const [run] = await as('GET', `/organizations/webhooks/${scores}/deliveries?trigger_name=token_minted`)
    const page = await site.enter(site.organization, `/deliveries/${scores}/${run.id}`)
    await heading(page, 'Run of the hook token_minted')
    const shown = await page.locator('main').innerText()
    expect(shown).toMatch(/on_failure of the trigger/)
    expect(shown).toMatch(/The whole answer did not come within the timeout of the hook/)
    expect(shown).not.toMatch(/counts as delivered|window for retries/)
  })

  test('A key that only reads sees why, and can neither try nor resume', async () => {
    const page = await site.enter(
      { ...site.organization, apiKey: site.readOnlyKey },
      `/webhooks/${site.names.warehouse}`,
    )
    await page.getByText('The webhook is paused.', { exact: true }).waitFor()
    for (const [name, scope] of [
      ['Try one now', 'deliveries:write'],
      ['Resume webhook', 'webhooks:write'],
    ] as const) {
      expect(await button(page, name).isDisabled()).toBe(true)
      expect(await button(page, name).getAttribute('title')).toBe(`This key lacks the scope ${scope}.`)
    }
  })

  test('The default timeout is said in seconds', async () => {
    const page = await site.enter(site.organization, `/webhooks/${site.names.billing}`)
    await page.getByText('10 s (default)').waitFor()
    await site.go(page, `/webhooks/${site.names.claims}`)
    await page.getByText('2 s (default)').waitFor()
    await site.go(page, `/webhooks/${site.names.billing}/settings`)
    expect(await page.getByLabel('Timeout', { exact: true }).inputValue()).toBe('')
    await page.getByLabel('Timeout', { exact: true }).fill('5s')
    await press(page, 'Save')
    await page.getByText('The webhook is saved.').waitFor()
    await page.getByLabel('Timeout', { exact: true }).fill('')
    await press(page, 'Save')
    await expect.poll(async () => (await as('GET', `/organizations/webhooks/${site.names.billing}`)).timeout).toBe('0s')
  })
})

test('A test event of one webhook goes to that webhook alone, and leads to its delivery', async () => {
  const { billing = '', archive = '' } = site.names
  const page = await site.enter(site.organization, `/webhooks/${billing}`)
  await press(page, 'Send test events')
  const dialog = dialogOf(page)
  await dialog.getByText('They go to this webhook only.').waitFor()
  await dialog.getByRole('checkbox', { name: 'PersonCreated_v1' }).waitFor()
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  const row = dialog.getByRole('row', { name: /PersonCreated_v1/ })
  await row.getByText('succeeded').waitFor()
  const id = /deliveries\/[^/]+\/(.*)$/.exec((await row.getByRole('link').getAttribute('href')) ?? '')?.[1]
  const all = await as('GET', `/organizations/deliveries?event_id=${id}`)
  expect(all.map(({ webhook_id }: { webhook_id: string }) => webhook_id)).toEqual([billing])
  expect(archive).not.toBe('')
  await row.getByRole('link').click()
  await heading(page, 'Delivery of PersonCreated_v1')
})

test('On a narrow screen the whole table of test events is there, and nothing of it is cut', async () => {
  const viewport = { width: 390, height: 500 }
  const page = await site.enter(site.organization, `/webhooks/${site.names.billing}`, { viewport })
  await press(page, 'Send test events')
  await dialogOf(page).getByRole('button', { name: 'Send', exact: true }).click()
  const rows = dialogOf(page).getByRole('table', { name: 'What became of the test events' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBeGreaterThan(2)
  const hidden = await rows.first().evaluate((row) => {
    const frame = row.closest('table')?.parentElement
    return frame && [frame.scrollHeight - frame.clientHeight, frame.scrollWidth - frame.clientWidth]
  })
  expect(hidden).toEqual([0, 0])
})
