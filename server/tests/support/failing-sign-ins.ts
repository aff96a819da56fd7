import type { Going } from './browser.ts'
import { tenant } from './own-sign-ins.ts'
import { ada } from './sign-ins.ts'

export const flowPage = /\/sso\/flows\//

/** A sign-in as far as it gets. */
export async function attempt(going: Going & { params?: Record<string, string> } = {}) {
  const { url } = await tenant.application.begin(going.params)
  return tenant.browser.go(url, { person: ada, ...going })
}
