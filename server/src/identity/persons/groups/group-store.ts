import { beginsWith, beginsWithAnyCase, type SearchTerm } from '../../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, onlyRow, valuesIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'

type Group = { name: string; description: string; members_count: number; created_at: Date }
type NewGroup = { name: string; description: string; createdAt: string }

/** Of a group `g`. */
const columns = fragment`name, description, created_at,
           (select count(*) from memberships m where m.org_id = g.org_id and m.group_name = g.name) as members_count`

/** The group that was created, if one was. */
export const createdGroup = fragment`select from made where is_new`

/**
 * Creates the group, or returns the existing one unchanged. Where the group is visible no insert is tried; the conflict
 * clause is for two concurrent creations: the later one waits and gets the row. `entry` is a part of the statement.
 */
export const insertGroup = (
  queries: Queries,
  organizationId: string,
  { name, description, createdAt }: NewGroup,
  entry: Fragment,
) =>
  onlyRow(queries)(sql<Group & { is_new: boolean }>`
    with existing as (
      select name, description, created_at from groups where org_id = ${organizationId}::uuid and name = ${name}::text
    ), made as (
      insert into groups as g (org_id, name, description, created_at)
      select ${organizationId}::uuid, ${name}::text, ${description}, ${createdAt}::timestamptz
       where not exists (select from existing)
      on conflict (org_id, name) do update set description = g.description
      returning name, description, created_at, xmax = 0 as is_new
    ), ${entry}
    select found.*,
           (select count(*) from memberships where org_id = ${organizationId}::uuid and group_name = ${name}::text) as members_count
      from (select *, false as is_new from existing union all select * from made) found`)

/** Gives whether the name was free: one that is there stays as it is. */
export const insertGroupIfFree = (
  tx: Transaction,
  organizationId: string,
  { name, description, createdAt }: NewGroup,
) =>
  hasRow(tx)(sql`
    insert into groups (org_id, name, description, created_at)
    values (${organizationId}, ${name}, ${description}, ${createdAt}) on conflict (org_id, name) do nothing
    returning name`)

export const findGroup = (queries: Queries, organizationId: string, name: string) =>
  firstRow(queries)(sql<Group>`
    select ${columns}
      from groups g where org_id = ${organizationId} and name = ${name}`)

const againstChanges = fragment`for no key update`
/** Waits for those who are joining it, too, and lets nobody join. */
export const againstJoining = fragment`for update`

/** As `findGroup`, and locks the group until the end of the transaction. */
export const lockGroup = (tx: Transaction, organizationId: string, name: string, lock = againstChanges) =>
  firstRow(tx)(sql<Group>`
    select ${columns}
      from groups g where org_id = ${organizationId} and name = ${name} ${lock}`)

/** An absent description stays. */
export const updateGroup = (
  queries: Queries,
  organizationId: string,
  name: string,
  { description }: { description: string | undefined },
) =>
  firstRow(queries)(sql<Group>`
    update groups g set description = coalesce(${description}, description)
     where org_id = ${organizationId} and name = ${name}
    returning ${columns}`)

/** Deletes its memberships as well. */
export const removeGroup = (tx: Transaction, organizationId: string, name: string) =>
  tx.rows(sql`delete from groups where org_id = ${organizationId} and name = ${name}`)

/** In byte order. An empty `prefix` is that of every name. */
export const pageOfGroupNames = (queries: Queries, organizationId: string, prefix: string, { limit, offset }: Page) =>
  paged(
    valuesIn(queries)(sql<{ name: string }>`
      select name from groups where org_id = ${organizationId} and ${named(prefix)}
       order by name limit ${limit} offset ${offset}`),
    countGroups(queries, organizationId, prefix),
  )

/**
 * The same groups with all of each but how many members it has beyond `maxMembersCounted`: a count goes through all of them.
 */
export const pageOfGroupRecords = (queries: Queries, organizationId: string, prefix: string, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<Group>`
      select name, description, created_at,
             (select count(*) from (select from memberships where org_id = ${organizationId} and group_name = g.name
                                     limit ${maxMembersCounted}) m) as members_count
        from (select name, description, created_at from groups where org_id = ${organizationId} and ${named(prefix)}
               order by name limit ${limit} offset ${offset}) g
       order by name`),
    countGroups(queries, organizationId, prefix),
  )

/** In a list of groups. */
export const maxMembersCounted = 1_000

const named = (prefix: string) => beginsWith(fragment`name`, fragment`${prefix}::text`)

export const countGroups = (queries: Queries, organizationId: string, prefix = '') =>
  numberIn(queries)(sql`
    select count(*) from groups where org_id = ${organizationId} and ${named(prefix)}`)

/** By name. A group's name is its id. */
export const searchGroups = (queries: Queries, organizationId: string, { text, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string }>`
    select name as id, name from groups
     where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
     order by lower(name) collate "C", name limit ${limit}`)
