import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../errors.ts'
import { escapeHtml, onwardPage, type Page, pageHeaders, renderPage, titleOf, unavailablePage } from '../pages/index.ts'
import { withAnswer } from './redirect-uri.ts'

type Context = Pick<KoaContextWithOIDC, 'set' | 'body' | 'path' | 'oidc'>

function show(ctx: Pick<Context, 'set' | 'body'>, page: Page) {
  ctx.set(pageHeaders(page))
  ctx.body = renderPage(page)
}

/** The database is away: tells a person by a page, and an application as OAuth tells errors. */
export function answerUnavailable(ctx: KoaContextWithOIDC, { status, headers, message }: ApiError) {
  if (isForPerson(ctx)) show(ctx, unavailablePage(ctx.path))
  else ctx.body = { error: 'temporarily_unavailable', error_description: message }
  ctx.set(headers)
  ctx.status = status
}

export const isForPerson = (ctx: KoaContextWithOIDC): boolean => ctx.accepts('json', 'html') === 'html'

/** For what no application can be told: a request that names none, or one whose address is not known. */
export const showError = (ctx: Context, error: string, description = '') =>
  show(ctx, {
    title: titleOf(ctx.path),
    body: `<p>Go back to the application and try again. If that does not help, tell those who run it:</p>
<p class="quiet">${escapeHtml(error)}${description && `: ${escapeHtml(description)}`}</p>${refusedUri(ctx, description)}`,
  })

/** In characters; what is longer is cut. */
const maxUriShown = 300

/** The address that is not registered, as text without anything that changes how it is read. */
function refusedUri({ oidc }: Context, description: string): string {
  const [name = ''] = /^(post_logout_)?redirect_uri(?= )/.exec(description) ?? []
  const uri = oidc?.params?.[name]
  if (typeof uri !== 'string' || uri === '') return ''
  const shown = uri.length > maxUriShown ? `${uri.slice(0, maxUriShown)}…` : uri
  return `\n<p class="quiet">The application named ${escapeHtml(shown.replace(/\p{C}/gu, '\ufffd'))}</p>`
}

const formId = 'op.logoutForm'
/** Parameters of a sign-out. */
const signOutParameters = [
  'client_id',
  'id_token_hint',
  'post_logout_redirect_uri',
  'state',
  'logout_hint',
  'ui_locales',
]

/** Carries what a form of another site asked for, which came without the session that it is about. */
export function signOutForm({ oidc }: Pick<Context, 'oidc'>, action: string, xsrf: string): string {
  const values = [...signOutParameters.map((name) => [name, oidc.params?.[name]]), ['xsrf', xsrf]]
  const fields = values
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(String(value))}">`)
  return `<form id="${formId}" method="post" action="${escapeHtml(action)}">${fields.join('')}</form>`
}

/** `form` has the secret that shows that the answer comes from this page. */
export function askToSignOut(ctx: KoaContextWithOIDC, form: string) {
  const name = ctx.oidc.client?.clientName
  show(ctx, {
    title: 'Sign out?',
    body: `<p>${name ? `${escapeHtml(name)} asks to sign you out.` : 'You are about to sign out.'}</p>
${form}
<button class="button first" type="submit" form="${formId}" name="logout" value="yes">Sign out</button>
<button class="button" type="submit" form="${formId}">Stay signed in</button>`,
  })
}

/** In place of the redirect that the form of `askToSignOut` is answered with. */
export function leadOn(ctx: KoaContextWithOIDC) {
  const to = ctx.response.get('location')
  ctx.remove('location')
  ctx.status = 200
  if (ctx.oidc.client || ctx.oidc.params?.logout) show(ctx, onwardPage(to))
  else showStayed(ctx)
}

/** Who stayed signed in is signed out of the application all the same. */
export function showSignedOut(ctx: KoaContextWithOIDC) {
  const name = ctx.oidc.client?.clientName
  const title = name ? `You are signed out of ${name}` : 'You are signed out'
  show(ctx, { title, body: '<p>You can close this page.</p>' })
}

/** Who stays, where no application asked. */
export const showStayed = (ctx: Pick<Context, 'set' | 'body'>) =>
  show(ctx, { title: 'You are still signed in', body: '<p>You can close this page.</p>' })

/** Where the application wants the person to be after a sign-out that needs no question, or no more. */
export function goOnSignedOut(ctx: KoaContextWithOIDC) {
  const { post_logout_redirect_uri: target, state } = ctx.oidc.params ?? {}
  if (typeof target !== 'string') return showSignedOut(ctx)
  ctx.body = null
  ctx.status = 303
  ctx.set('location', withAnswer(target, typeof state === 'string' ? [['state', state]] : []))
}
