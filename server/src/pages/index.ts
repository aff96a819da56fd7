/**
 * Pages: the few that a person sees, made by the server: readable on a phone, in light and dark, with a keyboard and a
 * screen reader, without any script. No routes, no tables.
 */
import { awayPage } from './away-page.ts'
import { busyPage } from './busy-page.ts'
import type { Page } from './page.ts'

export { escapeHtml, type Page, pageHeaders, renderPage } from './page.ts'
export { awayPage }

/** By status: what a person is shown in place of what was asked for. */
export const pagesInstead: Partial<Record<number, Page>> = { 429: busyPage, 503: awayPage }
