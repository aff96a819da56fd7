import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { AuthorizeParams, Browser, ContinueSession } from '../contract.ts'
import type { LibraryTime } from './time.ts'
import { unitOfWork } from './unit-of-work.ts'

const { Check, Prompt } = interactionPolicy

/** Prompts that require another sign-in than that of the session. Nobody is asked for consent. */
const signInPrompts = ['login', 'select_account']

type Dependencies = {
  organizationId: string
  time: LibraryTime
  continueSession: ContinueSession
  browserOf: (ctx: KoaContextWithOIDC) => Browser
}

/**
 * When a person has to sign in. One check decides it, and is also where `sign-in` allows a session to be used again: the
 * library awaits it before it writes anything or sends a reply.
 */
export function createPolicy(dependencies: Dependencies): interactionPolicy.Prompt[] {
  const isNeeded = (ctx: KoaContextWithOIDC) => isSignInNeeded(ctx, dependencies)
  const check = new Check('sign_in', 'the person has to sign in', 'login_required', isNeeded)
  const consent = new Prompt({ name: 'consent', requestable: true })
  consent.checks.clear()
  return [
    new Prompt({ name: 'login', requestable: true }, check),
    new Prompt({ name: 'select_account', requestable: true }),
    consent,
  ]
}

async function isSignInNeeded(ctx: KoaContextWithOIDC, dependencies: Dependencies): Promise<boolean> {
  const work = unitOfWork(ctx)
  if (work.signIn) return false
  if (!work.session || !isAccepted(ctx, dependencies.time)) return true
  const { personId, credentialId, identityId, authentications } = work.session
  const signedIn = { personId, credentialId, identityId, authentications }
  const continued = await dependencies.continueSession({
    ...signedIn,
    organizationId: dependencies.organizationId,
    clientId: ctx.oidc.client?.clientId ?? '',
    params: ctx.oidc.params as AuthorizeParams,
    interactionUid: work.resumedInteraction,
    ...dependencies.browserOf(ctx),
  })
  if (!continued) return true
  if ('error' in continued) throw new errors.CustomOIDCProviderError(continued.error, continued.error_description)
  work.signIn = { ...signedIn, claims: continued.claims }
  work.publishEnd = continued.publishEnd
  if (continued.endFlow) work.endFlow = continued.endFlow
  return false
}

/** Whether the request accepts the session (OpenID Connect Core, 3.1.2.1). */
function isAccepted({ oidc }: KoaContextWithOIDC, time: LibraryTime): boolean {
  const { session, params, entities } = oidc
  if (!session?.accountId || signInPrompts.some((prompt) => oidc.prompts.has(prompt))) return false
  const maxAge = params?.max_age
  if (maxAge !== undefined && time.now() - (session.loginTs ?? 0) > Number(maxAge)) return false
  const hinted = entities.IdTokenHint?.payload.sub
  return hinted === undefined || hinted === session.accountId
}
