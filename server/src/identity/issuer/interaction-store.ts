import { decodeJwt } from 'jose'
import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import { parseExactly } from '../../ground/runtime/exact-json.ts'
import type { AuthorizeParams, Interaction, Result, SignIn } from './contract.ts'
import type { EndSessions } from './end-sessions.ts'

/** `expiresAt` and `now` are RFC 3339, here and below. */
export type NewInteraction = { uid: string; payload: AdapterPayload; windowLocation: string; expiresAt: string }
type StoredInteraction = { payload: AdapterPayload; windowLocation: string; result: Result | null }

/** The page of an interaction, below the base URL: it offers the providers, or shows why a sign-in cannot go on. */
export const interactionPath = (organizationId: string, uid: string): string => `/sso/flows/${organizationId}/${uid}`

/** The library makes no other; a text of another form is not looked up. */
const uidForm = /^[\w-]{43}$/

/** Undefined: unknown, expired, or its result has been used. */
export async function findInteraction(queries: Queries, organizationId: string, uid: string, now: string) {
  const found = uidForm.test(uid) ? await loadInteraction(queries, organizationId, uid, now) : undefined
  return found && toInteraction(uid, found)
}

export function toInteraction(uid: string, { payload, windowLocation, result }: StoredInteraction): Interaction {
  const { params = {}, session, returnTo = '' } = payload
  return {
    uid,
    clientId: String(params.client_id),
    params: params as AuthorizeParams,
    windowLocation,
    sessionPersonId: session?.accountId,
    hintedPersonId: subjectOf(params.id_token_hint),
    hasResult: result !== null,
    returnTo,
  }
}

/** The library verified the token before it began the interaction. */
const subjectOf = (idToken: unknown): string | undefined =>
  typeof idToken === 'string' ? decodeJwt(idToken).sub : undefined

export const insertInteraction = (
  queries: Queries,
  organizationId: string,
  { uid, payload, windowLocation, expiresAt }: NewInteraction,
) =>
  queries.rows(sql`
    insert into issuer_interactions (org_id, uid, payload, window_location, expires_at)
    values (${organizationId}, ${uid}, ${JSON.stringify(payload)}, ${windowLocation}, ${expiresAt})`)

export async function loadInteraction(queries: Queries, organizationId: string, uid: string, now: string) {
  const [row] = await queries.rows(sql<Omit<StoredInteraction, 'result'> & { result: string | null }>`
    select payload, window_location as "windowLocation", result::text from issuer_interactions
     where org_id = ${organizationId} and uid = ${uid} and expires_at > ${now}`)
  // A result holds claims of hooks, whose numbers keep the form in which they were written.
  return row && { ...row, result: row.result === null ? null : (parseExactly(row.result) as Result) }
}

/** Gives whether the error was written: the interaction is open and had no result. An error ends no session. */
export const saveError = async (
  tx: Transaction,
  organizationId: string,
  uid: string,
  error: Exclude<Result, { signIn: SignIn }>,
  now: string,
) => (await updateResult(tx, organizationId, uid, error, now)) !== undefined

/**
 * Gives whether the sign-in was written: the interaction is open and had no result, and its application was not deleted meanwhile. A
 * session of another person in that browser ends.
 */
export async function saveSignIn(
  tx: Transaction,
  organizationId: string,
  uid: string,
  signIn: SignIn,
  { now, endSessions }: { now: string; endSessions: EndSessions },
) {
  const payload = await updateResult(tx, organizationId, uid, { signIn }, now)
  const { session } = payload ?? {}
  if (session?.uid && session.accountId !== signIn.personId)
    await endSessions(tx, organizationId, { signedOut: session.uid }, now)
  return payload !== undefined
}

/** Gives the payload of the interaction, if it is open and had no result. */
async function updateResult(tx: Transaction, organizationId: string, uid: string, result: Result, now: string) {
  const personId = 'signIn' in result ? result.signIn.personId : null
  const [row] = await tx.rows(sql<{ payload: AdapterPayload }>`
    update issuer_interactions set result = ${JSON.stringify(result)}, person_id = ${personId}
     where org_id = ${organizationId} and uid = ${uid} and expires_at > ${now} and result is null
       and (${personId}::uuid is null or exists (
             select from applications a
              where a.org_id = ${organizationId} and a.client_id = (payload #>> '{params,client_id}')::uuid))
    returning payload`)
  return row?.payload
}

export const removeInteraction = (queries: Queries, organizationId: string, uid: string) =>
  queries.rows(sql`delete from issuer_interactions where org_id = ${organizationId} and uid = ${uid}`)
