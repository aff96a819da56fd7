/**
 * Pages: the few HTML pages that a person sees, rendered by the server: readable on a phone, in light and dark, with a keyboard
 * and a screen reader, in the person's language, with the organization's name, and without any script but that of a form post. No
 * routes, no tables. `sentences/` has every sentence of them, a file for each language.
 */

export { errorPageFor, stuckTitle, unavailablePage } from './error-page.ts'
export { formPostPage, hiddenField } from './form-post-page.ts'
export { backHome, type Origin, signInAgain, tryAgain } from './home-link.ts'
export { isLanguage, type Language, languages, standardLanguage } from './languages.ts'
export { type Look, type Page, plainLook, present } from './page.ts'
export { preferredLanguage, type Wishes } from './preferred-language.ts'
export { redirectPage } from './redirect-page.ts'
export { escapeHtml } from './say.ts'
