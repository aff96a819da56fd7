import type { Queries } from '../../../ground/database/database.ts'
import { numberIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql, unnamed } from '../../../ground/database/sql.ts'
import { type DirectoryGroup, directoryGroupColumns } from '../../directories/index.ts'
import type { Columns } from '../filter/to-condition.ts'
import { signetGroupUrn } from '../schema/group-schema.ts'
import type { MemberChange } from './member-change.ts'

/** `members` is there where they were asked for. */
export type FoundGroup = DirectoryGroup & { members?: { value: string }[] }

/** Of a group `g`. In the order of an index, which has all that is read. */
const members = fragment`
  , (select coalesce(json_agg(m.value), '[]')
       from (select json_build_object('value', person_id) as value from memberships
              where org_id = g.org_id and group_name = g.group_name order by person_id) m) as members`

const membersIf = (isWanted: boolean) => (isWanted ? members : fragment``)

export async function findGroup(
  queries: Queries,
  organizationId: string,
  directoryId: string,
  { id, hasMembers }: { id: string; hasMembers: boolean },
) {
  const [group] = await queries.rows(sql<FoundGroup>`
    select ${directoryGroupColumns} ${membersIf(hasMembers)} from directory_groups g
     where g.org_id = ${organizationId} and g.directory_id = ${directoryId} and g.id = ${id}`)
  return group
}

/** Of a group `g`. */
export const groupColumns: Columns = {
  id: { type: 'uuid', value: fragment`g.id` },
  externalId: { type: 'text', value: fragment`g.external_id` },
  displayName: { type: 'text', value: fragment`g.display_name`, folded: fragment`g.display_key` },
  members: {
    type: 'each',
    exists: (condition) => fragment`exists (
      select from memberships m where m.org_id = g.org_id and m.group_name = g.group_name and ${condition})`,
    columns: { value: { type: 'uuid', value: fragment`m.person_id` }, type: { type: 'text', value: fragment`'User'` } },
  },
  'meta.created': { type: 'time', value: fragment`g.created_at` },
  'meta.lastModified': { type: 'time', value: fragment`g.updated_at` },
  [`${signetGroupUrn}:groupName`]: { type: 'text', value: fragment`g.group_name` },
}

/** Members in one list. A page ends with the group that reaches it, and the next one goes on from there. */
const maxListedMembers = 100_000

type Range = { offset: number; count: number; hasMembers: boolean }

/** Those that were made first come first. */
export async function pageOfGroups(
  queries: Queries,
  organizationId: string,
  directoryId: string,
  condition: Fragment | undefined,
  { offset, count, hasMembers }: Range,
) {
  const narrowed = condition ? fragment`and ${condition}` : fragment``
  const found = fragment`
    from directory_groups g
   where g.org_id = ${organizationId}::uuid and g.directory_id = ${directoryId}::uuid ${narrowed}`
  const page = fragment`
    select g.* ${found} order by g.created_at, g.id limit ${count}::int offset ${offset}::int`
  const [total, items] = await Promise.all([
    numberIn(queries)(unnamed`select count(*) ${found}`),
    count === 0 ? [] : queries.rows(hasMembers ? withMembers(page) : withoutMembers(page)),
  ])
  return { items, total }
}

const withoutMembers = (page: Fragment) =>
  unnamed<FoundGroup>`select ${directoryGroupColumns} from (${page}) g order by g.created_at, g.id`

/** `earlier`: members of the groups before. */
const withMembers = (page: Fragment) => unnamed<FoundGroup>`
  select ${directoryGroupColumns} ${members}
    from (select p.*, sum(p.members_count) over (order by p.created_at, p.id) - p.members_count as earlier from (${page}) p) g
   where earlier < ${maxListedMembers} order by g.created_at, g.id`

/**
 * Who joins and who leaves where a change is made. The whole is compared by a full join, which reads each side once, whatever PostgreSQL
 * believes of their sizes; else each id is looked up.
 */
export async function membersToExchange(
  queries: Queries,
  organizationId: string,
  groupName: string,
  { isWhole, joining, leaving }: MemberChange,
) {
  const current = fragment`
    select person_id from memberships where org_id = ${organizationId}::uuid and group_name = ${groupName}::text`
  const whole = unnamed<Exchanged>`
    select coalesce(given.id, m.person_id) as id, m.person_id is null as joins
      from unnest(${[...joining]}::uuid[]) given (id) full join (${current}) m on m.person_id = given.id
     where given.id is null or m.person_id is null`
  const named = unnamed<Exchanged>`
    select id, joins from (
             select id, true from unnest(${[...joining]}::uuid[]) id union all select id, false from unnest(${[...leaving]}::uuid[]) id
           ) given (id, joins) left join lateral (${current} and person_id = id limit 1) m on true
     where (person_id is null) = joins`
  const rows = await queries.rows(isWhole ? whole : named)
  const idsThat = (join: boolean) => rows.filter(({ joins }) => joins === join).map(({ id }) => id)
  return { joining: idsThat(true), leaving: idsThat(false) }
}

type Exchanged = { id: string; joins: boolean }
