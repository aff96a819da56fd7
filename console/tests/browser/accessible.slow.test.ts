import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNoObstacles, obstaclesOf, themes } from '../support/obstacles.ts'
import { everyPage } from '../support/pages.ts'
import { startSignIns } from '../support/sign-ins.ts'
import { button, closeDialog, dialogOf, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite({}, await startSignIns())
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

/** A part at a time, so that a failure names its pages soon. */
const parts = Array.from({ length: Math.ceil(everyPage.length / 10) }, (_, at) =>
  everyPage.slice(10 * at, 10 * at + 10),
)

test.each(parts.map((pages) => [pages.join(' '), pages] as const))(
  "Nothing is in anybody's way on %s, in both themes, and nothing is asked of others",
  (_, pages) => expectNoObstacles(site, pages),
)

describe.each(themes)('Nothing is in the way of what opens above a page, in the %s theme:', (colorScheme, options) => {
  const found: string[] = []
  const open = (path: string) => site.enter(site.organization, path, { colorScheme, reducedMotion: 'reduce' })
  const look = async (page: Page, at: string) =>
    found.push(...(await obstaclesOf(page, options)).map((each) => `${at}: ${each}`))
  beforeEach(() => void found.splice(0))
  afterEach(() => expect(found).toEqual([]))

  test('the command palette, with and without a result', async () => {
    const page = await open('/')
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    await look(page, 'palette')
    await page.keyboard.insertText('zz')
    await page.getByText('Nothing is called that, and nothing has this ID.').waitFor()
    await look(page, 'palette without a result')
  })

  test('dialogs', async () => {
    const page = await open(`/webhooks/${site.names.billing}/settings`)
    for (const name of ['Keyboard shortcuts', 'Delete webhook']) {
      await button(page, name).click()
      await dialogOf(page).waitFor()
      await look(page, name)
      await closeDialog(page)
    }
  })

  test('the clash of two changes, and the message that one is saved', async () => {
    const path = `/webhooks/${site.names.billing}`
    const page = await open(`${path}/settings`)
    await page.getByLabel('Description').fill(`Mine, ${colorScheme}`)
    await site.signet.as(site.organization, 'PATCH', `/organizations${path}`, { description: `Theirs, ${colorScheme}` })
    await button(page, 'Save').click()
    await dialogOf(page).waitFor()
    await look(page, 'clash')
    await button(page, 'Save over it').click()
    const message = page.getByText('The webhook is saved.')
    // Until the pointer leaves it, it stays.
    await message.hover()
    await look(page, 'message')
    expect(await message.count()).toBe(1)
  })
})
