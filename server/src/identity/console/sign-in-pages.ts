import { escapeHtml, type Page } from '../../ground/http/pages/index.ts'
import { shownName } from '../../ground/runtime/shown-name.ts'

/*
 * Why a person is not signed in to the console: for administrators, in English, as the console itself. `way`: where to begin anew. A fixed
 * text each, but for the reason of a hook.
 */

const page =
  (title: string, sentences: string[], way: string): Page =>
  () => ({
    title,
    body: `${sentences.map((each) => `<p>${escapeHtml(each)}</p>`).join('\n')}
<a class="button first" href="${escapeHtml(way)}">Back to the console</a>`,
  })

const notSignedIn = 'You are not signed in to the console'

/** Too old, used, of another browser, or made by somebody else. */
export const lostPage = (way: string): Page =>
  page(
    notSignedIn,
    ['This sign-in is over, or was begun in another browser.', 'Begin again from the page of your organization.'],
    way,
  )

export const noRolePage = (way: string): Page =>
  page(
    'You may not enter the console',
    [
      'You have signed in, but you are in none of the groups that may enter the console of this organization.',
      'An owner of the organization can add you to one, or send you an invitation.',
    ],
    way,
  )

/** What the issuer says, in our own words. */
const words: Record<string, string> = {
  registration_not_allowed:
    'The account that you signed in with belongs to nobody who is known here, and a sign-in to the console adds nobody. Open the ' +
    'invitation that you were sent, or ask an owner of the organization for one.',
  invitation_not_open:
    'The invitation was used or taken back meanwhile, or has expired. Ask whoever invited you for another one.',
  person_not_active: 'You have been deactivated in this organization. An owner can activate you again.',
  person_limit_reached: 'The pricing tier of this organization allows no more persons.',
  person_mismatch: 'You have signed in with another account than the one that was asked for.',
  sync_hook_denied: 'A hook of this organization has refused the sign-in.',
  flow_cancelled: 'You have cancelled the sign-in.',
  oidc_access_denied: 'You have cancelled the sign-in at the provider, or the provider lets you in nowhere.',
  flow_expired: 'The sign-in took too long.',
  credential_misconfigured:
    'The credential of this provider does not exist any more, is not active, or is not set up right. An administrator who has an API ' +
    'key can sign in with it, and test the credential.',
}
const providerFailed =
  'The sign-in at the provider failed. If it fails again, an administrator who has an API key can sign in with it, and test the ' +
  'credential.'

const descriptionForm = /^the sign-in failed: ([a-z_]{1,60})$/

/**
 * The answer is that of the issuer, for a sign-in of this browser. A description that is not one of ours is the reason of a hook, which
 * the organization has written for the person.
 */
export function refusedPage(parameters: URLSearchParams, way: string): Page {
  const description = parameters.get('error_description') ?? ''
  const [, code = ''] = descriptionForm.exec(description) ?? []
  if (code) return page(notSignedIn, [words[code] ?? providerFailed, `The reason is called ${code}.`], way)
  if (parameters.get('error') === 'access_denied' && description !== '')
    return page(
      notSignedIn,
      ['A hook of this organization has refused the sign-in. It says:', shownName(description)],
      way,
    )
  return page(notSignedIn, [providerFailed], way)
}
