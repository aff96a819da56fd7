import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, rowCount } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Role } from '../../ground/http/chain/roles.ts'
import { sessionHasEnded } from '../issuer/index.ts'

/** Of a key, a person or the operator: the others are null. `sessionUid`: of the issuer's session that the person signed in by. */
export type StoredHolder = {
  keyId: string | null
  personId: string | null
  sessionUid: string | null
  operatorKeyHash: Buffer | null
}

type Times = { authenticatedAt: Date; usedAt: Date; endsAt: Date }
/** `pricingTier` and `roles`: of a person; no roles where the person may enter no more. */
export type StoredSession = StoredHolder & Times & { id: string; pricingTier: string | null; roles: Role[] }

type NewSession = StoredHolder &
  Omit<Times, 'usedAt'> & {
    id: string
    tokenHash: Buffer
    createdAt: Date
    clientAddress: string
    userAgent: string
  }

export async function insertSession(tx: Transaction, organizationId: string, session: NewSession) {
  const { id, tokenHash, keyId, personId, sessionUid, operatorKeyHash, authenticatedAt, createdAt, endsAt } = session
  await tx.rows(sql`
    insert into console_sessions (org_id, id, token_hash, api_key_id, person_id, session_uid, operator_key_hash, authenticated_at,
                                  created_at, used_at, ends_at, client_ip_address, user_agent)
    values (${organizationId}, ${id}, ${tokenHash}, ${keyId}, ${personId}, ${sessionUid}, ${operatorKeyHash}, ${authenticatedAt},
            ${createdAt}, ${createdAt}, ${endsAt}, ${session.clientAddress}, ${session.userAgent})`)
}

/** Makes room for one more where a holder has `limit` sessions: the oldest end. */
export const endOldestSessions = (
  tx: Transaction,
  organizationId: string,
  { keyId, personId }: StoredHolder,
  limit: number,
) =>
  tx.rows(sql`
    delete from console_sessions where org_id = ${organizationId} and id in (
      select id from console_sessions where org_id = ${organizationId} and ${personId === null ? fragment`person_id is null and api_key_id is not distinct from ${keyId}::uuid` : fragment`person_id = ${personId}`}
       order by created_at desc, id desc offset ${limit - 1})`)

/** Gives whether there still is the key; if so, nobody revokes it before the end of the transaction. */
export const holdKey = (tx: Transaction, organizationId: string, keyId: string) =>
  hasRow(tx)(sql`
    select from api_keys where org_id = ${organizationId} and id = ${keyId} for key share`)

/** A person who is there, is active, and has the issuer's session. */
const personOf = (organizationId: string, personId: Fragment, sessionUid: Fragment, now: string) => fragment`
      from persons p join issuer_sessions s on s.org_id = p.org_id and s.person_id = p.id
     where p.org_id = ${organizationId} and p.id = ${personId} and p.active and s.uid = ${sessionUid} and s.expires_at > ${now}
       and not ${sessionHasEnded}`

/** Those that the person's groups give now. */
const rolesOf = (organizationId: string, personId: Fragment) => fragment`
    select distinct a.role
      from memberships m join console_access a on a.org_id = m.org_id and a.group_name = m.group_name
     where m.org_id = ${organizationId} and m.person_id = ${personId}`

/** Gives whether the person and the issuer's session still are there; if so, both stay until the end of the transaction. */
export const holdPerson = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  sessionUid: string,
  now: string,
) =>
  hasRow(tx)(sql`
    select ${personOf(organizationId, fragment`${personId}`, fragment`${sessionUid}`, now)} for key share of p, s`)

export const findRoles = async (queries: Queries, organizationId: string, personId: string): Promise<Role[]> =>
  (await queries.rows(sql<{ role: Role }>`${rolesOf(organizationId, fragment`${personId}`)}`)).map(({ role }) => role)

/**
 * Only one that was used after `idleSince`. All that a person's session depends on is asked here and now: a request is one statement
 * dearer for nobody.
 */
export const findStoredSession = (
  queries: Queries,
  organizationId: string,
  tokenHash: Buffer,
  { now, idleSince }: { now: string; idleSince: string },
) =>
  firstRow(queries)(sql<StoredSession>`
    select c.id, c.api_key_id as "keyId", c.person_id as "personId", c.session_uid as "sessionUid",
           c.operator_key_hash as "operatorKeyHash", c.authenticated_at as "authenticatedAt", c.used_at as "usedAt",
           c.ends_at as "endsAt", o.pricing_tier as "pricingTier",
           case when c.person_id is not null and o.id is not null
                 and exists (select ${personOf(organizationId, fragment`c.person_id`, fragment`c.session_uid`, now)})
                then array(${rolesOf(organizationId, fragment`c.person_id`)}) else '{}' end as roles
      from console_sessions c left join organizations o on o.id = c.org_id and c.person_id is not null and o.deleted_at is null
     where c.org_id = ${organizationId} and c.token_hash = ${tokenHash} and c.ends_at > ${now} and c.used_at > ${idleSince}`)

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
