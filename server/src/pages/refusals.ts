import { escapeHtml, type Page } from './page.ts'
import { isSignOut } from './person-path.ts'

export const titleOf = (path: string): string => `This ${isSignOut(path) ? 'sign-out' : 'sign-in'} cannot go on`

/** For a 503. */
export const awayPage = (path: string): Page => ({
  title: `Signing ${isSignOut(path) ? 'out' : 'in'} is not possible right now`,
  body: '<p>This does not take long as a rule. Please try again in a minute.</p>',
})

/** Shows only the request id. */
const serverErrorPage = (requestId: string): Page => ({
  title: 'Something went wrong',
  body: `<p>Please go back to the application and try again.</p>
<p class="quiet">Request ${escapeHtml(requestId)}</p>`,
})

const busyPage: Page = {
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

/** The page of an error, by its status. */
export function refusalPage(path: string, status: number, requestId: string): Page {
  if (status === 429) return busyPage
  if (status === 503) return awayPage(path)
  if (status === 404) return notFoundPage
  return status >= 500 ? serverErrorPage(requestId) : badRequestPage(path)
}
