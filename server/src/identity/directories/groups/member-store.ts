import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { Member } from '../../persons/groups/index.ts'

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
