import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { toAddress } from './pages.ts'
import type { Site } from './site.ts'
import { createVisitors } from './visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** In the dark theme only the rules that can be kept in one theme and broken in another. */
export const themes = [
  ['light', {}],
  ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
] as const

/** Pages as in `pages.ts`, in both themes: none breaks a rule or its policy, or asks another server. */
export async function expectNoObstacles(site: Site, pages: readonly string[]) {
  const found: string[] = []
  for (const [colorScheme, options] of themes) {
    // A page that is led from one theme to the other has colours of both for a while.
    const visitors = createVisitors(site.browser, site, { colorScheme, reducedMotion: 'reduce' })
    for (const written of pages) {
      const page = await visitors.open(toAddress(written, site))
      for (const obstacle of await obstaclesOf(page, options)) found.push(`${written}, ${colorScheme}: ${obstacle}`)
    }
    await visitors.close()
    found.push(...visitors.faults)
  }
  expect(found).toEqual([])
}

/** The rules that a page breaks, as it is shown now. */
export async function obstaclesOf(page: Page, options: object): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`${axe}; axe.run(${JSON.stringify(options)})`)
  return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`))
}
