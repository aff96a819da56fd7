import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { testDatabase } from '../../../server/tests/support/database.ts'
import { startRealBrowser } from '../../../server/tests/support/real-browser.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'
import type { SignIns } from './sign-ins.ts'
import { type Stage, setStage } from './stage.ts'
import { goTo, signIn, signInAsOperator, untilQuiet, watch } from './visit.ts'

/** A stage and a browser for a test file. */
export type Site = Stage & {
  browser: Browser
  database: Awaited<ReturnType<typeof testDatabase>>
  /** What pages did against their policy, asked of other servers, or failed in, in all profiles. */
  faults: string[]
  /** The page of somebody whom the browser has not seen before. */
  profile(options?: BrowserContextOptions): Promise<Page>
  /** The same, signed in, at a path of the console. */
  enter(organization: Organization, path?: string, options?: BrowserContextOptions): Promise<Page>
  operate(path?: string): Promise<Page>
  /** Leads a page that is signed in to another path. */
  go(page: Page, path: string): Promise<Page>
  /** Ends all profiles; nothing that they did may be a fault. */
  leave(): Promise<void>
}

/** Enough for several pages of a list. */
const hours = 5

export async function startSite(settings: Record<string, string> = {}, signIns?: SignIns): Promise<Site> {
  const started = new AsyncDisposableStack()
  const database = await testDatabase()
  started.defer(database.drop)
  if (signIns) started.defer(signIns.stop)
  try {
    const options = { settings, hours, ...(signIns && { signIns }) }
    const [stage, browser] = await Promise.all([setStage(database, options), startRealBrowser()])
    started.defer(stage.stop)
    started.defer(() => browser.close())
    return { ...stage, ...createProfiles(browser, stage), browser, database, stop: () => started.disposeAsync() }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

function createProfiles(browser: Browser, { signet }: Stage) {
  const faults: string[] = []
  const profile: Site['profile'] = async (options = {}) => {
    const context = await browser.newContext(options)
    await watch(context, signet.baseUrl, faults)
    const page = await context.newPage()
    page.setDefaultTimeout(maxWaitMs)
    return page
  }
  const begin = async (page: Page, how: Promise<void>) => {
    await how
    await untilQuiet(page)
    return page
  }
  return {
    faults,
    profile,
    enter: async (organization: Organization, path = '', options: BrowserContextOptions = {}) => {
      const page = await profile(options)
      return begin(page, signIn(page, signet.baseUrl, organization, path))
    },
    operate: async (path = '') => {
      const page = await profile()
      return begin(page, signInAsOperator(page, signet.baseUrl, signet.operatorKey, path))
    },
    go: async (page: Page, path: string) => {
      await goTo(page, path)
      await untilQuiet(page)
      return page
    },
    leave: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
      expect(faults.splice(0)).toEqual([])
    },
  }
}

/** Of one step of a test, on a busy machine. */
const maxWaitMs = 45_000

/** By how many pixels the page is wider than the window. */
export const excessOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** The tables that have something beyond their frames, once they have taken their forms, and by how many pixels. */
export const outOfSight = (page: Page) => page.evaluate<string[]>(findOutOfSight)

/** Runs in the page. */
const findOutOfSight = `(async () => {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
  return [...document.querySelectorAll('main table')].flatMap((table) => {
    const shown = [...table.querySelectorAll('tr, th, td, td *')]
      .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
    const edges = shown.map((each) => each.getBoundingClientRect().right)
    const excess = Math.max(...edges) - table.parentElement.getBoundingClientRect().right
    return excess > 0.5 ? [(table.caption ?? table.tHead).textContent + ' by ' + Math.ceil(excess)] : []
  })
})()`

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })

export const press = (page: Page, name: string | RegExp) => button(page, name).click()

const maxTabs = 80

/** Goes on by Tab until the target, or one of several, has the focus; first it must be there. */
export async function tabTo(target: Locator) {
  await target.first().waitFor()
  const focused = target.and(target.page().locator(':focus'))
  for (let step = 0; step < maxTabs; step++) {
    await target.page().keyboard.press('Tab')
    if ((await focused.count()) > 0) return
  }
  throw new Error(`Tab never came to ${target}`)
}

/** The dialog that is open; a message in the corner is one to assistive technology, too. */
export const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])')

/** Closes what stands above the page, and waits until it is gone. */
export async function closeDialog(page: Page) {
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', typeof name === 'string' ? { name, exact: true } : { name }).waitFor()
