import type { Transaction } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'

/** What becomes of a directory's people when it is deleted. */
export type People = 'keep' | 'deactivate'
/** `active`: whether the person could sign in until then. */
export type Released = { person_id: string; region: string; active: boolean }

export const releasedAtOnce = 500

/**
 * Takes so many people out of the directory, and locks them. Its switch is on for them from then on: whoever was off stays off as if a key
 * had done it.
 */
export const releasePeople = (tx: Transaction, organizationId: string, directoryId: string, people: People) =>
  tx.rows(sql<Released>`
    with released as materialized (
      select p.org_id, p.id, p.region, p.active
        from directory_users u join persons p on p.org_id = u.org_id and p.id = u.person_id
       where u.org_id = ${organizationId} and u.directory_id = ${directoryId}
       order by p.id limit ${releasedAtOnce} for update of p
    ), left_it as (
      delete from directory_users u using released r where u.org_id = r.org_id and u.person_id = r.id
    ), switched as (
      update persons p set key_active = r.active and ${people === 'keep'}, directory_active = true
        from released r
       where p.org_id = r.org_id and p.id = r.id and not (p.active and ${people === 'keep'})
    )
    select id as person_id, region, active from released`)

/** Its groups become the interface's, with those who are in them. */
export const releaseGroups = (tx: Transaction, organizationId: string, directoryId: string) =>
  tx.rows(sql`delete from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`)
