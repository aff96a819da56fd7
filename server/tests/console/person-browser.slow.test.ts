import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SignInSite, type SiteTenant, signetHost, startSignInSite } from '../support/sign-in-site.ts'

let site: SignInSite

beforeAll(async () => {
  site = await startSignInSite()
})

afterAll(() => site?.stop())

afterEach(() => Promise.all(site.browser.contexts().map((context) => context.close())))

const ada = { name: 'Ada', email: 'ada@example.com' }

async function logIn(page: Page, { name, email } = ada) {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** A person of the application, who may enter the console. */
async function newAdministrator(page: Page, tenant: SiteTenant) {
  await page.goto(tenant.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await logIn(page)
  const { sub } = JSON.parse(await page.locator('#claims').innerText())
  const as = (method: string, path: string, body: object) => site.node.as(tenant.organization, method, path, body)
  await as('POST', '/groups', { name: 'administrators' })
  await as('POST', `/persons/${sub}/groups`, { groups: ['administrators'] })
  await as('PATCH', '/organizations/settings', { console_access: [{ group: 'administrators', role: 'owner' }] })
  return sub
}

/** What the page asks when it is opened. */
const sessionIn = (page: Page, { organization }: SiteTenant) =>
  page.evaluate(async (id) => {
    const headers = { 'service-console': '1', 'service-orgid': id }
    const answer = await fetch('/console/session', { headers })
    const { result } = (await answer.json()) as { result?: { by: object } }
    return { status: answer.status, by: result?.by }
  }, organization.id)

const signetOf = (tenant: SiteTenant) => new URL(site.issuerOf(tenant.organization)).origin
const beginAt = (tenant: SiteTenant, more = '') =>
  `${signetOf(tenant)}/console/sign-in?organization_id=${tenant.organization.id}${more}`

test('A page that a person comes to by way of the provider, another site, has its session at once', async () => {
  const tenant = await site.tenant(['Google'])
  const first = await site.profile()
  const personId = await newAdministrator(await first.newPage(), tenant)
  const profile = await site.profile()
  const page = await profile.newPage()
  // Another site asked for the first page: the browser sends its Strict cookies to no page that such a chain of redirects ends at.
  await page.goto(beginAt(tenant, `&return_to=/console/o/${tenant.organization.id}/groups`))
  await logIn(page)
  await page.waitForURL(/\/console\/o\/[^/]+\/groups$/)
  expect(new URL(page.url()).hostname).toBe(signetHost)
  expect(await sessionIn(page, tenant)).toMatchObject({ status: 200, by: { type: 'person', id: personId } })
  const cookies = await profile.cookies()
  const shown = cookies
    .filter(({ name }) => /signet-(console|continue)/.test(name))
    .map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }))
  const name = `__Host-signet-console-${tenant.organization.id}`
  expect(shown).toEqual([{ name, httpOnly: true, secure: true, sameSite: 'Strict' }])
  await page.reload()
  expect((await sessionIn(page, tenant)).status).toBe(200)
})

test('With the session that the browser has at the issuer there is no page on the way', async () => {
  const tenant = await site.tenant(['Google', 'Okta'])
  const page = await (await site.profile()).newPage()
  await page.goto(tenant.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Google' }).click()
  await logIn(page)
  const { sub } = JSON.parse(await page.locator('#claims').innerText())
  const as = (method: string, path: string, body?: object) => site.node.as(tenant.organization, method, path, body)
  await as('POST', '/groups', { name: 'administrators' })
  await as('POST', `/persons/${sub}/groups`, { groups: ['administrators'] })
  await as('PATCH', '/organizations/settings', { console_access: [{ group: 'administrators', role: 'reader' }] })
  await page.goto(beginAt(tenant))
  await page.waitForURL(/\/console\/o\/[^/]+\/$/)
  expect((await sessionIn(page, tenant)).by).toMatchObject({ id: sub, roles: ['reader'] })
  expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
})

test('Two tabs that begin at once both end at their own page, and a third browser gets nothing of it', async () => {
  const tenant = await site.tenant(['Google'])
  const profile = await site.profile()
  const [one, two] = [await profile.newPage(), await profile.newPage()]
  await newAdministrator(one, tenant)
  await Promise.all([
    one.goto(beginAt(tenant, '&fresh=1')),
    two.goto(beginAt(tenant, `&fresh=1&return_to=/console/o/${tenant.organization.id}/groups`)),
  ])
  await logIn(one)
  await one.waitForURL(/\/console\/o\/[^/]+\/$/)
  await logIn(two)
  await two.waitForURL(/\/console\/o\/[^/]+\/groups$/)
  expect((await sessionIn(one, tenant)).status).toBe(200)
  const stranger = await (await site.profile()).newPage()
  await stranger.goto(`${signetOf(tenant)}/console/o/${tenant.organization.id}/`)
  expect((await sessionIn(stranger, tenant)).status).toBe(401)
})

test('The link of another site begins nothing: the person comes to the page that offers the sign-in', async () => {
  const tenant = await site.tenant(['Google'])
  const page = await (await site.profile()).newPage()
  await page.goto(tenant.url)
  await page.evaluate(`location.assign(${JSON.stringify(beginAt(tenant))})`)
  await page.waitForURL(/\/console\/o\/[^/]+\/$/)
  expect((await sessionIn(page, tenant)).status).toBe(401)
})
