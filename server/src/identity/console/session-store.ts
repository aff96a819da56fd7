import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, rowCount } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** `keyId` is null in sessions of the operator, `operatorKeyHash` in all others. */
export type StoredSession = {
  id: string
  keyId: string | null
  operatorKeyHash: Buffer | null
  usedAt: Date
  endsAt: Date
}

type NewSession = Omit<StoredSession, 'usedAt'> & { tokenHash: Buffer; createdAt: Date }

export async function insertSession(tx: Transaction, organizationId: string, session: NewSession) {
  const { id, tokenHash, keyId, operatorKeyHash, createdAt, endsAt } = session
  await tx.rows(sql`
    insert into console_sessions (org_id, id, token_hash, api_key_id, operator_key_hash, created_at, used_at, ends_at)
    values (${organizationId}, ${id}, ${tokenHash}, ${keyId}, ${operatorKeyHash}, ${createdAt}, ${createdAt}, ${endsAt})`)
}

/** Makes room for one more where a key has `limit` sessions: the oldest end. */
export const endOldestSessions = (tx: Transaction, organizationId: string, keyId: string | null, limit: number) =>
  tx.rows(sql`
    delete from console_sessions where org_id = ${organizationId} and id in (
      select id from console_sessions where org_id = ${organizationId} and api_key_id is not distinct from ${keyId}::uuid
       order by created_at desc, id desc offset ${limit - 1})`)

/** Gives whether there still is the key; if so, nobody revokes it before the end of the transaction. */
export const holdKey = (tx: Transaction, organizationId: string, keyId: string) =>
  hasRow(tx)(sql`
    select from api_keys where org_id = ${organizationId} and id = ${keyId} for key share`)

/** Only one that was used after `idleSince`. */
export const findStoredSession = (
  queries: Queries,
  organizationId: string,
  tokenHash: Buffer,
  { now, idleSince }: { now: string; idleSince: string },
) =>
  firstRow(queries)(sql<StoredSession>`
    select id, api_key_id as "keyId", operator_key_hash as "operatorKeyHash", used_at as "usedAt", ends_at as "endsAt"
      from console_sessions
     where org_id = ${organizationId} and token_hash = ${tokenHash} and ends_at > ${now} and used_at > ${idleSince}`)

export const noteSessionUse = (queries: Queries, organizationId: string, id: string, now: string) =>
  queries.rows(sql`
    update console_sessions set used_at = ${now} where org_id = ${organizationId} and id = ${id} and used_at < ${now}`)

/** Gives whether it was there. */
export const removeSession = (tx: Transaction, organizationId: string, id: string) =>
  hasRow(tx)(sql`
    delete from console_sessions where org_id = ${organizationId} and id = ${id} returning id`)

/** Of all organizations. Gives how many were removed; what another process removes is left to it. */
export const removeEndedSessions = (queries: Queries, now: string, limit: number) =>
  rowCount(queries)(sql`
    delete from console_sessions where (org_id, id) in
      (select org_id, id from console_sessions where ends_at <= ${now} order by ends_at limit ${limit} for update skip locked)
    returning 1`)
