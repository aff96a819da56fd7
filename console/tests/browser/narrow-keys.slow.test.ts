import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Site, startSite } from '../support/site.ts'

/** Of a program that looks after webhooks and credentials. */
const scopes = ['webhooks:write', 'events:read', 'deliveries:read', 'credentials:write']

let site: Site
let narrow: Site['organization']

beforeAll(async () => {
  site = await startSite()
  const { body } = await site.signet.as(site.organization, 'POST', '/organizations/api-keys', {
    name: 'Deploy',
    scopes,
  })
  narrow = { ...site.organization, apiKey: body.result.api_key }
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

describe('A key without the scope of hooks', () => {
  test('It sees the synchronous hook of a webhook, and cannot switch it', async () => {
    const page = await site.enter(narrow, `/webhooks/${site.names.claims}/triggers`)
    await page.getByText('This key lacks the scope hooks:write. It decides what tokens say of everybody.').waitFor()
    expect(await page.getByRole('switch', { name: 'token_minted' }).isDisabled()).toBe(true)
    expect(await page.getByRole('switch', { name: 'PersonDeleted_v1' }).isDisabled()).toBe(false)
  })

  test('It may delete a webhook, but none that has a hook, and is told why', async () => {
    const page = await site.enter(narrow, `/webhooks/${site.names.claims}/settings`)
    await page.getByText(/has a synchronous hook, which decides what tokens say of everybody/).waitFor()
    const button = page.getByRole('button', { name: 'Delete webhook' })
    expect(await button.isDisabled()).toBe(true)
    await site.go(page, `/webhooks/${site.names.billing}/settings`)
    await expect.poll(() => button.isDisabled()).toBe(false)
    expect(await page.getByText(/has a synchronous hook/).count()).toBe(0)
  })
})

describe('A key without all scopes, and a group whose members may enter the console', () => {
  let directory: Site['organization']
  beforeAll(async () => {
    const { body } = await site.signet.as(site.organization, 'POST', '/organizations/api-keys', {
      name: 'Directory of the office',
      scopes: ['persons:write', 'groups:write', 'settings:read'],
    })
    directory = { ...site.organization, apiKey: body.result.api_key }
  })

  test('It is told that the group and its members are not its own, before it tries', async () => {
    const page = await site.enter(directory, '/groups/Board/members')
    await page.getByText('Members may enter this console as editor.').waitFor()
    await page.getByText(/^Members of Board may enter this console, so that only owners/).waitFor()
    expect(await page.getByRole('button', { name: /^(Add members|Remove |Save description)/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.getByRole('table', { name: 'Members of the group' }).getByRole('link').first().click()
    await page.getByText(/They may not be deactivated or deleted either\./).waitFor()
    expect(await page.getByRole('link', { name: 'Editor' }).count()).toBe(1)
    const forbidden = /^(Deactivate|Delete|Save handles|End all|Add identity)$/
    expect(await page.getByRole('button', { name: forbidden }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Take out of Board' }).isDisabled()).toBe(true)
    await page.getByLabel('Name of a group').fill('Board')
    await page.getByText(/only owners and admin keys put somebody in/).waitFor()
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)
  })

  test('An admin key changes its members, and deletes it only once it is out of Administrators', async () => {
    const page = await site.enter(site.organization, '/groups/Board/members')
    await page.getByRole('button', { name: 'Add members' }).waitFor()
    const remove = page.getByRole('button', { name: 'Delete', exact: true })
    await expect.poll(() => remove.isDisabled()).toBe(true)
    await page.getByRole('main').getByRole('link', { name: 'Administrators' }).click()
    await page.getByRole('button', { name: 'Take out Board' }).click()
    await page.getByRole('button', { name: 'Save access' }).click()
    await page.getByText('Who may enter is saved.').waitFor()
    await site.go(page, '/groups/Board/members')
    await expect.poll(() => remove.isDisabled()).toBe(false)
  })
})

test('What a key without all scopes enters waits, and an admin key activates it', async () => {
  const page = await site.enter(narrow, '/sign-in/credentials/new/provider_a')
  await page.getByText('Nobody signs in with the credential until an admin key activates it.').waitFor()
  await page.getByLabel('Client ID').fill('entered-by-deploy')
  await page.getByLabel('Client secret').fill('x'.repeat(40))
  await page.getByRole('button', { name: 'Create credential' }).click()
  await page.getByText('Nobody signs in with this credential.').waitFor()
  const activate = page.getByRole('button', { name: 'Activate credential' })
  expect(await activate.isDisabled()).toBe(true)
  await site.leave()
  const admins = await site.enter(site.organization, '/sign-in/credentials/entered-by-deploy')
  await admins.getByRole('button', { name: 'Activate credential' }).click()
  await admins.getByRole('dialog').getByRole('button', { name: 'Activate credential' }).click()
  await admins.getByText('The credential is active.').waitFor()
})

test('An admin key activates what its page shows, whatever a key without all scopes makes of it meanwhile', async () => {
  const path = '/organizations/sso/oidc/provider-credentials'
  const options = { provider_h: { organization_url: 'https://customer.example.com' } }
  const entered = { client_id: 'seen', client_secret: 'x'.repeat(40), provider: 'provider_h', options }
  expect((await site.signet.as(narrow, 'POST', path, entered)).status).toBe(201)
  const page = await site.enter(site.organization, '/sign-in/credentials/seen')
  await page.getByRole('button', { name: 'Activate credential' }).click()
  const elsewhere = {
    client_secret: 'y'.repeat(40),
    options: { provider_h: { organization_url: 'https://attacker.example.com' } },
  }
  expect((await site.signet.as(narrow, 'PATCH', `${path}/seen`, elsewhere)).status).toBe(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Activate credential' }).click()
  await page.getByText('The credential is active.').waitFor()
  const { body } = await site.signet.as(site.organization, 'GET', `${path}/seen`)
  expect(body.result).toMatchObject({ active: true, options })
})
