import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { removeResults } from './interaction-store.ts'
import type { Authentication } from './sign-in.ts'

export type FoundSession = {
  uid: string
  /** What it was found by. */
  idHash: Buffer
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
    select uid, id_hash as "idHash", person_id as "personId", credential_id as "credentialId", authentications, payload
      from issuer_sessions
     where org_id = ${organizationId} and id_hash = ${idHash} and expires_at > ${now}`)
  return row
}

/**
 * Gives whether it was written: the session has not ended meanwhile, and still has the id that it was found by. It lasts no
 * longer for that.
 */
export async function updateSession(
  queries: Queries,
  organizationId: string,
  found: Pick<FoundSession, 'uid' | 'idHash'>,
  { idHash, payload }: { idHash: Buffer; payload: AdapterPayload },
): Promise<boolean> {
  const rows = await queries.rows(sql`
    update issuer_sessions set id_hash = ${idHash}, payload = ${JSON.stringify(payload)}
     where org_id = ${organizationId} and uid = ${found.uid} and id_hash = ${found.idHash}
    returning uid`)
  return rows.length > 0
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
