import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { testDatabase } from '../../../server/tests/support/database.ts'
import { startRealBrowser } from '../../../server/tests/support/real-browser.ts'
import { type Organization, type Signet, startSignet } from '../../../server/tests/support/signet.ts'
import { obstaclesOf, themes } from '../support/obstacles.ts'
import { startProxy } from '../support/proxy.ts'
import { excessOf } from '../support/site.ts'
import { signIn, signInAsOperator, watch } from '../support/visit.ts'

const dist = join(import.meta.dirname, '../../../help/dist')
const addresses = globSync('**/*.html', { cwd: dist }).map((name) => name.replace(/(^index)?\.html$/, ''))
/** One of each kind: the first, with code, tables, pictures, a drawing, of a package, made by a program, and what is not there. */
const kinds = [
  ...['', 'use/getting-started', 'reference/settings', 'reference/errors', 'use/console', 'architecture', 'changelog'],
  ...['sdk/webhooks', 'decisions', 'headings', 'versions', 'use/nothing'],
]
const narrow = { viewport: { width: 390, height: 800 } }
const hostileName = `<img src=x onerror="alert(1)">"'</option></select><script>alert(2)</script> $SIGNET_URL`

const life = new AsyncDisposableStack()
let signet: Signet
let browser: Browser
let database: Awaited<ReturnType<typeof testDatabase>>
let northwind: Organization
let hostile: Organization
const faults: string[] = []

beforeAll(async () => {
  database = await testDatabase()
  life.defer(database.drop)
  signet = await startSignet({ databaseUrl: database.url, env: { SIGNET_RATE_PUBLIC: '100000/100000' } })
  life.defer(async () => void (await signet.stop()))
  browser = await startRealBrowser()
  life.defer(() => browser.close())
  northwind = await signet.organization({ name: 'Northwind Trading' })
  hostile = await signet.organization({ name: hostileName })
})
afterAll(() => life.disposeAsync())

/** What pages did against their policy, asked of other servers, or failed in. */
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(faults.splice(0)).toEqual([])
})

async function visitor(options: BrowserContextOptions = {}, baseUrl = signet.baseUrl): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options })
  await watch(context, baseUrl, faults)
  return context.newPage()
}

const open = (page: Page, address: string) => page.goto(`${signet.baseUrl}/help/${address}`)
const field = (page: Page) => page.getByRole('combobox', { name: 'Search the help' })
const results = (page: Page) => page.getByRole('option')
const codeOf = (page: Page) => page.locator('article pre').allInnerTexts()

describe.each(themes)('In the %s theme', (colorScheme, options) => {
  test.each(kinds)('nothing is in the way of anybody on /help/%s, wide or narrow', async (address) => {
    const found: string[] = []
    for (const size of [{}, narrow]) {
      const page = await visitor({ colorScheme, ...size })
      await open(page, address)
      await page.locator('h1').waitFor()
      found.push(...(await obstaclesOf(page, options)))
    }
    expect(found).toEqual([])
  })

  test('nor with results of the search, or with none', async () => {
    const page = await visitor({ colorScheme })
    await open(page, 'use/hooks')
    for (const [typed, shown] of [
      ['retry', 'option'],
      ['zzzzzz', 'status'],
    ] as const) {
      await field(page).fill(typed)
      await page.getByRole(shown).first().waitFor()
      expect(await obstaclesOf(page, options)).toEqual([])
    }
  })
})

test('No page scrolls sideways on a narrow screen', async () => {
  const page = await visitor(narrow)
  const wide: string[] = []
  for (const address of addresses) {
    await open(page, address)
    if ((await excessOf(page)) > 0) wide.push(address)
  }
  expect(wide).toEqual([])
  expect(addresses.length).toBeGreaterThan(80)
})

test('Without scripts a page is whole, and its links lead on', async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await open(page, '')
  expect(await field(page).isVisible()).toBe(false)
  await page.locator('main').getByRole('link', { name: 'Getting started' }).first().click()
  expect(await page.locator('h1').innerText()).toBe('Getting started')
})

describe('The search', () => {
  test.each(['SIGNET_RETRY_MAX', 'idempotency_key_reused', 'PersonCreated_v1'])(
    'finds %s, and leads there with the keyboard alone',
    async (name) => {
      const page = await visitor()
      await open(page, 'use/hooks')
      await page.keyboard.press('/')
      await page.keyboard.insertText(name)
      await results(page).first().waitFor()
      expect(await results(page).first().innerText()).toContain(name)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/help\/.*#/)
      expect(await page.locator(':target').count()).toBe(1)
    },
  )

  test('opens and closes as a combobox does', async () => {
    const page = await visitor()
    await open(page, '')
    await field(page).fill('delivery')
    await results(page).first().waitFor()
    expect(await field(page).getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await results(page).first().isVisible()).toBe(false)
    expect(await field(page).getAttribute('aria-expanded')).toBe('false')
  })
})

test('With the keyboard the first stop leads past everything, and each stop can be seen', async () => {
  const page = await visitor()
  await open(page, 'use/hooks')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Skip to the content')
  expect(await page.locator(':focus').isVisible()).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.locator('main :focus').count()).toBe(1)
})

