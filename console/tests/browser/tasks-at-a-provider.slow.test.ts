import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SignInSite, startSignInSite } from '../../../server/tests/support/sign-in-site.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'
import { client } from '../../../server/tests/support/upstreams.ts'
import { countActs, expectActs, paste } from '../support/acts.ts'
import { dialogOf, heading, press } from '../support/site.ts'
import { signIn, untilQuiet } from '../support/visit.ts'

/** Signet behind https, and a provider that asks who one is: what is done there is not counted. */
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

const credentials = '/organizations/sso/oidc/provider-credentials'
const as = async (method: string, path: string, body?: unknown) =>
  (await site.node.as(organization, method, path, body)).body.result
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('link', { name, ...(typeof name === 'string' && { exact: true }) }).click()

/** At Home, signed in; what is done from then on is counted. */
async function begin() {
  const page = await (await site.profile()).newPage()
  const acts = await countActs(page)
  await signIn(page, baseUrl, organization, '/')
  await heading(page, 'Home')
  await untilQuiet(page)
  acts()
  return { page, acts }
}

/** Presses the button, which opens the provider in a window of its own, and signs in there. */
async function tryAtProvider(page: Page, name: string) {
  const opening = page.context().waitForEvent('page')
  await press(page, name)
  const window = await opening
  await window.getByLabel('Name').fill('Ada')
  await window.getByLabel('E-mail').fill('ada@example.com')
  await press(window, 'Log in')
}

test('Google is set up for a customer, and tried', async () => {
  const { page, acts } = await begin()
  await follow(page, 'Sign-in')
  await follow(page, 'Add credential')
  await follow(page, /Google/)
  await paste(page.getByLabel('Client ID'), client.clientId)
  await paste(page.getByLabel('Client secret'), client.clientSecret)
  await press(page, 'Create credential')
  await tryAtProvider(page, 'Test sign-in')
  await page.getByText('The credential works.').waitFor()
  expectActs(acts, 5, 2)
  expect(await as('GET', `${credentials}/${client.clientId}`)).toMatchObject({ active: true, provider: 'provider_a' })
})

test('A customer enters the credential through a link, which is made, used and confirmed', async () => {
  const { page, acts } = await begin()
  await follow(page, 'Sign-in')
  await follow(page, 'Link for a customer')
  await heading(page, 'Create link')
  await page.getByLabel('Provider').selectOption({ label: 'Google' })
  await page.getByLabel('Label').fill('Contoso')
  await press(page, 'Create link')
  const link = (await dialogOf(page).locator('pre').first().innerText()).trim()
  expectActs(acts, 5, 1)

  const theirs = await (await site.profile()).newPage()
  const customer = await countActs(theirs)
  await theirs.goto(link)
  await paste(theirs.getByLabel('Client ID'), client.clientId)
  await paste(theirs.getByLabel('Client secret'), client.clientSecret)
  await press(theirs, 'Send')
  await heading(theirs, 'The credential is sent')
  expectActs(customer, 1, 2)

  const home = await begin()
  await follow(home.page, 'Confirm Contoso')
  await press(home.page, 'Activate credential')
  await dialogOf(home.page).getByRole('button', { name: 'Activate credential' }).click()
  await home.page.getByText('The credential is active.').waitFor()
  expectActs(home.acts, 3, 0)
  expect(await as('GET', `${credentials}/${client.clientId}`)).toMatchObject({ active: true, label: 'Contoso' })
})

test('A wrong secret is found by a test sign-in, and put right', async () => {
  await as('POST', credentials, {
    provider: 'provider_a',
    client_id: client.clientId,
    client_secret: 'the-secret-of-another-client-0123456789',
    label: 'Staff',
  })
  const { page, acts } = await begin()
  await follow(page, 'Sign-in')
  await page.getByRole('table', { name: 'Credentials' }).locator('tbody a').first().click()
  await tryAtProvider(page, 'Test sign-in')
  await page.getByText('The sign-in would fail at the step that is marked.').waitFor()
  const failed = page
    .getByRole('list', { name: 'Steps of the test' })
    .getByRole('listitem')
    .filter({ hasText: 'failed' })
  expect(await failed.allInnerTexts()).toEqual([expect.stringMatching(/Exchange the code for tokens/)])
  expectActs(acts, 3, 0)
  await press(page, 'Mend client_secret')
  await page.keyboard.insertText(client.clientSecret)
  await press(page, 'Save')
  await page.getByText('The credential is saved.').waitFor()
  expectActs(acts, 2, 1)
})
