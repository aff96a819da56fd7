import { afterAll, beforeAll, test } from 'vitest'
import { expectNoObstacles } from '../support/obstacles.ts'
import { everyPage } from '../support/pages.ts'
import { type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())

/** A part at a time, so that a failure names its pages soon. */
const parts = Array.from({ length: Math.ceil(everyPage.length / 10) }, (_, at) =>
  everyPage.slice(10 * at, 10 * at + 10),
)

test.each(parts.map((pages) => [pages.join(' '), pages] as const))(
  "Nothing is in anybody's way on %s, in both themes, and nothing is asked of others",
  (_, pages) => expectNoObstacles(site, pages),
)
