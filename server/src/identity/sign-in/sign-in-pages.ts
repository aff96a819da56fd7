import { escapeHtml, type Page } from '../../ground/http/pages/index.ts'
import type { Choice } from '../credentials/index.ts'

/** A page in place of a redirect. */
export type Shown = { page: Page; status: number; setCookies?: string[] }

/** A sign-in that cannot go on; `clientId`: the application that asked for it, if that is known. */
export type Ended = { ended: { organizationId: string; clientId: string | null } | undefined; setCookies?: string[] }

type Named = { name: string }
type ChoicePage = { organization: Named; application: Named; choices: Choice[] }

/** The form is sent to the address of the page. */
export const choicePage = ({ organization, application, choices }: ChoicePage): Page => ({
  title: `Sign in to ${organization.name}`,
  body: `<p class="quiet">${escapeHtml(application.name)} asks you to sign in. How do you want to do that?</p>
<form method="post">
<ul aria-label="Ways to sign in">
${choices.map(choiceItem).join('\n')}
</ul>
<button class="button plain" name="cancel" value="yes">Cancel</button>
</form>`,
})

const choiceItem = ({ id, label, client_id }: Choice) =>
  `<li><button class="button choice" name="credential" value="${id}">${escapeHtml(label || client_id)}</button></li>`

export const lostPage: Page = {
  title: 'This sign-in cannot go on',
  body: `<p>It took too long, is over already, or was begun in another browser.</p>
<p>Please go back to the application and sign in again.</p>`,
}

/** While another request of the browser finishes the sign-in; the page reloads by itself. */
export const waitingPage: Page = {
  title: 'You are being signed in',
  body: '<p>This takes a moment. The page goes on by itself.</p>',
}

/** Says nothing of how it ended, which is for the key that made the test. */
export const testOverPage: Page = {
  title: 'The test is over',
  body: '<p>Nobody was signed in. You may close this window: the result is where you began the test.</p>',
}

export const lostTestPage: Page = {
  title: 'This test cannot go on',
  body: `<p>Its link was opened before, or is more than fifteen minutes old.</p>
<p>Please begin another test.</p>`,
}
