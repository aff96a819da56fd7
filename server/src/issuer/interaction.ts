import { decodeJwt } from 'jose'
import type { Queries, Transaction } from '../database/database.ts'
import { type FoundInteraction, loadInteraction, updateResult } from './interaction-store.ts'
import { removeSession } from './session-store.ts'
import type { SignIn } from './sign-in.ts'

/** The parameters of an authorize request, as far as they were given: also `idp`, `correlation_id`, `login_hint`, `prompt`. */
export type AuthorizeParams = Partial<Record<string, string>>

/** A request of an application that waits for a person to sign in. */
export type Interaction = {
  uid: string
  clientId: string
  params: AuthorizeParams
  /** The `Referer` of the authorize request, or empty. */
  windowLocation: string
  /** Who is signed in in that browser, and shall sign in anew. */
  sessionPersonId: string | undefined
  /** Nobody else may sign in: the application showed an ID token of this person (OpenID Connect Core, 3.1.2.1). */
  hintedPersonId: string | undefined
  /** It has its result already: nothing is left to do but to go to `returnTo`. */
  hasResult: boolean
  /** Where the browser goes once there is a result. */
  returnTo: string
}

/** The OAuth error goes to the application, with its description. */
export type Result = { signIn: SignIn } | { error: string; error_description: string }

/** Where a browser is sent whose person has something to choose, or to be told; below the base URL. */
export const interactionPath = (organizationId: string, uid: string): string => `/sso/flows/${organizationId}/${uid}`

/** As the library makes them; anything else never reaches the database. */
const uidForm = /^[\w-]{43}$/

/** Undefined: unknown, expired, or its result has been used. `now` is RFC 3339. */
export async function findInteraction(
  queries: Queries,
  organizationId: string,
  uid: string,
  now: string,
): Promise<Interaction | undefined> {
  const found = uidForm.test(uid) ? await loadInteraction(queries, organizationId, uid, now) : undefined
  return found && toInteraction(uid, found)
}

export function toInteraction(uid: string, { payload, windowLocation, result }: FoundInteraction): Interaction {
  const { params = {}, session, returnTo = '' } = payload
  return {
    uid,
    clientId: String(params.client_id),
    params: params as AuthorizeParams,
    windowLocation,
    sessionPersonId: session?.accountId,
    hintedPersonId: subjectIn(params.id_token_hint),
    hasResult: result !== null,
    returnTo,
  }
}

/** The library has verified it before the interaction was begun. */
const subjectIn = (idToken: unknown): string | undefined =>
  typeof idToken === 'string' ? decodeJwt(idToken).sub : undefined

/**
 * Gives whether it was written: the interaction is open, and has no result yet. Where somebody else was signed in in that
 * browser, that session ends.
 */
export async function saveResult(
  tx: Transaction,
  organizationId: string,
  uid: string,
  result: Result,
  now: string,
): Promise<boolean> {
  const payload = await updateResult(tx, organizationId, uid, result, now)
  const { session } = payload ?? {}
  if (session?.uid && 'signIn' in result && session.accountId !== result.signIn.personId)
    await removeSession(tx, organizationId, session.uid)
  return payload !== undefined
}
