import type { Page } from './page.ts'
import { escapeHtml } from './say.ts'

/**
 * Replaces a redirect after a form. Chromium applies the `form-action` of the form's page to every redirect that follows, and a
 * provider or application may redirect anywhere, even to a scheme of its own. A page that refreshes itself is not restricted,
 * so forms are only sent to our own origin, and this page leads on.
 */
export const redirectPage =
  (to: string): Page =>
  (say) => ({
    title: say('go_on_title'),
    body: `<p>${say('go_on_text')}</p>
<a class="button" href="${escapeHtml(to)}">${say('go_on')}</a>`,
    redirectTo: to,
  })
