import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRealBrowser } from './support/real-browser.ts'
import { type Signet, startOwnSignet } from './support/signet.ts'

let signet: Signet
let browser: Browser

beforeAll(async () => {
  ;[signet, browser] = await Promise.all([startOwnSignet(), startRealBrowser()])
})

afterAll(() => Promise.all([browser?.close(), signet?.stop()]))

test('the reference page shows the operations in a real browser, breaks nothing of its policy, and asks nobody else', async () => {
  const page = await browser.newPage()
  const violations: string[] = []
  const asked = new Set<string>()
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text())
  })
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  await page.goto(`${signet.baseUrl}/docs`)
  await page.getByRole('heading', { name: 'Signet' }).first().waitFor()
  await expect.poll(() => page.innerText('body'), { timeout: 30_000 }).toContain('Webhooks')
  expect(violations).toEqual([])
  expect([...asked].filter((origin) => origin !== 'null')).toEqual([new URL(signet.baseUrl).origin])
})

describe('all that can be pressed on the reference page', () => {
  const makers = /\b(ask ai|mcp|share|deploy|configure|developer tools|powered by|scalar)\b/i
  const pressAll = (page: Page) =>
    page.$$eval('button, [role="button"], [role="tab"], summary', (all) => {
      for (const each of all) (each as unknown as { click(): void }).click()
    })

  type Link = { href: string; getClientRects(): unknown[]; computedStyleMap(): { get(name: string): unknown } }
  /** Links that a reader sees and can press, and that lead away from the service. */
  const linksAway = (page: Page, origin: string) =>
    page.$$eval(
      'a[href]',
      (all, own) =>
        all
          .map((link) => link as unknown as Link)
          .filter((link) => link.getClientRects().length > 0)
          .filter((link) => String(link.computedStyleMap().get('pointer-events')) !== 'none')
          .map((link) => link.href)
          .filter((href) => new URL(href).origin !== own),
      origin,
    )

  test('asks nobody but the service, and opens no page of another', async () => {
    const context = await browser.newContext()
    const asked: string[] = []
    const opened: string[] = []
    const { origin } = new URL(signet.baseUrl)
    context.on('request', (request) => asked.push(request.url()))
    const page = await context.newPage()
    context.on('page', (other) => opened.push(other.url()))
    await page.goto(`${signet.baseUrl}/docs`)
    await page.getByText('Create a group').first().waitFor()
    expect(await page.title()).toBe('Signet API reference')
    for (let round = 0; round < 2; round++) {
      expect(await linksAway(page, origin)).toEqual([])
      expect(await page.innerText('body')).not.toMatch(makers)
      await pressAll(page)
    }
    await page.goto(`${signet.baseUrl}/docs`)
    await page.getByText('Create a group').first().click()
    await page.getByRole('button', { name: 'Test Request' }).first().click()
    const answer = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    await answer
    expect(await linksAway(page, origin)).toEqual([])
    expect(await page.innerText('body')).not.toMatch(makers)
    const elsewhere = asked.filter((url) => /^https?:|^wss?:/.test(url) && new URL(url).origin !== origin)
    expect([...elsewhere, ...opened]).toEqual([])
    expect(asked).toContain(`${signet.baseUrl}/groups`)
    await context.close()
  })
})
