import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { gathered } from './gathered.ts'
import type { AuthorizeParams } from './interaction.ts'
import type { LibraryTime } from './library-time.ts'
import type { Caller, ContinueSession } from './sign-in.ts'
import { windowLocationOf } from './window-location.ts'

const { Check, Prompt } = interactionPolicy

/** Prompts that ask for another sign-in than the one the browser has. Nobody is asked for consent. */
const promptsAnew = ['login', 'select_account']

type Dependencies = {
  organizationId: string
  time: LibraryTime
  continueSession: ContinueSession
  callerOf: (ctx: KoaContextWithOIDC) => Caller
}

/**
 * When a person has to sign in. There is one check that decides it all, and it is also where a session that is used again
 * goes through `sign-in`: the answer of a check is awaited, and nothing is answered or written before it.
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
  const request = gathered(ctx)
  if (request.signIn) return false
  if (!request.session || !fits(ctx, dependencies.time)) return true
  const { personId, credentialId, authentications } = request.session
  const signedIn = { personId, credentialId, authentications }
  const answer = await dependencies.continueSession({
    ...signedIn,
    organizationId: dependencies.organizationId,
    clientId: ctx.oidc.client?.clientId ?? '',
    params: ctx.oidc.params as AuthorizeParams,
    windowLocation: windowLocationOf(ctx),
    ...dependencies.callerOf(ctx),
  })
  if (!answer) return true
  if ('error' in answer) throw new errors.CustomOIDCProviderError(answer.error, answer.error_description)
  request.signIn = { ...signedIn, claims: answer.claims }
  request.publishEnd = answer.publishEnd
  return false
}

/** Whether the session is one that the request accepts (OpenID Connect Core, 3.1.2.1). */
function fits({ oidc }: KoaContextWithOIDC, time: LibraryTime): boolean {
  const { session, params, entities } = oidc
  if (!session?.accountId || promptsAnew.some((prompt) => oidc.prompts.has(prompt))) return false
  const maxAge = params?.max_age
  if (maxAge !== undefined && time.now() - (session.loginTs ?? 0) > Number(maxAge)) return false
  const hinted = entities.IdTokenHint?.payload.sub
  return hinted === undefined || hinted === session.accountId
}
