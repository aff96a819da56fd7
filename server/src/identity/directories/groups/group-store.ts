import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, numberIn } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'
import type { Member } from '../../persons/groups/index.ts'

/** A group of a directory as it is shown. */
export type ShownGroup = {
  id: string
  display_name: string
  group_name: string
  tied: boolean
  members_count: number
  created_at: Date
}

const columns = fragment`id, display_name, group_name, tied, members_count, created_at`

/** The newest first. */
export const pageOfGroups = (queries: Queries, organizationId: string, directoryId: string, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<ShownGroup>`
      select ${columns} from directory_groups
       where org_id = ${organizationId} and directory_id = ${directoryId}
       order by created_at desc, id desc limit ${limit} offset ${offset}`),
    numberIn(queries)(sql`
      select count(*) from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`),
  )

/** Locked, before persons are, until the end of the transaction. */
export const lockShownGroup = (tx: Transaction, organizationId: string, directoryId: string, id: string) =>
  firstRow(tx)(sql<ShownGroup>`
    select ${columns} from directory_groups
     where org_id = ${organizationId} and directory_id = ${directoryId} and id = ${id} for no key update`)

/** Whoever is in one of these groups, locked in the order of their ids: who of them is in which stays until the transaction ends. */
export const lockMembers = (tx: Transaction, organizationId: string, names: string[]) =>
  tx.rows(sql<Member>`
    select id, region from persons
     where org_id = ${organizationId} and id in (
             select person_id from memberships where org_id = ${organizationId} and group_name = any(${names}::text[]))
     order by id for no key update`)

type Membership = { id: string; joins: boolean }

/** Who is in a group, and whether that person is not in another one. */
export const membersBeside = (queries: Queries, organizationId: string, name: string, other: string) =>
  queries.rows(sql<Membership>`
    select m.person_id as id, o.person_id is null as joins
      from memberships m left join memberships o
        on o.org_id = m.org_id and o.person_id = m.person_id and o.group_name = ${other}
     where m.org_id = ${organizationId} and m.group_name = ${name}`)

/** The group with that name is what the directory's group is from now on; all who are in it are its members. */
export const tieGroup = (tx: Transaction, organizationId: string, id: string, name: string, now: string) =>
  firstRow(tx)(sql<ShownGroup>`
    update directory_groups
       set group_name = ${name}, tied = true, version = version + 1, updated_at = ${now},
           members_count = (select count(*) from memberships where org_id = ${organizationId} and group_name = ${name})
     where org_id = ${organizationId} and id = ${id}
    returning ${columns}`)
