import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { button, closeDialog, dialogOf, heading, type Site, startSite, tabTo } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** As assistive technology tells of what has the focus. */
const focused = (page: Page) => page.locator(':focus').ariaSnapshot()

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k')
  await expect.poll(() => focused(page)).toMatch(/Go to/)
}

describe('Getting about', () => {
  test('The palette leads to pages, actions, and what has an ID', async () => {
    const page = await site.enter(site.organization, '/')
    await openPalette(page)
    await page.keyboard.type('audit')
    await page.keyboard.press('Enter')
    await heading(page, 'Audit log')
    await openPalette(page)
    await page.keyboard.type('create webh')
    await page.keyboard.press('Enter')
    await heading(page, 'Create webhook')
    await openPalette(page)
    await page.keyboard.insertText(site.names.delivered ?? '')
    await page.getByRole('option', { name: / Event$/ }).waitFor()
    await page.keyboard.press('Enter')
    await heading(page, 'In words')
    await openPalette(page)
    await closeDialog(page)
    await heading(page, 'In words')
  })

  test('Arrows lead through the palette', async () => {
    const page = await site.enter(site.organization, '/')
    await openPalette(page)
    await page.keyboard.type('group')
    await page.getByRole('option', { name: 'Create group' }).waitFor()
    const highlighted = () => page.locator('[role="option"][data-highlighted]').innerText()
    await expect.poll(highlighted).toBe('Groups')
    await page.keyboard.press('ArrowDown')
    await expect.poll(highlighted).toBe('Create group')
    await page.keyboard.press('ArrowUp')
    await expect.poll(highlighted).toBe('Groups')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading(page, 'Create group')
  })

  test('A pair of keys leads to a section, / to the search, ? to the list of keys', async () => {
    const page = await site.enter(site.organization, '/')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await heading(page, 'Persons')
    await page.keyboard.press('/')
    await expect.poll(() => focused(page)).toMatch(/Handle begins with/)
    await page.keyboard.type('g w/?')
    expect(await page.getByLabel('Handle begins with').inputValue()).toBe('g w/?')
    await heading(page, 'Persons')
    await page.keyboard.press('Tab')
    await site.go(page, '/persons')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await closeDialog(page)
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await heading(page, 'Webhooks')
  })

  test('The first Tab leads past the sections', async () => {
    const page = await site.enter(site.organization, '/webhooks')
    await site.go(page, '/webhooks')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toMatch(/Skip to the page/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toMatch(/More in the help/)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toMatch(/Create webhook/)
  })

  test('Arrows lead from row to row, and Enter opens one', async () => {
    const page = await site.enter(site.organization, '/webhooks')
    const links = page.getByRole('table', { name: 'Webhooks' }).locator('tbody tr td:first-child a')
    await links.nth(1).waitFor()
    const [first = '', second = ''] = await links.allInnerTexts()
    await links.first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.locator(':focus').innerText()).toBe(second)
    await page.keyboard.press('k')
    expect(await page.locator(':focus').innerText()).toBe(first)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await heading(page, second.split('\n')[0] ?? '')
  })
})

test('A dialog keeps the focus within, Escape closes it, and the focus goes back', async () => {
  const page = await site.enter(site.organization, `/webhooks/${site.names.billing}/settings`)
  await button(page, 'Delete webhook').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete the webhook?' })
  await dialog.waitFor()
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press('Tab')
    await expect.poll(() => dialog.locator(':focus').count()).toBe(1)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toMatch(/button "Delete webhook"/)
})

test('A webhook is created, gets a trigger, and is tried, without a mouse', async () => {
  const page = await site.profile()
  await page.goto(`${site.signet.baseUrl}/console`)
  // The form that the HTML has is seen before; the page's own takes the focus.
  await page.locator('input[name="organization_id"]:focus').waitFor()
  await page.keyboard.insertText(site.newOrganization.id)
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(site.newOrganization.apiKey)
  await page.keyboard.press('Enter')
  await heading(page, 'Home')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await heading(page, 'Webhooks')
  await tabTo(page.getByRole('link', { name: 'Create webhook' }))
  await page.keyboard.press('Enter')
  await heading(page, 'Create webhook')
  await tabTo(page.getByRole('textbox', { name: 'Name' }))
  await page.keyboard.insertText('By keys')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(site.receiver.url('/by-keys'))
  await page.keyboard.press('Enter')
  await heading(page, 'By keys')
  await tabTo(page.getByRole('switch', { name: 'PersonCreated_v1' }))
  await page.keyboard.press('Space')
  await page.getByText('The webhook is called for PersonCreated_v1 from now on.').waitFor()
  await page.locator('#main').focus()
  await tabTo(button(page, 'Send test events'))
  await page.keyboard.press('Enter')
  await tabTo(button(page, 'Send'))
  await page.keyboard.press('Enter')
  await dialogOf(page).getByText('succeeded').waitFor()
  await site.receiver.waitFor('/by-keys', 1)
})

