/**
 * Pages: the few that a person sees, made by the server: readable on a phone, in light and dark, with a keyboard and a
 * screen reader, without any script. No routes, no tables.
 */
import { awayPage } from './away-page.ts'
import { busyPage } from './busy-page.ts'
import { cookiesPage } from './cookies-page.ts'
import { type Page, pageHeaders, renderPage } from './page.ts'

export { onwardPage } from './onward-page.ts'
export { escapeHtml, type Page, pageHeaders, renderPage } from './page.ts'
export { awayPage }

/** By status: what a person is shown in place of what was asked for. */
export const pagesInstead: Partial<Record<number, Page>> = { 429: busyPage, 503: awayPage }

/** Where a browser is sent to sign in and out. */
const browserPath = /^\/(oidc|sso)\//

/**
 * In place of the envelope, where a browser's request was too large to be read: it would be so each time, for it is the cookies
 * that are too many, whoever set them. Not where the address itself is too long: any page could have a browser ask for such a
 * one, and so lose its cookies.
 */
export const pageForUnreadable = (path: string, status: number, isAddressWhole: boolean) =>
  status === 431 && browserPath.test(path) && isAddressWhole
    ? { headers: { ...pageHeaders(cookiesPage), 'clear-site-data': '"cookies"' }, body: renderPage(cookiesPage) }
    : undefined
