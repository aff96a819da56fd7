import type { EventEmitter } from 'node:events'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { isClientSecret } from '../applications/index.ts'
import { ApiError } from '../errors.ts'
import { unavailableError } from '../http/error-answer.ts'
import { withFragment } from '../http/own-fragment.ts'
import { issuerOf, maxRequest, requestTooLong, routes } from './addresses.ts'
import { checkHintsWith } from './check-hint.ts'
import { configure } from './configuration.ts'
import { fitAnswer } from './fit-answer.ts'
import { gathered } from './gathered.ts'
import { toInteraction } from './interaction.ts'
import type { IssuerKey } from './issuer-keys.ts'
import { keepNeededCookies, tellWayBack } from './library-cookies.ts'
import {
  answerUnavailable,
  askToSignOut,
  goOnSignedOut,
  isForPerson,
  leadOn,
  showError,
  showStayed,
  signOutForm,
} from './pages.ts'
import { postedSignOut, signOutAnswer } from './posted-sign-out.ts'
import { isRegistered } from './redirect-uri.ts'
import { claimsByScope, knownScope } from './scopes.ts'
import { sessionCookieOf } from './session-cookie.ts'
import { createSettle, type Settled } from './settle.ts'
import type { BeginSignIn } from './sign-in.ts'
import type { SignOutTokens } from './sign-out-token.ts'

type Dependencies = Parameters<typeof configure>[0] & {
  /** Published ones, and those that are known for hints alone. */
  hintKeys: IssuerKey[]
  beginSignIn: BeginSignIn
  signOutTokens: SignOutTokens
  onError: (error: unknown) => void
}

/** The library's provider for one organization: our rules, its protocol. */
export function createProvider(dependencies: Dependencies): Provider {
  const { baseUrl, organizationId, onError } = dependencies
  const provider = new Provider(issuerOf(baseUrl, organizationId), configure(dependencies))
  pinAddress(provider, new URL(baseUrl))
  followApplications(provider)
  ignoreUnknownScopes(provider)
  addHookClaims(provider)
  checkHintsWith(provider, dependencies.hintKeys)
  bindInteractions(provider, dependencies)
  refuseLongRequests(provider)
  settleBeforeAnswers(provider, dependencies)
  provider.on('server_error', (_ctx, error) => {
    if (!unavailableError(error)) onError(error)
  })
  ;(provider as EventEmitter).on('error', onError)
  return provider
}

/** A neighbouring host could set the library's own cookies, which have a path; ours tells whose request it is. */
function bindInteractions(provider: Provider, { organizationId, interactionCookies }: Dependencies) {
  provider.on('interaction.started', (ctx) => {
    const uid = String(ctx.oidc.entities.Interaction?.uid)
    ctx.append('set-cookie', interactionCookies.begin(organizationId, uid, ctx.headers.cookie))
  })
}

/** Nothing is kept of it, and nobody told but the person: where it comes from is not known yet. */
function refuseLongRequests(provider: Provider) {
  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC
    if (ctx.path !== routes.authorization || ctx.querystring.length <= maxRequest) return next()
    showError(ctx, 'invalid_request', requestTooLong)
    ctx.status = 400
  })
}

/**
 * What a request has gathered is written before anything is answered, or something else is. A request that waits for its
 * person may go straight on from there.
 */
function settleBeforeAnswers(provider: Provider, dependencies: Dependencies) {
  const settle = createSettle(dependencies)
  const sessionCookie = sessionCookieOf(dependencies.organizationId, dependencies.baseUrl)
  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC
    tellWayBack(ctx)
    await next()
    keepNeededCookies(ctx, sessionCookie)
    fitAnswer(ctx)
    if (ctx.oidc?.route === 'end_session' && ctx.status === 200) concludeSignOut(ctx, dependencies)
    const { usedInteraction } = gathered(ctx)
    if (usedInteraction) ctx.append('set-cookie', dependencies.interactionCookies.end(usedInteraction))
    try {
      const settled = await settle(gathered(ctx))
      if (settled !== 'written') answerInstead(ctx, settled)
      else if (isAnsweredSignOut(ctx)) leadOn(ctx)
      else if (gathered(ctx).begunInteraction) await goStraightOn(ctx, dependencies)
      else inheritNoFragment(ctx)
    } catch (error) {
      const away = unavailableError(error)
      if (!away) dependencies.onError(error)
      answerInstead(ctx, away ?? 'failed')
    }
  })
}

