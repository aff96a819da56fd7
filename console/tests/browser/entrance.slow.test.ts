import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { obstaclesOf } from '../support/obstacles.ts'
import { dialogOf, excessOf, heading, press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** The page before its scripts have come; the function lets them come. */
async function withoutScripts(page: Page, path: string) {
  const { promise: wait, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await wait
    await route.continue()
  })
  await page.goto(`${site.signet.baseUrl}/console${path}`, { waitUntil: 'commit' })
  await page.locator('#first-form h1').waitFor()
  // A script can measure a page whose style sheet has not come yet.
  await expect.poll(() => page.evaluate<number>('document.styleSheets.length')).toBe(1)
  return release
}

const firstForm = (page: Page) => page.locator('#first-form')
const untilTakenOver = (page: Page) => firstForm(page).waitFor({ state: 'detached' })

describe('The form in the HTML', () => {
  test('Without scripts the page shows whose it is, the form, and why nobody can sign in', async () => {
    const page = await site.profile({ javaScriptEnabled: false })
    await page.goto(`${site.signet.baseUrl}/console`)
    await heading(page, 'Signet')
    await page.getByText(new URL(site.signet.baseUrl).host, { exact: true }).waitFor()
    expect(await page.locator('noscript').innerText()).toContain('needs JavaScript')
    expect(await page.getByLabel('Organization ID').count()).toBe(1)
    expect(await page.getByLabel('API key').count()).toBe(1)
    expect(await page.getByLabel('Operator key').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('API key').fill('a secret')
    await page.getByLabel('API key').press('Enter')
    expect(page.url()).toBe(`${site.signet.baseUrl}/console`)
  })

  test('What is typed before the script runs stays, with the focus and the place in the text', async () => {
    const page = await site.profile()
    const release = await withoutScripts(page, '')
    await page.getByLabel('Organization ID').fill(site.organization.id)
    await page.getByLabel('API key').fill('abcdef')
    await page.keyboard.press('ArrowLeft')
    release()
    await untilTakenOver(page)
    expect(await page.getByLabel('Organization ID').inputValue()).toBe(site.organization.id)
    await page.keyboard.type('X')
    expect(await page.getByLabel('API key').inputValue()).toBe('abcdeXf')
    await page.getByLabel('API key').fill(site.organization.apiKey)
    await press(page, 'Sign in')
    await heading(page, 'Home')
  })

  test('The page looks the same after the script as before', async () => {
    const page = await site.profile()
    const release = await withoutScripts(page, '')
    const placesOf = () =>
      page.evaluate<unknown>(`['h1', 'input[name=organization_id]', 'input[name=secret]', 'button'].map((each) => {
        const { x, y, width, height } = document.querySelector(each).getBoundingClientRect()
        return [each, x, y, width, height].map((value) => typeof value === 'number' ? Math.round(value) : value)
      })`)
    const before = await placesOf()
    release()
    await untilTakenOver(page)
    expect(await placesOf()).toEqual(before)
  })

  test('Of a page of an organization it has the ID; of the operator one field; with a session there is none', async () => {
    const page = await site.profile()
    const path = `/o/${site.organization.id}/webhooks`
    const release = await withoutScripts(page, path)
    expect(await page.getByLabel('Organization ID').inputValue()).toBe(site.organization.id)
    release()
    await untilTakenOver(page)
    await page.getByText('Northwind Trading').waitFor()
    await page.getByLabel('API key').fill(site.organization.apiKey)
    await press(page, 'Sign in')
    await heading(page, 'Webhooks')
    const html = async (at: string) => (await page.request.get(`${site.signet.baseUrl}/console${at}`)).text()
    expect(await html(path)).not.toContain('first-form')
    expect(await html('/operator')).toContain('Operator key')
    expect(await html('/operator')).not.toContain('API key')
  })

  test.each([390, 768, 1440])(
    'Nothing is in anybody’s way before the script, %d pixels wide, in both themes (axe)',
    async (width) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await site.profile({ colorScheme, viewport: { width, height: 900 } })
        const release = await withoutScripts(page, `/o/${site.organization.id}/`)
        expect(await obstaclesOf(page, {})).toEqual([])
        expect(await excessOf(page)).toBe(0)
        release()
        await untilTakenOver(page)
        expect(await obstaclesOf(page, {})).toEqual([])
        expect(await excessOf(page)).toBe(0)
      }
    },
  )
})

test('A refusal names the field as the page calls it', async () => {
  const page = await site.profile()
  await page.goto(`${site.signet.baseUrl}/console`)
  await page.getByLabel('Organization ID').fill(site.organization.id)
  await page.getByLabel('API key').fill('wrong')
  await press(page, 'Sign in')
  expect(await page.getByRole('alert').innerText()).toBe('API key: is not valid for this organization')
})

test('With forced colours the focus is seen', async () => {
  const page = await site.profile({ forcedColors: 'active' })
  await page.goto(`${site.signet.baseUrl}/console`)
  await untilTakenOver(page)
  await page.getByLabel('API key').focus()
  const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
  expect(outline).not.toBe('none')
})

test('What is grave asks for the key again after an hour, keeps the form, and sends it by itself', async () => {
  const page = await site.enter(site.organization, '/keys/new')
  await page.getByLabel('Name', { exact: true }).fill('Typed before')
  await page.getByLabel('groups', { exact: true }).selectOption('read')
  const inside = new pg.Client(site.database)
  await inside.connect()
  await inside.query(`update console_sessions set authenticated_at = now() - interval '2 hours'`)
  await inside.end()
  await press(page, 'Create API key')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('API key').fill(site.organization.apiKey)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect
    .poll(async () => {
      const { body } = await site.signet.as(site.organization, 'GET', '/organizations/api-keys')
      return body.result.filter(({ name }: { name?: string }) => name === 'Typed before').length
    })
    .toBe(1)
  expect(await dialogOf(page).count()).toBeLessThan(2)
})
