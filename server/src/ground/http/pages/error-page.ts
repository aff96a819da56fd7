import type { Refusal } from '../../errors.ts'
import { escapeHtml, type Page, pageHeaders, renderPage } from './page.ts'
import { isForPerson, isSignOut } from './person-path.ts'

/**
 * Gives a page in place of the envelope, where a person would see the error. Headers that are too large would stay so, since
 * the cookies are too many, whoever set them: the page removes them. It does not if the address is too long, for any site could
 * send a browser to such an address and so delete its cookies.
 */
export function errorPageFor({ path, status, accept, requestId = '', isAddressShort = true }: Refusal) {
  if (!isForPerson(path, accept)) return undefined
  if (status !== 431 || !isAddressShort) return rendered(pageOfStatus(path, status, requestId))
  const { headers, body } = rendered(cookiesRemovedPage)
  return { headers: { ...headers, 'clear-site-data': '"cookies"' }, body }
}

const rendered = (page: Page) => ({ headers: pageHeaders(page), body: renderPage(page) })

function pageOfStatus(path: string, status: number, requestId: string): Page {
  if (status === 429) return tooManyRequestsPage
  if (status === 503 || status === 423) return unavailablePage(path)
  if (status === 404) return notFoundPage
  return status >= 500 ? serverErrorPage(requestId) : badRequestPage(path)
}

export const titleOf = (path: string): string => `This ${isSignOut(path) ? 'sign-out' : 'sign-in'} cannot go on`

/** For a 503, and for a 423: while an organization moves. */
export const unavailablePage = (path: string): Page => ({
  title: `Signing ${isSignOut(path) ? 'out' : 'in'} is not possible right now`,
  body: '<p>This does not take long as a rule. Please try again in a minute.</p>',
})

/** Shows only the request id. */
const serverErrorPage = (requestId: string): Page => ({
  title: 'Something went wrong',
  body: `<p>Please go back to the application and try again.</p>
<p class="quiet">Request ${escapeHtml(requestId)}</p>`,
})

const tooManyRequestsPage: Page = {
  title: 'Too many sign-ins',
  body: '<p>There were too many just now. Please try again in a minute.</p>',
}

const notFoundPage: Page = {
  title: 'This page does not exist',
  body: `<p>Its address is not complete, or what it belonged to was removed.</p>
<p>Please go back to the application and try again.</p>`,
}

const badRequestPage = (path: string): Page => ({
  title: titleOf(path),
  body: `<p>The request of the browser was not one that this page can answer.</p>
<p>Please go back to the application and try again.</p>`,
})

const cookiesRemovedPage: Page = {
  title: 'Please sign in again',
  body: `<p>Your browser sent more cookies than this service reads. They have been removed.</p>
<p>Please go back to the application and sign in again.</p>`,
}
