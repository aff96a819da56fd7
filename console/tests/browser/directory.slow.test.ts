import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const ask = async (path: string) => (await site.signet.as(site.organization, 'GET', path)).body.result
const saying = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor()

describe('Events', () => {
  test('Events are listed from the newest, in a span, page by page, and lead to one with its deliveries', async () => {
    const page = await site.enter(site.organization, '/events?event_name=PersonCreated_v1')
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr')
    for (const row of await rows.allInnerTexts()) expect(row).toMatch(/PersonCreated_v1/)
    await press(page, 'Last hour')
    await page.waitForURL(/since=/)
    expect(page.url()).toMatch(/event_name=PersonCreated_v1/)
    await site.go(page, '/events')
    await press(page, 'Older')
    await page.waitForURL(/after=/)
    await rows.first().getByRole('link').first().click()
    await heading(page, 'In words')
    await page.getByRole('table', { name: 'Deliveries of this event' }).locator('tbody tr').first().waitFor()
  })

  test('An event is found by its ID, and one that is not there is said to be missing', async () => {
    const page = await site.enter(site.organization, '/events')
    await page.getByLabel('Event ID').fill(site.names.delivered ?? '')
    await page.getByLabel('Event ID').press('Enter')
    const found = page.getByRole('table', { name: 'The event with this ID' }).locator('tbody tr')
    await found.waitFor()
    expect(await found.count()).toBe(1)
    await page.getByLabel('Event ID').fill('01900000-0000-7000-8000-000000000000')
    await page.getByLabel('Event ID').press('Enter')
    await saying(page, 'There is no such thing here.')
  })
})

