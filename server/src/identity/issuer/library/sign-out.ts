import type { KoaContextWithOIDC } from 'oidc-provider'
import { backHome, escapeHtml, hiddenField, type Page, redirectPage } from '../../../ground/http/pages/index.ts'
import { issuerOf } from '../addresses.ts'
import { postedSignOut, type SignOutTokens, signOutAnswer } from '../posted-sign-out.ts'
import { sessionCookieOptions } from './cookies.ts'
import { originOf, show } from './pages.ts'
import { withParameters } from './redirect-uri.ts'

const formId = 'op.logoutForm'
const signOutParameters = [
  'client_id',
  'id_token_hint',
  'post_logout_redirect_uri',
  'state',
  'logout_hint',
  'ui_locales',
]

/** The library asks the person whether to sign out; a form of our own page has that answer already. */
export function askOrSignOut(ctx: KoaContextWithOIDC, form: string, sessionCookie: string) {
  const posted = postedSignOut(ctx)
  return posted === 'yes' || posted === 'no' ? signOut(ctx, posted, sessionCookie) : askToSignOut(ctx, form)
}

/** As the library does it for its own form: the session ends, or it forgets the application, whose tokens stay. */
async function signOut(ctx: KoaContextWithOIDC, posted: 'yes' | 'no', sessionCookie: string) {
  const { session, client } = ctx.oidc
  if (!session) return
  if (posted === 'yes') {
    await session.destroy()
    ctx.cookies.set(sessionCookie, null, sessionCookieOptions)
  } else if (client) {
    session.state = undefined
    session.authorizations = Object.fromEntries(
      Object.entries(session.authorizations ?? {}).filter(([clientId]) => clientId !== client.clientId),
    )
    session.resetIdentifier()
  }
}

type Dependencies = { organizationId: string; baseUrl: string; signOutTokens: SignOutTokens }

/** After the library has checked the request. Without a session, the person is asked only if a form of another site asks. */
export function finishSignOut(ctx: KoaContextWithOIDC, { organizationId, baseUrl, signOutTokens }: Dependencies) {
  const posted = postedSignOut(ctx)
  if (posted === 'asks') {
    const action = `${issuerOf(baseUrl, organizationId)}${signOutAnswer}`
    askToSignOut(ctx, signOutForm(ctx, action, signOutTokens.make(organizationId)))
  } else if (posted === 'no' && !ctx.oidc.client) showStayed(ctx)
  else if (posted || !ctx.oidc.session?.accountId) redirectSignedOut(ctx)
}

/** Whether the reply is the redirect that follows a form. */
export const isAnsweredSignOut = (ctx: KoaContextWithOIDC): boolean =>
  ctx.status === 303 && (ctx.oidc.route === 'end_session_confirm' || postedSignOut(ctx) !== undefined)

/** The parameters of a form of another site, which came without the session's cookie, repeated in our own form. */
function signOutForm({ oidc }: Pick<KoaContextWithOIDC, 'oidc'>, action: string, xsrf: string): string {
  const values = [...signOutParameters.map((name) => [name, oidc.params?.[name]]), ['xsrf', xsrf]]
  const fields = values
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => hiddenField([String(name), String(value)]))
  return `<form id="${formId}" method="post" action="${escapeHtml(action)}">${fields.join('')}</form>`
}

/** `form` has the secret by which its answer is known to come from this page. */
function askToSignOut(ctx: KoaContextWithOIDC, form: string) {
  const application = ctx.oidc.client?.clientName
  show(ctx, (say) => ({
    title: say('sign_out_title'),
    body: `<p>${application ? say('sign_out_asked', { application }) : say('sign_out_own')}</p>
${withLocales(ctx, form)}
<button class="button first" type="submit" form="${formId}" name="logout" value="yes">${say('sign_out')}</button>
<button class="button" type="submit" form="${formId}">${say('stay')}</button>`,
  }))
}

/** The library's own form carries nothing but its secret; the pages that follow are in the same language. */
function withLocales({ oidc }: KoaContextWithOIDC, form: string): string {
  const { ui_locales: locales } = oidc.params ?? {}
  if (typeof locales !== 'string' || form.includes('name="ui_locales"')) return form
  return form.replace('</form>', () => `${hiddenField(['ui_locales', locales])}</form>`)
}

/** Replaces the redirect that follows the form by a page (`redirectPage` says why). */
export function redirectFromForm(ctx: KoaContextWithOIDC) {
  const to = ctx.response.get('location')
  ctx.remove('location')
  ctx.status = 200
  if (ctx.oidc.client || ctx.oidc.params?.logout) show(ctx, redirectPage(withOwnLocales(ctx, to)))
  else showStayed(ctx)
}

/** The last page is one of ours, unless the application named another. */
function withOwnLocales({ oidc }: KoaContextWithOIDC, to: string): string {
  const { ui_locales: locales } = { ...oidc.body, ...oidc.params }
  const [page = ''] = to.split('?')
  if (typeof locales !== 'string' || page !== oidc.urlFor('end_session_success')) return to
  return withParameters(to, [['ui_locales', locales]])
}

/**
 * Replaces the error of a form that our page sent again, as a second click does, after the session had ended. The browser says that
 * the page is our own; a form of another site comes without the session's cookie, and proves nothing.
 */
export function acceptRepeatedSignOut(ctx: KoaContextWithOIDC) {
  const isOwn = ctx.oidc?.route === 'end_session_confirm' && ctx.get('sec-fetch-site') === 'same-origin'
  if (!isOwn || ctx.status !== 400 || ctx.oidc.session?.accountId) return
  showSignedOut(ctx)
  ctx.status = 200
}

/** Also for a person who stayed signed in: the application has signed them out all the same. */
export function showSignedOut(ctx: KoaContextWithOIDC) {
  const origin = originOf(ctx)
  show(ctx, ended(origin ? 'signed_out_of_title' : 'signed_out_title', origin))
}

/** For a person who stayed signed in, where no application had asked. */
const showStayed = (ctx: KoaContextWithOIDC) => show(ctx, ended('stayed_title', originOf(ctx)))

const ended =
  (title: 'signed_out_title' | 'signed_out_of_title' | 'stayed_title', origin: ReturnType<typeof originOf>): Page =>
  (say) => ({
    title: say(title, { application: origin?.name ?? '' }),
    body: `<p>${say('close_text')}</p>${backHome(say, origin)}`,
  })

/** A sign-out that needs no question, or no other one, ends at the address that the application named. */
function redirectSignedOut(ctx: KoaContextWithOIDC) {
  const { post_logout_redirect_uri: target, state } = ctx.oidc.params ?? {}
  if (typeof target !== 'string') return showSignedOut(ctx)
  ctx.body = null
  ctx.status = 303
  ctx.set('location', withParameters(target, typeof state === 'string' ? [['state', state]] : []))
}
