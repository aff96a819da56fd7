import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { developer, startSignIns } from '../support/sign-ins.ts'
import { button, excessOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site
/** The longest that the interface takes, which a narrow screen must break. */
const long = `${'w'.repeat(64)}@${'w'.repeat(60)}.${'w'.repeat(60)}.example`

beforeAll(async () => {
  const signIns = await startSignIns()
  const signIn = async (person: object) => {
    await signIns.signIn(person)
    const emails = [{ email: long, primary: true, verified: true }]
    await signIns.signIn({ user: { id: 4711, login: 'long' }, emails })
  }
  site = await startSite({}, { ...signIns, signIn })
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) =>
  (await site.signet.as(site.organization, method, path, body)).body.result
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const keyWith = async (...scopes: string[]) => {
  const { api_key: apiKey } = await as('POST', '/organizations/api-keys', { name: 'narrow', scopes })
  return { ...site.organization, apiKey }
}

test('The page of a person tells what happened to them, each part with the way to all of it', async () => {
  const page = await site.enter(site.organization, `/persons/${site.names.developer}`)
  const signIns = part(page, 'Sign-ins').locator('tbody tr')
  await expect.poll(() => signIns.first().innerText()).toMatch(/failed[\s\S]*The person is deactivated[\s\S]*GitHub/)
  expect(await signIns.nth(1).innerText()).toMatch(/succeeded[\s\S]*GitHub[\s\S]*127\.0\.0\.1/)
  await part(page, 'Events').getByText('PersonCreated_v1').waitFor()
  await part(page, 'Changes').getByText('Change person').first().waitFor()
  for (const [name, link, path] of [
    ['Sign-ins', 'All sign-ins', `/sign-in/sign-ins?person_id=${site.names.developer}`],
    ['Events', 'All events', `/events?person_id=${site.names.developer}`],
    ['Changes', 'All changes', `/audit-log?target=${site.names.developer}`],
  ] as const)
    expect(await part(page, name).getByRole('link', { name: link }).getAttribute('href')).toContain(path)
})

test('Why a receiver did not get an event is found by the person, in four clicks from Home', async () => {
  const page = await site.enter(site.organization, '/')
  await page.getByRole('link', { name: 'Persons', exact: true }).click()
  await page.locator(`tbody a[href$="${site.names.developer}"]`).click()
  await part(page, 'Events').getByRole('link', { name: 'PersonCreated_v1' }).first().click()
  await page.getByRole('link', { name: 'Staff directory' }).click()
  await page.getByText('maintenance until 14:00').first().waitFor()
})

test('A part whose scope the key lacks is left out', async () => {
  const page = await site.enter(await keyWith('persons:read', 'groups:read'), `/persons/${site.names.developer}`)
  await part(page, 'Sessions').waitFor()
  for (const name of ['Sign-ins', 'Events', 'Changes']) expect(await part(page, name).count()).toBe(0)
})

test('A bar of sign-ins leads to those that it counts, by a click and by the keyboard, and Home says why they failed', async () => {
  const page = await site.enter(site.organization, '/')
  const chart = page.getByRole('group', { name: /^Sign-ins per 15 minutes/ })
  for (const outcome of ['succeeded', 'failed']) {
    const bar = chart.getByRole('link', { name: new RegExp(`: \\d+ ${outcome}$`) }).first()
    const counted = Number(/(\d+) \w+$/.exec((await bar.getAttribute('aria-label')) ?? '')?.[1])
    await (outcome === 'failed' ? bar.press('Enter') : bar.click())
    await page.waitForURL(new RegExp(`/sign-in/sign-ins\\?status=${outcome}&since=.*&until=`))
    const rows = page.getByRole('table', { name: 'Sign-ins' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(counted)
    await site.go(page, '/')
  }
  const outcomes = part(page, 'Sign-ins by outcome')
  await outcomes.getByText('The person is deactivated.').waitFor()
  await outcomes.getByText('person_not_active', { exact: true }).waitFor()
})

test('Sign-ins are found by outcome, reason and handle, and lead to their person and their event', async () => {
  const page = await site.enter(site.organization, '/sign-in/sign-ins')
  const rows = page.getByRole('table', { name: 'Sign-ins' }).locator('tbody tr')
  await rows.first().waitFor()
  await page.getByLabel('Outcome', { exact: true }).selectOption('Failed')
  await expect
    .poll(async () => new Set((await rows.allInnerTexts()).map((row) => /failed/.test(row))))
    .toEqual(new Set([true]))
  await page.getByLabel('Why it failed').selectOption('The person is deactivated.')
  await expect.poll(() => rows.count()).toBe(1)
  await rows.getByRole('link', { name: developer }).click()
  await page.waitForURL(new RegExp(`/persons/${site.names.developer}$`))
  await site.go(page, '/sign-in/sign-ins')
  await page.getByLabel('Handle').fill(developer)
  await page.getByLabel('Handle').press('Enter')
  await expect.poll(async () => (await rows.allInnerTexts()).every((row) => row.includes(developer))).toBe(true)
  await rows.first().getByRole('link').first().click()
  await heading(page, 'In words')
  await page.getByText('The person is deactivated.').first().waitFor()
})

test('Sign-ins are saved as a table as they are filtered, by a handle as it is typed', async () => {
  const page = await site.enter(site.organization, `/sign-in/sign-ins?handle=${developer}`)
  const saving = page.waitForEvent('download')
  await press(page, 'Export CSV')
  const file = await saving
  expect(file.suggestedFilename()).toBe('sign-ins.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  const listed = await as('GET', `/organizations/sign-ins?handle=EmailAddress:${developer}&limit=1000`)
  expect(lines.length - 1).toBe(listed.length)
})

test('The bars of sign-ins lead to sign-ins, and to no test events', async () => {
  const page = await site.enter(site.organization, '/')
  const bar = page
    .getByRole('group', { name: /^Sign-ins per/ })
    .getByRole('link', { name: /succeeded$/ })
    .first()
  const counted = Number(/: (\d+) succeeded$/.exec((await bar.getAttribute('aria-label')) ?? '')?.[1])
  await bar.click()
  await page.waitForURL(/\/sign-in\/sign-ins\?status=succeeded&since=/)
  const rows = page.getByRole('table', { name: 'Sign-ins' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(counted)
})

test('Events begin with the newest, and are found by person', async () => {
  const page = await site.enter(site.organization, '/events')
  const times = page.getByRole('table', { name: 'Events' }).locator('tbody time')
  await times.first().waitFor()
  const shown = await times.evaluateAll((all) => all.map((each) => each.getAttribute('datetime') ?? ''))
  expect(shown).toEqual(shown.toSorted().toReversed())
  await page.getByLabel('Person ID').fill(site.names.developer ?? '')
  await page.getByLabel('Person ID').press('Enter')
  await page.waitForURL(/person_id=/)
  // Test events are of nobody.
  await expect.poll(() => page.getByRole('link', { name: 'VirtualPageLoaded_v1' }).count()).toBe(0)
  await expect.poll(() => page.getByRole('link', { name: 'PersonCreated_v1' }).count()).toBe(1)
})

test('A delivery says what a receiver would make of its JWT, and an admin key gets another one', async () => {
  const { billing = '', delivered = '' } = site.names
  const path = `/deliveries/${billing}/${delivered}`
  const page = await site.enter(site.organization, path)
  const verdict = page.getByRole('region', { name: 'Verdict on the JWT of attempt 1' })
  await verdict.getByText('Its key is in the key set, and signs now.').waitFor()
  await verdict.getByText(/It is for .*\/billing/).waitFor()
  await press(page, 'Sign one now')
  const dialog = page.getByRole('dialog', { name: 'The signed JWT' })
  const token = await dialog.getByRole('figure', { name: 'JWT', exact: true }).locator('pre').innerText()
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  await dialog.getByText('"ES256"').waitFor()
  await dialog.getByText(/4 min .*left/).waitFor()
  await dialog.getByRole('region', { name: 'Verdict on the JWT' }).getByText('accepted').waitFor()
  expect(await dialog.getByRole('figure', { name: 'Claims' }).innerText()).toContain(delivered)
  await as('PATCH', `/organizations/webhooks/${billing}`, { target_url: site.receiver.url('/elsewhere') })
  await site.go(page, path)
  await verdict.getByText('which is not what the webhook calls today').waitFor()
  const support = await site.enter({ ...site.organization, apiKey: site.readOnlyKey }, path)
  expect(await button(support, 'Sign one now').isDisabled()).toBe(true)
  expect(await button(support, 'Sign one now').getAttribute('title')).toContain('Only admin keys and owners')
})

test('The longest address fits into a screen of 390 pixels', async () => {
  const page = await site.enter(site.organization, '/sign-in/sign-ins', { viewport: { width: 390, height: 800 } })
  await page.getByText('w'.repeat(40)).first().waitFor()
  expect(await excessOf(page)).toBe(0)
  await site.go(page, `/persons/${site.names.developer}`)
  expect(await excessOf(page)).toBe(0)
})
