import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, hasRow } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { MediaType } from './picture.ts'

/** What the pages of an organization need; `logo` is the hash of its picture. */
export type StoredBrand = {
  name: string
  display_name: string | null
  accent_color: string | null
  default_locale: string
  logo: string | null
}
export type Logo = { hash: string; media_type: MediaType; picture: Buffer }

export const findBrand = (queries: Queries, organizationId: string) =>
  firstRow(queries)(sql<StoredBrand>`
    select o.name, o.display_name, o.accent_color, o.default_locale, l.hash as logo
      from organizations o left join organization_logos l on l.org_id = o.id
     where o.id = ${organizationId} and o.deleted_at is null`)

export const findLogo = (queries: Queries, organizationId: string, hash: string) =>
  firstRow(queries)(sql<Logo>`
    select hash, media_type, picture from organization_logos l
     where org_id = ${organizationId} and hash = ${hash}
       and exists (select from organizations o where o.id = l.org_id and o.deleted_at is null)`)

export const saveLogo = (tx: Transaction, organizationId: string, { hash, media_type, picture }: Logo) =>
  tx.rows(sql`
    insert into organization_logos (org_id, hash, media_type, picture)
    values (${organizationId}, ${hash}, ${media_type}, ${picture})
    on conflict (org_id) do update
       set hash = excluded.hash, media_type = excluded.media_type, picture = excluded.picture`)

/** Gives whether there was one. */
export const removeLogo = (tx: Transaction, organizationId: string) =>
  hasRow(tx)(sql`delete from organization_logos where org_id = ${organizationId} returning org_id`)
