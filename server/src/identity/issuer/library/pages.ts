import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../../../ground/errors.ts'
import {
  escapeHtml,
  type Page,
  pageHeaders,
  renderPage,
  titleOf,
  unavailablePage,
} from '../../../ground/http/pages/index.ts'

type Context = Pick<KoaContextWithOIDC, 'set' | 'body' | 'path' | 'oidc'>

export function show(ctx: Pick<Context, 'set' | 'body'>, page: Page) {
  ctx.set(pageHeaders(page))
  ctx.body = renderPage(page)
}

/** The database is unavailable: a person sees a page, and an application gets an OAuth error. */
export function answerUnavailable(ctx: KoaContextWithOIDC, { status, headers, message }: ApiError) {
  if (isForPerson(ctx)) show(ctx, unavailablePage(ctx.path))
  else ctx.body = { error: 'temporarily_unavailable', error_description: message }
  ctx.set(headers)
  ctx.status = status
}

export const isForPerson = (ctx: KoaContextWithOIDC): boolean => ctx.accepts('json', 'html') === 'html'

/** For errors that no application can receive: the request names none, or an address that is not registered. */
export const showError = (ctx: Context, error: string, description = '') =>
  show(ctx, {
    title: titleOf(ctx.path),
    body: `<p>Go back to the application and try again. If that does not help, tell those who run it:</p>
<p class="quiet">${escapeHtml(error)}${description && `: ${escapeHtml(description)}`}</p>${refusedUri(ctx, description)}`,
  })

/** In characters; a longer address is cut. */
const maxUriShown = 300

/** The address that is not registered, as text; control characters, which change how it is read, are replaced. */
function refusedUri({ oidc }: Context, description: string): string {
  const [name = ''] = /^(post_logout_)?redirect_uri(?= )/.exec(description) ?? []
  const uri = oidc?.params?.[name]
  if (typeof uri !== 'string' || uri === '') return ''
  const shown = uri.length > maxUriShown ? `${uri.slice(0, maxUriShown)}…` : uri
  return `\n<p class="quiet">The application named ${escapeHtml(shown.replace(/\p{C}/gu, '\ufffd'))}</p>`
}
