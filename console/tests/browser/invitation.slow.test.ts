import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SignInSite, signetHost, startSignInSite } from '../../../server/tests/support/sign-in-site.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'

let site: SignInSite

beforeAll(async () => {
  site = await startSignInSite()
})
afterAll(() => site?.stop())
afterEach(async () => {
  await Promise.all(site.browser.contexts().map((context) => context.close()))
  expect(site.violations.splice(0)).toEqual([])
})

const as = (organization: Organization, method: string, path: string, body?: object) =>
  site.node.as(organization, method, path, body)

async function invite(organization: Organization): Promise<string> {
  await as(organization, 'POST', '/groups', { name: 'administrators' })
  const console_access = [{ group: 'administrators', role: 'owner' }]
  await as(organization, 'PATCH', '/organizations/settings', { console_access })
  const { body } = await as(organization, 'POST', '/organizations/console-invitations', { group: 'administrators' })
  return body.result.url
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

async function logIn(page: Page, name: string) {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(`${name.toLowerCase()}@example.com`)
  await page.getByRole('button', { name: 'Log in' }).click()
}

test('From an invitation to the console: one button, the sign-in, and Home; the token leaves the address at once', async () => {
  const organization = await site.organization(['Staff', 'Partners'])
  const url = await invite(organization)
  const page = await (await site.profile()).newPage()
  await page.goto(url)
  await expect.poll(() => heading(page).innerText()).toBe('Become an administrator of Northwind')
  expect(page.url()).toBe(url.replace(/#.*/, ''))
  await expect.poll(() => page.locator('main').innerText()).toContain('do everything in its console')
  expect(await page.getByRole('button').allInnerTexts()).toEqual([
    expect.stringContaining('Continue with Staff'),
    expect.stringContaining('Continue with Partners'),
  ])
  await page.getByRole('button', { name: 'Continue with Staff' }).click()
  await logIn(page, 'Ada')
  await page.waitForURL(`**/console/o/${organization.id}/`)
  expect(new URL(page.url()).hostname).toBe(signetHost)
  await expect.poll(() => heading(page).innerText()).toBe('Home')
  const { body } = await as(organization, 'GET', '/groups/administrators/persons')
  expect(body.result).toHaveLength(1)
  await page.goto('about:blank')
  await page.goto(url)
  await expect.poll(() => heading(page).innerText()).toBe('This invitation does not work')
})

test('Whoever comes back from the provider without having signed in may choose again', async () => {
  const organization = await site.organization(['Staff'])
  const url = await invite(organization)
  const page = await (await site.profile()).newPage()
  await page.goto(url)
  const button = page.getByRole('button', { name: 'Continue with Staff' })
  await button.click()
  await page.getByLabel('Name').waitFor()
  await page.goto(url)
  await button.click()
  await logIn(page, 'Grace')
  await page.waitForURL(`**/console/o/${organization.id}/`)
})

test('Without a credential the page says so, and the invitation stays', async () => {
  const organization = await site.organization([])
  const url = await invite(organization)
  const page = await (await site.profile()).newPage()
  await page.goto(url)
  await page.getByRole('heading', { name: 'There is nothing to sign in with yet' }).waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  expect((await as(organization, 'GET', '/organizations/console-invitations')).body.result).toHaveLength(1)
})

test('Another invitation in the same tab shows its own organization; a made-up one says that it does not work', async () => {
  const [one, other] = [await site.organization(['Staff']), await site.node.organization({ name: 'Contoso' })]
  const [first, second] = [await invite(one), await invite(other)]
  const page = await (await site.profile()).newPage()
  await page.goto(first)
  await expect.poll(() => heading(page).innerText()).toContain('Northwind')
  await page.goto(second)
  await expect.poll(() => heading(page).innerText()).toContain('Contoso')
  await page.goto(`${first.replace(/#.*/, '')}#0123`)
  await expect.poll(() => heading(page).innerText()).toBe('This invitation does not work')
})
