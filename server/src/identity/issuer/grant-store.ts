import type { AdapterPayload } from 'oidc-provider'
import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import { isStoredOfConsole } from './console-client/console-client.ts'
import type { Authentication, Browser } from './contract.ts'
import { signInHasEnded } from './ended-credential-store.ts'
import type { NewToken } from './token-store.ts'

type NewSession = {
  uid: string
  idHash: Buffer
  /** The hash under which a session that is used again was found. Null: the person has just authenticated. */
  usedIdHash: Buffer | null
  payload: AdapterPayload
  lastUsedAt: string
  expiresAt: string
}
type NewGrant = {
  id: string
  /** The grant ends with this session. Null: it outlives the session. */
  sessionUid: string | null
  sid: string | null
  payload: AdapterPayload
  claims: Record<string, unknown>
  expiresAt: string
}
export type FinishedSignIn = {
  personId: string
  credentialId: string
  identityId: string | null
  browser: Pick<Browser, 'clientAddress' | 'userAgent'>
  authentications: [Authentication, ...Authentication[]]
  /** Its result is used. Null: a session was used again. */
  interactionUid: string | null
  session: NewSession
  grant: NewGrant
  code: NewToken
  clientId: string
  /** Those redirect URIs of the application that allowed the request. */
  redirectUris: string[]
}

/**
 * Writes session, grant and code in one statement. Gives whether they were written: the person is active, the application still
 * has the redirect URI, the interaction was not used before, what vouched for the person was not taken away, and a session that is
 * used again still has the id under which it was found. Another sign-in changes that id, and the old one, which a thief may have, must not
 * return. A deactivation of the person at the same time comes first, or ends all of this.
 */
export async function insertSignIn(
  queries: Queries,
  organizationId: string,
  {
    personId,
    credentialId,
    identityId,
    browser,
    authentications,
    interactionUid,
    session,
    grant,
    code,
    clientId,
    redirectUris,
  }: FinishedSignIn,
): Promise<boolean> {
  const [{ timestamp: authenticatedAt }] = authentications
  const methods = [...new Set(authentications.map(({ method }) => method))]
  const rows = await queries.rows(sql`
    with person as materialized (
      select id from persons where org_id = ${organizationId} and id = ${personId} and active for share
    ), interaction as (
      delete from issuer_interactions
       where org_id = ${organizationId} and uid = ${interactionUid} and exists (select from person)
      returning uid
    ), present as materialized (
      select uid from issuer_sessions
       where org_id = ${organizationId} and uid = ${session.uid} and id_hash = ${session.usedIdHash}
         and exists (select from person)
         for update
    ), allowed as materialized (
      select id from person
       where (${interactionUid}::text is null or exists (select from interaction))
         and (${session.usedIdHash}::bytea is null or exists (select from present))
         and not ${signInHasEnded(organizationId, credentialId, authenticatedAt)}
         and (${isStoredOfConsole(clientId)} or exists (
               select from applications
                where org_id = ${organizationId} and client_id = ${clientId} and redirect_uris && ${redirectUris}::text[]))
    ), stored as (
      insert into issuer_sessions
        (org_id, uid, id_hash, person_id, credential_id, identity_id, authentications, payload, created_at, last_used_at,
         client_ip_address, user_agent, expires_at)
      select ${organizationId}, ${session.uid}, ${session.idHash}, id, ${credentialId}, ${identityId},
             ${JSON.stringify(authentications)}::json, ${JSON.stringify(session.payload)}::json, ${session.lastUsedAt}::timestamptz,
             ${session.lastUsedAt}::timestamptz, ${browser.clientAddress}, ${browser.userAgent}, ${session.expiresAt}
        from allowed
      on conflict (org_id, uid) do update
         set id_hash = excluded.id_hash, person_id = excluded.person_id, credential_id = excluded.credential_id,
             identity_id = excluded.identity_id, authentications = excluded.authentications, payload = excluded.payload,
             last_used_at = excluded.last_used_at, client_ip_address = excluded.client_ip_address,
             user_agent = excluded.user_agent, expires_at = excluded.expires_at
    ), granted as (
      insert into issuer_grants
        (org_id, id, person_id, session_uid, sid, credential_id, identity_id, authenticated_at, payload, claims,
         authenticated_methods, expires_at)
      select ${organizationId}, ${grant.id}, id, ${grant.sessionUid}, ${grant.sid}, ${credentialId}, ${identityId},
             ${authenticatedAt}, ${JSON.stringify(grant.payload)}::json, ${JSON.stringify(grant.claims)}::json,
             ${methods}::text[], ${grant.expiresAt}
        from allowed
      returning id
    )
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select ${organizationId}, ${code.idHash}, ${code.kind}, id, ${JSON.stringify(code.payload)}::json, ${code.expiresAt}
      from granted
    returning id_hash`)
  return rows.length > 0
}

/** Its code and tokens are removed with it. */
export const removeGrant = (queries: Queries, organizationId: string, grantId: string) =>
  queries.rows(sql`delete from issuer_grants where org_id = ${organizationId} and id = ${grantId}`)