describe('Persons', () => {
  test('An account at a provider is added to a person; what the service refuses stands beside its field', async () => {
    const make = async (path: string, body: object) =>
      (await site.signet.as(site.organization, 'POST', path, body)).body.result
    const fields = { client_id: 'added', client_secret: 'a secret', provider: 'provider_a' }
    await make('/organizations/sso/oidc/provider-credentials', fields)
    const { person_id: id } = await make('/persons', {})
    const page = await site.enter(site.organization, `/persons/${id}`)
    await press(page, 'Add identity')
    const dialog = dialogOf(page)
    const credential = dialog.getByLabel('Client ID of the credential')
    const add = dialog.getByRole('button', { name: 'Add identity', exact: true })
    await credential.fill('unknown')
    await dialog.getByLabel('Subject').fill('117926493081204417953')
    await add.click()
    await expect.poll(() => credential.getAttribute('aria-invalid')).toBe('true')
    await credential.fill('added')
    await add.click()
    const row = page.getByRole('table', { name: 'Identities' }).locator('tbody tr')
    await expect.poll(() => row.allInnerTexts()).toEqual([expect.stringContaining('117926493081204417953')])
    expect(await ask(`/persons/${id}/identities`)).toMatchObject([{ issuer: 'https://accounts.google.com' }])
  })

  test('A person is created; what the service refuses stands beside the handle', async () => {
    const page = await site.enter(site.organization, '/persons/new')
    const handle = page.getByLabel('Handle', { exact: true })
    await handle.fill('no address')
    await press(page, 'Create person')
    await expect.poll(() => handle.getAttribute('aria-invalid')).toBe('true')
    await handle.fill('hedy@northwind.example')
    await page.getByLabel('Name of a group').fill('Engineering')
    await page.getByLabel('Name of a group').press('Enter')
    await press(page, 'Create person')
    await heading(page, 'hedy@northwind.example')
    const [person] = await ask('/persons?handle_prefix=hedy@')
    expect(person).toMatchObject({ groups: ['Engineering'], handles: [{ value: 'hedy@northwind.example' }] })
  })

  test('The groups of a person are saved after their difference is seen', async () => {
    const id = site.names.person ?? ''
    const { groups } = await ask(`/persons/${id}`)
    const page = await site.enter(site.organization, `/persons/${id}`)
    await press(page, `Take out of ${groups[0]}`)
    const added = ['Engineering', 'Finance', 'Support', 'Board'].find((name) => !groups.includes(name)) ?? ''
    await page.getByLabel('Name of a group').fill(added)
    await page.getByLabel('Name of a group').press('Enter')
    const difference = page.getByRole('table').filter({ hasText: 'Once saved' })
    expect(await difference.innerText()).toMatch(new RegExp(added))
    expect(await difference.innerText()).toMatch(new RegExp(groups[0]))
    expect(await ask(`/persons/${id}`)).toMatchObject({ groups })
    await press(page, 'Save groups')
    await saying(page, 'The groups are saved.')
    const expected = [...groups.slice(1), added].sort()
    expect((await ask(`/persons/${id}`)).groups.toSorted()).toEqual(expected)
  })

  test('Handles are changed, and a person is deleted once its name is typed', async () => {
    const { body } = await site.signet.as(site.organization, 'POST', '/persons', {
      handles: [{ type: 'EmailAddress', value: 'joan@northwind.example' }],
    })
    const id = body.result.person_id
    const page = await site.enter(site.organization, `/persons/${id}`)
    await press(page, 'Add handle')
    await page.getByLabel('Type').last().selectOption('PhoneNumber')
    await page.getByLabel('Handle', { exact: true }).last().fill('+12025550123')
    await press(page, 'Save handles')
    await saying(page, 'The handles are saved.')
    expect((await ask(`/persons/${id}`)).handles).toHaveLength(2)
    await press(page, 'Delete')
    const dialog = dialogOf(page)
    expect(await dialog.innerText()).toMatch(/PersonDeleted_v1 is published[\s\S]*signed out/)
    await dialog.getByLabel('Type joan@northwind.example to confirm').fill('joan@northwind.example')
    await dialog.getByRole('button', { name: 'Delete person' }).click()
    await heading(page, 'Persons')
    expect((await site.signet.as(site.organization, 'GET', `/persons/${id}`)).status).toBe(404)
  })

  test('Persons are found by the beginning of a handle, and by their group', async () => {
    const page = await site.enter(site.organization, '/persons')
    await page.getByLabel('Handle begins with').fill('grace')
    await page.getByLabel('Handle begins with').press('Enter')
    const rows = page.getByRole('table', { name: 'Persons' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.innerText()).toMatch(/grace@northwind\.example/)
  })
})

describe('Groups', () => {
  test('A group is created, gets a member, loses it, and is deleted', async () => {
    const page = await site.enter(site.organization, '/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Night-shift')
    await press(page, 'Create group')
    await heading(page, 'Night-shift')
    await press(page, 'Add members')
    await page.getByLabel('Find a person').fill('grace')
    await press(page, 'Choose grace@northwind.example')
    await press(page, 'Add to the group')
    await saying(page, 'The person is in the group.')
    await press(page, 'Remove grace@northwind.example')
    await dialogOf(page).getByRole('button', { name: 'Remove member' }).click()
    await saying(page, 'The person is no longer in the group.')
    await saying(page, 'Nobody is in this group.')
    await press(page, 'Delete')
    await dialogOf(page).getByRole('button', { name: 'Delete group' }).click()
    await heading(page, 'Groups')
    expect(await page.getByRole('link', { name: 'Night-shift' }).count()).toBe(0)
  })

  test('Nobody is removed by mistake: a group with members wants its name typed', async () => {
    const page = await site.enter(site.organization, '/groups/Interns')
    await press(page, 'Delete')
    const dialog = dialogOf(page)
    expect(await dialog.getByRole('button', { name: 'Delete group' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type Interns to confirm').fill('Interns')
    await dialog.getByRole('button', { name: 'Delete group' }).click()
    await heading(page, 'Groups')
    expect((await site.signet.as(site.organization, 'GET', '/groups/Interns')).status).toBe(404)
  })
})
