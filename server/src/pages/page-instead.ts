import type { Refusal } from '../errors.ts'
import { cookiesPage } from './cookies-page.ts'
import { type Page, pageHeaders, renderPage } from './page.ts'
import { isForPerson } from './person-path.ts'
import { refusalPage } from './refusals.ts'

const rendered = (page: Page) => ({ headers: pageHeaders(page), body: renderPage(page) })

/**
 * In place of the envelope, where a person would see it. A request whose headers are too large would be so each time, for it is
 * the cookies that are too many, whoever set them: they are removed. Not where the address itself is too long: any page could
 * have a browser ask for such a one, and so lose its cookies.
 */
export function pageInstead({ path, status, accept, requestId = '', isAddressShort = true }: Refusal) {
  if (!isForPerson(path, accept)) return undefined
  if (status !== 431 || !isAddressShort) return rendered(refusalPage(path, status, requestId))
  const { headers, body } = rendered(cookiesPage)
  return { headers: { ...headers, 'clear-site-data': '"cookies"' }, body }
}