/** A browser whose person has to sign in, and has nothing to choose, need not go by way of the page where one chooses. */
async function goStraightOn(ctx: KoaContextWithOIDC, { organizationId, beginSignIn, callerOf }: Dependencies) {
  const { begunInteraction } = gathered(ctx)
  if (!begunInteraction) return
  const interaction = toInteraction(begunInteraction.uid, { ...begunInteraction, result: null })
  const onward = await beginSignIn({ organizationId, interaction, cookie: ctx.headers.cookie, ...callerOf(ctx) })
  if (!onward) return
  if (onward.setCookies) ctx.append('set-cookie', onward.setCookies)
  ctx.set('referrer-policy', 'no-referrer')
  ctx.redirect(onward.to)
}

/** Once the library has checked what the application wants. Where nobody is signed in, only a form of another site has to ask. */
function concludeSignOut(ctx: KoaContextWithOIDC, { organizationId, baseUrl, signOutTokens }: Dependencies) {
  const posted = postedSignOut(ctx)
  if (posted === 'asks') {
    const action = `${issuerOf(baseUrl, organizationId)}${signOutAnswer}`
    askToSignOut(ctx, signOutForm(ctx, action, signOutTokens.make(organizationId)))
  } else if (posted === 'no' && !ctx.oidc.client) showStayed(ctx)
  else if (posted || !ctx.oidc.session?.accountId) goOnSignedOut(ctx)
}

const isAnsweredSignOut = (ctx: KoaContextWithOIDC): boolean =>
  ctx.status === 303 && (ctx.oidc.route === 'end_session_confirm' || postedSignOut(ctx) !== undefined)

/** On the way to the application, from a provider or from whoever led the browser here. */
function inheritNoFragment(ctx: KoaContextWithOIDC) {
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

const isPublic = ({ clientAuthMethod }: { clientAuthMethod?: string | undefined }) => clientAuthMethod === 'none'

/** What a redirect URI may be, which ones are registered, and how a secret is compared, is for `applications` to say. */
function followApplications({ Client }: Provider) {
  const { prototype } = (Client as unknown as { Schema: { prototype: { redirectUris(): void } } }).Schema
  prototype.redirectUris = () => {}
  Client.prototype.redirectUriAllowed = function (uri) {
    return isRegistered(uri, this.redirectUris ?? [], isPublic(this))
  }
  Client.prototype.postLogoutRedirectUriAllowed = function (uri) {
    return isRegistered(uri, this.postLogoutRedirectUris ?? [], isPublic(this))
  }
  Client.prototype.compareClientSecret = function (given) {
    return isClientSecret(given, Buffer.from(this.clientSecret ?? '', 'hex'))
  }
}

/** As when the person signed in: some clients send at a refresh all that they asked for then. */
function ignoreUnknownScopes({ RefreshToken }: Provider) {
  const { find } = RefreshToken
  RefreshToken.find = async function (...asked) {
    const { params } = Provider.ctx?.oidc ?? {}
    if (typeof params?.scope === 'string') params.scope = knownScope(params.scope)
    return find.apply(this, asked)
  } as typeof find
}

/** The library leaves out claims that its configuration does not name. Those of hooks have any name but our own ones. */
function addHookClaims({ Claims }: Provider) {
  const { result } = Claims.prototype
  Claims.prototype.result = async function () {
    const given = gathered().token?.claims ?? {}
    const own = await result.call(this)
    for (const name of overriddenBy(given)) delete own[name]
    return { ...given, ...own }
  }
}

/** Whether ours is verified says nothing of an address or number that a hook gives. */
function overriddenBy(given: Record<string, unknown>): string[] {
  return Object.values(claimsByScope).flatMap((names: string[]) => {
    const first = names.findIndex((name) => name in given)
    return first < 0 ? [] : names.slice(first)
  })
}

const instead: Record<Exclude<Settled, 'written'> | 'failed', [status: number, error: string, description: string]> = {
  token_lost: [400, 'invalid_grant', 'grant request is invalid'],
  sign_in_lost: [400, 'invalid_request', 'this sign-in was used already, or may not be used any more'],
  failed: [500, 'server_error', 'something is wrong on our side'],
}

/** Nothing of the answer that is given up goes out: a session that was not written must not take the place of one that was. */
function answerInstead(ctx: KoaContextWithOIDC, why: keyof typeof instead | ApiError) {
  ctx.remove('set-cookie')
  ctx.remove('location')
  if (why instanceof ApiError) return answerUnavailable(ctx, why)
  const [status, error, error_description] = instead[why]
  if (isForPerson(ctx)) showError(ctx, error, error_description)
  else ctx.body = { error, error_description }
  ctx.status = status
}
