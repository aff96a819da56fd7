import { type Browser, baseUrl } from './browser.ts'
import { as, signIns, tenant } from './own-sign-ins.ts'
import { ada } from './sign-ins.ts'

/** Lets a person into the console, by a group of the role's name. */
export async function admit(personId: string, role = 'owner') {
  await as('POST', '/groups', { name: role })
  await as('POST', `/persons/${personId}/groups`, { groups: [role] })
  const { body } = await as('GET', '/organizations/settings')
  const console_access = [...body.result.console_access, { group: role, role }]
  await as('PATCH', '/organizations/settings', { console_access })
}

/** A person who has signed in at an application, and may enter. */
export async function newAdministrator(browser: Browser = tenant.browser, person: object = ada): Promise<string> {
  const { sub } = await tenant.application.signIn(browser, { person })
  await admit(String(sub))
  return String(sub)
}

export const home = () => `/console/o/${tenant.organization.id}/`

/** Where a browser begins, with what its pages would add. */
export const entrance = (params: Record<string, string> = {}) =>
  `${baseUrl}/console/sign-in?${new URLSearchParams({ organization_id: tenant.organization.id, ...params })}`

export const atHome = /\/console\/o\//

/** Continues with the provider, to a page of the console or to one that says why not. */
export const enter = (browser: Browser, params: Record<string, string> = {}, person: object = ada) =>
  browser.go(entrance(params), { person, stopAt: atHome })

/** What a page asks that is being opened in this browser. */
export async function sessionOf(browser: Browser) {
  const headers = {
    cookie: browser.cookiesFor(baseUrl),
    'service-orgid': tenant.organization.id,
    'service-console': '1',
    'sec-fetch-site': 'same-origin',
  }
  const answer = await fetch(`${signIns.service.baseUrl}/console/session`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects, field by field
  const { result } = (await answer.json()) as any
  return { status: answer.status, result }
}
