import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const ask = async (path: string) => (await site.signet.as(site.organization, 'GET', path)).body.result
const saying = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor()
const rowsOf = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr')

test('A resource is registered, changed and deleted; what the service refuses stands beside its field', async () => {
  const page = await site.enter(site.organization, '/sign-in/resources')
  await rowsOf(page, 'Resources').filter({ hasText: 'Orders' }).waitFor()
  await page.getByRole('link', { name: 'Register resource' }).click()
  const identifier = page.getByLabel('Identifier', { exact: true })
  await identifier.fill('https://stock.northwind.example#part')
  await page.getByLabel('Name', { exact: true }).fill('Stock')
  await page.getByLabel('Scopes', { exact: true }).fill('stock:read')
  await press(page, 'Register resource')
  await expect.poll(() => identifier.getAttribute('aria-invalid')).toBe('true')
  await identifier.fill('https://stock.northwind.example')
  await press(page, 'Register resource')
  await heading(page, 'Stock')
  const id = page.url().split('/').at(-1)
  const lifetime = page.getByLabel('Lifetime of access tokens')
  await lifetime.fill('25h')
  await press(page, 'Save')
  await expect.poll(() => lifetime.getAttribute('aria-invalid')).toBe('true')
  await lifetime.fill('1h')
  await press(page, 'Save')
  await saying(page, 'The resource is saved.')
  expect(await ask(`/organizations/resources/${id}`)).toMatchObject({
    identifier: 'https://stock.northwind.example',
    scopes: ['stock:read'],
    token_lifetime: '1h0m0s',
  })
  await press(page, 'Delete resource')
  await dialogOf(page).getByLabel('Type delete to confirm').fill('delete')
  await dialogOf(page).getByRole('button', { name: 'Delete resource' }).click()
  await heading(page, 'Sign-in')
  expect((await site.signet.as(site.organization, 'GET', `/organizations/resources/${id}`)).status).toBe(404)
})

test('A second client secret is shown this once, beside the first, which can be deleted then', async () => {
  const path = `/sign-in/applications/${site.names.application}`
  const secrets = async () =>
    (await ask(`/organizations/applications/${site.names.application}/secrets`)) as { id: string }[]
  const [first] = await secrets()
  const page = await site.enter(site.organization, path)
  await press(page, 'Add secret')
  await dialogOf(page).getByRole('button', { name: 'Add secret' }).click()
  const secret = (await dialogOf(page).locator('pre').last().innerText()).trim()
  await press(page, 'I have stored it')
  const rows = rowsOf(page, 'Client secrets')
  await expect.poll(() => rows.count()).toBe(2)
  expect(await page.content()).not.toContain(secret)
  await press(page, 'Add secret')
  await dialogOf(page).getByRole('button', { name: 'Add secret' }).click()
  await dialogOf(page).getByRole('alert').waitFor()
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await rows
    .filter({ hasText: first?.id ?? '' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await dialogOf(page).getByRole('button', { name: 'Delete secret' }).click()
  await saying(page, 'The client secret is deleted.')
  await expect.poll(() => rows.count()).toBe(1)
  expect((await secrets()).map(({ id }) => id)).not.toContain(first?.id)
})

test('A session is ended, the application is told, and its logout token is sent once more', async () => {
  const { person, application } = site.names
  const page = await site.enter(site.organization, `/persons/${person}`)
  const sessions = rowsOf(page, 'Sessions')
  await expect.poll(() => sessions.count()).toBe(2)
  await sessions.first().getByRole('button', { name: 'End' }).click()
  await dialogOf(page).getByRole('button', { name: 'End session' }).click()
  await saying(page, 'The session has ended.')
  await expect.poll(() => sessions.count()).toBe(1)
  await site.receiver.waitFor('/logout', 2)
  await site.go(page, `/sign-in/applications/${application}`)
  const told = rowsOf(page, 'Logout tokens')
  await expect.poll(() => told.count()).toBe(2)
  await told.first().getByRole('link').click()
  await heading(page, 'Logout token')
  const attempts = page.getByRole('region', { name: 'Attempts' })
  await attempts.getByRole('heading', { name: /^Attempt 1/ }).waitFor()
  expect(await attempts.innerText()).toContain('200')
  await press(page, 'Resend')
  await dialogOf(page).getByRole('button', { name: 'Resend' }).click()
  await saying(page, 'The logout token is due at once.')
  await site.receiver.waitFor('/logout', 3)
  await attempts.getByRole('heading', { name: /^Attempt 2/ }).waitFor()
})
