import { createRemoteJWKSet, jwtVerify } from 'jose'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeAdministrator } from '../../../server/tests/support/administrators.ts'
import { addWebhook } from '../../../server/tests/support/webhooks.ts'
import { asTyped, countActs, expectActs, paste } from '../support/acts.ts'
import { developer, startSignIns } from '../support/sign-ins.ts'
import { button, dialogOf, heading, press, type Site, startSite, tabTo } from '../support/site.ts'
import { signIn, signInAsOperator, untilQuiet } from '../support/visit.ts'

/** A delivery that fails is over soon. */
const quick = { SIGNET_RETRY_INITIAL: '100ms', SIGNET_RETRY_MAX: '100ms', SIGNET_RETRY_WINDOW: '300ms' }
/** The keys of the organization are older than this. */
const old = { SIGNET_KEY_LEAD: '1h' }

/** Nobody has signed in as her yet. */
const katherine = 'katherine@northwind.example'

let site: Site

beforeAll(async () => {
  site = await startSite({ ...quick, ...old }, await startSignIns())
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) =>
  (await site.signet.as(site.organization, method, path, body)).body.result
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('link', { name, ...(typeof name === 'string' && { exact: true }) }).click()
const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table, exact: true }).locator('tbody tr')

/** At Home, signed in; what is done from then on is counted. */
async function begin(apiKey = site.organization.apiKey) {
  const page = await site.profile()
  const acts = await countActs(page)
  await signIn(page, site.signet.baseUrl, { ...site.organization, apiKey }, '/')
  await heading(page, 'Home')
  await untilQuiet(page)
  acts()
  return { page, acts }
}

const keyWith = async (...scopes: string[]): Promise<string> =>
  (await as('POST', '/organizations/api-keys', { name: scopes.join(', '), scopes })).api_key

async function expectGenuine(token: string) {
  const { id } = site.organization
  const keySet = createRemoteJWKSet(new URL(`${site.signet.baseUrl}/organizations/${id}/webhooks/verification-jwks`))
  const { payload } = await jwtVerify(token, keySet, { audience: id })
  expect(payload.target_url).toBe(site.receiver.url('/billing'))
}

const shownJwt = async (page: Page) =>
  (await page.getByRole('figure', { name: 'JWT', exact: true }).locator('pre').innerText()).trim()

