import type { EventEmitter } from 'node:events'
import type { KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import { ApiError } from '../../../ground/errors.ts'
import { unavailableError } from '../../../ground/http/chain/error-reply.ts'
import { withFragment } from '../../../ground/http/chain/own-fragment.ts'
import { issuerOf, maxRequest, requestTooLong, routes } from '../addresses.ts'
import type { BeginSignIn } from '../contract.ts'
import type { EndSessions } from '../end-sessions.ts'
import { toInteraction } from '../interaction-store.ts'
import type { IssuerKey } from '../keys/issuer-keys.ts'
import type { SignOutTokens } from '../posted-sign-out.ts'
import { sessionCookieOf } from '../session-cookie.ts'
import { storeAccessTokens } from './access-tokens.ts'
import { checkHintsWith } from './check-hint.ts'
import { type CommitOutcome, createCommitRequest } from './commit-request.ts'
import { configure } from './configuration.ts'
import { removeUnneededCookies, setResumeCookie } from './cookies.ts'
import { ProviderWithFormPosts } from './form-post.ts'
import { acceptIdByBasic } from './id-by-basic.ts'
import { answerIntrospection } from './introspection.ts'
import { normalizeReply } from './normalize-reply.ts'
import { answerUnavailable, isForPerson, type Looks, presentPage, showError } from './pages.ts'
import { addHookClaims, followApplications } from './replaced-methods.ts'
import { acceptRepeatedSignOut, finishSignOut, isAnsweredSignOut, redirectFromForm } from './sign-out.ts'
import { type UnitOfWork, unitOfWork } from './unit-of-work.ts'

type Dependencies = Parameters<typeof configure>[0] &
  Parameters<typeof storeAccessTokens>[1] & {
    endSessions: EndSessions
    looks: Looks
    /** Published keys, and those that verify hints only. */
    hintKeys: IssuerKey[]
    beginSignIn: BeginSignIn
    signOutTokens: SignOutTokens
    onError: (error: unknown) => void
  }

/** The library's provider for one organization. */
export function createProvider(dependencies: Dependencies): Provider {
  const { baseUrl, organizationId, onError } = dependencies
  const provider = new ProviderWithFormPosts(issuerOf(baseUrl, organizationId), configure(dependencies))
  pinAddress(provider, new URL(baseUrl))
  followApplications(provider, dependencies.clock)
  addHookClaims(provider)
  acceptIdByBasic(provider)
  storeAccessTokens(provider, dependencies)
  checkHintsWith(provider, dependencies.hintKeys)
  bindInteractions(provider, dependencies)
  presentPages(provider, dependencies)
  refuseLongRequests(provider)
  commitBeforeReplies(provider, dependencies)
  provider.on('server_error', (_ctx, error) => {
    if (!unavailableError(error)) onError(error)
  })
  ;(provider as EventEmitter).on('error', onError)
  return provider
}

/** A neighbouring host could set the library's own cookies, which have a path; ours proves which browser made the request. */
function bindInteractions(provider: Provider, { organizationId, interactionCookies }: Dependencies) {
  provider.on('interaction.started', (ctx) => {
    const uid = String(ctx.oidc.entities.Interaction?.uid)
    ctx.append('set-cookie', interactionCookies.begin(organizationId, uid, ctx.headers.cookie))
  })
}

/** Around everything else: whatever shows a page last has shown it. */
function presentPages(provider: Provider, { looks }: Dependencies) {
  provider.use(async (context, next) => {
    await next()
    await presentPage(context as KoaContextWithOIDC, looks)
  })
}

/** Such a request is not stored, and only the person sees the error: its application is not known yet. */
function refuseLongRequests(provider: Provider) {
  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC
    if (ctx.path !== routes.authorization || ctx.querystring.length <= maxRequest) return next()
    showError(ctx, 'invalid_request', requestTooLong)
    ctx.status = 400
  })
}

