import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { harmless } from '../support/harmless.ts'
import { everyPage, toAddress } from '../support/pages.ts'
import { type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
  // Only one that is open can be deleted.
  const link = { provider: 'provider_a', label: 'Open' }
  const { status } = await site.signet.as(site.organization, 'POST', '/organizations/sso/oidc/credential-links', link)
  expect(status).toBeLessThan(300)
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** Runs in the page: the names of what can be pressed or switched, without what stands in a form that cannot be sent. */
const namesOfOpenControls = `[...document.querySelectorAll('button, [role="switch"], input[type="checkbox"]')]
  .filter((control) => !control.disabled && control.ariaDisabled !== 'true' && !('disabled' in control.dataset))
  .filter((control) => control.checkVisibility() && !control.closest('form')?.querySelector('[type="submit"]:disabled'))
  .map((control) => (control.ariaLabel ?? control.textContent).trim())`

const pathsOfReader = () =>
  everyPage
    .filter((each) => each.startsWith('/') || each.startsWith('reader:'))
    .map((each) => toAddress(each, site).path)

test('A key that only reads sees every page, and finds no control that writes', async () => {
  const reader = { ...site.organization, apiKey: site.readOnlyKey }
  const page = await site.enter(reader)
  await page.getByText('This key reads: you see everything and change nothing.').waitFor()
  const written: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') written.push(`${request.method()} ${request.url()}`)
  })
  const found: string[] = []
  for (const path of pathsOfReader()) {
    await site.go(page, path)
    const alert = page.getByRole('alert')
    if ((await alert.count()) > 0) found.push(`${path}: ${await alert.first().innerText()}`)
    for (const name of await page.evaluate<string[]>(namesOfOpenControls))
      if (!harmless.test(name)) found.push(`${path}: ${name}`)
  }
  expect([...new Set(found)]).toEqual([])
  expect(written).toEqual([])
})

/** Before a change most forms have nothing to save, and their button is disabled for that reason alone. */
async function changeFields(page: Page): Promise<number> {
  let changed = 0
  const ofText = ['input:not([type])', 'input[type="text"]', 'input[type="url"]', 'input[type="password"]', 'textarea']
  for (const field of await page.locator('main form').locator(ofText.join()).all())
    if (await field.isEditable()) {
      await field.fill('changed.example')
      changed++
    }
  for (const each of await page.locator('main form').getByRole('switch').all())
    if (await each.isEnabled()) {
      await each.click()
      changed++
    }
  return changed
}

test('A key that only reads cannot send a form, even after changing it', async () => {
  const page = await site.enter({ ...site.organization, apiKey: site.readOnlyKey })
  const found: string[] = []
  const changed: string[] = []
  for (const path of pathsOfReader()) {
    await site.go(page, path)
    if (await changeFields(page)) changed.push(path)
    for (const send of await page.locator('main form [type="submit"]').all())
      if (await send.isEnabled()) found.push(`${path}: ${await send.innerText()}`)
  }
  expect(found).toEqual([])
  expect(changed.length).toBeGreaterThan(0)
})
