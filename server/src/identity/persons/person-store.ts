import { beginsWith } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
import type { Handle, HandleType } from './handle.ts'

export type Person = {
  person_id: string
  active: boolean
  region: string
  handles: { type: HandleType; value: string; verified: boolean }[]
  groups: string[]
  created_at: Date
}
/** `active`: whether a key lets the person sign in, and `directoryActive`, whether a directory does. */
type NewPerson = { id: string; active: boolean; directoryActive?: boolean; region: string; createdAt: string }
/** A person is active while neither has switched the person off. */
export type Switches = { keyActive: boolean; directoryActive: boolean }

const columns = fragment`person_id, active, region, handles, groups, created_at`

export const insertPerson = (tx: Transaction, organizationId: string, person: NewPerson) =>
  tx.rows(sql`
    insert into persons (org_id, id, active, directory_active, region, created_at)
    values (${organizationId}, ${person.id}, ${person.active}, ${person.directoryActive ?? true}, ${person.region}, ${person.createdAt})`)

export const findPerson = (queries: Queries, organizationId: string, personId: string) =>
  firstRow(queries)(sql<Person>`
    select ${columns} from person_records
     where org_id = ${organizationId} and person_id = ${personId}`)

export const findPersonByHandle = (queries: Queries, organizationId: string, { type, key }: Handle) =>
  firstRow(queries)(sql<Person>`
    select ${columns} from person_records
     where org_id = ${organizationId}
       and person_id = (select person_id from handles where org_id = ${organizationId} and type = ${type} and key = ${key})`)

/** The person for one of whose handles an admin key vouches: for that which comes first here. A provider's word does not count. */
export const findPersonVouchedFor = (queries: Queries, organizationId: string, handles: Handle[]) =>
  firstRow(queries)(sql<Person>`
    select ${columns} from person_records
     where org_id = ${organizationId}
       and person_id = (select h.person_id
                          from unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[])
                               with ordinality as w (type, key, number)
                          join handles h on h.org_id = ${organizationId} and h.type = w.type and h.key = w.key
                          join vouchers v on v.org_id = h.org_id and v.type = h.type and v.key = h.key
                         where v.kind = 'key' order by w.number limit 1)`)

/** `handlePrefix`: how the key of a handle begins, whatever its type. */
export type PersonSearch = { handlePrefix?: string; group?: string; active?: boolean }

/**
 * Newest first: an id begins with its time. The page is cut before records are built, so that handles and groups of skipped persons
 * are not looked up. Each combination of filters is a statement of its own. `total` may know the count already.
 */
export function pageOfPersons(
  queries: Queries,
  organizationId: string,
  search: PersonSearch,
  { limit, offset }: Page,
  total: (count: () => Promise<number>) => Promise<number> = (count) => count(),
) {
  const found = foundPersons(organizationId, search)
  return paged(
    queries.rows(sql<Person>`
      select ${columns} from person_records
       where org_id = ${organizationId}
         and person_id = any(array(select id from (${found}) f order by id desc limit ${limit} offset ${offset}))
       order by person_id desc`),
    total(() => numberIn(queries)(sql`select count(*) from (${found}) f`)),
  )
}

/**
 * Walks the handles where there is a prefix, else the members of the group, else the persons; each other filter is a probe of a key for
 * each of them.
 */
function foundPersons(organizationId: string, { handlePrefix, group, active }: PersonSearch): Fragment {
  if (handlePrefix !== undefined)
    return fragment`
      select distinct person_id as id from handles h
       where org_id = ${organizationId} and type in ('EmailAddress', 'PhoneNumber')
         and ${beginsWith(fragment`key`, fragment`${handlePrefix}::text`)} ${inGroup(group)} ${withActive(fragment`h`, active)}`
  if (group !== undefined)
    return fragment`
      select person_id as id from memberships m
       where org_id = ${organizationId} and group_name = ${group} ${withActive(fragment`m`, active)}`
  // A parameter would fit no partial index.
  const ofState = active === undefined ? fragment`` : active ? fragment`and active` : fragment`and not active`
  return fragment`select id from persons where org_id = ${organizationId} ${ofState}`
}

const inGroup = (group: string | undefined): Fragment =>
  group === undefined
    ? fragment``
    : fragment`and exists (
           select from memberships m where m.org_id = h.org_id and m.person_id = h.person_id and m.group_name = ${group})`

const withActive = (row: Fragment, active: boolean | undefined): Fragment =>
  active === undefined
    ? fragment``
    : fragment`and exists (
           select from persons p where p.org_id = ${row}.org_id and p.id = ${row}.person_id and p.active = ${active})`

export const countPersons = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql`
    select count(*) from persons where org_id = ${organizationId}`)

/** The person must be locked; a switch that is absent stays. */
export const switchPerson = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  { keyActive, directoryActive }: Partial<Switches>,
) =>
  tx.rows(sql`
    update persons
       set key_active = coalesce(${keyActive}, key_active), directory_active = coalesce(${directoryActive}, directory_active)
     where org_id = ${organizationId} and id = ${personId}`)

export const findSwitches = (queries: Queries, organizationId: string, personId: string) =>
  firstRow(queries)(sql<Switches & { active: boolean; region: string }>`
    select key_active as "keyActive", directory_active as "directoryActive", active, region from persons
     where org_id = ${organizationId} and id = ${personId}`)

/** Locks the person, and so the handles and additions to groups, until the end of the transaction. Gives whether there is one. */
export const lockPerson = (tx: Transaction, organizationId: string, personId: string) =>
  hasRow(tx)(sql`select from persons where org_id = ${organizationId} and id = ${personId} for update`)

/** As `holdActivePerson`, of a person who need not be active. */
export const holdPerson = (tx: Transaction, organizationId: string, personId: string) =>
  hasRow(tx)(sql`select from persons where org_id = ${organizationId} and id = ${personId} for share`)

/** Locks the person against deactivation and deletion until the end of the transaction. Undefined: not active any more. */
export const holdActivePerson = (tx: Transaction, organizationId: string, personId: string) =>
  firstRow(tx)(sql<{ region: string }>`
    select region from persons where org_id = ${organizationId} and id = ${personId} and active for share`)

/** Deletes handles and memberships as well. */
export const deletePerson = (tx: Transaction, organizationId: string, personId: string) =>
  tx.rows(sql`delete from persons where org_id = ${organizationId} and id = ${personId}`)
