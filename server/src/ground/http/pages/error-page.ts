import type { Refusal } from '../../errors.ts'
import { type Page, type Presented, present } from './page.ts'
import { isForPerson, isSignOut } from './person-path.ts'
import { preferredLanguage } from './preferred-language.ts'

/**
 * Gives a page in place of the envelope, where a person would see the error. Headers that are too large would stay so, since
 * the cookies are too many, whoever set them: the page removes them. It does not if the address is too long, for any site could
 * send a browser to such an address and so delete its cookies. It asks the database for nothing, which may be what has failed, and so
 * looks the same for every organization.
 */
export function errorPageFor(refusal: Refusal): Presented | undefined {
  const { path, status, accept, requestId = '', isAddressShort = true } = refusal
  if (!isForPerson(path, accept)) return undefined
  const look = { language: preferredLanguage(refusal) }
  if (status !== 431 || !isAddressShort) return present(pageOfStatus(path, status, requestId), look)
  const { headers, body } = present(cookiesRemovedPage, look)
  return { headers: { ...headers, 'clear-site-data': '"cookies"' }, body }
}

function pageOfStatus(path: string, status: number, requestId: string): Page {
  if (status === 429) return tooManyRequestsPage
  if (status === 503 || status === 423) return unavailablePage(path)
  if (status === 404) return notFoundPage
  return status >= 500 ? serverErrorPage(requestId) : badRequestPage(path)
}

/** The key of the heading. */
export const stuckTitle = (path: string) => (isSignOut(path) ? 'sign_out_stuck_title' : 'sign_in_stuck_title')

/** For a 503, and for a 423: while an organization moves. */
export const unavailablePage =
  (path: string): Page =>
  (say) => ({
    title: say(isSignOut(path) ? 'unavailable_out_title' : 'unavailable_in_title'),
    body: `<p>${say('unavailable_text')}</p>`,
  })

/** Shows only the request id. */
const serverErrorPage =
  (request: string): Page =>
  (say) => ({
    title: say('fault_title'),
    body: `<p>${say('try_again_unknown')}</p>
<p class="quiet">${say('request_number', { request })}</p>`,
  })

const tooManyRequestsPage: Page = (say) => ({
  title: say('too_many_title'),
  body: `<p>${say('too_many_text')}</p>`,
})

const notFoundPage: Page = (say) => ({
  title: say('missing_title'),
  body: `<p>${say('missing_text')}</p>
<p>${say('try_again_unknown')}</p>`,
})

const badRequestPage =
  (path: string): Page =>
  (say) => ({
    title: say(stuckTitle(path)),
    body: `<p>${say('bad_request_text')}</p>
<p>${say('try_again_unknown')}</p>`,
  })

const cookiesRemovedPage: Page = (say) => ({
  title: say('cookies_title'),
  body: `<p>${say('cookies_text')}</p>
<p>${say('sign_in_again_unknown')}</p>`,
})
