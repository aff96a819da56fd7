import type { BrowserContext, Page } from 'playwright-core'
import type { Organization } from '../../../server/tests/support/signet.ts'

/** Signs in by the form, as a person does. */
export async function signIn(page: Page, baseUrl: string, { id, apiKey }: Organization, path = '') {
  await page.goto(`${baseUrl}/console${path}`)
  await page.getByLabel('Organization ID').fill(id)
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Sections' }).waitFor({ state: 'attached' })
}

export async function signInAsOperator(page: Page, baseUrl: string, operatorKey: string, path = '') {
  await page.goto(`${baseUrl}/console${path}`)
  await page.getByRole('button', { name: 'Operator', exact: true }).click()
  await page.getByLabel('Operator key').fill(operatorKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Sections' }).waitFor({ state: 'attached' })
}

/** Everything that a page did against its policy, or asked of another server, or failed in. */
export async function watch(context: BrowserContext, baseUrl: string): Promise<string[]> {
  const faults: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`)
  })
  context.on('weberror', (error) => faults.push(`threw ${error.error().message}`))
  await context.exposeBinding('reportViolation', (_, text: string) => void faults.push(`violated ${text}`))
  await context.addInitScript({ content: reportViolations })
  return faults
}

/** Runs in the page. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`

/** A page is quiet when it shows what it has loaded. */
export async function untilQuiet(page: Page) {
  await page.locator('h1').first().waitFor()
  const isLoaded = `!document.querySelector('[role="status"] span[class*="line"]')`
  await page.waitForFunction(isLoaded, undefined, { timeout: 15_000 })
}
