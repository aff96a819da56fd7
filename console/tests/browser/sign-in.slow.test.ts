import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SignInSite, startSignInSite } from '../../../server/tests/support/sign-in-site.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'
import { client } from '../../../server/tests/support/upstreams.ts'
import { dialogOf, heading, press } from '../support/site.ts'
import { goTo, signIn, untilQuiet } from '../support/visit.ts'

/** Signet behind https, and a provider that asks who one is. */
let site: SignInSite
let organization: Organization
let baseUrl: string
let page: Page

beforeAll(async () => {
  site = await startSignInSite()
})
afterAll(() => site?.stop())
beforeEach(async () => {
  organization = await site.organization([])
  baseUrl = new URL(site.issuerOf(organization)).origin
  page = await newPage()
})
afterEach(async () => {
  expect(site.violations.splice(0)).toEqual([])
  await Promise.all(site.browser.contexts().map((context) => context.close()))
})

const newPage = async () => (await site.profile()).newPage()
const as = async (method: string, path: string, body?: unknown) =>
  (await site.node.as(organization, method, path, body)).body.result
const saying = (words: string | RegExp) => page.getByText(words).first().waitFor()
const open = async (path: string) => {
  await goTo(page, path)
  await untilQuiet(page)
}

/** Begins the test of the credential that is shown, in a window of its own, which cannot reach the console. */
async function beginTest(button: string) {
  const opening = page.context().waitForEvent('page')
  await press(page, button)
  const window = await opening
  expect(await window.evaluate('window.opener')).toBe(null)
  return window
}

async function logIn(window: Page) {
  await heading(window, 'Example Login')
  await window.getByLabel('Name').fill('Ada')
  await window.getByLabel('E-mail').fill('ada@example.com')
  await press(window, 'Log in')
}

test('A test sign-in names the secret that is wrong, and shows the claims once it is right', async () => {
  await signIn(page, baseUrl, organization, '/sign-in')
  await page.getByRole('link', { name: /^Add/ }).first().click()
  await page.getByRole('link', { name: /Google/ }).click()
  await page.getByLabel('Client ID').fill(client.clientId)
  await page.getByLabel('Client secret').fill('the-secret-of-another-client-0123456789')
  await page.getByLabel('Label').fill('Staff')
  await press(page, 'Create credential')
  await page.getByRole('heading', { level: 1, name: /Staff/ }).waitFor()
  await logIn(await beginTest('Test sign-in'))
  await saying('The sign-in would fail at the step that is marked.')
  const steps = page.getByRole('list', { name: 'Steps of the test' })
  expect(await steps.getByRole('listitem').filter({ hasText: 'failed' }).allInnerTexts()).toEqual([
    expect.stringMatching(/Exchange the code for tokens/),
  ])
  await press(page, 'Mend client_secret')
  expect(await page.locator(':focus').getAttribute('name')).toBe('client_secret')
  await page.keyboard.insertText(client.clientSecret)
  await press(page, 'Save')
  await saying('The credential is saved.')
  // The provider still knows who it is.
  await beginTest('Test again')
  await saying('The credential works.')
  expect(await page.getByRole('region', { name: 'Claims' }).innerText()).toMatch(/ada@example\.com/)
  expect(await as('GET', '/persons')).toEqual([])
  await page.reload()
  await untilQuiet(page)
  expect(await page.getByText('ada@example.com').count()).toBe(0)
})

test('What the service refuses of a credential stands beside its field', async () => {
  await signIn(page, baseUrl, organization, '/sign-in/credentials/new/provider_h')
  await page.getByLabel('Client ID').fill('0oa1')
  await page.getByLabel('Client secret').fill('x'.repeat(40))
  const url = page.getByLabel('Organization URL')
  await url.fill('https://example-admin.okta.com/path')
  await press(page, 'Create credential')
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true')
  await url.fill('https://example.okta.com')
  await press(page, 'Create credential')
  await saying('The credential is created.')
})