describe('With a mouse', () => {
  test('Somebody signs in for the first time, with what was printed', async () => {
    const page = await site.profile()
    const acts = await countActs(page)
    await page.goto(`${site.signet.baseUrl}/console`)
    await paste(page.getByLabel('Organization ID'), site.newOrganization.id)
    await paste(page.getByLabel('API key'), site.newOrganization.apiKey)
    await press(page, 'Sign in')
    await heading(page, 'Home')
    expectActs(acts, 1, 2)
  })

  test('Why one receiver did not get an event is found by the person', async () => {
    const { page, acts } = await begin()
    await press(page, /^Go to…/)
    await find(page, katherine)
    await part(page, 'Events').getByRole('link', { name: 'PersonCreated_v1' }).click()
    await follow(page, /^Staff directory/)
    await expectReason(page)
    expectActs(acts, 4, 1)
  })

  test('And by the person and the time, where much has happened to them', async () => {
    const { page, acts } = await begin()
    await page.keyboard.press('Control+k')
    await find(page, katherine)
    await follow(page, 'All events')
    await heading(page, 'Events')
    await page.getByLabel('From', { exact: true }).fill(asTyped(Date.now() - 3_600_000))
    await page.getByLabel('Until', { exact: true }).fill(asTyped(Date.now() + 60_000))
    await page.keyboard.press('Enter')
    await page.waitForURL(/since=.*until=/)
    await untilQuiet(page)
    await rowsOf(page, 'Events').getByRole('link', { name: 'PersonCreated_v1' }).click()
    await follow(page, /^Staff directory/)
    await expectReason(page)
    expectActs(acts, 5, 3)
  })

  test('All that failed in a span of time is sent again', async () => {
    const ledger = await addWebhook(
      site.signet,
      site.organization,
      site.receiver.url('/ledger'),
      ['VirtualPageLoaded_v1'],
      { name: 'Ledger' },
    )
    site.receiver.behave('/ledger', { status: 503 })
    const event = { event_name: 'VirtualPageLoaded_v1', webhook_id: ledger }
    await as('POST', '/test-events', [event, event, event])
    const of = async (status: string) =>
      (await as('GET', `/organizations/webhooks/${ledger}/deliveries?status=${status}`)).length
    await expect.poll(() => of('dropped'), { timeout: 30_000 }).toBe(3)
    site.receiver.behave('/ledger', { status: 204 })
    const { page, acts } = await begin()
    await follow(page, 'Deliveries')
    await press(page, 'Recover failed')
    await dialogOf(page).getByLabel('Webhook').selectOption({ label: 'Ledger' })
    await dialogOf(page)
      .getByLabel('From', { exact: true })
      .fill(asTyped(Date.now() - 3_600_000))
    await dialogOf(page)
      .getByLabel('Until', { exact: true })
      .fill(asTyped(Date.now() + 60_000))
    await dialogOf(page).getByText('3 finished deliveries are in the span.').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Resend', exact: true }).click()
    await dialogOf(page).getByText('Done: what was finished in the span is due at once.').waitFor()
    await expect.poll(() => of('succeeded')).toBe(3)
    expectActs(acts, 5, 2)
    await site.signet.as(site.organization, 'DELETE', `/organizations/webhooks/${ledger}`)
  })

  test('The key that signs is replaced, and receivers notice nothing', async () => {
    const signing = async () =>
      (await as('GET', '/organizations/webhooks/verification-keys')).filter(
        ({ state }: { state: string }) => state === 'signing',
      )[0].kid
    const before = await signing()
    const { page, acts } = await begin()
    await follow(page, 'Keys')
    await follow(page, 'Verification keys')
    await press(page, 'Rotate now')
    await dialogOf(page).getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByText('Another key signs now.').waitFor()
    expectActs(acts, 4, 0)
    expect(await signing()).not.toBe(before)
    const address = await page.getByText(/\/webhooks\/verification-/).innerText()
    const { keys } = (await (await fetch(address)).json()) as { keys: { kid: string }[] }
    expect(keys.map(({ kid }) => kid)).toContain(before)
  })

  test('What a colleague changed yesterday is shown with what it was before', async () => {
    const inside = new pg.Client(site.database)
    await inside.connect()
    const ada = await makeAdministrator(site.signet, inside, site.organization, { role: 'owner' })
    await ada.call('PATCH', '/groups/Engineering', { description: 'Changed by Ada' })
    await as('PATCH', `/persons/${ada.personId}`, {
      handles: [{ type: 'EmailAddress', value: 'ada.lovelace@northwind.example' }],
    })
    await inside.query(`update audit_entries set at = at - interval '1 day' where org_id = $1`, [site.organization.id])
    await inside.end()
    await ada.call('PATCH', '/groups/Finance', { description: 'Changed today' })
    const today = new Date().setHours(0, 0)
    const { page, acts } = await begin()
    await follow(page, 'Audit log')
    await page.getByLabel('Changed by').selectOption({ label: 'ada.lovelace@northwind.example' })
    await page.getByLabel('From', { exact: true }).fill(asTyped(new Date().setHours(-24, 0)))
    await page.getByLabel('Until', { exact: true }).fill(asTyped(today))
    await page.keyboard.press('Enter')
    await page.waitForURL(/since=.*until=/)
    const lines = page.locator('main summary')
    await expect.poll(() => lines.count()).toBe(1)
    await lines.first().click()
    await page.locator('main').getByText('Changed by Ada').waitFor()
    expect(await lines.first().innerText()).toMatch(/Change group[\s\S]*Engineering[\s\S]*by the console/)
    expectActs(acts, 5, 2)
  })

  test('All that happened to one person is on one page', async () => {
    const { page, acts } = await begin()
    await press(page, /^Go to…/)
    await find(page, developer)
    await rowsOf(page, 'Sign-ins').getByRole('link', { name: developer }).first().click()
    await expectStory(page)
    expectActs(acts, 3, 1)
  })

  test('A test event is sent, and its JWT is there with what a receiver makes of it', async () => {
    const { page, acts } = await begin()
    await follow(page, 'Webhooks')
    await follow(page, /^Billing/)
    await press(page, 'Send test events')
    await dialogOf(page).getByRole('button', { name: 'Send', exact: true }).click()
    const row = dialogOf(page).getByRole('row', { name: /PersonCreated_v1/ })
    await row.getByText('succeeded').waitFor()
    await row.getByRole('button', { name: 'Sign one now' }).click()
    await expectVerdict(page)
    expectActs(acts, 5, 0)
    await expectGenuine(await shownJwt(page))
    await page.getByRole('button', { name: 'Close' }).last().click()
    await row.getByRole('button', { name: 'Sign one now' }).waitFor()
  })

  test('The slowest receiver is the first of its list', async () => {
    const { page, acts } = await begin()
    await follow(page, 'Webhooks')
    await follow(page, 'Slowest')
    await expectSlowest(page)
    expectActs(acts, 2, 0)
  })

  test('The operator makes an organization', async () => {
    const page = await site.profile()
    const acts = await countActs(page)
    await signInAsOperator(page, site.signet.baseUrl, site.signet.operatorKey, '/organizations')
    await heading(page, 'Organizations')
    acts()
    await follow(page, 'Create organization')
    await page.getByLabel('Name', { exact: true }).fill('Contoso')
    await press(page, 'Create organization')
    const shown = page.locator('main')
    await shown
      .getByText(/^signet_/)
      .first()
      .waitFor()
    expectActs(acts, 2, 1)
    const { body } = await site.signet.operate('GET', '/organizations?name=Contoso')
    expect(await shown.innerText()).toContain(body.result[0].id)
  })
})