describe('Samples', () => {
  const sampled = 'use/directories'
  const choice = (page: Page) => page.getByLabel('Samples for')

  test('stay as they are printed for whom the console does not know, also for the operator', async () => {
    const page = await visitor()
    for (const begin of [async () => {}, () => signInAsOperator(page, signet.baseUrl, signet.operatorKey)]) {
      await begin()
      const asked = page.waitForResponse(`${signet.baseUrl}/console/sessions`)
      await open(page, sampled)
      await (await asked).finished()
      expect((await codeOf(page)).join()).toContain('SCIM_URL=$SIGNET_URL/scim/$SIGNET_ORGANIZATION_ID/v2')
      expect(await choice(page).count()).toBe(0)
    }
  })

  test('have the address and the organization of whoever is signed in, one of several, and no key and no name of theirs', async () => {
    const page = await visitor()
    await signIn(page, signet.baseUrl, hostile)
    await signIn(page, signet.baseUrl, northwind)
    const asked = page.waitForResponse(`${signet.baseUrl}/console/sessions`)
    await open(page, sampled)
    await choice(page).waitFor()
    const { result } = await (await asked).json()
    const filled = (await codeOf(page)).join()
    expect(filled).toContain(`SCIM_URL=${signet.baseUrl}/scim/${northwind.id}/v2`)
    expect(filled).not.toMatch(/\$SIGNET_(?:URL|ORGANIZATION_ID)/)
    expect(await choice(page).locator('option').allTextContents()).toEqual([
      'Northwind Trading',
      hostileName.slice(0, 80),
      'nobody: as printed',
    ])
    const others = [northwind, hostile].map(({ apiKey }) => apiKey)
    for (const { id, by } of result) others.push(id, by.id, by.name)
    expect(others.filter(Boolean).length).toBeGreaterThan(5)
    const content = await page.content()
    expect(others.filter((other) => other && content.includes(other))).toEqual([])

    await choice(page).selectOption(hostile.id)
    expect((await codeOf(page)).join()).toContain(`SCIM_URL=${signet.baseUrl}/scim/${hostile.id}/v2`)
    expect(await page.locator('img[src="x"], article script').count()).toBe(0)
    for (const [theme, options] of themes) {
      await page.emulateMedia({ colorScheme: theme })
      expect(await obstaclesOf(page, options)).toEqual([])
    }
    await page.setViewportSize(narrow.viewport)
    expect(await excessOf(page)).toBe(0)

    await choice(page).selectOption('')
    expect((await codeOf(page)).join()).toContain('SCIM_URL=$SIGNET_URL/scim/$SIGNET_ORGANIZATION_ID/v2')
  })

  test('have the address below a path that a proxy removes, where links and the search are right as well', async () => {
    const port = await freePort()
    const env = { SIGNET_BASE_URL: `http://localhost:${port}/signet` }
    await using below = new AsyncDisposableStack()
    const service = await startSignet({
      databaseUrl: database.url,
      env: { ...env, SIGNET_ACCEPT_BASE_URL: env.SIGNET_BASE_URL },
    })
    below.defer(async () => void (await service.stop()))
    const proxy = await startProxy(service.baseUrl, { prefix: '/signet', port })
    below.defer(() => proxy.stop())

    const page = await visitor({}, `${proxy.baseUrl}/`)
    await signIn(page, proxy.baseUrl, northwind)
    await page.goto(`${proxy.baseUrl}/help`)
    expect(page.url()).toBe(`${proxy.baseUrl}/help/`)
    await field(page).fill('SIGNET_RETRY_MAX')
    await results(page).first().click()
    expect(page.url()).toMatch(new RegExp(`^${RegExp.escape(proxy.baseUrl)}/help/(?:reference|operate)/`))
    await page.goto(`${proxy.baseUrl}/help/${sampled}`)
    await choice(page).waitFor()
    expect((await codeOf(page)).join()).toContain(`SCIM_URL=${proxy.baseUrl}/scim/${northwind.id}/v2`)
    await page.goto(`${proxy.baseUrl}/help/use/nothing`)
    await page.getByRole('link', { name: 'Signet Help' }).click()
    expect(page.url()).toBe(`${proxy.baseUrl}/help/`)
  })
})

describe('The ways to the help', () => {
  test('The console leads to its first page, and from a page to what explains it, in a tab of its own', async () => {
    const page = await visitor()
    await signIn(page, signet.baseUrl, northwind, '/keys/verification')
    const follow = async (name: string) => {
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name, exact: true }).click()
      const tab = await opened
      await tab.locator('h1').waitFor()
      return tab.url()
    }
    expect(await follow('More in the help')).toBe(`${signet.baseUrl}/help/operate/keys#verification-keys`)
    expect(await follow('Help')).toBe(`${signet.baseUrl}/help/`)
  })

  test('So does the reference, which asks nothing of other servers either', async () => {
    const page = await visitor()
    await page.goto(`${signet.baseUrl}/docs/`)
    const link = page.getByRole('link', { name: 'Repeat a call safely' }).first()
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(`${signet.baseUrl}/help/use/repeating-calls`)
    // Its library tries that, and does without.
    const tried = 'violated script-src eval'
    expect(faults.splice(0).filter((fault) => !fault.startsWith(tried))).toEqual([])
  })
})

test('The theme that was chosen in the console is that of the help, and the other way round', async () => {
  const page = await visitor({ colorScheme: 'light' })
  await open(page, '')
  const theme = page.getByRole('button', { name: /^Theme/ })
  while (!/dark/.test((await theme.getAttribute('aria-label')) ?? '')) await theme.click()
  await page.goto(`${signet.baseUrl}/console`)
  await page.getByLabel('Organization ID').waitFor()
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(background).not.toBe('rgb(255, 255, 255)')
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
})
