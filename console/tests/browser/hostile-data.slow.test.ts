import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startPushing } from '../../../server/tests/support/pushing.ts'
import { addWebhook } from '../../../server/tests/support/webhooks.ts'
import { dialogOf, excessOf, outOfSight, press, type Site, startSite } from '../support/site.ts'

const script = `<script>alert('script')</script>`
const image = `<img src=x onerror="alert('image')">`
const reversed = '\u202egnp.exe\u202c \u2066hidden\u2069'
/** For names that the pages of a sign-in show, which have no format characters. */
const visible = `${script}${image}"'`
const hostile = `${visible}${reversed}`
const long = 'W'.repeat(10_000)

let site: Site
let hostileKey: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  site = await startSite()
  ids.webhook = await addHostileWebhook()
  ids.delivery = await deliver()
  ids.person = await addHostilePerson()
  await as('POST', '/groups', { name: 'W'.repeat(100), description: `${hostile}${'W'.repeat(700)}` })
  ids.credential = await addHostileCredential()
  ids.application = await addHostileApplication()
  ids.directory = await addHostileDirectory()
  hostileKey = (await as('POST', '/organizations/api-keys', { name: visible, scopes: ['persons:read'] })).api_key
  await site.signet.operate('PATCH', `/organizations/${site.organization.id}`, { name: visible })
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) => {
  const reply = await site.signet.as(site.organization, method, path, body)
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
  return reply.body?.result
}

const addHostileWebhook = () => {
  site.receiver.behave('/hostile', { status: 400, body: `${hostile}${long}` })
  return addWebhook(site.signet, site.organization, site.receiver.url('/hostile'), ['VirtualPageLoaded_v1'], {
    name: hostile,
    description: `${hostile}${'W'.repeat(800)}`,
    custom_headers: { [`x-${'w'.repeat(200)}`]: ['<script>alert(1)</script>'] },
  })
}

async function deliver() {
  await as('POST', '/test-events', [{ event_name: 'VirtualPageLoaded_v1' }])
  const path = `/organizations/deliveries?webhook_id=${ids.webhook}`
  const tried = async () => {
    const [delivery] = await as('GET', path)
    expect(delivery.attempts_count).toBeGreaterThan(0)
    return delivery.id
  }
  return vi.waitFor(tried, { timeout: 30_000, interval: 200 })
}

async function addHostilePerson() {
  const value = `"<img/src=x/onerror=alert(1)>"@${'w'.repeat(60)}.example`
  const created = await site.signet.as(site.organization, 'POST', '/persons', {
    handles: [{ type: 'EmailAddress', value }],
  })
  // Where the interface does not let it in, a long one that it does.
  const handles = [{ type: 'EmailAddress', value: `${'w'.repeat(64)}@${'w'.repeat(60)}.example` }]
  return created.status < 400
    ? created.body.result.person_id
    : (await as('POST', '/persons', { handles, groups: ['Engineering'] })).person_id
}

async function addHostileCredential() {
  const fields = { client_id: `hostile-${'w'.repeat(300)}`, client_secret: 'x'.repeat(40), label: visible }
  await as('POST', '/organizations/sso/oidc/provider-credentials', { provider: 'provider_a', ...fields })
  return encodeURIComponent(fields.client_id)
}

async function addHostileApplication() {
  const redirect_uris = [`https://app.example.com/${'w'.repeat(1_000)}`]
  return (await as('POST', '/organizations/applications', { name: visible, redirect_uris })).client_id
}

/** As a customer's directory may be: it says what its groups are called, and what it asks for. */
async function addHostileDirectory() {
  const { id, call } = await startPushing(site.signet, site.organization, { name: visible })
  await call('POST', '/Groups', { displayName: `${hostile}${'W'.repeat(150)}` })
  await call('GET', `/Users/${encodeURIComponent(hostile)}${'W'.repeat(500)}`)
  await call('POST', '/Users', { userName: 'hostile', emails: [{ value: `${hostile}${long}` }] })
  return id
}

/** Follows everything that runs where only text should be. */
async function watchful(page: Page, ran: string[]) {
  page.on('dialog', async (dialog) => {
    ran.push(dialog.message())
    await dialog.dismiss()
  })
  return page
}

const pages = () =>
  [
    ...['/', '/webhooks', `/webhooks/${ids.webhook}`, `/webhooks/${ids.webhook}/settings`],
    ...[`/webhooks/${ids.webhook}/receiver-code`, '/deliveries', `/deliveries/${ids.webhook}/${ids.delivery}`],
    ...[`/deliveries?error=${encodeURIComponent(hostile)}`, `/deliveries?event_id=${encodeURIComponent(hostile)}`],
    ...['/events', `/events/${ids.delivery}`, '/persons', `/persons/${ids.person}`],
    ...[`/persons?handle=${encodeURIComponent(hostile)}`, '/groups', `/groups/${'W'.repeat(100)}`],
    ...['/sign-in', `/sign-in/credentials/${ids.credential}`, '/sign-in/applications'],
    ...[
      '/sign-in/directories',
      `/sign-in/directories/${ids.directory}`,
      `/sign-in/directories/${ids.directory}/groups`,
    ],
    ...[`/sign-in/applications/${ids.application}`, '/keys', '/audit-log', '/settings'],
    ...[`/${encodeURIComponent(hostile)}`, `/groups/${encodeURIComponent(hostile)}`],
  ] as const

test.each([360, 1_280])(
  'At %i pixels nothing that others wrote runs, or makes a page wider than the window or a list wider than its box',
  async (width) => {
    const ran: string[] = []
    const page = await watchful(await site.enter(site.organization, '/', { viewport: { width, height: 800 } }), ran)
    const wide: string[] = []
    for (const path of pages()) {
      await site.go(page, path)
      for (const summary of await page.locator('main details:not([open]) > summary').all())
        await summary.click({ timeout: 2_000 }).catch(() => undefined)
      const excess = await excessOf(page)
      if (excess > 0) wide.push(`${path.slice(0, 80)} by ${excess}`)
      for (const list of await outOfSight(page)) wide.push(`${path.slice(0, 80)}: ${list}`)
    }
    expect(wide).toEqual([])
    expect(ran).toEqual([])
  },
)

test('It is there as text: the name of a webhook, and the answer of a receiver', async () => {
  const page = await site.enter(site.organization, `/webhooks/${ids.webhook}`)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(script)
  expect(await page.getByRole('heading', { level: 1 }).locator('bdi').count()).toBe(1)
  await site.go(page, `/deliveries/${ids.webhook}/${ids.delivery}`)
  expect(await page.getByRole('list', { name: 'Attempts' }).innerText()).toContain(script)
})

test('The operator and dialogs show it as text, too', async () => {
  const ran: string[] = []
  const page = await watchful(await site.operate('/organizations'), ran)
  await page.getByText(script).first().waitFor()
  await site.go(page, `/organizations/${site.organization.id}`)
  await page.setViewportSize({ width: 360, height: 800 })
  await press(page, 'Delete organization')
  await dialogOf(page).getByText(script).first().waitFor()
  expect(await excessOf(page)).toBe(0)
  expect(ran).toEqual([])
})

test('The name of the key that signed in stands beside the sections as text', async () => {
  const ran: string[] = []
  const page = await watchful(await site.enter({ ...site.organization, apiKey: hostileKey }, '/persons'), ran)
  // The names of the organization and of the key.
  await expect.poll(() => page.getByText(script).count()).toBe(2)
  expect(ran).toEqual([])
})
