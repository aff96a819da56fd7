import type { Queries } from '../../ground/database/database.ts'
import { valueIn, valuesIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** Which of these groups are guarded. */
export const guardedAmong = (queries: Queries, organizationId: string, names: string[]) =>
  valuesIn(queries)(sql<{ group_name: string }>`
    select group_name from console_access
     where org_id = ${organizationId} and group_name = any(${names}::text[]) order by group_name`)

/** The guarded groups that the person would enter or leave if `names` were all groups of the person. */
export const guardedThatChange = (queries: Queries, organizationId: string, personId: string, names: string[]) =>
  valuesIn(queries)(sql<{ group_name: string }>`
    select group_name from console_access a
     where org_id = ${organizationId}
       and (group_name = any(${names}::text[]))
           <> exists (select from memberships m
                       where m.org_id = a.org_id and m.group_name = a.group_name and m.person_id = ${personId})
     order by group_name`)

/** One of the guarded groups that the person is in. */
export const guardedGroupOf = (queries: Queries, organizationId: string, personId: string) =>
  valueIn(queries)(sql<{ group_name: string }>`
    select m.group_name
      from memberships m join console_access a on a.org_id = m.org_id and a.group_name = m.group_name
     where m.org_id = ${organizationId} and m.person_id = ${personId} order by m.group_name limit 1`)