test('A credential is deactivated and deleted, with what follows in words', async () => {
  await site.node.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', {
    provider: 'provider_a',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    label: 'Staff',
  })
  await signIn(page, baseUrl, organization, `/sign-in/credentials/${client.clientId}`)
  await press(page, 'Deactivate credential')
  await dialogOf(page)
    .getByText(/Nobody can sign in with it any more/)
    .waitFor()
  await dialogOf(page).getByRole('button', { name: 'Deactivate credential' }).click()
  await saying('Nobody signs in with this credential.')
  await press(page, /^Delete/)
  await dialogOf(page).getByLabel('Type delete to confirm').fill('delete')
  await dialogOf(page)
    .getByRole('button', { name: /^Delete/ })
    .click()
  await heading(page, 'Sign-in')
  expect(await as('GET', '/organizations/sso/oidc/provider-credentials')).toEqual([])
})

describe('Applications', () => {
  test('An application is registered with its secret shown once, and has code with its values', async () => {
    await signIn(page, baseUrl, organization, '/sign-in/applications/new')
    await page.getByLabel('Name', { exact: true }).fill('Back office')
    await page.getByLabel('Where it runs').selectOption('true')
    const uris = page.getByLabel('Redirect URIs', { exact: true })
    await uris.fill('http://app.example.com/callback')
    await press(page, 'Register application')
    await expect.poll(() => uris.getAttribute('aria-invalid')).toBe('true')
    await uris.fill('https://app.example.com/callback')
    await press(page, 'Register application')
    const secret = (await dialogOf(page).locator('pre').last().innerText()).trim()
    await press(page, 'I have stored it')
    await heading(page, 'Ready code')
    const [{ client_id }] = await as('GET', '/organizations/applications')
    expect(await page.content()).not.toContain(secret)
    const library = page.getByLabel('Library', { exact: true })
    for (const name of await library.locator('option').allInnerTexts()) {
      await library.selectOption(name)
      if (name.endsWith('the program')) continue
      const code = page.locator('pre').filter({ hasText: client_id })
      expect([name, await code.count()]).toEqual([name, 1])
    }
    await press(page, 'Rotate secret')
    await dialogOf(page).getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog', { name: 'The client secret' }).waitFor()
    expect((await dialogOf(page).locator('pre').last().innerText()).trim()).not.toBe(secret)
    await press(page, 'I have stored it')
  })
})

describe("A link for a customer's administrator", () => {
  test('It is made, used once by somebody without a key, and confirmed', async () => {
    await signIn(page, baseUrl, organization, '/sign-in/links/new')
    await page.getByLabel('Provider').selectOption('provider_a')
    await page.getByLabel('Label').fill('Contoso')
    await press(page, 'Create link')
    const link = (await dialogOf(page).locator('pre').first().innerText()).trim()
    await press(page, 'I have copied it')
    await page.getByRole('table', { name: 'Open links' }).getByText('Contoso').waitFor()

    const theirs = await newPage()
    await theirs.goto(link)
    await theirs.getByRole('heading', { level: 1, name: /Sign-in with Google for Northwind/ }).waitFor()
    expect(theirs.url()).not.toContain('#')
    expect(await theirs.getByRole('navigation').count()).toBe(0)
    await theirs.getByLabel('Client ID').fill(client.clientId)
    await theirs.getByLabel('Client secret').fill(client.clientSecret)
    await press(theirs, 'Send')
    await heading(theirs, 'The credential is sent')
    const later = await newPage()
    await later.goto(link)
    await heading(later, 'This link does not work')

    await open('/sign-in')
    await page
      .getByRole('row', { name: /Contoso/ })
      .getByRole('link')
      .first()
      .click()
    await saying('Nobody signs in with this credential.')
    await press(page, 'Activate credential')
    await dialogOf(page).getByRole('button', { name: 'Activate credential' }).click()
    await saying('The credential is active.')
    expect(await as('GET', `/organizations/sso/oidc/provider-credentials/${client.clientId}`)).toMatchObject({
      active: true,
      label: 'Contoso',
    })
    await open('/audit-log')
    expect(await page.locator('main').innerText()).toMatch(/by a link/)
  })

  test('A link that is mistyped is told apart from nothing', async () => {
    await page.goto(`${baseUrl}/console/link#${'0'.repeat(43)}`)
    await heading(page, 'This link does not work')
  })
})
