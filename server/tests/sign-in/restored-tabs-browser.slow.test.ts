import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SignInSite, type SiteTenant, startSignInSite } from '../support/sign-in-site.ts'

let site: SignInSite

beforeAll(async () => {
  site = await startSignInSite()
})
afterAll(() => site?.stop())
afterEach(() => Promise.all(site.browser.contexts().map((context) => context.close())))

const timeout = 120_000

async function logIn(page: Page) {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** All tabs begin at once, and stand at the provider before the person logs in at any of them. Gives who is signed in at each. */
async function restore(context: BrowserContext, tenants: SiteTenant[]): Promise<string[]> {
  const pages = await Promise.all(tenants.map(() => context.newPage()))
  await Promise.all(pages.map((page, at) => page.goto(`${tenants[at]?.url}/sign-in`, { timeout })))
  await Promise.all(pages.map((page) => page.getByLabel('E-mail').waitFor({ timeout })))
  await Promise.all(pages.map(logIn))
  return Promise.all(
    pages.map(async (page) => JSON.parse(await page.locator('#claims').innerText({ timeout })).sub as string),
  )
}

describe('A browser that is restored', () => {
  test.each([8, 12, 20])('A browser that is restored with %i tabs has all of them signed in', async (count) => {
    const tenant = await site.tenant(['Google'])
    const context = await site.profile()
    const subjects = await restore(context, Array(count).fill(tenant))
    expect(new Set(subjects).size).toBe(1)
    expect(await tenant.endings()).toEqual(Array(count).fill('succeeded'))
    expect(await tenant.persons()).toHaveLength(1)
    const ours = (await context.cookies()).filter(({ name }) => name.startsWith('__Host-signet-'))
    expect(ours.map(({ name }) => name)).toEqual([`__Host-signet-session-${tenant.organization.id}`])
  })

  test('A browser that is restored with twenty tabs of two applications has all of them signed in', async () => {
    const [one, other] = [await site.tenant(['Google']), await site.tenant(['Google'])]
    await restore(
      await site.profile(),
      Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other)),
    )
    for (const tenant of [one, other]) expect(await tenant.endings()).toEqual(Array(10).fill('succeeded'))
  })
})

test('A link that Chromium fetches ahead of the person uses nothing up', async () => {
  const tenant = await site.tenant(['Google'])
  const page = await (await site.profile()).newPage()
  const [request] = await Promise.all([
    page.waitForRequest(/\/authorize\?/, { timeout }),
    page.goto(`${tenant.url}/sign-in`),
  ])
  const address = request.url()
  await page.goto(tenant.url)
  const answered = page.waitForResponse((response) => response.url() === address, { timeout })
  await page.evaluate(
    `document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: ${JSON.stringify(address)} }))`,
  )
  expect((await answered).status()).toBe(503)
  await page.goto(address)
  await logIn(page)
  expect(JSON.parse(await page.locator('#claims').innerText())).toHaveProperty('sub')
  expect(await tenant.endings()).toEqual(['succeeded'])
})