/** Commits a request's unit of work before its reply is sent. If that fails, another reply is sent. */
function commitBeforeReplies(provider: Provider, dependencies: Dependencies) {
  const commit = createCommitRequest(dependencies)
  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC
    setResumeCookie(ctx)
    await next()
    await answerIntrospection(ctx, dependencies)
    completeReply(ctx, dependencies)
    if (ctx.oidc?.route === 'token' && ctx.status !== 200) dropTokens(unitOfWork(ctx))
    try {
      const outcome = await commit(unitOfWork(ctx), dependencies.browserOf(ctx))
      if (outcome === 'committed') await leadOn(ctx, dependencies)
      else replyInstead(ctx, outcome)
    } catch (error) {
      const unavailable = unavailableError(error)
      if (!unavailable) dependencies.onError(error)
      replyInstead(ctx, unavailable ?? 'failed')
    }
  })
}

/** A refusal after a token was used, such as of a resource: it stays unused, and none is made for it. */
function dropTokens(work: UnitOfWork) {
  work.tokens = []
  delete work.consumed
}

/** What the library's reply lacks, whatever becomes of the commit. */
function completeReply(ctx: KoaContextWithOIDC, dependencies: Dependencies) {
  removeUnneededCookies(ctx, sessionCookieOf(dependencies.organizationId, dependencies.baseUrl))
  normalizeReply(ctx)
  if (ctx.oidc?.route === 'end_session' && ctx.status === 200) finishSignOut(ctx, dependencies)
  acceptRepeatedSignOut(ctx)
  const { usedInteraction } = unitOfWork(ctx)
  if (usedInteraction) ctx.append('set-cookie', dependencies.interactionCookies.end(usedInteraction))
}

/** Where a reply that was committed sends the browser. */
async function leadOn(ctx: KoaContextWithOIDC, dependencies: Dependencies) {
  if (isAnsweredSignOut(ctx)) redirectFromForm(ctx)
  else if (unitOfWork(ctx).newInteraction) await startSignIn(ctx, dependencies)
  else resetFragment(ctx)
}

/** Sends the browser to the provider at once where there is only one; otherwise to the page that offers them. */
async function startSignIn(ctx: KoaContextWithOIDC, { organizationId, beginSignIn, browserOf }: Dependencies) {
  const { newInteraction, resumedInteraction: replaces } = unitOfWork(ctx)
  if (!newInteraction) return
  const interaction = toInteraction(newInteraction.uid, { ...newInteraction, result: null })
  const cookie = ctx.headers.cookie
  const redirect = await beginSignIn({ organizationId, interaction, replaces, cookie, ...browserOf(ctx) })
  if (!redirect) return
  if (redirect.setCookies) ctx.append('set-cookie', redirect.setCookies)
  ctx.set('referrer-policy', 'no-referrer')
  ctx.redirect(redirect.to)
}

/** A browser would add the fragment of an earlier address to one without a fragment. */
function resetFragment(ctx: KoaContextWithOIDC) {
  const to = ctx.response.get('location')
  if ((ctx.path.startsWith(routes.authorization) || ctx.path === routes.end_session) && to)
    ctx.set('location', withFragment(to))
}

/** Whatever `Host` and `X-Forwarded-*` say: every address that the library makes begins with the base URL. */
function pinAddress({ request }: Provider, { protocol, host }: URL) {
  Object.defineProperties(request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
  })
}

const instead: Record<
  Exclude<CommitOutcome, 'committed'> | 'failed',
  [status: number, error: string, description: string]
> = {
  token_lost: [400, 'invalid_grant', 'grant request is invalid'],
  sign_in_lost: [400, 'invalid_request', 'this sign-in was used already, or may not be used any more'],
  failed: [500, 'server_error', 'something is wrong on our side'],
}

/** Drops the cookies and the redirect of the first reply: a session that was not written must not replace one that was. */
function replyInstead(ctx: KoaContextWithOIDC, reason: keyof typeof instead | ApiError) {
  ctx.remove('set-cookie')
  ctx.remove('location')
  if (reason instanceof ApiError) return answerUnavailable(ctx, reason)
  const [status, error, error_description] = instead[reason]
  if (isForPerson(ctx)) showError(ctx, error, error_description)
  else ctx.body = { error, error_description }
  ctx.status = status
}
