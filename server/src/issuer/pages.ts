import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../errors.ts'
import { awayPage, escapeHtml, onwardPage, type Page, pageHeaders, renderPage } from '../pages/index.ts'
import { withAnswer, withFragment } from './redirect-uri.ts'

type Context = Pick<KoaContextWithOIDC, 'set' | 'body'>

function show(ctx: Context, page: Page) {
  ctx.set(pageHeaders(page))
  ctx.body = renderPage(page)
}

/** The database is away: tells a person by a page, and an application as OAuth tells errors. */
export function answerAway(ctx: KoaContextWithOIDC, { status, headers, message }: ApiError) {
  if (isForPerson(ctx)) show(ctx, awayPage)
  else ctx.body = { error: 'temporarily_unavailable', error_description: message }
  ctx.set(headers)
  ctx.status = status
}

export const isForPerson = (ctx: KoaContextWithOIDC): boolean => ctx.accepts('json', 'html') === 'html'

/** For what no application can be told: a request that names none, or one whose address is not known. */
export const showError = (ctx: Context, error: string, description = '') =>
  show(ctx, {
    title: 'This sign-in cannot go on',
    body: `<p>Go back to the application and try again. If that does not help, tell those who run it:</p>
<p class="quiet">${escapeHtml(error)}${description && `: ${escapeHtml(description)}`}</p>`,
  })

/** `form` is the library's, with the secret that shows that the answer comes from this page. */
export function askToSignOut(ctx: KoaContextWithOIDC, form: string) {
  const name = ctx.oidc.client?.clientName
  show(ctx, {
    title: 'Sign out?',
    body: `<p>${name ? `${escapeHtml(name)} asks to sign you out.` : 'You are about to sign out.'}</p>
${form}
<button class="button first" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button class="button" type="submit" form="op.logoutForm">Stay signed in</button>`,
  })
}

/** In place of the redirect that the library answers the form of `askToSignOut` with. */
export function leadOn(ctx: KoaContextWithOIDC) {
  const to = ctx.response.get('location')
  ctx.remove('location')
  ctx.status = 200
  show(ctx, onwardPage(to))
}

/** Who stayed signed in is signed out of the application all the same. */
export function showSignedOut(ctx: KoaContextWithOIDC) {
  const name = ctx.oidc.client?.clientName
  const title = name ? `You are signed out of ${name}` : 'You are signed out'
  show(ctx, { title, body: '<p>You can close this page.</p>' })
}

/** Where nobody is signed in there is nothing to ask. */
export function skipQuestion(ctx: KoaContextWithOIDC) {
  const { post_logout_redirect_uri: target, state } = ctx.oidc.params ?? {}
  if (typeof target !== 'string') return showSignedOut(ctx)
  ctx.body = null
  ctx.status = 303
  ctx.set('location', withFragment(withAnswer(target, typeof state === 'string' ? [['state', state]] : [])))
}
