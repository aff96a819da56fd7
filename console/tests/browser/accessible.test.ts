import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectNoObstacles, obstaclesOf, themes } from '../support/obstacles.ts'
import { everyPage } from '../support/pages.ts'
import { button, dialogOf, type Site, startSite } from '../support/site.ts'

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

test.each(themes)('Nor is anything in what opens above a page, in the %s theme', async (colorScheme, options) => {
  const { billing } = site.names
  const path = `/webhooks/${billing}/settings`
  const page = await site.enter(site.organization, path, { colorScheme, reducedMotion: 'reduce' })
  const found: string[] = []
  const look = async (at: string) => found.push(...(await obstaclesOf(page, options)).map((each) => `${at}: ${each}`))
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  await look('palette')
  await page.keyboard.insertText('zz')
  await page.getByText('Nothing has this name.').waitFor()
  await look('palette without a result')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await button(page, 'Keyboard shortcuts').click()
  await dialogOf(page).waitFor()
  await look('shortcuts')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await button(page, 'Delete webhook').click()
  await dialogOf(page).waitFor()
  await look('deletion')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await page.getByLabel('Description').fill(`Mine, ${colorScheme}`)
  const theirs = { description: `Theirs, ${colorScheme}` }
  await site.signet.as(site.organization, 'PATCH', `/organizations/webhooks/${billing}`, theirs)
  await button(page, 'Save').click()
  await dialogOf(page).waitFor()
  await look('clash')
  await button(page, 'Save over it').click()
  await page.getByText('The webhook is saved.').waitFor()
  await look('message in the corner')
  expect(found).toEqual([])
  await site.leave()
})