/** By the palette, which is open. */
async function find(page: Page, typed: string) {
  await page.keyboard.type(typed)
  await page.getByRole('option', { name: typed }).waitFor()
  await page.keyboard.press('Enter')
}

async function expectReason(page: Page) {
  await heading(page, 'Delivery of PersonCreated_v1')
  await page.getByText('maintenance until 14:00').first().waitFor()
  const shown = await page.locator('main').innerText()
  expect(shown).toMatch(/Only a status from 200 to 299 counts as delivered\.[\s\S]*Staff directory/)
}

async function expectStory(page: Page) {
  await page.waitForURL(new RegExp(`/persons/${site.names.developer}$`))
  await part(page, 'Sign-ins').getByText('The person is deactivated').first().waitFor()
  await part(page, 'Events').getByText('PersonCreated_v1').waitFor()
  await part(page, 'Changes').getByText('Change person').first().waitFor()
  await part(page, 'Sessions').waitFor()
}

async function expectVerdict(page: Page) {
  const verdict = page.getByRole('region', { name: 'Verdict on the JWT' })
  await verdict.getByText('accepted').waitFor()
  await verdict.getByText('Its key is in the key set, and signs now.').waitFor()
  await verdict.getByText(site.receiver.url('/billing')).waitFor()
}

async function expectSlowest(page: Page) {
  const first = rowsOf(page, 'Webhooks').first()
  await expect.poll(() => first.innerText()).toMatch(/^Risk scores[\s\S]*\d+ ms|\d(\.\d)? s/)
}

