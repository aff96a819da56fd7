import { cookiesPage } from './cookies-page.ts'
import { type Page, pageHeaders, renderPage } from './page.ts'
import { isForPerson } from './person-path.ts'
import { refusalPage } from './refusals.ts'

type Refused = {
  path: string
  status: number
  /** The `Accept` header, if the headers could be parsed. */
  accept?: string | undefined
  requestId?: string
  /** False if the address may have made the request too large. */
  isAddressShort?: boolean
}

const rendered = (page: Page) => ({ headers: pageHeaders(page), body: renderPage(page) })

/**
 * Gives a page in place of the envelope, where a person would see the error. Headers that are too large would stay so, since
 * the cookies are too many, whoever set them: the page removes them. It does not if the address is too long, for any site could
 * send a browser to such an address and so delete its cookies.
 */
export function pageInstead({ path, status, accept, requestId = '', isAddressShort = true }: Refused) {
  if (!isForPerson(path, accept)) return undefined
  if (status !== 431 || !isAddressShort) return rendered(refusalPage(path, status, requestId))
  const { headers, body } = rendered(cookiesPage)
  return { headers: { ...headers, 'clear-site-data': '"cookies"' }, body }
}
