import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRealBrowser } from '../support/real-browser.ts'
import { type Signet, startOwnSignet } from '../support/signet.ts'

let signet: Signet
let browser: Browser

beforeAll(async () => {
  ;[signet, browser] = await Promise.all([startOwnSignet(), startRealBrowser()])
})

afterAll(() => Promise.all([browser?.close(), signet?.stop()]))

describe('The reference page', () => {
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

  test('No button of the page makes a request to another host, opens a foreign page, or violates the policy', async () => {
    const context = await browser.newContext()
    const requested: string[] = []
    const opened: string[] = []
    const violations: string[] = []
    const { origin } = new URL(signet.baseUrl)
    context.on('request', (request) => requested.push(request.url()))
    const page = await context.newPage()
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text())
    })
    context.on('page', (other) => opened.push(other.url()))
    await page.goto(`${signet.baseUrl}/docs`)
    await page.getByText('Create a group').first().waitFor()
    await expect.poll(() => page.innerText('body'), { timeout: 30_000 }).toContain('Webhooks')
    expect(await page.title()).toBe('Signet API reference')
    for (let round = 0; round < 2; round++) {
      expect(await linksAway(page, origin)).toEqual([])
      expect(await page.innerText('body')).not.toMatch(makers)
      await pressAll(page)
    }
    await page.goto(`${signet.baseUrl}/docs`)
    await page.getByText('Create a group').first().click()
    await expect.poll(() => page.innerText('body')).toContain('-H "Service-API-Key: $SIGNET_API_KEY"')
    expect(await page.innerText('body')).not.toContain('YOUR_SECRET_TOKEN')
    await page.getByRole('button', { name: 'Test Request' }).first().click()
    const answer = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    await answer
    expect(await linksAway(page, origin)).toEqual([])
    expect(await page.innerText('body')).not.toMatch(makers)
    const elsewhere = requested.filter((url) => /^https?:|^wss?:/.test(url) && new URL(url).origin !== origin)
    expect([...elsewhere, ...opened, ...violations]).toEqual([])
    expect(requested).toContain(`${signet.baseUrl}/groups`)
    await context.close()
  })
})
