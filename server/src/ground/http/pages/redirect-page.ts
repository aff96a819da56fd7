import { escapeHtml, type Page } from './page.ts'

/**
 * Replaces a redirect after a form. Chromium applies the `form-action` of the form's page to every redirect that follows, and a
 * provider or application may redirect anywhere, even to a scheme of its own. A page that refreshes itself is not restricted,
 * so forms are only sent to our own origin, and this page leads on.
 */
export const redirectPage = (to: string): Page => ({
  title: 'One moment',
  body: `<p>The page goes on by itself. If it does not, <a href="${escapeHtml(to)}">continue here</a>.</p>`,
  redirectTo: to,
})
