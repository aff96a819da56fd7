import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Organization } from '../../../server/tests/support/signet.ts'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = (method: string, path: string, body?: unknown) => site.signet.as(site.organization, method, path, body)

async function anotherKey(): Promise<Organization & { keyId: string }> {
  const { body } = await as('POST', '/organizations/api-keys', { name: 'Short' })
  return { id: site.organization.id, apiKey: body.result.api_key, keyId: body.result.id }
}

/** A form that is being filled when the key of its session is revoked, and sent afterwards. */
async function loseSession(): Promise<Page> {
  const { keyId, ...organization } = await anotherKey()
  const page = await site.enter(organization, '/webhooks/new')
  await page.getByLabel('Name', { exact: true }).fill('Typed before')
  await page.getByLabel('Target URL').fill(site.receiver.url(`/${keyId}`))
  await page.getByLabel('Description').fill('A long text that nobody wants to type twice')
  await as('DELETE', `/organizations/api-keys/${keyId}`)
  await press(page, 'Create webhook')
  await page.getByRole('dialog', { name: 'Your session is over' }).waitFor()
  return page
}

async function signInAgain(page: Page, { id, apiKey }: Organization) {
  const dialog = page.getByRole('dialog', { name: 'Your session is over' })
  await dialog.getByLabel('Organization ID').fill(id)
  await dialog.getByLabel('API key').fill(apiKey)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('A session that ends while somebody types', () => {
  test('What was typed is still there after a sign-in with another key, and can be saved', async () => {
    const page = await loseSession()
    await signInAgain(page, site.organization)
    expect(await page.getByLabel('Description').inputValue()).toBe('A long text that nobody wants to type twice')
    await press(page, 'Create webhook')
    await heading(page, 'Typed before')
  })

  test("The key of another organization leads to the top, with nothing of the former's", async () => {
    const page = await loseSession()
    await signInAgain(page, site.newOrganization)
    await heading(page, 'Home')
    expect(new URL(page.url()).pathname).toBe(`/console/o/${site.newOrganization.id}/`)
    await page.getByText('Fresh Start').first().waitFor()
    expect(await page.content()).not.toContain('Typed before')
  })

  test('A wrong key in the dialog is refused there, and the dialog stays', async () => {
    const page = await loseSession()
    const dialog = page.getByRole('dialog', { name: 'Your session is over' })
    await dialog.getByLabel('API key').fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(true)
  })
})

test('Who signs out leaves nothing: neither Back nor the address opens a page again', async () => {
  const page = await site.enter(site.organization, '/persons')
  await press(page, 'Sign out')
  await page.getByLabel('Organization ID').waitFor()
  await page.goBack()
  await page.getByLabel('Organization ID').waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
})

describe('Two administrators', () => {
  test('A save shows what changed since the form was opened, and writes only on a second word', async () => {
    const { billing } = site.names
    const page = await site.enter(site.organization, `/webhooks/${billing}/settings`)
    await page.getByLabel('Description').fill('Mine')
    await as('PATCH', `/organizations/webhooks/${billing}`, { description: 'Theirs', timeout: '5s' })
    await press(page, 'Save')
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' })
    expect(await dialog.innerText()).toMatch(/description[\s\S]*Theirs/)
    expect(await dialog.innerText()).toMatch(/timeout[\s\S]*5s/)
    expect((await as('GET', `/organizations/webhooks/${billing}`)).body.result.description).toBe('Theirs')
    await dialog.getByRole('button', { name: 'Back to the form' }).click()
    expect(await page.getByLabel('Description').inputValue()).toBe('Mine')
    await press(page, 'Save')
    await dialog.getByRole('button', { name: 'Save over it' }).click()
    await page.getByText('The webhook is saved.').waitFor()
    // What only the other one changed stays.
    expect((await as('GET', `/organizations/webhooks/${billing}`)).body.result).toMatchObject({
      description: 'Mine',
      timeout: '5s',
    })
  })

  /** Saves the form, and is shown what somebody else wrote meanwhile. */
  async function expectClash(page: Page, save: string, theirs: string) {
    await press(page, save)
    expect(await dialogOf(page).innerText()).toContain(theirs)
  }

  test('A clash is shown for settings, applications and the groups of a person', async () => {
    const page = await site.enter(site.organization, '/settings')
    await page.getByLabel('Domains of new persons').fill('mine.example')
    await as('PATCH', '/organizations/settings', { allowed_email_domains: ['theirs.example'] })
    await expectClash(page, 'Save', 'theirs.example')
    await site.go(page, `/sign-in/applications/${site.names.application}`)
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await as('PATCH', `/organizations/applications/${site.names.application}`, { name: 'Theirs' })
    await expectClash(page, 'Save', 'Theirs')
    const person = `/persons/${site.names.person}`
    await site.go(page, person)
    await page.getByLabel('Name of a group').fill('Board')
    await page.getByLabel('Name of a group').press('Enter')
    await as('PUT', `${person}/groups`, { groups: ['Interns'] })
    await expectClash(page, 'Save groups', 'Interns')
  })

  test('A clash is shown for handles, credentials and descriptions of groups', async () => {
    const person = `/persons/${site.names.person}`
    const page = await site.enter(site.organization, person)
    await page.getByLabel('Handle', { exact: true }).first().fill('mine@northwind.example')
    await as('PATCH', person, { handles: [{ type: 'EmailAddress', value: 'theirs@northwind.example' }] })
    await expectClash(page, 'Save handles', 'theirs@northwind.example')
    const credential = encodeURIComponent(site.names.credential ?? '')
    await site.go(page, `/sign-in/credentials/${credential}`)
    await page.getByLabel('Label').fill('Mine')
    await as('PATCH', `/organizations/sso/oidc/provider-credentials/${credential}`, { label: 'Theirs' })
    await expectClash(page, 'Save', 'Theirs')
    await site.go(page, '/groups/Finance')
    await page.getByLabel('Description').fill('Mine')
    await as('PATCH', '/groups/Finance', { description: 'Theirs' })
    await expectClash(page, 'Save description', 'Theirs')
  })

  test('A clash between two operators is shown for an organization', async () => {
    const path = `/organizations/${site.newOrganization.id}`
    const page = await site.operate(path)
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await site.signet.operate('PATCH', path, { name: 'Theirs' })
    await expectClash(page, 'Save', 'Theirs')
  })
})

test('An organization ID with letters that no header may have is refused in words, as any other that is none', async () => {
  const page = await site.profile()
  await page.goto(`${site.signet.baseUrl}/console`)
  await page.getByLabel('Organization ID').fill('01890000–0000')
  await page.getByLabel('API key').fill('any')
  await press(page, 'Sign in')
  expect(await page.getByRole('alert').innerText()).toMatch(/^Organization ID: /)
})
