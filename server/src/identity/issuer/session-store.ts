import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import type { Authentication } from './contract.ts'

export type FoundSession = {
  uid: string
  /** The hash of the id that the browser sent. */
  idHash: Buffer
  personId: string
  credentialId: string
  identityId: string | null
  authentications: [Authentication, ...Authentication[]]
  payload: AdapterPayload
}

export const findSession = (queries: Queries, organizationId: string, idHash: Buffer, now: string) =>
  firstRow(queries)(sql<FoundSession>`
    select uid, id_hash as "idHash", person_id as "personId", credential_id as "credentialId", identity_id as "identityId",
           authentications, payload
      from issuer_sessions
     where org_id = ${organizationId} and id_hash = ${idHash} and expires_at > ${now}`)

/** Gives whether the session was updated: it has not ended meanwhile or got another id. Its end stays the same. */
export const updateSession = (
  queries: Queries,
  organizationId: string,
  found: Pick<FoundSession, 'uid' | 'idHash'>,
  { idHash, payload }: { idHash: Buffer; payload: AdapterPayload },
) =>
  hasRow(queries)(sql`
    update issuer_sessions set id_hash = ${idHash}, payload = ${JSON.stringify(payload)}
     where org_id = ${organizationId} and uid = ${found.uid} and id_hash = ${found.idHash}
    returning uid`)

/** Its grants and their tokens are removed with it, except those of `offline_access`. */
export const removeSession = (queries: Queries, organizationId: string, uid: string) =>
  queries.rows(sql`delete from issuer_sessions where org_id = ${organizationId} and uid = ${uid}`)

/**
 * Ends a person's sessions, the codes and tokens of all applications, also those that outlive a session, and the sign-ins
 * whose browser has not returned yet. The transaction must hold the person: a sign-in that is finishing at the same time
 * waits for that lock, or is found here.
 */
export async function endSessions(tx: Transaction, organizationId: string, personId: string) {
  await Promise.all([
    tx.rows(sql`delete from issuer_interactions where org_id = ${organizationId} and person_id = ${personId}`),
    tx.rows(sql`delete from issuer_sessions where org_id = ${organizationId} and person_id = ${personId}`),
    tx.rows(sql`delete from issuer_grants where org_id = ${organizationId} and person_id = ${personId}`),
  ])
}
