import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, rowCount } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'

export type Link = { id: string; directory_id: string; name: string | null; created_at: Date; expires_at: Date }

/** A link is open while it has not expired. One that was used or deleted expired before it was made, as credential links do. */
const closed = fragment`created_at - interval '1 hour'`

const columns = fragment`id, directory_id, name, created_at, expires_at`

export const insertLink = (tx: Transaction, organizationId: string, link: Link, hash: Buffer) =>
  tx.rows(sql`
    insert into directory_links (org_id, id, directory_id, name, token_hash, created_at, expires_at)
    values (${organizationId}, ${link.id}, ${link.directory_id}, ${link.name}, ${hash}, ${link.created_at}, ${link.expires_at})`)

export const countOpenLinks = (queries: Queries, organizationId: string, directoryId: string, now: string) =>
  numberIn(queries)(sql`
    select count(*) from directory_links
     where org_id = ${organizationId} and directory_id = ${directoryId} and expires_at > ${now}`)

/** The newest first: an id begins with its time. */
export const pageOfOpenLinks = (
  queries: Queries,
  organizationId: string,
  directoryId: string,
  now: string,
  { limit, offset }: Page,
) =>
  paged(
    queries.rows(sql<Link>`
      select ${columns} from directory_links
       where org_id = ${organizationId} and directory_id = ${directoryId} and expires_at > ${now}
       order by id desc limit ${limit} offset ${offset}`),
    countOpenLinks(queries, organizationId, directoryId, now),
  )

export const findOpenLink = (queries: Queries, organizationId: string, hash: Buffer, now: string) =>
  firstRow(queries)(sql<Link>`
    select ${columns} from directory_links
     where org_id = ${organizationId} and token_hash = ${hash} and expires_at > ${now}`)

/** Whether there is or was a link with this token, open or not. */
export const existsLink = (queries: Queries, organizationId: string, hash: Buffer) =>
  hasRow(queries)(sql`select from directory_links where org_id = ${organizationId} and token_hash = ${hash}`)

/** Of several at once, one gets the link; the others wait, and get it only if that transaction fails. */
export const takeOpenLink = (tx: Transaction, organizationId: string, hash: Buffer, now: string) =>
  firstRow(tx)(sql<Link>`
    update directory_links set expires_at = ${closed}
     where org_id = ${organizationId} and token_hash = ${hash} and expires_at > ${now}
    returning ${columns}`)

/** Gives the link, if it was open. */
export async function closeOpenLink(
  tx: Transaction,
  organizationId: string,
  { id, directory_id }: Pick<Link, 'id' | 'directory_id'>,
  now: string,
) {
  const [row] = await tx.rows(sql<Link>`
    select ${columns} from directory_links
     where org_id = ${organizationId} and directory_id = ${directory_id} and id = ${id} and expires_at > ${now} for update`)
  if (row)
    await tx.rows(sql`
      update directory_links set expires_at = ${closed} where org_id = ${organizationId} and id = ${id}`)
  return row
}

/** Of a directory, links that are not open any more: beyond so many, the tokens of the oldest count as guesses. */
const maxClosed = 100

export const forgetOldestClosed = (tx: Transaction, organizationId: string, directoryId: string, now: string) =>
  tx.rows(sql`
    delete from directory_links where org_id = ${organizationId} and id in (
      select id from directory_links
       where org_id = ${organizationId} and directory_id = ${directoryId} and expires_at <= ${now}
       order by id desc offset ${maxClosed})`)

/** How long after its end the token of a link is known. A link lives for a week at most, so one that was closed is known for a day at least. */
const knownFor = fragment`interval '8 days'`

/** Of links whose tokens need not be known any more. Gives how many rows were removed. Those that another process is removing are skipped. */
export const removeExpiredDirectoryLinks = (queries: Queries, now: string, limit: number) =>
  rowCount(queries)(sql`
    delete from directory_links where (org_id, id) in
      (select org_id, id from directory_links where expires_at <= ${now}::timestamptz - ${knownFor}
        order by expires_at limit ${limit} for update skip locked)
    returning 1`)
