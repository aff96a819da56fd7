import type { Queries } from '../../ground/database/database.ts'
import { hasRow, valueIn, valuesIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'

/** The guarded groups of an organization. `further`: one beside those that `console_access` names. */
export function guardedIn(organizationId: string, further: string | undefined): Fragment {
  const named = fragment`select org_id, group_name from console_access where org_id = ${organizationId}`
  return further === undefined
    ? named
    : fragment`${named} union select ${organizationId}::uuid, ${further}::text collate "C"`
}

/** Which of these groups are guarded. */
export const guardedAmong = (queries: Queries, guarded: Fragment, names: string[]) =>
  valuesIn(queries)(sql<{ group_name: string }>`
    select group_name from (${guarded}) a where group_name = any(${names}::text[]) order by group_name`)

/** The guarded groups that the person would enter or leave if `names` were all groups of the person. */
export const guardedThatChange = (queries: Queries, guarded: Fragment, personId: string, names: string[]) =>
  valuesIn(queries)(sql<{ group_name: string }>`
    select group_name from (${guarded}) a
     where (group_name = any(${names}::text[]))
           <> exists (select from memberships m
                       where m.org_id = a.org_id and m.group_name = a.group_name and m.person_id = ${personId})
     order by group_name`)

/** One of the guarded groups that the person is in. */
export const guardedGroupOf = (queries: Queries, guarded: Fragment, personId: string) =>
  valueIn(queries)(sql<{ group_name: string }>`
    select m.group_name
      from memberships m join (${guarded}) a on a.org_id = m.org_id and a.group_name = m.group_name
     where m.person_id = ${personId} order by m.group_name limit 1`)

/** Of a person who is active, and so could still sign in. */
export const isOwner = (queries: Queries, organizationId: string, personId: string) =>
  hasRow(queries)(sql`
    select from persons p join memberships m on m.org_id = p.org_id and m.person_id = p.id
           join console_access a on a.org_id = m.org_id and a.group_name = m.group_name
     where p.org_id = ${organizationId} and p.id = ${personId} and p.active and a.role = 'owner' limit 1`)
