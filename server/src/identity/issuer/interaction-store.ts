import { decodeJwt } from 'jose'
import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { parseExactly } from '../../ground/runtime/exact-json.ts'
import { consoleClientId, toStoredClientId } from './console-client/console-client.ts'
import type { AuthorizeParams, Interaction, Result, SignIn } from './contract.ts'
import type { EndSessions } from './end-sessions.ts'
import { isRegistered } from './library/redirect-uri.ts'

/** `expiresAt` and `now` are RFC 3339, here and below. */
export type NewInteraction = {
  uid: string
  payload: AdapterPayload
  windowLocation: string
  invitationId: string | null
  expiresAt: string
}
type StoredInteraction = Pick<NewInteraction, 'payload' | 'windowLocation' | 'invitationId'> & { result: Result | null }
/** What the application of a request has registered now; null where it was deleted, or an earlier version stored the request. */
type Registered = { redirectUris: string[] | null; isPublic: boolean | null; isDeleted: boolean }

/** The page of an interaction, below the base URL: it offers the providers, or shows why a sign-in cannot go on. */
export const interactionPath = (organizationId: string, uid: string): string => `/sso/flows/${organizationId}/${uid}`

/** The library makes no other; a text of another form is not looked up. */
const uidForm = /^[\w-]{43}$/

/** Undefined: unknown, expired, or its result has been used. */
export async function findInteraction(queries: Queries, organizationId: string, uid: string, now: string) {
  const found = uidForm.test(uid) ? await loadInteraction(queries, organizationId, uid, now) : undefined
  return found && toInteraction(uid, found)
}

export function toInteraction(
  uid: string,
  { payload, windowLocation, invitationId, result }: StoredInteraction,
): Interaction {
  const { params = {}, session, returnTo = '' } = payload
  return {
    uid,
    clientId: String(params.client_id),
    invitationId: invitationId ?? undefined,
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
  { uid, payload, windowLocation, invitationId, expiresAt }: NewInteraction,
) =>
  queries.rows(sql`
    insert into issuer_interactions (org_id, uid, client_id, payload, window_location, invitation_id, expires_at)
    values (${organizationId}, ${uid}, ${toStoredClientId(String(payload.params?.client_id))}, ${JSON.stringify(payload)},
            ${windowLocation}, ${invitationId}, ${expiresAt})`)

/** Whether the application still has the redirect URI of its request. */
export const mayReturn = ({
  payload,
  redirectUris,
  isPublic,
}: Omit<Registered, 'isDeleted'> & { payload: AdapterPayload }) =>
  redirectUris === null || isRegistered(String(payload.params?.redirect_uri), redirectUris, isPublic ?? false)

const registered = fragment`a.redirect_uris as "redirectUris", not a.confidential as "isPublic",
  i.client_id is not null and i.client_id <> ${toStoredClientId(consoleClientId)} and a.client_id is null as "isDeleted"`
const itsApplication = fragment`a.org_id = i.org_id and a.client_id = i.client_id`

export async function loadInteraction(queries: Queries, organizationId: string, uid: string, now: string) {
  const [row] = await queries.rows(sql<Omit<StoredInteraction, 'result'> & Registered & { result: string | null }>`
    select i.payload, i.window_location as "windowLocation", i.invitation_id as "invitationId", i.result::text, ${registered}
      from issuer_interactions i left join applications a on ${itsApplication}
     where i.org_id = ${organizationId} and i.uid = ${uid} and i.expires_at > ${now}`)
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
 * Gives what became of the sign-in. 'saved': the interaction is open and had no result. 'over': not so, or the application was
 * deleted. 'unregistered': it has not got the redirect URI any more. Whatever was written must be rolled back then. A session of
 * another person in that browser ends.
 */
export async function saveSignIn(
  tx: Transaction,
  organizationId: string,
  uid: string,
  signIn: SignIn,
  { now, endSessions }: { now: string; endSessions: EndSessions },
): Promise<'saved' | 'over' | 'unregistered'> {
  const updated = await updateResult(tx, organizationId, uid, { signIn }, now)
  if (!updated || updated.isDeleted) return 'over'
  const { session } = updated.payload
  if (session?.uid && session.accountId !== signIn.personId)
    await endSessions(tx, organizationId, { signedOut: session.uid }, now)
  return mayReturn(updated) ? 'saved' : 'unregistered'
}

/** Gives the interaction, if it is open and had no result. */
function updateResult(tx: Transaction, organizationId: string, uid: string, result: Result, now: string) {
  const personId = 'signIn' in result ? result.signIn.personId : null
  return firstRow(tx)(sql<Registered & { payload: AdapterPayload }>`
    with i as (
      update issuer_interactions set result = ${JSON.stringify(result)}, person_id = ${personId}
       where org_id = ${organizationId} and uid = ${uid} and expires_at > ${now} and result is null
      returning org_id, client_id, payload
    )
    select i.payload, ${registered} from i left join applications a on ${itsApplication}`)
}

export const removeInteraction = (queries: Queries, organizationId: string, uid: string) =>
  queries.rows(sql`delete from issuer_interactions where org_id = ${organizationId} and uid = ${uid}`)
