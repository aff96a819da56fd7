import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const ask = async (path: string) =>
  (await site.signet.as(site.organization, 'GET', `/organizations/webhooks${path}`)).body.result
const idOf = (page: Page) => /webhooks\/([\da-f-]{36})/.exec(page.url())?.[1] ?? ''
const targetOf = (page: Page) => page.getByLabel('Target URL')

async function create(page: Page, name: string, path: string) {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await targetOf(page).fill(site.receiver.url(path))
  await press(page, 'Create webhook')
  await heading(page, name)
  return idOf(page)
}

test('A target that the service refuses is refused beside its field, and what was typed stays', async () => {
  const page = await site.enter(site.organization, '/webhooks')
  await page.getByRole('link', { name: 'Create webhook' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Ledger')
  await targetOf(page).fill('https://localhost/ledger')
  const broken = page.getByRole('listitem').filter({ hasText: 'This rule is broken.' })
  expect(await broken.allInnerTexts()).toEqual([expect.stringContaining('The host is not localhost.')])
  await press(page, 'Create webhook')
  await expect.poll(() => targetOf(page).getAttribute('aria-invalid')).toBe('true')
  const describedBy = (await targetOf(page).getAttribute('aria-describedby')) ?? ''
  const words = await page
    .locator(
      describedBy
        .split(' ')
        .map((id) => `[id="${id}"]`)
        .join(),
    )
    .allInnerTexts()
  expect(words.join()).toMatch(/localhost/)
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ledger')
  await targetOf(page).fill(site.receiver.url('/ledger'))
  await page.getByText('All rules of a target are kept.').waitFor()
  await press(page, 'Create webhook')
  await heading(page, 'Ledger')
  expect(page.url()).toMatch(/\/triggers$/)
})

test('Triggers are switches, and a test event is delivered before the eyes of whoever sent it', async () => {
  const page = await site.enter(site.organization, '/webhooks/new')
  const id = await create(page, 'Invoices', '/invoices')
  await page.getByRole('switch', { name: 'PersonCreated_v1' }).click()
  await page.getByText('The webhook is called for PersonCreated_v1 from now on.').waitFor()
  expect((await ask(`/${id}/triggers`)).map(({ trigger_name }: { trigger_name: string }) => trigger_name)).toEqual([
    'PersonCreated_v1',
  ])
  await press(page, 'Send test events')
  const dialog = dialogOf(page)
  expect(await dialog.getByRole('checkbox', { name: 'PersonCreated_v1' }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('succeeded').waitFor()
  await site.receiver.waitFor('/invoices', 1)
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: 'PersonCreated_v1' }).click()
  await dialogOf(page).getByRole('button', { name: 'Delete trigger' }).click()
  await page.getByText('The trigger PersonCreated_v1 is deleted.').waitFor()
  expect(await ask(`/${id}/triggers`)).toEqual([])
})

test('Test events are those of the triggers that there are, also where the list of them is late', async () => {
  const page = await site.enter(site.organization, '/webhooks/new')
  await create(page, 'Late', '/late')
  const added = page.getByRole('switch', { name: 'PersonCreated_v1', includeHidden: true })
  await added.waitFor()
  const { promise: wait, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/triggers\?limit=/, async (route) => {
    await wait
    await route.continue()
  })
  const readAgain = page.waitForRequest(/\/triggers\?limit=/)
  await added.click()
  await readAgain
  await press(page, 'Send test events')
  await dialogOf(page).getByText('The webhook has no triggers, so that no event goes to it.').waitFor()
  expect(await added.getAttribute('aria-checked')).toBe('true')
  release()
  await dialogOf(page).getByRole('checkbox', { name: 'PersonCreated_v1', checked: true }).waitFor()
  await dialogOf(page).getByRole('button', { name: 'Send', exact: true }).click()
  await dialogOf(page).getByText('succeeded').waitFor()
})

test('A pause says how many deliveries are held, and a resumption sends them', async () => {
  const { warehouse = '' } = site.names
  const page = await site.enter(site.organization, `/webhooks/${warehouse}/settings`)
  await page.getByText('7 deliveries are held.').waitFor()
  await press(page, 'Resume webhook')
  await dialogOf(page).getByText('7 deliveries are held.').waitFor()
  await dialogOf(page).getByRole('button', { name: 'Resume webhook' }).click()
  await page.getByText('The webhook is resumed.').waitFor()
  await page.getByRole('heading', { name: 'Active' }).waitFor()
  const held = `/${warehouse}/deliveries?status=held`
  await expect.poll(async () => (await ask(held)).length).toBe(0)
  await press(page, 'Pause webhook')
  await dialogOf(page).getByRole('button', { name: 'Pause webhook' }).click()
  await page.getByText('No deliveries are held.').waitFor()
  expect(await ask(`/${warehouse}`)).toMatchObject({ enabled: false, paused_reason: 'requested' })
})

test('A dry run shows what the receiver was sent, what it answered, and what a token would get', async () => {
  const page = await site.enter(site.organization, `/webhooks/${site.names.claims}/dry-run`)
  await press(page, 'Run')
  await page.getByText('The hook succeeded').waitFor()
  const claims = page.locator('section', { has: page.getByRole('heading', { name: 'What the token would get' }) })
  expect(await claims.innerText()).toMatch(/"plan": "team"/)
  expect(await page.locator('main').innerText()).toMatch(/Answer with status 200/i)
})

test('A dry run of a hook that refuses shows the reason as text, and the code, and is no failure', async () => {
  const reason = '<img src=x onerror=alert(1)> 100 % Ä'
  site.receiver.behave('/refusing', { body: JSON.stringify({ deny: { reason, code: 'plan_ended' } }) })
  const webhooks = '/organizations/webhooks'
  const fields = { name: 'Refusing', target_url: site.receiver.url('/refusing') }
  const { body } = await site.signet.as(site.organization, 'POST', webhooks, fields)
  const { id } = body.result
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await site.signet.as(site.organization, 'POST', `${webhooks}/${id}/triggers`, trigger)
  const page = await site.enter(site.organization, `/webhooks/${id}/dry-run`)
  await press(page, 'Run')
  await page.getByText('The hook refused').waitFor()
  const shown = await page.locator('main').innerText()
  expect(shown).toContain(reason)
  expect(shown).toContain('plan_ended')
  expect(shown).not.toContain('The hook failed')
  await site.signet.as(site.organization, 'DELETE', `${webhooks}/${id}`)
})

test('What is saved of a webhook is only what was changed; custom headers are hidden until asked for', async () => {
  const page = await site.enter(site.organization, '/webhooks/new')
  const id = await create(page, 'Headers', '/headers')
  await page.getByRole('link', { name: 'Settings' }).last().waitFor()
  await site.go(page, `/webhooks/${id}/settings`)
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await press(page, 'Add header')
  await page.getByLabel('Name of header 1').fill('authorization')
  await page.getByLabel('Value of header 1').fill('a-secret-of-the-gateway')
  expect(await page.getByLabel('Value of header 1').getAttribute('type')).toBe('password')
  await page.getByText('Show as curl').first().click()
  const curl = page.locator('details', { hasText: 'Show as curl' }).first()
  await curl.getByText('PATCH').waitFor()
  expect(await curl.innerText()).not.toMatch(/a-secret-of-the-gateway/)
  await press(page, 'Save')
  await page.getByText('The webhook is saved.').waitFor()
  expect(await ask(`/${id}`)).toMatchObject({ custom_headers: { authorization: ['a-secret-of-the-gateway'] } })
  await press(page, 'Show values')
  expect(await page.getByLabel('Value of header 1').getAttribute('type')).toBe('text')
})

test('A webhook is deleted once `delete` is typed, and its page is gone', async () => {
  const page = await site.enter(site.organization, '/webhooks/new')
  const id = await create(page, 'Short-lived', '/short-lived')
  await site.go(page, `/webhooks/${id}/settings`)
  await press(page, 'Delete webhook')
  const dialog = dialogOf(page)
  const confirm = dialog.getByRole('button', { name: 'Delete webhook' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel('Type delete to confirm').fill('delete')
  await confirm.click()
  await page.getByText('The webhook is deleted.').waitFor()
  await heading(page, 'Webhooks')
  expect(await page.getByRole('link', { name: /Short-lived/ }).count()).toBe(0)
  await site.go(page, `/webhooks/${id}`)
  await page.getByText('There is no such thing here.').waitFor()
})

test('The code of a receiver comes in five languages, with the values of the organization', async () => {
  const page = await site.enter(site.organization, `/webhooks/${site.names.billing}/receiver-code`)
  const languages = await page.getByLabel('Language').locator('option').allInnerTexts()
  expect(languages).toHaveLength(5)
  for (const language of languages) {
    await page.getByLabel('Language').selectOption(language)
    await page.waitForURL((url) => url.searchParams.get('language') === language)
    expect(await page.locator('main').innerText()).toContain(site.organization.id)
  }
})
