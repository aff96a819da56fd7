import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { removeResults } from './interaction-store.ts'
import type { Authentication } from './sign-in.ts'

export type FoundSession = {
  uid: string
  personId: string
  credentialId: string
  authentications: [Authentication, ...Authentication[]]
  payload: AdapterPayload
}

export async function findSession(
  queries: Queries,
  organizationId: string,
  idHash: Buffer,
  now: string,
): Promise<FoundSession | undefined> {
  const [row] = await queries.rows(sql<FoundSession>`
    select uid, person_id as "personId", credential_id as "credentialId", authentications, payload from issuer_sessions
     where org_id = ${organizationId} and id_hash = ${idHash} and expires_at > ${now}`)
  return row
}

/** Of a session that has not ended meanwhile. */
export async function updateSession(
  queries: Queries,
  organizationId: string,
  { uid, idHash, payload, expiresAt }: { uid: string; idHash: Buffer; payload: AdapterPayload; expiresAt: string },
) {
  await queries.rows(sql`
    update issuer_sessions set id_hash = ${idHash}, payload = ${JSON.stringify(payload)}, expires_at = ${expiresAt}
     where org_id = ${organizationId} and uid = ${uid}`)
}

/** With the grants that end with it, and their tokens. */
export async function removeSession(queries: Queries, organizationId: string, uid: string) {
  await queries.rows(sql`delete from issuer_sessions where org_id = ${organizationId} and uid = ${uid}`)
}

/**
 * Ends the sessions of a person, the codes and tokens of all applications, also those that outlive a session, and the
 * sign-ins that no browser has collected yet. In a transaction that holds the person: a sign-in that is just being finished
 * waits for it, or is found.
 */
export async function endSessions(tx: Transaction, organizationId: string, personId: string) {
  await Promise.all([
    removeResults(tx, organizationId, personId),
    tx.rows(sql`delete from issuer_sessions where org_id = ${organizationId} and person_id = ${personId}`),
    tx.rows(sql`delete from issuer_grants where org_id = ${organizationId} and person_id = ${personId}`),
  ])
}
