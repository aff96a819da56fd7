import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { pngOf } from '../../../server/tests/support/pictures.ts'
import { dialogOf, excessOf, heading, press, type Site, startSite } from '../support/site.ts'
import { untilQuiet } from '../support/visit.ts'

let site: Site

beforeAll(async () => {
  // The keys of the organization are older than this.
  site = await startSite({ SIGNET_KEY_LEAD: '1h' })
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const confirm = (page: Page, name: string) => dialogOf(page).getByRole('button', { name }).click()
const saying = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor()

/** Just after a rotation an emergency is refused for some seconds, so its button is pressed until the dialog is gone. */
const withdraw = (page: Page) =>
  expect
    .poll(
      async () => {
        await dialogOf(page)
          .getByRole('button', { name: 'Withdraw the key' })
          .click({ timeout: 1_000 })
          .catch(() => {})
        return dialogOf(page).count()
      },
      { timeout: 60_000, interval: 2_000 },
    )
    .toBe(0)

type VerificationKey = { kid: string; state: string }

describe('Keys', () => {
  test('A key is made with its scopes, shown this once, works, and is refused once it is revoked', async () => {
    const page = await site.enter(site.organization, '/keys/new')
    await page.getByLabel('Name', { exact: true }).fill('Nightly export')
    await page.getByLabel('persons', { exact: true }).selectOption('read')
    await press(page, 'Create API key')
    await saying(page, 'The key is made.')
    const apiKey = await page.locator('pre').innerText()
    const asKey = { ...site.organization, apiKey: apiKey.trim() }
    expect((await site.signet.as(asKey, 'GET', '/persons')).status).toBe(200)
    expect((await site.signet.as(asKey, 'GET', '/groups')).status).toBe(403)
    await page.getByRole('link', { name: 'Done' }).click()
    await heading(page, 'Keys')
    expect(await page.content()).not.toContain(asKey.apiKey)
    await page
      .getByRole('row', { name: /Nightly export/ })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await confirm(page, 'Revoke key')
    await saying(page, 'The key is revoked.')
    await expect.poll(() => page.getByRole('row', { name: /Nightly export/ }).count()).toBe(0)
    expect((await site.signet.as(asKey, 'GET', '/persons')).status).toBe(401)
  })

  test('A key is renamed in its list, and one without a name gets one', async () => {
    const { body } = await site.signet.as(site.organization, 'POST', '/organizations/api-keys', { read_only: true })
    const made = body.result
    const page = await site.enter(site.organization, '/keys')
    await press(page, `Name the key ${made.id}`)
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('Billing')
    await confirm(page, 'Save name')
    await saying(page, 'The name is saved.')
    await press(page, 'Rename Billing')
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('Billing of the shop')
    await confirm(page, 'Save name')
    await page.getByRole('row', { name: /Billing of the shop/ }).waitFor()
    await site.signet.as(site.organization, 'DELETE', `/organizations/api-keys/${made.id}`)
  })

  test('Verification keys are rotated, but not too soon; an emergency wants a word typed', async () => {
    const published = async () => {
      const { body } = await site.signet.as(site.organization, 'GET', '/organizations/webhooks/verification-keys')
      // The list also has keys that have left the set, for some minutes.
      const isIn = ({ state }: VerificationKey) => state !== 'withdrawn'
      return body.result.filter(isIn).map(({ kid }: VerificationKey) => kid)
    }
    const before = await published()
    const page = await site.enter(site.organization, '/keys/verification')
    await press(page, 'Rotate now')
    await confirm(page, 'Rotate')
    await saying(page, 'Another key signs now.')
    const rotated = await published()
    expect(rotated).toEqual(expect.arrayContaining(before))
    await press(page, 'Rotate now')
    await confirm(page, 'Rotate')
    await dialogOf(page)
      .getByRole('alert')
      .getByText(/published long enough/)
      .waitFor()
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
    await press(page, 'Emergency rotation')
    expect(await dialogOf(page).getByRole('button', { name: 'Withdraw the key' }).isDisabled()).toBe(true)
    await page.getByLabel('Type emergency to confirm').fill('emergency')
    await withdraw(page)
    expect((await published()).filter((kid: string) => before.includes(kid))).toEqual([])
  })
})

describe('Settings and the audit log', () => {
  test('A change of the settings is saved, and the audit log shows what was before and after', async () => {
    const page = await site.enter(site.organization, '/settings')
    const domains = page.getByLabel('Domains of new persons')
    await domains.fill('not a domain')
    await press(page, 'Save')
    await expect.poll(() => domains.getAttribute('aria-invalid')).toBe('true')
    await domains.fill('northwind.example')
    await press(page, 'Save')
    await saying(page, 'The settings are saved.')
    await site.go(page, '/audit-log?action=changeSettings')
    await page.locator('main summary').filter({ hasText: 'Change settings' }).first().click()
    const difference = page.getByRole('table').filter({ hasText: 'After' })
    expect(await difference.innerText()).toMatch(/allowed_email_domains[\s\S]*northwind\.example/)
    expect(await page.locator('main').innerText()).toMatch(/by the console/)
  })

  test('The look of the sign-in pages is saved, with its logo, and shown beside the form', async () => {
    const page = await site.enter(site.organization, '/settings')
    await page.getByLabel('Display name').fill('Northwind')
    await page.getByLabel('Accent colour').fill('blue')
    await press(page, 'Save look')
    await page.getByText('must be a colour as #rrggbb').waitFor()
    await page.getByLabel('Accent colour').fill('#00695c')
    await press(page, 'Save look')
    await saying(page, 'The look is saved.')
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(40, 20) }
    await page.getByLabel('Logo').setInputFiles(file)
    await press(page, 'Save logo')
    await saying(page, 'The logo is saved.')
    const preview = page.getByRole('img', { name: 'Northwind' })
    await preview.waitFor()
    await expect.poll(() => page.evaluate("document.querySelector('figure img')?.naturalWidth")).toBe(40)
  })
})

describe('The operator', () => {
  test('An organization is created with its key, gets another one, and is deleted once its name is typed', async () => {
    const page = await site.operate('/organizations/new')
    await page.getByLabel('Name', { exact: true }).fill('Contoso')
    await press(page, 'Create organization')
    await saying(page, 'The organization has an admin key.')
    const apiKey = (await page.locator('pre').innerText()).trim()
    await page.getByRole('link', { name: 'To the organization' }).click()
    await heading(page, 'Contoso')
    const id = /organizations\/([\da-f-]{36})/.exec(page.url())?.[1] ?? ''
    expect((await site.signet.as({ id, apiKey }, 'GET', '/persons')).status).toBe(200)
    await press(page, 'Make a key')
    await confirm(page, 'Make the key')
    const another = (await page.locator('pre').innerText()).trim()
    expect(another).not.toBe(apiKey)
    expect((await site.signet.as({ id, apiKey: another }, 'GET', '/persons')).status).toBe(200)
    await page.getByLabel('Name', { exact: true }).fill('Contoso Ltd')
    await press(page, 'Save')
    await heading(page, 'Contoso Ltd')
    await press(page, 'Delete organization')
    await page.getByLabel('Type Contoso Ltd to confirm').fill('Contoso Ltd')
    await confirm(page, 'Delete organization')
    await heading(page, 'Organizations')
    expect((await site.signet.as({ id, apiKey }, 'GET', '/persons')).status).toBe(401)
  })

  test('Among the pages of the operator there is none of an organization, and no request is refused', async () => {
    const page = await site.operate()
    await site.go(page, '/')
    await heading(page, 'Organizations')
    const ofOrganizations = ['/webhooks', `/webhooks/${site.names.billing}/settings`, '/keys/new', '/audit-log']
    expect(await refusedOn(page, ofOrganizations)).toEqual([])
  })

  test('Among the pages of an organization there is none of the operator, and no request is refused', async () => {
    const page = await site.enter(site.organization, '/persons')
    const ofOperators = ['', `/${site.organization.id}`, '/processes', '/new'].map((path) => `/organizations${path}`)
    expect(await refusedOn(page, ofOperators)).toEqual([])
  })

  /** Opens each of the paths, where there is no page, and gives the requests that were refused. */
  async function refusedOn(page: Page, paths: string[]): Promise<string[]> {
    const refused: string[] = []
    page.on('response', (reply) => reply.status() >= 400 && refused.push(`${reply.status()} ${reply.url()}`))
    for (const path of paths) {
      await site.go(page, path)
      await heading(page, 'No such page')
    }
    await untilQuiet(page)
    return refused
  }

  test('Processes and regions are listed as they are', async () => {
    const page = await site.operate('/organizations/processes')
    const processes = page.getByRole('table', { name: 'Processes' })
    expect(await processes.innerText()).toMatch(/alive/)
    await site.go(page, '/organizations/regions')
    expect(await page.getByRole('table', { name: 'Regions' }).innerText()).toMatch(/this one/)
  })
})

test('An organization with nothing has pages that say what to do', async () => {
  const page = await site.enter(site.newOrganization, '/')
  await page.getByText('signet listen').first().waitFor()
  for (const path of ['/webhooks', '/deliveries', '/persons', '/groups', '/sign-in', '/sign-in/applications']) {
    await site.go(page, path)
    expect([path, await page.getByText(/no .* yet|Nothing was|No .* yet/i).count()]).not.toEqual([path, 0])
    expect(await excessOf(page)).toBe(0)
  }
})
