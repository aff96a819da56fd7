import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { core, jo } from '../../../server/tests/support/pushing.ts'
import { button, dialogOf, heading, press, type Site, startSite } from '../support/site.ts'
import { untilQuiet } from '../support/visit.ts'

let site: Site
const path = '/organizations/directories'

beforeAll(async () => {
  site = await startSite()
  await as('POST', '/organizations/sso/oidc/provider-credentials', {
    provider: 'provider_h',
    label: 'Contoso',
    client_id: '0oa1contoso',
    client_secret: 'a-secret-of-a-customer-0123456789',
    options: { provider_h: { organization_url: 'https://contoso.okta.com' } },
  })
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** An organization in which nothing has happened. */
const own = () => site.newOrganization
const as = async (method: string, at: string, body?: object) =>
  (await site.signet.as(own(), method, at, body)).body?.result
const saying = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()
const confirm = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr')
const textOf = async (page: Page, label: string) =>
  (await page.getByRole('figure', { name: label }).last().locator('pre').innerText()).trim()

/** As the customer's directory does. */
const calling = (token: string) => (method: string, at: string, body?: object) =>
  site.signet.call(
    method,
    `/scim/${own().id}/v2${at}`,
    { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/scim+json' }) },
    body,
  )

/** A directory with a token. */
async function make(fields: object = {}) {
  const { id } = await as('POST', path, { name: 'Contoso staff', ...fields })
  const { token } = await as('POST', `${path}/${id}/tokens`, { name: 'First' })
  return { id, page: `/sign-in/directories/${id}`, call: calling(token) }
}

/** Makes a token on the page of a directory, and gives it. */
async function makeToken(page: Page, name: string) {
  await press(page, 'Create token')
  await dialogOf(page).getByLabel('Name').fill(name)
  await confirm(page, 'Create token')
  await page.getByRole('dialog', { name: 'The token' }).waitFor()
  const token = await textOf(page, 'Token')
  await press(page, 'I have copied it')
  return token
}

describe('A directory', () => {
  test('It is made for a credential, its token is shown once, and what is refused of it is told', async () => {
    const page = await site.enter(own(), '/sign-in/directories')
    await page.getByRole('link', { name: 'Create directory' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Contoso staff')
    const credential = page.getByLabel('Its people sign in with')
    await expect.poll(() => credential.locator('option').allInnerTexts()).toEqual(['No credential', 'Contoso (Okta)'])
    await credential.selectOption('0oa1contoso')
    await page.getByLabel('E-mail domains').fill('gmail.com')
    await press(page, 'Create directory')
    await expect.poll(() => page.getByLabel('E-mail domains').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('E-mail domains').fill('corp.example')
    await press(page, 'Create directory')
    await heading(page, /^Contoso staff/)
    await saying(page, 'not connected yet')
    const scimUrl = await textOf(page, 'SCIM address')
    expect(scimUrl).toBe(`${site.signet.baseUrl}/scim/${own().id}/v2`)
    const call = calling(await makeToken(page, 'Okta'))
    expect((await call('POST', '/Users', jo)).status).toBe(201)
    expect((await call('POST', '/Users', jo)).status).toBe(409)
    await page.reload()
    await untilQuiet(page)
    expect(await page.content()).not.toContain('signet_scim_')
    await expect
      .poll(() => rows(page, 'Refused requests').allInnerTexts())
      .toEqual([expect.stringMatching(/^POST \/Users\s+409\s+.*userName/s)])
    expect(await rows(page, 'Tokens').allInnerTexts()).toEqual([expect.stringMatching(/^Okta/)])
    await page.getByRole('link', { name: 'What it did' }).click()
    await heading(page, 'Audit log')
    await page.getByText('Contoso staff, a directory').waitFor()
    await site.go(page, '/sign-in/directories')
    // What was read before is shown first.
    await expect
      .poll(() => rows(page, 'Directories').allInnerTexts())
      .toEqual([expect.stringMatching(/^Contoso staff\s+O\s+Contoso\s+on\s+1\s+0\s/)])
    const [{ id }] = await as('GET', path)
    await as('DELETE', `${path}/${id}`)
  })

  test('Another token takes the place of the first, which is revoked', async () => {
    const directory = await make()
    const page = await site.enter(own(), directory.page)
    const second = calling(await makeToken(page, 'Second'))
    expect((await second('GET', '/Users')).status).toBe(200)
    await press(page, 'Revoke First')
    await confirm(page, 'Revoke token')
    await saying(page, 'The token is revoked.')
    expect((await directory.call('GET', '/Users')).status).toBe(401)
    expect((await second('GET', '/Users')).status).toBe(200)
    await expect.poll(() => rows(page, 'Tokens').count()).toBe(1)
  })

  test('What is set is sent alone, what cannot be set stands beside its field, and off refuses its requests', async () => {
    const { id, page: address, call } = await make({ group_prefix: 'contoso-' })
    const page = await site.enter(own(), `${address}/settings`)
    const adopts = page.getByRole('switch', { name: 'Adopt persons who are there already' })
    await adopts.click()
    await press(page, 'Save')
    await saying(page, /email_domains, which say whom it may adopt|must be false or absent without/)
    await adopts.click()
    await page.getByRole('switch', { name: 'Accept its requests' }).click()
    await page.getByLabel('When a user is deleted there').selectOption('deactivate')
    await page.locator('summary', { hasText: 'Show as curl' }).click()
    const sent = page.locator('form pre')
    await expect
      .poll(() => sent.innerText())
      .toMatch(
        /\{\s*"enabled": ?false,\s*"on_delete": ?"deactivate"\s*\}|\{\s*"on_delete": ?"deactivate",\s*"enabled": ?false\s*\}/,
      )
    await press(page, 'Save')
    await saying(page, 'The directory is saved.')
    expect((await call('GET', '/Users')).status).toBe(401)
    expect(await as('GET', `${path}/${id}`)).toMatchObject({ group_prefix: 'contoso-', enabled: false })
    await page.getByRole('link', { name: 'Overview' }).click()
    await saying(page, 'Its requests are refused.')
  })

  test('Its end says what becomes of its persons, and switches them off where that is chosen', async () => {
    const { id, page: address, call } = await make()
    const { body: user } = await call('POST', '/Users', { ...jo, userName: 'leaver', emails: [], externalId: 'leaver' })
    const page = await site.enter(own(), `${address}/settings`)
    await press(page, 'Delete directory')
    await saying(page, /Whom the directory had switched off\s+stays off/)
    await dialogOf(page).getByLabel('Its persons, 1 now').selectOption('deactivate')
    await saying(page, /Everybody is signed out of everything at once/)
    await dialogOf(page).getByLabel('Type delete to confirm').fill('delete')
    await confirm(page, 'Delete directory')
    await saying(page, 'The directory is deleted.')
    expect((await site.signet.as(own(), 'GET', `${path}/${id}`)).status).toBe(404)
    expect(await as('GET', `/persons/${user.id}`)).toMatchObject({ active: false })
  })

  test('Everything is reached by the keyboard, which comes back to where it was', async () => {
    const directory = await make()
    const page = await site.enter(own(), directory.page)
    await button(page, 'Create token').focus()
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor()
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Create token')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByLabel('Name').press('Enter')
    await page.getByRole('dialog', { name: 'The token' }).waitFor()
    await button(page, 'I have copied it').press('Enter')
    await expect.poll(() => rows(page, 'Tokens').count()).toBe(2)
    await page.locator('summary', { hasText: 'In Microsoft Entra ID' }).press('Enter')
    await saying(page, /change the source of externalId from mailNickname to objectId/)
  })

  test('A key without all scopes changes its name, and is told what is for admin keys and owners', async () => {
    const { id, page: address } = await make()
    const body = { name: 'Narrow', scopes: ['directories:write', 'credentials:read'] }
    const { api_key: apiKey } = await as('POST', '/organizations/api-keys', body)
    const page = await site.enter({ ...own(), apiKey }, address)
    for (const name of ['Create token', 'Create link']) expect(await button(page, name).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await saying(page, /Only admin keys and owners set this and the three above/)
    expect(await page.getByLabel('E-mail domains').isDisabled()).toBe(true)
    expect(await button(page, 'Delete directory').isDisabled()).toBe(true)
    await page.getByLabel('Name', { exact: true }).fill('Contoso, all of it')
    await press(page, 'Save')
    await saying(page, 'The directory is saved.')
    expect((await as('GET', `${path}/${id}`)).name).toBe('Contoso, all of it')
  })

  test('A key without all scopes switches it off, and then not on again', async () => {
    const { id, page: address } = await make()
    const body = { name: 'Narrow', scopes: ['directories:write'] }
    const { api_key: apiKey } = await as('POST', '/organizations/api-keys', body)
    const page = await site.enter({ ...own(), apiKey }, `${address}/settings`)
    const isOn = page.getByRole('switch', { name: 'Accept its requests' })
    await isOn.click()
    await press(page, 'Save')
    await saying(page, 'The directory is saved.')
    await expect.poll(() => isOn.isDisabled()).toBe(true)
    expect((await as('GET', `${path}/${id}`)).enabled).toBe(false)
  })
})

describe("A link for a customer's administrator", () => {
  test('In another browser it makes one token, which is shown once, and is used up then', async () => {
    const directory = await make()
    const page = await site.enter(own(), directory.page)
    await press(page, 'Create link')
    await dialogOf(page).getByLabel('Name of the token').fill('By Contoso')
    await confirm(page, 'Create link')
    await page.getByRole('dialog', { name: 'Send this link' }).waitFor()
    const link = await textOf(page, 'Link')
    expect(await textOf(page, 'Message to send')).toContain(link)
    await press(page, 'I have copied it')
    await expect
      .poll(() => rows(page, 'Open links for a token').allInnerTexts())
      .toEqual([expect.stringMatching(/^By Contoso/)])

    const theirs = await site.profile()
    await theirs.goto(link)
    await heading(theirs, 'Connect your directory to Fresh Start')
    expect(theirs.url()).toBe(link.split('#')[0])
    expect(await theirs.getByRole('navigation').count()).toBe(0)
    await saying(theirs, 'Contoso staff')
    await press(theirs, 'Make the token')
    await saying(theirs, 'It is shown this once.')
    const call = calling(await textOf(theirs, 'Token'))
    expect(await textOf(theirs, 'SCIM address')).toBe(`${site.signet.baseUrl}/scim/${own().id}/v2`)
    expect((await call('GET', '/Users')).status).toBe(200)
    const later = await site.profile()
    await later.goto(link)
    await heading(later, 'This link does not work')

    await page.reload()
    await expect.poll(() => rows(page, 'Tokens').allInnerTexts()).toContainEqual(expect.stringMatching(/^By Contoso/))
    await saying(page, 'No link is open.')
    await site.go(page, '/audit-log?action=useDirectoryLink')
    expect(await page.locator('main').innerText()).toMatch(/By Contoso, by a link/)
  })

  test('One that is deleted, or mistyped, opens nothing', async () => {
    const directory = await make()
    const { url } = await as('POST', `${path}/${directory.id}/links`, { name: 'Nobody' })
    const page = await site.enter(own(), directory.page)
    await press(page, 'Delete the link for Nobody')
    await confirm(page, 'Delete link')
    await saying(page, 'The link is deleted.')
    for (const address of [url, `${site.signet.baseUrl}/console/directory-link#${'0'.repeat(96)}`]) {
      const theirs = await site.profile()
      await theirs.goto(address)
      await heading(theirs, 'This link does not work')
    }
  })
})

describe('What a directory keeps', () => {
  test('Its group is tied to one that is there, whose page then leaves it to the directory', async () => {
    const directory = await make()
    await as('POST', '/groups', { name: 'Engineering' })
    const { body: user } = await directory.call('POST', '/Users', { schemas: [core], userName: 'engineer' })
    const displayName = 'Équipe R&D / Köln'
    const pushed = { displayName, members: [{ value: user.id }] }
    expect((await directory.call('POST', '/Groups', pushed)).status).toBe(201)
    const page = await site.enter(own(), `${directory.page}/groups`)
    const groups = rows(page, 'Groups of the directory')
    expect(await groups.allInnerTexts()).toEqual([expect.stringMatching(/^Équipe R&D \/ Köln\s+Equipe-R-D-Koln\s+1\s/)])
    await press(page, `Tie ${displayName} to a group of yours`)
    const name = dialogOf(page).getByLabel('Name of your group')
    await name.fill('Finance')
    await confirm(page, 'Tie group')
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('Engineering')
    await confirm(page, 'Tie group')
    await saying(page, 'The group is tied.')
    await expect.poll(() => groups.allInnerTexts()).toEqual([expect.stringMatching(/Engineering\s+tied\s+1\s/)])
    await groups.getByRole('link', { name: 'Engineering' }).click()
    await saying(page, 'A directory keeps this group.')
    await expect.poll(() => rows(page, 'Members of the group').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^(Add members|Remove |Save description|Delete)/ }).count()).toBe(0)
    await rows(page, 'Members of the group').getByRole('link').click()
    const taking = page.getByRole('button', { name: 'Take out of Engineering' })
    await expect.poll(() => taking.isDisabled()).toBe(true)
  })

  test('Home says that it has adopted somebody, and leads to it', async () => {
    const directory = await make({ name: 'Adopting', adopt: true, email_domains: ['adopted.example'] })
    const value = 'ada@adopted.example'
    const known = await as('POST', '/persons', { handles: [{ type: 'EmailAddress', value, verified: true }] })
    const user = { schemas: [core], userName: 'ada', emails: [{ type: 'work', value }] }
    expect((await directory.call('POST', '/Users', user)).body.id).toBe(known.person_id)
    const page = await site.enter(own(), '/')
    await saying(page, /has adopted 1 person who was\s+there before/)
    await page.getByRole('link', { name: 'See directory Adopting' }).click()
    await heading(page, /^Adopting/)
    await page.getByRole('link', { name: 'What it did' }).click()
    await page.locator('summary').getByText('Adopt SCIM user').waitFor()
  })

  test('The page of a person names it, and says that whom it has switched off is activated there', async () => {
    const directory = await make()
    const { body: user } = await directory.call('POST', '/Users', {
      schemas: [core],
      userName: 'off',
      active: false,
    })
    const page = await site.enter(own(), `/persons/${user.id}`)
    await page.getByRole('link', { name: 'Contoso staff' }).waitFor()
    await press(page, 'Activate')
    await saying(page, /If it has switched them off, this is refused/)
    await confirm(page, 'Activate')
    await expect.poll(() => dialogOf(page).getByRole('alert').innerText()).toMatch(/Contoso staff/)
    await dialogOf(page).getByRole('link', { name: 'Contoso staff' }).click()
    await heading(page, /^Contoso staff/)
  })
})