describe('As assistive technology tells it', () => {
  /** The organization has another id each time. */
  const snapshotOf = async (part: Locator) =>
    (await part.ariaSnapshot()).replaceAll(/\/o\/[0-9a-f-]{36}/g, '/o/…').replaceAll(/localhost:\d+/g, 'localhost')

  test('The sign-in page', async () => {
    const page = await site.profile()
    await page.goto(`${site.signet.baseUrl}/console`)
    await page.getByLabel('Organization ID').waitFor()
    expect(await snapshotOf(page.locator('body'))).toMatchInlineSnapshot(`
      "- main:
        - heading "Signet" [level=1]
        - paragraph: localhost
        - text: Organization ID
        - textbox "Organization ID"
        - text: API key
        - textbox "API key"
        - button "Sign in"
        - button "Operator"
        - paragraph:
          - text: Signet prints the ID of an organization and its first key when it starts for the first time, and keeps that key in
          - code: first-api-key
          - text: in its data folder. Administrators make more keys under Keys, and invite people, who then need none.
        - link "Help":
          - /url: /help/
        - link "Reference of the interface":
          - /url: /docs"
    `)
  })

  test('The sections', async () => {
    const page = await site.enter(site.organization, '/settings')
    expect(await snapshotOf(page.getByRole('navigation', { name: 'Sections' }))).toMatchInlineSnapshot(`
      "- navigation "Sections":
        - link "Home":
          - /url: /console/o/…/
        - link "Webhooks":
          - /url: /console/o/…/webhooks
        - text: 4 need attention in Webhooks
        - link "Deliveries":
          - /url: /console/o/…/deliveries
        - link "Events":
          - /url: /console/o/…/events
        - link "Persons":
          - /url: /console/o/…/persons
        - link "Groups":
          - /url: /console/o/…/groups
        - link "Sign-in":
          - /url: /console/o/…/sign-in
        - link "Keys":
          - /url: /console/o/…/keys
        - link "Audit log":
          - /url: /console/o/…/audit-log
        - link "Settings":
          - /url: /console/o/…/settings"
    `)
  })

  test('A list', async () => {
    const page = await site.enter(site.organization, '/groups')
    const table = page.getByRole('table', { name: 'Groups' })
    await expect.poll(() => table.locator('tbody td:nth-child(3)').allInnerTexts()).not.toContain('')
    expect(await snapshotOf(table)).toMatchInlineSnapshot(`
      "- table "Groups":
        - caption: Groups
        - rowgroup:
          - row "Name Description Members Role at the console":
            - columnheader "Name"
            - columnheader "Description"
            - columnheader "Members"
            - columnheader "Role at the console"
        - rowgroup:
          - row "Board 5 Editor":
            - cell "Board":
              - link "Board":
                - /url: /console/o/…/groups/Board/members
            - cell
            - cell "5"
            - cell "Editor"
          - row "Engineering 7":
            - cell "Engineering":
              - link "Engineering":
                - /url: /console/o/…/groups/Engineering/members
            - cell
            - cell "7"
            - cell
          - row "Finance 5":
            - cell "Finance":
              - link "Finance":
                - /url: /console/o/…/groups/Finance/members
            - cell
            - cell "5"
            - cell
          - row "Interns 5":
            - cell "Interns":
              - link "Interns":
                - /url: /console/o/…/groups/Interns/members
            - cell
            - cell "5"
            - cell
          - row "Partners 7":
            - cell "Partners":
              - link "Partners":
                - /url: /console/o/…/groups/Partners/members
            - cell
            - cell "7"
            - cell
          - row "Support 5":
            - cell "Support":
              - link "Support":
                - /url: /console/o/…/groups/Support/members
            - cell
            - cell "5"
            - cell"
    `)
  })

  test('A form', async () => {
    const page = await site.enter(site.organization, '/webhooks/new')
    expect(await snapshotOf(page.locator('main'))).toMatchInlineSnapshot(`
      "- main:
        - link "Webhooks":
          - /url: /console/o/…/webhooks
        - heading "Create webhook" [level=1]
        - paragraph:
          - text: A webhook is an address that Signet calls when something happens. It is called for its triggers, which you choose next.
          - link "More in the help":
            - /url: /help/use/receiving-webhooks
        - text: Name
        - textbox "Name"
        - text: "What people call it: 1 to 200 characters. Target URL"
        - textbox "Target URL":
          - /placeholder: https://hooks.example.com/signet
        - paragraph: The HTTPS address of your receiver. An organization registers a target only once.
        - list "Rules of a target":
          - listitem: It starts with https:// and a valid host name.
          - listitem: The host is not localhost.
          - listitem: The host is a name and no IP address.
          - listitem: It has no user or password.
          - listitem: It has no query.
          - listitem: It has no fragment.
          - listitem: The port, if there is one, is from 1 to 65535.
          - listitem: It has no white space, control characters or back slashes.
          - listitem: It has at most 2,048 characters.
        - text: Description
        - textbox "Description"
        - text: "For people, such as who looks after the receiver: at most 1,000 characters. Timeout"
        - textbox "Timeout":
          - /placeholder: 10 s (default)
        - text: How long one attempt may take, from 100ms to 20s, such as 500ms or 2.5s. Left empty it is 10 s for events and 2 s for the synchronous hook.
        - group "Custom headers":
          - text: Custom headers
          - paragraph: "Sent with every request, for a gateway in front of the receiver. They are not signed: the receiver checks the JWT. At most 50 lines and 16 KiB, stored encrypted and shown to admin keys only."
          - button "Add header"
        - button "Create webhook"
        - button "Cancel"
        - group: Show as curl"
    `)
  })
})
