import type { Queries, Transaction } from '../../ground/database/database.ts'
import { valueIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'

/** Whether a session (`s`) or a grant (`g`) is of a credential that has ended; every statement that finds one asks this. */
export const sessionHasEnded = fragment`exists (
  select from ended_credentials e
   where e.org_id = s.org_id and e.credential_id = s.credential_id
     and e.ended_at >= (s.authentications -> 0 ->> 'timestamp')::timestamptz)`
/** One of an earlier release does not say when the person authenticated. */
export const grantHasEnded = fragment`exists (
  select from ended_credentials e
   where e.org_id = g.org_id and e.credential_id = g.credential_id and (g.authenticated_at > e.ended_at) is not true)`

/** Whether a sign-in that is about to be written is of one. */
export const signInHasEnded = (organizationId: string, credentialId: string, authenticatedAt: string): Fragment =>
  fragment`exists (
  select from ended_credentials
   where org_id = ${organizationId} and credential_id = ${credentialId} and ended_at >= ${authenticatedAt})`

/**
 * Ends all sessions, refresh tokens and codes of a credential: from the commit on none is found. There may be any number of them, so
 * they are removed, and their applications told, by `endSessionsOfCredentials`.
 */
export const markCredentialEnded = (tx: Transaction, organizationId: string, credentialId: string, now: string) =>
  tx.rows(sql`
    insert into ended_credentials (org_id, credential_id, ended_at) values (${organizationId}, ${credentialId}, ${now})
    on conflict (org_id, credential_id) do update set ended_at = greatest(ended_credentials.ended_at, excluded.ended_at)`)

/** The organization after `after` that has any. Those that are deleted, or are moving, are left. */
export const nextWithEndedCredentials = (queries: Queries, after: string) =>
  valueIn(queries)(sql<{ org_id: string }>`
    select org_id from ended_credentials e
     where org_id > ${after} and exists (select from organizations o where o.id = e.org_id and o.deleted_at is null)
     order by org_id limit 1`)

/** Those that ended before `before`, and not once more since. */
export const removeEndedCredentials = (queries: Queries, organizationId: string, before: string) =>
  queries.rows(sql`delete from ended_credentials where org_id = ${organizationId} and ended_at < ${before}`)

export type Walked = { key: string; hasEnded: boolean }

/**
 * The sessions of the organization after `after`, of which few may have ended: no sign-in pays for an index. All its credentials are
 * looked for together, for whoever ends one after the other must not have the sessions read as often.
 */
export const walkSessions = (queries: Queries, organizationId: string, walk: Walk) =>
  queries.rows(sql<Walked>`
    select uid as key, ${sessionHasEnded} as "hasEnded" from issuer_sessions s
     where org_id = ${organizationId} and uid > ${walk.after} order by uid limit ${walk.limit}`)

export const walkGrants = (queries: Queries, organizationId: string, walk: Walk) =>
  queries.rows(sql<Walked>`
    select id as key, ${grantHasEnded} as "hasEnded" from issuer_grants g
     where org_id = ${organizationId} and id > ${walk.after} order by id limit ${walk.limit}`)

type Walk = { after: string; limit: number }
