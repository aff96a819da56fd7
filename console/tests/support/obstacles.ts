import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { toAddress } from './pages.ts'
import type { Site } from './site.ts'
import { createVisitors } from './visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that a page breaks, as it is shown now. */
async function obstaclesOf(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`${axe}; axe.run()`)
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
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(untilDrawn)
      for (const obstacle of await obstaclesOf(page)) found.push(`${written}, ${colorScheme}: ${obstacle}`)
    }
  }
  await visitors.close()
  expect([...found, ...visitors.faults]).toEqual([])
}
