import type { Transaction } from '../../ground/database/database.ts'
import { rowCount } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** As the person was before. */
export type Released = { person_id: string; region: string; active: boolean }

/**
 * Of persons whom a directory keeps no longer, who are locked from then on: its switch is on. Whoever it had switched off stays off as if a
 * key had done it, and unless they are kept all others are off as well.
 */
export const releasePersons = (tx: Transaction, organizationId: string, ids: string[], areKept: boolean) =>
  tx.rows(sql<Released>`
    with released as materialized (
      select org_id, id, region, active from persons
       where org_id = ${organizationId} and id = any(${ids}::uuid[]) order by id for update
    ), switched as (
      update persons p set key_active = r.active and ${areKept}, directory_active = true
        from released r
       where p.org_id = r.org_id and p.id = r.id and not (p.active and ${areKept})
    )
    select id as person_id, region, active from released`)

/** Rows of one statement where there may be many. */
const batchRows = 1_000

/** The directory vouches no more, save for addresses in the domains that are kept. A handle for which nobody vouches then, and no key wrote, goes. */
export async function withdrawByDirectory(
  tx: Transaction,
  organizationId: string,
  directoryId: string,
  kept: string[],
) {
  const withdraw = () =>
    rowCount(tx)(sql`
      delete from vouchers where org_id = ${organizationId} and directory_id = ${directoryId} and (type, key) in (
        select type, key from vouchers
         where org_id = ${organizationId} and directory_id = ${directoryId}
           and substring(key from '[^@]*$') <> all(${kept}::text[])
         order by type, key limit ${batchRows})
      returning 1`)
  while ((await withdraw()) === batchRows);
}

/** The directory vouches for addresses that are handles already, and locked, by their keys. */
export const vouchByDirectory = (tx: Transaction, organizationId: string, directoryId: string, keys: string[]) =>
  tx.rows(sql`
    insert into vouchers (org_id, type, key, kind, directory_id)
    select ${organizationId}, 'EmailAddress', key, 'directory', ${directoryId}::uuid from unnest(${keys}::text[]) key
    on conflict do nothing`)
