import { escapeHtml, type Origin, type Page, signInAgain } from '../../ground/http/pages/index.ts'
import { shownName } from '../../ground/runtime/shown-name.ts'
import type { Choice } from '../credentials/index.ts'

/** A page in place of a redirect. */
export type Shown = { page: Page; status: number; setCookies?: string[] }

/** A sign-in that cannot go on; `clientId`: the application that asked for it, if that is known. */
export type Ended = { ended: { organizationId: string; clientId: string | null } | undefined; setCookies?: string[] }

type ChoicePage = { application: string; choices: Choice[] }

/** The form is sent to the address of the page. */
export const choicePage =
  ({ application, choices }: ChoicePage): Page =>
  (say, organization) => ({
    title: say('choose_title', { organization }),
    isNamed: true,
    body: `<p class="quiet">${say('choose_text', { application })}</p>
<form method="post">
<ul aria-label="${say('choose_list')}">
${choices.map(choiceItem).join('\n')}
</ul>
<button class="button plain" name="cancel" value="yes">${say('cancel')}</button>
</form>`,
  })

const choiceItem = ({ id, label, client_id }: Choice) =>
  `<li><button class="button choice" name="credential" value="${id}">${escapeHtml(shownName(label) || client_id)}</button></li>`

/** Too old, used, or of another browser. */
export const lostPage =
  (origin: Origin): Page =>
  (say) => {
    const { text, link } = signInAgain(say, origin)
    return { title: say('sign_in_stuck_title'), body: `<p>${say('lost_text')}</p>\n${text}${link}` }
  }

/** While another request of the browser finishes the sign-in; the page reloads by itself. */
export const waitingPage: Page = (say) => ({
  title: say('waiting_title'),
  body: `<p>${say('waiting_text')}</p>`,
})

/** Says nothing of how it ended, which is for the key that made the test. */
export const testOverPage: Page = (say) => ({
  title: say('test_over_title'),
  body: `<p>${say('test_over_text')}</p>`,
})

export const lostTestPage: Page = (say) => ({
  title: say('test_lost_title'),
  body: `<p>${say('test_lost_text')}</p>
<p>${say('test_again')}</p>`,
})
