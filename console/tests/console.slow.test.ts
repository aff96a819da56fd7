import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNoObstacles } from './support/obstacles.ts'
import { heading, press, type Site, startSite } from './support/site.ts'
import { signIn, signInAsOperator } from './support/visit.ts'

/** `npm run test:everything -- console` looks at every page. */
const samples = ['/', '/webhooks/{billing}/settings', '/deliveries']
const sections = 'Home Webhooks Deliveries Events Persons Groups Sign-in Keys Audit+log Settings'
  .split(' ')
  .map((name) => name.replace('+', ' '))

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())

const sectionsOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents()

describe('The sign-in of the console', () => {
  let page: Page

  beforeEach(async () => {
    await site.leave()
    page = await site.profile()
  })

  test('An organization signs in by its ID and key, and sees its sections', async () => {
    await page.goto(`${site.signet.baseUrl}/console`)
    await heading(page, 'Signet')
    expect(await page.getByLabel('Organization ID').count()).toBe(1)
    expect(await page.getByLabel('API key').count()).toBe(1)
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign in', 'Operator'])
    await signIn(page, site.signet.baseUrl, site.organization)
    await heading(page, 'Home')
    expect(await sectionsOf(page)).toEqual(sections)
    await site.leave()
  })

  test('The operator signs in by the operator key, and sees the organizations', async () => {
    await signInAsOperator(page, site.signet.baseUrl, site.signet.operatorKey)
    await heading(page, 'Organizations')
    expect(await sectionsOf(page)).toEqual(['Organizations'])
    await site.leave()
  })

  test('A key that is wrong is refused in an alert, and lets nobody in', async () => {
    await page.goto(`${site.signet.baseUrl}/console`)
    await page.getByLabel('Organization ID').fill(site.organization.id)
    await page.getByLabel('API key').fill('wrong')
    await press(page, 'Sign in')
    expect(await page.getByRole('alert').innerText()).toMatch(/./)
    expect(await page.getByRole('navigation').count()).toBe(0)
    await site.leave()
  })
})

test('A webhook is created by its form, and is there', async () => {
  const page = await site.enter(site.newOrganization, '/webhooks/new')
  await page.getByLabel('Name', { exact: true }).fill('Invoices')
  await page.getByLabel('Target URL').fill('https://receiver.test/invoices')
  await press(page, 'Create webhook')
  await heading(page, 'Invoices')
  const { body } = await site.signet.as(site.newOrganization, 'GET', '/organizations/webhooks')
  expect(body.result).toMatchObject([{ name: 'Invoices', target_url: 'https://receiver.test/invoices' }])
  await site.leave()
})

test('A form of a tab whose browser is signed in with another key since changes nothing, and says so', async () => {
  const page = await site.enter(site.organization, '/groups/new')
  await page.getByLabel('Name', { exact: true }).fill('Late')
  const other = await page.context().newPage()
  await signIn(other, site.signet.baseUrl, { ...site.organization, apiKey: site.readOnlyKey })
  await press(page, 'Create group')
  await page.getByRole('dialog', { name: 'This browser is signed in anew' }).getByText('Auditors').waitFor()
  const { body } = await site.signet.as(site.organization, 'GET', '/groups')
  expect(body.result).not.toContain('Late')
  await site.leave()
})

test("Nothing is in anybody's way on pages of every kind, in both themes (axe)", () => expectNoObstacles(site, samples))
