import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { signIn } from '../../console/tests/support/visit.ts'
import type { Credentials } from './exchange.ts'

/** How often the processor is slowed, as the browser does it for its own measurements. */
export const slowedTimes = 4
/** After everything is shown: a later, larger paint would come by then. */
const restMs = 500

/** What a page waits for: something of it that is shown when all of it is. */
export type Shown = { path: string; selector: string }

/** A profile in which an organization is signed in. Others may begin with its session and an empty cache. */
export async function enter(browser: Browser, baseUrl: string, { organizationId, apiKey }: Credentials) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await signIn(page, baseUrl, { id: organizationId, apiKey })
  return context
}

/** 400 ms for each request and 400 kbit/s, as Lighthouse has it for "slow 3G". */
export const slow3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

type Network = typeof slow3G

/** Milliseconds from the navigation to the largest contentful paint. */
export async function paintOf(
  context: BrowserContext,
  baseUrl: string,
  shown: Shown,
  network?: Network,
): Promise<number> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedTimes })
  if (network) {
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', network)
  }
  await open(page, baseUrl, shown)
  await page.waitForTimeout(restMs)
  const paint = await page.evaluate<number>(largestPaint)
  await page.close()
  return paint
}

/** Runs in the page. */
const largestPaint = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`

export type Load = { requests: number; script: number; all: number }

/** What a page fetches until it shows everything, in bytes as they come over the network, with their headers. */
export async function loadOf(context: BrowserContext, baseUrl: string, shown: Shown): Promise<Load> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const load = await countLoad(session)
  await open(page, baseUrl, shown)
  await page.waitForTimeout(restMs)
  await page.close()
  return load
}

async function countLoad(session: CDPSession): Promise<Load> {
  const load = { requests: 0, script: 0, all: 0 }
  const scripts = new Set<string>()
  session.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    load.requests++
    load.all += encodedDataLength
    if (scripts.has(requestId)) load.script += encodedDataLength
  })
  await session.send('Network.enable')
  return load
}

/** Milliseconds from the navigation until the frame after the one in which it is shown, as the page itself sees it. */
export async function shownAfter(page: Page, baseUrl: string, shown: Shown): Promise<number> {
  await page.goto(`${baseUrl}/console${shown.path}`)
  return page.evaluate<number>(`new Promise((resolve) => (function look() {
    if (document.querySelector(${JSON.stringify(shown.selector)})) requestAnimationFrame(() => resolve(performance.now()))
    else requestAnimationFrame(look)
  })())`)
}

async function open(page: Page, baseUrl: string, { path, selector }: Shown) {
  await page.goto(`${baseUrl}/console${path}`)
  await page.locator(selector).first().waitFor()
}
