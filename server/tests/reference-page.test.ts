import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
