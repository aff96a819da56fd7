import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { violates } from '../../../ground/database/postgres-error.ts'
import { firstRow, hasRow, valueIn, valuesIn } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { Page, Paged } from '../../../ground/http/chain/operation.ts'
import type { Member } from './group-changes.ts'

/**
 * Locks persons, in the order of their ids, until the end of the transaction, and returns those that exist. Every addition
 * to or replacement of persons' groups takes this lock first, so that its next statement sees earlier changes.
 */
export const lockPersons = (tx: Transaction, organizationId: string, personIds: string[]) =>
  tx.rows(sql<Member>`
    select id, region from persons where org_id = ${organizationId} and id = any(${personIds}::uuid[])
     order by id for no key update`)

/** Returns the names of groups that exist. */
export const existingGroups = (queries: Queries, organizationId: string, names: string[]) =>
  valuesIn(queries)(sql<{ name: string }>`
    select name from groups where org_id = ${organizationId} and name = any(${names}::text[])`)

/** The same, and none of them is deleted before the end of the transaction. */
export const holdGroups = (tx: Transaction, organizationId: string, names: string[]) =>
  valuesIn(tx)(sql<{ name: string }>`
    select name from groups where org_id = ${organizationId} and name = any(${names}::text[]) order by name for key share`)

/** Returns the ids of persons that exist. */
export const existingPersons = (queries: Queries, organizationId: string, ids: string[]) =>
  valuesIn(queries)(sql<{ id: string }>`
    select id from persons where org_id = ${organizationId} and id = any(${ids}::uuid[])`)

/**
 * Makes `names` the groups of a person, whom the caller has locked; returns those that exist, and what the groups were. The groups are locked too,
 * so that none is deleted before the commit. Locking only the groups that the person joins costs more, because they must
 * be looked up first (195 µs instead of 136 for five groups that all stay).
 */
export async function replaceMemberships(tx: Transaction, organizationId: string, personId: string, names: string[]) {
  const rows = await tx.rows(sql<{ name: string; change: 'added' | 'removed' | null }>`
    with wanted as materialized (
      select name from groups where org_id = ${organizationId}::uuid and name = any(${names}::text[])
       order by name for key share
    ), removed as (
      delete from memberships
       where org_id = ${organizationId}::uuid and person_id = ${personId}::uuid and group_name <> all(${names}::text[])
      returning group_name as name
    ), added as (
      insert into memberships (org_id, person_id, group_name)
      select p.org_id, p.id, w.name from persons p cross join wanted w
       where p.org_id = ${organizationId}::uuid and p.id = ${personId}::uuid
       order by w.name
      on conflict do nothing
      returning group_name as name
    )
    select name, case when added.name is not null then 'added' end as change from wanted left join added using (name)
     union all
    select name, 'removed' from removed
     order by name`)
  return {
    existing: rows.flatMap(({ name, change }) => (change === 'removed' ? [] : [name])),
    before: rows.flatMap(({ name, change }) => (change === 'added' ? [] : [name])),
  }
}

type Membership = { personId: string; name: string }

/**
 * Adds each person to each group, where both exist; returns the groups that exist, and what is new. Locks as `replaceMemberships`
 * does.
 */
export async function insertMemberships(tx: Transaction, organizationId: string, personIds: string[], names: string[]) {
  const rows = await tx.rows(sql<{ name: string; personId: string | null }>`
    with wanted as materialized (
      select name from groups where org_id = ${organizationId}::uuid and name = any(${names}::text[])
       order by name for key share
    ), added as (
      insert into memberships (org_id, person_id, group_name)
      select p.org_id, p.id, w.name from persons p cross join wanted w
       where p.org_id = ${organizationId}::uuid and p.id = any(${personIds}::uuid[])
       order by p.id, w.name
      on conflict do nothing
      returning person_id, group_name
    )
    select w.name, a.person_id as "personId" from wanted w left join added a on a.group_name = w.name order by w.name`)
  return {
    existing: [...new Set(rows.map((row) => row.name))],
    added: rows.filter((row): row is Membership => row.personId !== null),
  }
}

