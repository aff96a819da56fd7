import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ApiError } from '../../../ground/errors.ts'
import {
  escapeHtml,
  type Look,
  type Origin,
  type Page,
  plainLook,
  preferredLanguage,
  present,
  signInAgain,
  stuckTitle,
  tryAgain,
  unavailablePage,
  type Wishes,
} from '../../../ground/http/pages/index.ts'
import { routes } from '../addresses.ts'
import type { FindPastRequest } from '../contract.ts'

type Context = Pick<KoaContextWithOIDC, 'req' | 'set' | 'body' | 'path' | 'oidc' | 'query' | 'headers'>

/** `origin`: the application of the request, or of one that is over. `isPlain`: the page asks the database for nothing. */
type Shown = { page: (origin: Origin) => Page; isPlain: boolean }

/** What each request shows to a person, until its reply is written. */
const shown = new WeakMap<IncomingMessage, Shown>()

/** The page gets its language and its look when the reply is written. */
export function show(ctx: Pick<Context, 'req' | 'body'>, page: Page) {
  showWithOrigin(ctx, () => page)
}

const showWithOrigin = (ctx: Pick<Context, 'req' | 'body'>, page: Shown['page'], isPlain = false) => {
  shown.set(ctx.req, { page, isPlain })
  ctx.body = ''
}

/** An organization's `LookOf`, and the application of a request that is over. */
export type Looks = {
  lookOf: (wishes: Omit<Wishes, 'standard'>) => Promise<Look>
  findPast: (uid: string) => ReturnType<FindPastRequest>
}

/** Writes the page of this request, if it has one. */
export async function presentPage(ctx: KoaContextWithOIDC, looks: Looks) {
  const { page, isPlain } = shown.get(ctx.req) ?? {}
  if (!page) return
  const wishes = { uiLocales: uiLocalesOf(ctx), acceptLanguage: ctx.get('accept-language') }
  const uid = ctx.oidc?.client || isPlain ? undefined : uidIn(ctx)
  const past = uid === undefined ? undefined : await looks.findPast(uid).catch(() => undefined)
  const asked = { ...wishes, uiLocales: wishes.uiLocales ?? past?.uiLocales }
  const look = isPlain ? { ...plainLook, language: preferredLanguage(asked) } : await looks.lookOf(asked)
  const { headers, body } = present(page(originOf(ctx) ?? past?.origin), look)
  ctx.set(headers)
  ctx.body = body
}

/** The request's own, that of our page's form, or the query's, where the library has not read it. */
function uiLocalesOf({ oidc, query }: Context): string | undefined {
  const { params, body } = oidc ?? {}
  const found = [params?.ui_locales, (body as Record<string, unknown> | undefined)?.ui_locales, query.ui_locales]
  return found.find((value) => typeof value === 'string') as string | undefined
}

/** The page at which a sign-in goes on. */
const uidIn = ({ path }: Context) => {
  const [, uid] = path.split(`${routes.authorization}/`)
  return uid && !uid.includes('/') ? uid : undefined
}

/** The registered application of the request, if it names one. */
export function originOf({ oidc }: Pick<Context, 'oidc'>): Origin {
  if (!oidc?.client) return undefined
  const { clientName = '', home_url: homeUrl } = oidc.client
  return { name: clientName, homeUrl: typeof homeUrl === 'string' && homeUrl ? homeUrl : null }
}

/** The database is unavailable: a person sees a page, and an application gets an OAuth error. */
export function answerUnavailable(ctx: KoaContextWithOIDC, { status, headers, message }: ApiError) {
  if (isForPerson(ctx)) showWithOrigin(ctx, () => unavailablePage(ctx.path), true)
  else ctx.body = { error: 'temporarily_unavailable', error_description: message }
  ctx.set(headers)
  ctx.status = status
}

export const isForPerson = (ctx: KoaContextWithOIDC): boolean => ctx.accepts('json', 'html') === 'html'

/**
 * For errors that no application can receive: the request names none, or an address that is not registered. The technical text is that
 * of the library, in English, for those who run the application.
 */
export const showError = (ctx: Context, error: string, description = '') =>
  showWithOrigin(ctx, (origin) => (say) => {
    const { text, link } = (uidIn(ctx) === undefined ? tryAgain : signInAgain)(say, origin)
    return {
      title: say(stuckTitle(ctx.path)),
      body: `${text}
<p>${say('tell_operator')}</p>
<p class="quiet" lang="en">${escapeHtml(error)}${description && `: ${escapeHtml(description)}`}</p>${refusedUri(ctx, say, description)}${link}`,
    }
  })

/** In characters; a longer address is cut. */
const maxUriShown = 300

/** The address that is not registered, as text; control characters, which change how it is read, are replaced. */
function refusedUri({ oidc }: Context, say: Parameters<Page>[0], description: string): string {
  const [name = ''] = /^(post_logout_)?redirect_uri(?= )/.exec(description) ?? []
  const uri = oidc?.params?.[name]
  if (typeof uri !== 'string' || uri === '') return ''
  const address = uri.length > maxUriShown ? `${uri.slice(0, maxUriShown)}…` : uri
  return `\n<p class="quiet">${say('refused_address', { address: address.replace(/\p{C}/gu, '\ufffd') })}</p>`
}