describe('With the keyboard alone', () => {
  test('All that happened to one person', async () => {
    const { page, acts } = await begin()
    await page.keyboard.press('Control+k')
    await find(page, developer)
    await tabTo(page.getByRole('link', { name: developer }))
    await page.keyboard.press('Enter')
    await expectStory(page)
    expectActs(acts, 2, 1)
  })

  test('Why one receiver did not get an event', async () => {
    const { page, acts } = await begin()
    await page.keyboard.press('Control+k')
    await find(page, katherine)
    await tabTo(part(page, 'Events').getByRole('link', { name: 'PersonCreated_v1' }))
    await page.keyboard.press('Enter')
    await tabTo(rowsOf(page, 'Deliveries of this event').getByRole('link', { name: 'Staff directory' }))
    await page.keyboard.press('Enter')
    await expectReason(page)
    expectActs(acts, 3, 1)
  })

  test('The slowest receiver', async () => {
    const { page, acts } = await begin()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await heading(page, 'Webhooks')
    await tabTo(page.getByRole('link', { name: 'Slowest' }))
    await page.keyboard.press('Enter')
    await expectSlowest(page)
    expectActs(acts, 1, 0)
  })

  test('A test event, its JWT and its verdict', async () => {
    const { page, acts } = await begin()
    await page.keyboard.press('Control+k')
    await find(page, 'Billing')
    await heading(page, 'Billing')
    await tabTo(button(page, 'Send test events'))
    await page.keyboard.press('Enter')
    await tabTo(button(page, 'Send'))
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText('succeeded').first().waitFor()
    await tabTo(button(page, 'Sign one now'))
    await page.keyboard.press('Enter')
    await expectVerdict(page)
    expectActs(acts, 4, 1)
    await expectGenuine(await shownJwt(page))
    const signed = page.getByRole('dialog', { name: 'The signed JWT' })
    await tabTo(signed.getByRole('button', { name: 'Close' }))
    await page.keyboard.press('Enter')
    await signed.waitFor({ state: 'detached' })
    await button(page, 'Sign one now').and(page.locator(':focus')).waitFor()
  })
})

describe('What a key sees that may do little', () => {
  const sections = ['Webhooks', 'Deliveries', 'Events', 'Persons', 'Groups', 'Sign-in', 'Keys', 'Audit log', 'Settings']

  test('One that reads everything finds each section in one click, and is told that it changes nothing', async () => {
    const { page, acts } = await begin(site.readOnlyKey)
    for (const section of sections) {
      await follow(page, section)
      await heading(page, section)
      await untilQuiet(page)
      await page.getByText('This key reads: you see everything and change nothing.').waitFor()
      expect([section, await page.getByRole('alert').allInnerTexts()]).toEqual([section, []])
      expectActs(acts, 1, 0)
    }
  })

  test('One that reads some things is told which, on each page, and by each page what it lacks', async () => {
    const { page, acts } = await begin(await keyWith('deliveries:read', 'webhooks:read'))
    const told: Record<string, string[]> = {}
    for (const section of sections) {
      await follow(page, section)
      await heading(page, section)
      await untilQuiet(page)
      await page.getByText('This key reads, and changes nothing: deliveries:read, webhooks:read.').waitFor()
      expectActs(acts, 1, 0)
      const alerts = (await page.getByRole('alert').allInnerTexts()).join()
      told[section] = [...new Set(alerts.match(/[a-z-]+:(?:read|write)/g))]
    }
    expect(told).toEqual({
      Webhooks: [],
      Deliveries: [],
      Events: ['events:read'],
      Persons: ['persons:read'],
      Groups: ['groups:read'],
      'Sign-in': ['credentials:read'],
      Keys: ['api-keys:read'],
      'Audit log': ['audit-log:read'],
      Settings: ['settings:read'],
    })
  })

  test('An administrator reads of each key what it may do, and nothing more', async () => {
    await keyWith('deliveries:read', 'webhooks:read')
    const { page, acts } = await begin()
    await follow(page, 'Keys')
    const cellOf = (name: string) => page.getByRole('row', { name }).locator('td').nth(1)
    await expect.poll(() => cellOf('Auditors').innerText()).toBe('all that read')
    expect(await cellOf('deliveries:read, webhooks:read').first().innerText()).toBe('deliveries:read, webhooks:read')
    expect(await cellOf('First key').innerText()).toBe('all scopes: admin key')
    expectActs(acts, 1, 0)
  })
})
