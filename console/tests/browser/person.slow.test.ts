import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SignInSite, type SiteTenant, startSignInSite } from '../../../server/tests/support/sign-in-site.ts'
import { obstaclesOf } from '../support/obstacles.ts'
import { button, heading, press } from '../support/site.ts'

let site: SignInSite

beforeAll(async () => {
  site = await startSignInSite()
})
afterAll(() => site?.stop())
afterEach(async () => {
  await Promise.all(site.browser.contexts().map((context) => context.close()))
  expect(site.violations.splice(0)).toEqual([])
})

const consoleOf = ({ organization }: SiteTenant) => `${new URL(site.issuerOf(organization)).origin}/console/`
const homeOf = (tenant: SiteTenant) => `${consoleOf(tenant)}o/${tenant.organization.id}/`
const wayIn = 'Continue with Google'

async function logIn(page: Page) {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByRole('button', { name: 'Log in' }).click()
}

const as = ({ organization }: SiteTenant, method: string, path: string, body?: object) =>
  site.node.as(organization, method, path, body)

/** A person with a role, in a browser whose provider has a session already. */
async function newPerson(role: string): Promise<{ tenant: SiteTenant; page: Page }> {
  const tenant = await site.tenant(['Google'])
  const page = await (await site.profile()).newPage()
  await page.goto(tenant.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await logIn(page)
  const { sub } = JSON.parse(await page.locator('#claims').innerText())
  await as(tenant, 'POST', '/groups', { name: 'administrators' })
  await as(tenant, 'POST', `/persons/${sub}/groups`, { groups: ['administrators'] })
  await as(tenant, 'PATCH', '/organizations/settings', { console_access: [{ group: 'administrators', role }] })
  return { tenant, page }
}

async function enter(role: string) {
  const { tenant, page } = await newPerson(role)
  await page.goto(homeOf(tenant))
  await press(page, wayIn)
  await heading(page, 'Home')
  return { tenant, page }
}

test('Where the browser has a session a person is at Home with one press, named with the role', async () => {
  const { tenant, page } = await newPerson('owner')
  await page.goto(homeOf(tenant))
  await button(page, wayIn).waitFor()
  expect(await obstaclesOf(page, {})).toEqual([])
  await page.getByLabel('API key').waitFor()
  await press(page, wayIn)
  await heading(page, 'Home')
  await button(page, /, owner/).waitFor()
  await press(page, 'Sign out')
  await page.getByText('Your session with the provider goes on.').waitFor()
  expect(page.url()).toBe(consoleOf(tenant))
  await page.getByLabel('Organization ID').fill(tenant.organization.id)
  await page.getByRole('link', { name: 'Continue without a key' }).click()
  await button(page, wayIn).waitFor()
})

test('The page that was asked for opens after the sign-in', async () => {
  const { tenant, page } = await newPerson('reader')
  await page.goto(`${homeOf(tenant)}groups?page=1`)
  await press(page, wayIn)
  await heading(page, 'Groups')
  await page.getByText('Your role, reader, reads: you see everything and change nothing.').waitFor()
  await page.goto(`${homeOf(tenant)}groups/new`)
  await page.getByText('Your role, reader, does not allow this: it lacks groups:write.').first().waitFor()
})

test('Where keys open no console there is no form for one', async () => {
  const { tenant, page } = await newPerson('owner')
  await as(tenant, 'PATCH', '/organizations/settings', { console_key_sign_in: false })
  await page.goto(homeOf(tenant))
  await button(page, wayIn).waitFor()
  expect(await page.getByLabel('API key').count()).toBe(0)
})

test('What is grave asks a person to sign in anew in another tab; the form is kept, and sent by itself', async () => {
  const { tenant, page } = await enter('owner')
  await page.goto(`${homeOf(tenant)}keys/new`)
  await page.getByLabel('Name', { exact: true }).fill('Typed before')
  await page.getByLabel('groups', { exact: true }).selectOption('read')
  await site.inside.query(
    `update console_sessions set authenticated_at = now() - interval '2 hours' where org_id = $1`,
    [tenant.organization.id],
  )
  await press(page, 'Create API key')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  const opening = page.context().waitForEvent('page')
  await dialog.getByRole('button', { name: wayIn }).click()
  const other = await opening
  await logIn(other)
  await dialog.waitFor({ state: 'detached' })
  await expect
    .poll(async () => {
      const { body } = await as(tenant, 'GET', '/organizations/api-keys')
      return body.result.filter(({ name }: { name?: string }) => name === 'Typed before').length
    })
    .toBe(1)
})

test('A key that signs in beside a person stops the page of the person, which says whose browser it is now', async () => {
  const { tenant, page } = await enter('owner')
  await page.goto(`${homeOf(tenant)}groups/new`)
  await page.getByLabel('Name', { exact: true }).fill('Late')
  const other = await page.context().newPage()
  await other.goto(consoleOf(tenant))
  await other.getByLabel('Organization ID').fill(tenant.organization.id)
  await other.getByLabel('API key').fill(tenant.organization.apiKey)
  await press(other, 'Sign in')
  await heading(other, 'Home')
  await press(page, 'Create group')
  const dialog = page.getByRole('dialog', { name: 'This browser is signed in anew' })
  await dialog.getByText(/You opened this page as .*owner/).waitFor()
  expect((await as(tenant, 'GET', '/groups')).body.result).not.toContain('Late')
})
