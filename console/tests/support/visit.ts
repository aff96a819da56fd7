import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Organization } from '../../../server/tests/support/signet.ts'
import type { Address, Viewer } from './pages.ts'
import type { Stage } from './stage.ts'

/** Where the pages of an organization lie; of the operator, where there is none. */
export const homeOf = (baseUrl: string, organizationId?: string) =>
  `${baseUrl}/console/${organizationId ? `o/${organizationId}` : 'operator'}`

/** The same of the page's own organization. */
const homeOfPage = (page: Page) => /^.*\/console(?:\/o\/[^/?#]*|\/operator)?/.exec(page.url())?.[0] ?? ''

/** Leads a page to another path of the same organization. */
export const goTo = (page: Page, path: string) => page.goto(`${homeOfPage(page)}${path}`)

/** Signs in by the form, as a person does: that of the console, or that of a page. */
export async function signIn(page: Page, baseUrl: string, { id, apiKey }: Organization, path = '') {
  await page.goto(path ? `${homeOf(baseUrl, id)}${path}` : `${baseUrl}/console`)
  await page.getByLabel('Organization ID').fill(id)
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await untilSignedIn(page)
}

export async function signInAsOperator(page: Page, baseUrl: string, operatorKey: string, path = '') {
  await page.goto(path ? `${homeOf(baseUrl)}${path}` : `${baseUrl}/console`)
  if (!path) await page.getByRole('button', { name: 'Operator', exact: true }).click()
  await page.getByLabel('Operator key').fill(operatorKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await untilSignedIn(page)
}

const untilSignedIn = (page: Page) =>
  page.locator('nav[aria-label="Sections"]').waitFor({ state: 'attached', timeout: 30_000 })

/** Browsers of those who look at the console, each signed in once. */
export type Visitors = {
  /** Leads the viewer's page to the address. */
  open(address: Address): Promise<Page>
  /** What pages did against their policy, asked of other servers, or failed in. */
  faults: string[]
  close(): Promise<void>
}

export function createVisitors(browser: Browser, stage: Stage, options: BrowserContextOptions = {}): Visitors {
  const pages = new Map<Viewer, Page>()
  const faults: string[] = []
  const enter = async (viewer: Viewer) => {
    // Without one Chromium says `en-US@posix`, which is no language tag.
    const context = await browser.newContext({ locale: 'en-US', ...options })
    await watch(context, stage.signet.baseUrl, faults)
    const page = await context.newPage()
    await signInAs(viewer, page, stage)
    pages.set(viewer, page)
    return page
  }
  return {
    faults,
    open: async ({ viewer, path }) => {
      const page = pages.get(viewer) ?? (await enter(viewer))
      await goTo(page, path)
      await untilQuiet(page)
      return page
    },
    close: async () => {
      for (const page of pages.values()) await page.context().close()
    },
  }
}

async function signInAs(viewer: Viewer, page: Page, { signet, organization, newOrganization, readOnlyKey }: Stage) {
  if (viewer === 'nobody') return void (await page.goto(`${signet.baseUrl}/console`))
  if (viewer === 'operator') return signInAsOperator(page, signet.baseUrl, signet.operatorKey)
  if (viewer === 'reader') return signIn(page, signet.baseUrl, { ...organization, apiKey: readOnlyKey })
  return signIn(page, signet.baseUrl, viewer === 'new' ? newOrganization : organization)
}

/** Writes down everything that pages do against their policy, ask of another server, or fail in. */
export async function watch(context: BrowserContext, baseUrl: string, faults: string[]) {
  context.on('request', (request) => {
    if (!request.url().startsWith(baseUrl)) faults.push(`asked ${request.url()}`)
  })
  context.on('weberror', (error) => faults.push(`threw ${error.error().message}`))
  await context.exposeBinding('reportViolation', (_, text: string) => void faults.push(`violated ${text}`))
  await context.addInitScript({ content: reportViolations })
}

/** Runs in the page. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`

/** A page is quiet when it shows what it has loaded. */
export async function untilQuiet(page: Page) {
  await page.locator('h1').first().waitFor()
  await page.locator('[role="status"] [class*="line"]').first().waitFor({ state: 'detached' })
}
