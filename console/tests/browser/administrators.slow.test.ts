import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SignInSite, startSignInSite } from '../../../server/tests/support/sign-in-site.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'
import { client } from '../../../server/tests/support/upstreams.ts'
import { obstaclesOf } from '../support/obstacles.ts'
import { dialogOf, excessOf, heading, press } from '../support/site.ts'
import { goTo, signIn, untilQuiet } from '../support/visit.ts'

/** Signet behind https, and a provider that asks who one is. */
let site: SignInSite
let organization: Organization
let baseUrl: string

beforeAll(async () => {
  site = await startSignInSite()
})
afterAll(() => site?.stop())
beforeEach(async () => {
  organization = await site.organization([])
  baseUrl = new URL(site.issuerOf(organization)).origin
})
afterEach(async () => {
  expect(site.violations.splice(0)).toEqual([])
  await Promise.all(site.browser.contexts().map((context) => context.close()))
})

const maxWaitMs = 45_000

async function newPage() {
  const page = await (await site.profile({ reducedMotion: 'reduce' })).newPage()
  page.setDefaultTimeout(maxWaitMs)
  return page
}
const as = async (method: string, path: string, body?: unknown) =>
  (await site.node.as(organization, method, path, body)).body.result
const go = async (page: Page, path: string) => {
  await goTo(page, path)
  await untilQuiet(page)
}

async function addCredential(page: Page) {
  await page.getByRole('link', { name: 'Add credential' }).click()
  await page.getByRole('link', { name: /Google/ }).click()
  await page.getByLabel('Client ID').fill(client.clientId)
  await page.getByLabel('Client secret').fill(client.clientSecret)
  await page.getByLabel('Label').fill('Staff')
  await press(page, 'Create credential')
  await page.getByRole('heading', { level: 1, name: /Staff/ }).waitFor()
}

/** Somebody opens an invitation in a browser of their own, signs in, and is at Home. */
async function accept(url: string, name: string): Promise<Page> {
  const page = await newPage()
  await page.goto(url)
  await press(page, 'Continue with Staff')
  await heading(page, 'Example Login')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(`${name.toLowerCase()}@example.com`)
  await press(page, 'Log in')
  await heading(page, 'Home')
  return page
}

const invitationOn = async (page: Page) =>
  (await page.getByRole('figure', { name: 'Invitation' }).locator('pre').innerText()).trim()

test('From a key to an owner who is a person, to a second administrator, who ends what the first one began', async () => {
  const admin = await newPage()
  await signIn(admin, baseUrl, organization, '/')
  await addCredential(admin)
  await go(admin, '/')
  await press(admin, 'Invite yourself')
  await admin.getByRole('link', { name: 'Open the invitation' }).waitFor()
  const owner = await accept(await invitationOn(admin), 'Ada')
  // The page of the key notices it.
  await admin.getByRole('link', { name: 'Invite a second owner' }).waitFor()
  await owner.getByRole('link', { name: 'Invite a second owner' }).waitFor()
  expect(await as('GET', '/persons?group=owners')).toEqual([expect.objectContaining({ active: true })])

  await as('POST', '/groups', { name: 'auditors' })
  await go(owner, '/settings/administrators')
  await owner.getByLabel('Name of a group').fill('auditors')
  await press(owner, 'Add')
  await press(owner, 'Save access')
  await owner.getByText('Who may enter is saved.').waitFor()
  await go(owner, '/settings/administrators/invite?group=auditors')
  await press(owner, 'Create invitation')
  await dialogOf(owner).waitFor()
  const reader = await accept(await invitationOn(owner), 'Grace')
  await go(reader, '/settings/administrators')
  await reader.getByText('Only owners and admin keys change who may enter.').waitFor()
  expect(await reader.getByRole('button', { name: 'Save access' }).count()).toBe(0)
  expect(await reader.getByRole('table', { name: 'Administrators' }).innerText()).toMatch(
    /Ada[\s\S]*Owner[\s\S]*Reader/i,
  )

  await press(owner, 'I have copied it')
  await go(owner, '/settings/sessions')
  const row = owner.getByRole('row', { name: /grace/i })
  await row.getByRole('button', { name: /^End the session of/ }).click()
  await dialogOf(owner).getByRole('button', { name: 'End session' }).click()
  await owner.getByText('The session has ended.').waitFor()
  await expect.poll(() => row.count()).toBe(0)
  const refused = reader.waitForResponse((response) => response.url().includes('/groups') && response.status() === 401)
  await reader.getByRole('link', { name: 'Groups', exact: true }).click()
  await refused

  await go(owner, '/settings/administrators')
  await owner.getByRole('switch', { name: 'Keys may sign in to the console' }).click()
  await owner.getByText('Try your own sign-in first.').waitFor()
  await press(owner, 'Save')
  await owner.getByText('API keys open the console no more.').waitFor()
  await admin.reload()
  await admin.getByRole('button', { name: 'Continue with Staff' }).waitFor()
  expect(await admin.getByRole('navigation', { name: 'Sections' }).count()).toBe(0)
})

test('A run that broke off is repeated, and a group with members is warned of', async () => {
  await as('POST', '/organizations/sso/oidc/provider-credentials', {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    provider: 'provider_a',
    label: 'Staff',
  })
  await as('POST', '/groups', { name: 'everybody' })
  await as('POST', '/persons', { groups: ['everybody'] })
  const page = await newPage()
  await signIn(page, baseUrl, organization, '/')
  let isBroken = true
  await page.route('**/console-invitations', (route) => (isBroken ? route.abort() : route.continue()))
  await press(page, 'Invite yourself')
  await page.getByRole('alert').first().waitFor()
  expect((await as('GET', '/organizations/settings')).console_access).toEqual([{ group: 'owners', role: 'owner' }])
  isBroken = false
  await press(page, 'Invite yourself')
  await page.getByRole('link', { name: 'Open the invitation' }).waitFor()
  await page.reload()
  await page.getByLabel('Name of the group').fill('everybody')
  await page.getByText('The group has members, 1 now: all of them become owners.', { exact: false }).waitFor()
})

test('By the keyboard alone a group is let in, and the page of administrators is in nobody’s way at any width', async () => {
  await as('POST', '/groups', { name: 'desk' })
  const page = await newPage()
  await signIn(page, baseUrl, organization, '/settings/administrators')
  await page.getByLabel('Name of a group').focus()
  await page.keyboard.insertText('desk')
  await page.keyboard.press('Tab')
  await page.keyboard.press('S')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save access' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Who may enter is saved.').waitFor()
  expect((await as('GET', '/organizations/settings')).console_access).toEqual([{ group: 'desk', role: 'support' }])
  for (const path of ['/settings/administrators', '/settings/administrators/invite', '/settings/sessions', '/'])
    for (const width of [390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await go(page, path)
      expect([path, width, await excessOf(page)]).toEqual([path, width, 0])
      expect(await obstaclesOf(page, {})).toEqual([])
    }
})

test('Keys can be kept out only once somebody is an owner', async () => {
  const page = await newPage()
  await signIn(page, baseUrl, organization, '/settings/administrators')
  await page.getByText(/It stays on until a person who can sign in is an owner\./).waitFor()
  expect(await page.getByRole('switch', { name: 'Keys may sign in to the console' }).isDisabled()).toBe(true)
})
