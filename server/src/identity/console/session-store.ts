import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, rowCount } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
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
/** `pricingTier`: null where the organization was deleted. `roles`: of a person; none where the person may enter its pages no more. */
export type StoredSession = StoredHolder &
  Times & {
    id: string
    pricingTier: string | null
    roles: Role[]
    /** Of a person: whether they are in the operator's group. */
    isOperator: boolean
    /** False: keys open the console no more, or the organization was deleted or has moved. */
    opensByKey: boolean
  }

/** `operators`: the operator's group, where it is one of this organization. */
type Moments = { now: string; idleSince: string; operators: string | undefined }

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
      select id from console_sessions where org_id = ${organizationId} and ${isOf(keyId, personId)}
       order by created_at desc, id desc offset ${limit - 1})`)

/** Undefined: the key is no more. Else nobody revokes it before the end of the transaction. `opensConsole`: whether keys do. */
export const holdKey = (tx: Transaction, organizationId: string, keyId: string) =>
  firstRow(tx)(sql<{ opensConsole: boolean }>`
    select o.console_key_sign_in as "opensConsole" from api_keys k join organizations o on o.id = k.org_id
     where k.org_id = ${organizationId} and k.id = ${keyId} for key share of k`)

const isOf = (keyId: string | null, personId: string | null) =>
  personId === null
    ? fragment`person_id is null and api_key_id is not distinct from ${keyId}::uuid`
    : fragment`person_id = ${personId}`

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

/** Whether the person is in that group now. Without a group: in none. */
const isIn = (organizationId: string, personId: Fragment, groupName: string | undefined) =>
  groupName === undefined
    ? fragment`false`
    : fragment`exists (select from memberships m
        where m.org_id = ${organizationId} and m.person_id = ${personId} and m.group_name = ${groupName})`

export const isMember = (tx: Transaction, organizationId: string, personId: string, groupName: string) =>
  hasRow(tx)(sql`select where ${isIn(organizationId, fragment`${personId}`, groupName)}`)

export const findRoles = async (queries: Queries, organizationId: string, personId: string): Promise<Role[]> =>
  (await queries.rows(sql<{ role: Role }>`${rolesOf(organizationId, fragment`${personId}`)}`)).map(({ role }) => role)

/**
 * Only one that was used after `idleSince`. All that a person's session depends on is asked in the same statement, so
 * that no request needs a second one for it.
 */
export const findStoredSession = (
  queries: Queries,
  organizationId: string,
  tokenHash: Buffer,
  { now, idleSince, operators }: Moments,
) =>
  firstRow(queries)(sql<StoredSession>`
    select c.id, c.api_key_id as "keyId", c.person_id as "personId", c.session_uid as "sessionUid",
           c.operator_key_hash as "operatorKeyHash", c.authenticated_at as "authenticatedAt", c.used_at as "usedAt",
           c.ends_at as "endsAt", o.pricing_tier as "pricingTier",
           coalesce(o.console_key_sign_in, false) as "opensByKey",
           case when is_there then array(${rolesOf(organizationId, fragment`c.person_id`)}) else '{}' end as roles,
           is_there and ${isIn(organizationId, fragment`c.person_id`, operators)} as "isOperator"
      from console_sessions c left join organizations o on o.id = c.org_id and o.deleted_at is null
     cross join lateral (
       select c.person_id is not null and o.id is not null
              and exists (select ${personOf(organizationId, fragment`c.person_id`, fragment`c.session_uid`, now)}) as is_there) person
     where c.org_id = ${organizationId} and c.token_hash = ${tokenHash} and c.ends_at > ${now} and c.used_at > ${idleSince}`)

export const noteSessionUse = (queries: Queries, organizationId: string, id: string, now: string) =>
  queries.rows(sql`
    update console_sessions set used_at = ${now} where org_id = ${organizationId} and id = ${id} and used_at < ${now}`)

/** Undefined: it was not there. */
export const takeSession = (tx: Transaction, organizationId: string, id: string) =>
  firstRow(tx)(sql<{ id: string; keyId: string | null; personId: string | null; endsAt: Date }>`
    delete from console_sessions where org_id = ${organizationId} and id = ${id}
    returning id, api_key_id as "keyId", person_id as "personId", ends_at as "endsAt"`)

export type ListedSession = {
  id: string
  keyId: string | null
  keyName: string | null
  personId: string | null
  createdAt: Date
  usedAt: Date
  endsAt: Date
  clientAddress: string | null
  userAgent: string | null
}

/** Those that a request would still be accepted with, the newest first. */
export function pageOfSessions(
  queries: Queries,
  organizationId: string,
  { now, idleSince, operators }: Moments,
  page: Page,
) {
  const open = fragment`
      from console_sessions c join organizations o on o.id = c.org_id
      left join api_keys k on k.org_id = c.org_id and k.id = c.api_key_id
     where c.org_id = ${organizationId} and c.ends_at > ${now} and c.used_at > ${idleSince}
       and (o.console_key_sign_in and k.id is not null and (k.expires_at is null or k.expires_at > ${now})
            or exists (select ${personOf(organizationId, fragment`c.person_id`, fragment`c.session_uid`, now)})
               and (exists (${rolesOf(organizationId, fragment`c.person_id`)})
                    or ${isIn(organizationId, fragment`c.person_id`, operators)}))`
  return paged(
    queries.rows(sql<ListedSession>`
      select c.id, c.api_key_id as "keyId", k.name as "keyName", c.person_id as "personId", c.created_at as "createdAt",
             c.used_at as "usedAt", c.ends_at as "endsAt", c.client_ip_address as "clientAddress", c.user_agent as "userAgent"
        ${open} order by c.created_at desc, c.id desc limit ${page.limit} offset ${page.offset}`),
    numberIn(queries)(sql`select count(*) ${open}`),
  )
}

/** Of all organizations. Gives how many were removed; what another process removes is left to it. */
export const removeEndedSessions = (queries: Queries, now: string, limit: number) =>
  rowCount(queries)(sql`
    delete from console_sessions where (org_id, id) in
      (select org_id, id from console_sessions where ends_at <= ${now} order by ends_at limit ${limit} for update skip locked)
    returning 1`)

/** Whether keys open the console of an organization, and whether there are groups that do. */
export const findWaysIn = (queries: Queries, organizationId: string) =>
  firstRow(queries)(sql<{ key_sign_in: boolean; has_console_access: boolean }>`
    select console_key_sign_in as key_sign_in,
           exists (select from console_access a where a.org_id = o.id) as has_console_access
      from organizations o where id = ${organizationId} and deleted_at is null`)
