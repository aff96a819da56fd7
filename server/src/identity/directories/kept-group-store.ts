import type { Queries, Transaction } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { firstRow, valuesIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'

/** A group that a directory keeps. */
export type KeptGroup = {
  id: string
  /** What Signet calls it: made once, and never changed by the directory. */
  name: string
  displayName: string
  externalId: string | null
  /** Whether it was there before, and an admin key tied it. */
  tied: boolean
  membersCount: number
  version: number
  created_at: Date
  updated_at: Date
}

/** Of a group `g`. */
export const keptGroupColumns = fragment`
  g.id, g.group_name as name, g.display_name as "displayName", g.external_id as "externalId", g.tied, g.members_count as "membersCount", g.version,
  g.created_at, g.updated_at`

/**
 * Those of these groups that directories keep, in byte order, each with the name of its directory. `limit 1` keeps each look-up from
 * becoming a join that reads all of an organization, here as below: statistics may be older than most rows.
 */
export const findKept = (queries: Queries, organizationId: string, groups: string[]) =>
  queries.rows(sql<{ group: string; directory: string; tied: boolean }>`
    select g.group_name as "group", d.name as directory, g.tied
      from unnest(${groups}::text[]) given (name) cross join lateral (
             select * from directory_groups where org_id = ${organizationId} and group_name = given.name limit 1) g cross join lateral (
             select name from directories where org_id = g.org_id and id = g.directory_id limit 1) d
     order by 1`)

/** Until the end of the transaction nobody else changes it, or who is in it. It is locked before persons are. */
export const lockKeptGroup = (tx: Transaction, organizationId: string, directoryId: string, id: string) =>
  firstRow(tx)(sql<KeptGroup>`
    select ${keptGroupColumns} from directory_groups g
     where g.org_id = ${organizationId} and g.directory_id = ${directoryId} and g.id = ${id} for no key update`)

/** `displayKey`: the name as it is compared. */
export type WrittenGroup = { displayName: string; displayKey: string; externalId: string | null }
type Counted = WrittenGroup & { membersCount: number }

type NewGroup = Counted & { id: string; directoryId: string; name: string; createdAt: string }

export const insertKeptGroup = (tx: Transaction, organizationId: string, group: NewGroup) =>
  tx.rows(sql`
    insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, external_id, tied, members_count,
                                  created_at, updated_at)
    values (${organizationId}, ${group.directoryId}, ${group.id}, ${group.name}, ${group.displayName}, ${group.displayKey},
            ${group.externalId}, false, ${group.membersCount}, ${group.createdAt}::timestamptz, ${group.createdAt}::timestamptz)`)

/** Also where its members alone have changed. */
export const updateKeptGroup = (
  tx: Transaction,
  organizationId: string,
  id: string,
  { displayName, displayKey, externalId, membersCount, now }: Counted & { now: string },
) =>
  tx.rows(sql`
    update directory_groups
       set display_name = ${displayName}, display_key = ${displayKey}, external_id = ${externalId},
           members_count = ${membersCount}, version = version + 1, updated_at = ${now}
     where org_id = ${organizationId} and id = ${id}`)

/** Of a person who is taken out of all groups of the directory by the next statement. Gives their names. */
export const leaveKeptGroups = (
  tx: Transaction,
  organizationId: string,
  { directoryId, personId, now }: { directoryId: string; personId: string; now: string },
) =>
  valuesIn(tx)(sql<{ name: string }>`
    with held as materialized (
      select g.id
        from (select group_name from memberships where org_id = ${organizationId} and person_id = ${personId} order by group_name) m
             cross join lateral (
               select id, directory_id from directory_groups
                where org_id = ${organizationId} and group_name = m.group_name limit 1 for no key update) g
       where g.directory_id = ${directoryId}
    )
    update directory_groups g set members_count = members_count - 1, version = version + 1, updated_at = ${now}
     where g.org_id = ${organizationId} and g.id = any(array(select id from held))
    returning g.group_name as name`)

/** The group itself stays. */
export const removeKeptGroup = (tx: Transaction, organizationId: string, id: string) =>
  tx.rows(sql`delete from directory_groups where org_id = ${organizationId} and id = ${id}`)

/** Whether another group of the directory is displayed by that name. */
export const isDisplayNameTaken = (error: unknown) => violates(error, 'directory_groups_by_display_name')

/** Which of these persons the directory keeps. */
export const usersAmong = async (queries: Queries, organizationId: string, directoryId: string, ids: string[]) => {
  const rows = await queries.rows(sql<{ id: string }>`
    select given.id from unnest(${ids}::uuid[]) given (id) cross join lateral (
             select directory_id from directory_users where org_id = ${organizationId} and person_id = given.id limit 1) u
     where u.directory_id = ${directoryId}`)
  return new Set(rows.map(({ id }) => id))
}
