import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { toAddress } from './pages.ts'
import type { Site } from './site.ts'
import { createVisitors } from './visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that can be kept in one theme and broken in another. */
const rulesOfColour = { runOnly: ['color-contrast', 'link-in-text-block'] }

/** The rules that a page breaks, as it is shown now. */
async function obstaclesOf(page: Page, options: object = {}): Promise<string[]> {
  await page.evaluate(untilDrawn)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`))
}

/** Runs in the page: the colours of a theme are there with the frame after next. */
const untilDrawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Pages as in `pages.ts`, in both themes: none breaks a rule or its policy, or asks another server. */
export async function expectNoObstacles(site: Site, pages: readonly string[]) {
  const visitors = createVisitors(site.browser, site, { reducedMotion: 'reduce' })
  const found: string[] = []
  for (const written of pages) {
    const page = await visitors.open(toAddress(written, site))
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await page.evaluate(axe)
    for (const obstacle of await obstaclesOf(page)) found.push(`${written}: ${obstacle}`)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    for (const obstacle of await obstaclesOf(page, rulesOfColour)) found.push(`${written}, dark: ${obstacle}`)
  }
  await visitors.close()
  expect([...found, ...visitors.faults]).toEqual([])
}