/** Of a person whom this transaction created. Fails where a group does not exist: see `isOfMissingGroup`. */
export const insertMembershipsOf = (tx: Transaction, organizationId: string, personId: string, names: string[]) =>
  tx.rows(sql`
    insert into memberships (org_id, person_id, group_name)
    select ${organizationId}::uuid, ${personId}::uuid, name from unnest(${names}::text[]) as name order by name`)

export const isOfMissingGroup = (error: unknown) => violates(error, 'memberships_org_id_group_name_fkey')

/** Of persons who are not in it, and whom the caller has locked. */
export const insertMembers = (tx: Transaction, organizationId: string, groupName: string, personIds: string[]) =>
  tx.rows(sql`
    insert into memberships (org_id, person_id, group_name)
    select ${organizationId}::uuid, id, ${groupName}::text from unnest(${personIds}::uuid[]) as id order by id`)

export const deleteMembers = (tx: Transaction, organizationId: string, groupName: string, personIds: string[]) =>
  tx.rows(sql`
    delete from memberships
     where org_id = ${organizationId} and group_name = ${groupName} and person_id = any(${personIds}::uuid[])`)

/** Returns the persons who are in more than `limit` groups. */
export const personsInMoreThan = (queries: Queries, organizationId: string, personIds: string[], limit: number) =>
  valuesIn(queries)(sql<{ id: string }>`
    select id from unnest(${personIds}::uuid[]) id
     where (select count(*) from memberships where org_id = ${organizationId} and person_id = id) > ${limit}::int`)

export const deleteMembership = (queries: Queries, organizationId: string, personId: string, groupName: string) =>
  hasRow(queries)(sql`
    delete from memberships
     where org_id = ${organizationId} and person_id = ${personId} and group_name = ${groupName}
    returning group_name`)

export const deleteMemberships = (tx: Transaction, organizationId: string, personId: string, names: string[]) =>
  tx.rows(sql`
    delete from memberships
     where org_id = ${organizationId} and person_id = ${personId} and group_name = any(${names}::text[])`)

/** Undefined when there is no such group. */
export const countActiveMembers = (queries: Queries, organizationId: string, groupName: string) =>
  valueIn(queries)(sql<{ members: number }>`
    select (select count(*) from memberships m join persons p on p.org_id = m.org_id and p.id = m.person_id
             where m.org_id = g.org_id and m.group_name = g.name and p.active) as members
      from groups g where g.org_id = ${organizationId} and g.name = ${groupName}`)

/** All groups of a person, in byte order. */
export const groupsOf = (queries: Queries, organizationId: string, personId: string) =>
  valuesIn(queries)(sql<{ group_name: string }>`
    select group_name from memberships where org_id = ${organizationId} and person_id = ${personId} order by group_name`)

/** Undefined when there is no such person. */
export const pageOfGroups = (queries: Queries, organizationId: string, personId: string, { limit, offset }: Page) =>
  firstRow(queries)(sql<Paged<string>>`
    select array(select group_name from memberships m where m.org_id = p.org_id and m.person_id = p.id
                  order by group_name limit ${limit} offset ${offset}) as items,
           (select count(*) from memberships m where m.org_id = p.org_id and m.person_id = p.id) as "totalCount"
      from persons p where org_id = ${organizationId} and id = ${personId}`)

/** The newest person first. Undefined when there is no such group. */
export const pageOfMembers = (queries: Queries, organizationId: string, groupName: string, { limit, offset }: Page) =>
  firstRow(queries)(sql<Paged<string>>`
    select array(select person_id from memberships m where m.org_id = g.org_id and m.group_name = g.name
                  order by person_id desc limit ${limit} offset ${offset}) as items,
           (select count(*) from memberships m where m.org_id = g.org_id and m.group_name = g.name) as "totalCount"
      from groups g where org_id = ${organizationId} and name = ${groupName}`)
