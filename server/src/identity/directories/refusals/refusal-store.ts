import type { Queries } from '../../../ground/database/database.ts'
import { sql } from '../../../ground/database/sql.ts'

export type Refusal = {
  at: Date
  method: string
  /** Below the SCIM address, without a query. */
  path: string
  status: number
  detail: string
}

/** Of a directory. */
export const maxRefusals = 100
const maxTextLength = 1_000

/** What stands in the text is a client's: without U+0000, which PostgreSQL has not, and cut. */
const kept = (text: string) => text.replaceAll('\0', '').slice(0, maxTextLength).toWellFormed()

type NewRefusal = Refusal & { id: string }

/** Of its own transaction, for that of the refused request is rolled back. The oldest go. */
export const recordRefusal = (queries: Queries, organizationId: string, directoryId: string, refusal: NewRefusal) =>
  queries.rows(sql`
    with forgotten as (
      delete from directory_refusals where org_id = ${organizationId} and id in (
        select id from directory_refusals
         where org_id = ${organizationId} and directory_id = ${directoryId}
         order by id desc offset ${maxRefusals - 1})
    )
    insert into directory_refusals (org_id, id, directory_id, at, method, path, status, detail)
    values (${organizationId}, ${refusal.id}, ${directoryId}, ${refusal.at}, ${refusal.method}, ${kept(refusal.path)},
            ${refusal.status}, ${kept(refusal.detail)})`)

/** The newest first. */
export const listRefusals = (queries: Queries, organizationId: string, directoryId: string) =>
  queries.rows(sql<Refusal>`
    select at, method, path, status, detail from directory_refusals
     where org_id = ${organizationId} and directory_id = ${directoryId} order by id desc limit ${maxRefusals}`)

/** The newest of each of these directories. */
export const newestRefusals = (queries: Queries, organizationId: string, directoryIds: string[]) =>
  queries.rows(sql<Refusal & { directory_id: string }>`
    select distinct on (directory_id) directory_id, at, method, path, status, detail from directory_refusals
     where org_id = ${organizationId} and directory_id = any(${directoryIds}::uuid[]) order by directory_id, id desc`)
