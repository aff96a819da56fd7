import { errorIn } from './application.ts'
import { type Browser, type Going, openBrowser } from './browser.ts'
import { newTenant, service, tenant } from './own-sign-ins.ts'
import { ada } from './sign-ins.ts'

export const mallory = { sub: 'mallory-1', email: 'mallory@gmail.com', email_verified: true }

/** The victim's browser is the tenant's own. */
export let attacker: Browser

export async function newVictim() {
  await newTenant()
  attacker = openBrowser(() => service.baseUrl)
}

export async function leave(
  browser: Browser,
  stopAt: RegExp,
  { params, ...going }: Going & { params?: Record<string, string> } = {},
) {
  const begun = await tenant.application.begin(params)
  return { begun, at: (await browser.go(begun.url, { person: ada, stopAt, ...going })).url }
}

export async function isSignedIn(browser: Browser): Promise<boolean> {
  const { url } = await tenant.application.begin({ prompt: 'none' })
  return errorIn(await browser.go(url)) === undefined
}
