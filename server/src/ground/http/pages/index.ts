/**
 * Pages: the few HTML pages that a person sees, rendered by the server: readable on a phone, in light and dark, with a keyboard
 * and a screen reader, without any script. No routes, no tables.
 */

export { errorPageFor, titleOf, unavailablePage } from './error-page.ts'
export { escapeHtml, type Page, pageHeaders, renderPage } from './page.ts'
export { redirectPage } from './redirect-page.ts'
