import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, rowCount } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
import type { Role } from '../../ground/http/chain/roles.ts'

export type Invitation = { id: string; group: string; created_at: Date; expires_at: Date }

/** An invitation is open while it has not expired. One that was used or deleted expired before it was made, as credential links do. */
const closed = fragment`created_at - interval '1 hour'`

const columns = fragment`id, group_name as "group", created_at, expires_at`

/** Gives whether the console knows the group, which it goes on doing until the end of the transaction. */
export const insertInvitation = (
  tx: Transaction,
  organizationId: string,
  { id, group, created_at, expires_at }: Invitation,
  hash: Buffer,
) =>
  hasRow(tx)(sql`
    insert into console_invitations (org_id, id, token_hash, group_name, created_at, expires_at)
    select org_id, ${id}::uuid, ${hash}::bytea, group_name, ${created_at}::timestamptz, ${expires_at}::timestamptz
      from console_access where org_id = ${organizationId} and group_name = ${group} for key share
    returning id`)

export const countOpenInvitations = (queries: Queries, organizationId: string, now: string) =>
  numberIn(queries)(sql`
    select count(*) from console_invitations where org_id = ${organizationId} and expires_at > ${now}`)

/** The newest first: an id begins with its time. */
export const pageOfOpenInvitations = (queries: Queries, organizationId: string, now: string, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<Invitation>`
      select ${columns} from console_invitations
       where org_id = ${organizationId} and expires_at > ${now} order by id desc limit ${limit} offset ${offset}`),
    countOpenInvitations(queries, organizationId, now),
  )

/** With the role that its group gives now. */
export const findOpenInvitation = (queries: Queries, organizationId: string, hash: Buffer, now: string) =>
  firstRow(queries)(sql<Invitation & { role: Role }>`
    select id, group_name as "group", created_at, expires_at, role
      from console_invitations join console_access using (org_id, group_name)
     where org_id = ${organizationId} and token_hash = ${hash} and expires_at > ${now}`)

export const isOpenInvitation = (queries: Queries, organizationId: string, id: string, now: string) =>
  hasRow(queries)(sql`
    select from console_invitations where org_id = ${organizationId} and id = ${id} and expires_at > ${now}`)

/** Whether there is or was an invitation with this token, open or not. */
export const existsInvitation = (queries: Queries, organizationId: string, hash: Buffer) =>
  hasRow(queries)(sql`
    select from console_invitations where org_id = ${organizationId} and token_hash = ${hash}`)

/**
 * Of several at once, one gets the invitation; the others wait, and get it only if that transaction fails. Nobody gets one of a group that
 * is not named in `console_access` any more: it went with that.
 */
export const takeOpenInvitation = (tx: Transaction, organizationId: string, id: string, now: string) =>
  firstRow(tx)(sql<{ group: string }>`
    update console_invitations set expires_at = ${closed}
     where org_id = ${organizationId} and id = ${id} and expires_at > ${now}
       and exists (select from organizations o where o.id = org_id and o.deleted_at is null)
    returning group_name as "group"`)

/** Gives the invitation, if it was open. */
export async function closeOpenInvitation(tx: Transaction, organizationId: string, id: string, now: string) {
  const [row] = await tx.rows(sql<Invitation>`
    select ${columns} from console_invitations
     where org_id = ${organizationId} and id = ${id} and expires_at > ${now} for update`)
  if (row)
    await tx.rows(sql`
      update console_invitations set expires_at = ${closed} where org_id = ${organizationId} and id = ${id}`)
  return row
}

/** Invitations of an organization that are not open any more: beyond so many, the tokens of the oldest count as guesses. */
const maxClosed = 1_000

export const forgetOldestClosed = (tx: Transaction, organizationId: string, now: string) =>
  tx.rows(sql`
    delete from console_invitations where org_id = ${organizationId} and id in (
      select id from console_invitations
       where org_id = ${organizationId} and expires_at <= ${now} order by id desc offset ${maxClosed})`)

/** How long after its end the token of an invitation is known: it lives for a week at most, so one that was closed is known for a day at least. */
const knownFor = fragment`interval '8 days'`

/** Of those whose tokens need not be known any more. Gives how many rows were removed. Rows that another process is removing are skipped. */
export const removeExpiredInvitations = (queries: Queries, now: string, limit: number) =>
  rowCount(queries)(sql`
    delete from console_invitations where (org_id, id) in
      (select org_id, id from console_invitations where expires_at <= ${now}::timestamptz - ${knownFor}
        order by expires_at limit ${limit} for update skip locked)
    returning 1`)
