import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { violates } from '../../../ground/database/postgres-error.ts'
import { firstRow, numberIn, onlyRow, valuesIn } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'
import type { FindKept, KeptGroup } from '../../organizations/index.ts'

/** A group that a directory keeps. */
export type DirectoryGroup = {
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
export const directoryGroupColumns = fragment`
  g.id, g.group_name as name, g.display_name as "displayName", g.external_id as "externalId", g.tied,
  g.members_count as "membersCount", g.version, g.created_at, g.updated_at`

/**
 * Those of these groups that directories keep, in byte order, each with the name of its directory. `limit 1` keeps each look-up from
 * becoming a join that reads all of an organization, here as below: statistics may be older than most rows.
 */
export const findKept: FindKept = (queries, organizationId, groups) =>
  queries.rows(sql<KeptGroup>`
    select g.group_name as "group", d.name as directory, g.tied
      from unnest(${groups}::text[]) given (name) cross join lateral (
             select * from directory_groups where org_id = ${organizationId} and group_name = given.name limit 1) g cross join lateral (
             select name from directories where org_id = g.org_id and id = g.directory_id limit 1) d
     order by 1`)

/** Those that a directory keeps, as `guardedIn` names groups. */
export const groupsKeptBy = (organizationId: string, directoryId: string) => fragment`
  select org_id, group_name from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`

/** The newest first. */
export const pageOfDirectoryGroups = (
  queries: Queries,
  organizationId: string,
  directoryId: string,
  { limit, offset }: Page,
) =>
  paged(
    queries.rows(sql<DirectoryGroup>`
      select ${directoryGroupColumns} from directory_groups g
       where g.org_id = ${organizationId} and g.directory_id = ${directoryId}
       order by g.created_at desc, g.id desc limit ${limit} offset ${offset}`),
    numberIn(queries)(sql`
      select count(*) from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`),
  )

/** Until the end of the transaction nobody else changes it, or who is in it. It is locked before persons are. */
export const lockDirectoryGroup = (tx: Transaction, organizationId: string, directoryId: string, id: string) =>
  firstRow(tx)(sql<DirectoryGroup>`
    select ${directoryGroupColumns} from directory_groups g
     where g.org_id = ${organizationId} and g.directory_id = ${directoryId} and g.id = ${id} for no key update`)

/** `displayKey`: the name as it is compared. */
export type WrittenGroup = { displayName: string; displayKey: string; externalId: string | null }
type Counted = WrittenGroup & { membersCount: number }

type NewGroup = Counted & { id: string; directoryId: string; name: string; createdAt: string }

export const insertDirectoryGroup = (tx: Transaction, organizationId: string, group: NewGroup) =>
  tx.rows(sql`
    insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, external_id, tied, members_count,
                                  created_at, updated_at)
    values (${organizationId}, ${group.directoryId}, ${group.id}, ${group.name}, ${group.displayName}, ${group.displayKey},
            ${group.externalId}, false, ${group.membersCount}, ${group.createdAt}::timestamptz, ${group.createdAt}::timestamptz)`)

/** Also where its members alone have changed. */
export const updateDirectoryGroup = (
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

/** The group with that name is what the directory's group is from now on; all who are in it are its members. */
export const tieGroup = (tx: Transaction, organizationId: string, id: string, name: string, now: string) =>
  onlyRow(tx)(sql<DirectoryGroup>`
    update directory_groups g
       set group_name = ${name}, tied = true, version = version + 1, updated_at = ${now},
           members_count = (select count(*) from memberships where org_id = ${organizationId} and group_name = ${name})
     where org_id = ${organizationId} and id = ${id}
    returning ${directoryGroupColumns}`)

/** Counts the person out of each group of the directory. The caller deletes the memberships, for which this gives the names of the groups. */
export const leaveDirectoryGroups = (
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
export const removeDirectoryGroup = (tx: Transaction, organizationId: string, id: string) =>
  tx.rows(sql`delete from directory_groups where org_id = ${organizationId} and id = ${id}`)

/** The groups of a directory that is deleted become the interface's, with those who are in them. */
export const releaseGroups = (tx: Transaction, organizationId: string, directoryId: string) =>
  tx.rows(sql`delete from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`)

/** Whether another group of the directory is displayed by that name. */
export const isDisplayNameTaken = (error: unknown) => violates(error, 'directory_groups_by_display_name')
