import { escapeHtml, type Page } from './page.ts'

/**
 * The answer to a form whose way leads elsewhere. Chromium judges each redirect that follows a form by the `form-action` of
 * its page, and nobody knows where a provider or an application redirects on to, perhaps to a scheme of its own. Where a page
 * goes by itself is not judged, so forms lead to ourselves alone, and this page goes on.
 */
export const redirectPage = (to: string): Page => ({
  title: 'One moment',
  body: `<p>The page goes on by itself. If it does not, <a href="${escapeHtml(to)}">continue here</a>.</p>`,
  redirectTo: to,
})
