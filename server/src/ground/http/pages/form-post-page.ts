import type { Page } from './page.ts'
import { escapeHtml } from './say.ts'

const script = 'document.forms[0].submit()'

/**
 * Sends the response of an authorize request to the application as a form (OAuth 2.0 Form Post Response Mode). The policy allows that
 * one address's origin, and the one script; without scripts the person presses the button.
 */
export const formPostPage =
  (to: string, fields: Record<string, string>): Page =>
  (say) => ({
    title: say('go_on_title'),
    body: `<p>${say('go_on_text')}</p>
<form method="post" action="${escapeHtml(to)}">
${Object.entries(fields).map(hiddenField).join('\n')}
<button class="button" type="submit">${say('go_on')}</button>
</form>`,
    posting: { script, formAction: sourceOf(new URL(to)) },
  })

export const hiddenField = ([name, value]: [string, string]): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`

/** A scheme of an application's own has no origin, and no source of a policy has an IPv6 address (CSP 3, 2.3.1): a browser would send nothing. */
const sourceOf = ({ protocol, hostname, origin }: URL) =>
  origin === 'null' || hostname.startsWith('[') ? protocol : origin
