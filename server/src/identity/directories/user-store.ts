import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, numberIn, valueIn, valuesIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql, unnamed } from '../../ground/database/sql.ts'

/** What a directory says of a person. */
export type WrittenUser = {
  userName: string
  /** The name as it is compared. */
  userNameKey: string
  externalId: string | null
  /** The rest of what was sent. */
  attributes: object
  /** What the claims of a profile say of it. */
  profile: object
  /** All addresses as they are compared, whether or not they are handles of the person. */
  emailKeys: string[]
}

/** A person whom a directory keeps. */
export type DirectoryUser = {
  id: string
  userName: string
  externalId: string | null
  /** The directory's switch. */
  active: boolean
  attributes: Record<string, unknown>
  /** Whether the person was there before. */
  adopted: boolean
  version: number
  created_at: Date
  updated_at: Date
  /** Those of this directory that the person is in. */
  groups?: { value: string; display: string }[]
}

/** Of a user `u`. */
const columns = fragment`
  u.person_id as id, u.user_name as "userName", u.external_id as "externalId", u.attributes, u.adopted, u.version, u.created_at,
  u.updated_at, (select p.directory_active from persons p where p.org_id = u.org_id and p.id = u.person_id) as active`

const groupsOfUser = fragment`
  , (select coalesce(json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.created_at, g.id), '[]')
       from memberships m
       join directory_groups g on g.org_id = m.org_id and g.group_name = m.group_name and g.directory_id = u.directory_id
      where m.org_id = u.org_id and m.person_id = u.person_id) as groups`

const withGroups = (isWanted: boolean) => (isWanted ? groupsOfUser : fragment``)

export const findUser = (
  queries: Queries,
  organizationId: string,
  directoryId: string,
  personId: string,
  hasGroups = false,
) =>
  firstRow(queries)(sql<DirectoryUser>`
    select ${columns} ${withGroups(hasGroups)}
      from directory_users u
     where u.org_id = ${organizationId} and u.person_id = ${personId} and u.directory_id = ${directoryId}`)

type Range = { offset: number; count: number; hasGroups: boolean }
/** Of a user `u`. What the client wrote of it makes the text of the statement, which is prepared once. */
type Condition = Fragment | undefined

/** Those that were made first come first. */
export async function pageOfUsers(
  queries: Queries,
  organizationId: string,
  directoryId: string,
  condition: Condition,
  { offset, count, hasGroups }: Range,
) {
  const found = fragment`
    from directory_users u
   where u.org_id = ${organizationId} and u.directory_id = ${directoryId} ${condition ? fragment`and ${condition}` : fragment``}`
  const page = unnamed<DirectoryUser>`
    select ${columns} ${withGroups(hasGroups)}
      from (select u.person_id ${found} order by u.created_at, u.person_id limit ${count}::int offset ${offset}::int) page
      join directory_users u on u.org_id = ${organizationId} and u.person_id = page.person_id
     order by u.created_at, u.person_id`
  const items = count === 0 ? [] : await queries.rows(page)
  const isEnd = items.length < count && (items.length > 0 || offset === 0)
  const total = isEnd
    ? offset + items.length
    : await numberIn(queries)(unnamed<{ count: number }>`select count(*) ${found}`)
  return { items, total }
}

/** The ids of so many of its users. */
export const someUsers = (queries: Queries, organizationId: string, directoryId: string, limit: number) =>
  valuesIn(queries)(sql<{ person_id: string }>`
    select person_id from directory_users
     where org_id = ${organizationId} and directory_id = ${directoryId} order by person_id limit ${limit}`)

/** What of a user nobody else may have, for `lockUserNames`. */
export const userNamesToLock = (
  directoryId: string,
  { userNameKey, externalId }: Pick<WrittenUser, 'userNameKey' | 'externalId'>,
) => [
  `userName ${directoryId} ${userNameKey}`,
  ...(externalId === null ? [] : [externalIdToLock(directoryId, externalId)]),
]

export const externalIdToLock = (directoryId: string, externalId: string) => `externalId ${directoryId} ${externalId}`

/**
 * Until the transaction ends nobody else gives these names to a user, takes them away, or makes a person of them at a first sign-in.
 * Locked in the order of the locks, so that two that swap names wait for one another. Two that are the same by chance wait as well.
 */
export const lockUserNames = (tx: Transaction, organizationId: string, names: string[]) =>
  tx.rows(sql`
    select pg_advisory_xact_lock(${nameLock}, number)
      from (select distinct hashtext(${`${organizationId} `} || name) as number from unnest(${names}::text[]) name
             order by number) locks`)

/** Any fixed number: the first part of these locks. */
const nameLock = 1_936_291_044

/** Which of its names another user of the directory has. */
export const takenNames = (
  queries: Queries,
  organizationId: string,
  directoryId: string,
  { personId, userNameKey, externalId }: Pick<WrittenUser, 'userNameKey' | 'externalId'> & { personId: string },
) =>
  valuesIn(queries)(sql<{ name: 'userName' | 'externalId' }>`
    select 'userName' as name from directory_users
     where org_id = ${organizationId} and directory_id = ${directoryId} and user_name_key = ${userNameKey}
       and person_id <> ${personId}
     union all
    select 'externalId' from directory_users
     where org_id = ${organizationId} and directory_id = ${directoryId} and external_id = ${externalId}
       and person_id <> ${personId}`)

type NewUser = WrittenUser & { personId: string; directoryId: string; adopted: boolean; createdAt: string }

export const insertUser = (tx: Transaction, organizationId: string, user: NewUser) =>
  tx.rows(sql`
    insert into directory_users (org_id, person_id, directory_id, user_name, user_name_key, external_id, adopted, attributes, profile,
                                 email_keys, created_at, updated_at)
    values (${organizationId}, ${user.personId}, ${user.directoryId}, ${user.userName}, ${user.userNameKey}, ${user.externalId},
            ${user.adopted}, ${JSON.stringify(user.attributes)}::jsonb, ${JSON.stringify(user.profile)}::jsonb,
            ${emailKeysOf(user.directoryId, user.emailKeys)}, ${user.createdAt}::timestamptz, ${user.createdAt}::timestamptz)`)

type ChangedUser = WrittenUser & { personId: string; directoryId: string; now: string }

/** The person must be locked. */
export const updateUser = (tx: Transaction, organizationId: string, user: ChangedUser) =>
  tx.rows(sql`
    update directory_users
       set user_name = ${user.userName}, user_name_key = ${user.userNameKey}, external_id = ${user.externalId},
           attributes = ${JSON.stringify(user.attributes)}::jsonb, profile = ${JSON.stringify(user.profile)}::jsonb,
           email_keys = ${emailKeysOf(user.directoryId, user.emailKeys)}, version = version + 1, updated_at = ${user.now}
     where org_id = ${organizationId} and person_id = ${user.personId}`)

/** The person stays. */
export const removeUser = (tx: Transaction, organizationId: string, directoryId: string, personId: string) =>
  tx.rows(sql`
    delete from directory_users
     where org_id = ${organizationId} and person_id = ${personId} and directory_id = ${directoryId}`)

/** The persons stay here, too. */
export const removeUsers = (tx: Transaction, organizationId: string, personIds: string[]) =>
  tx.rows(sql`delete from directory_users where org_id = ${organizationId} and person_id = any(${personIds}::uuid[])`)

const emailKeysOf = (directoryId: string, keys: string[]) => keys.map((key) => emailKeyOf(directoryId, key))
/** As an entry of `email_keys`. */
export const emailKeyOf = (directoryId: string, key: string) => `${directoryId} ${key}`

type Span = { domains: string[]; after: string; limit: number }

/** Addresses in these domains that the directory has sent and that are handles of its people, by their keys, after one of them. Locked. */
export const lockAddresses = (tx: Transaction, organizationId: string, id: string, { domains, after, limit }: Span) =>
  valuesIn(tx)(sql<{ key: string }>`
    select h.key from directory_users u join handles h on h.org_id = u.org_id and h.person_id = u.person_id
     where u.org_id = ${organizationId} and u.directory_id = ${id} and h.type = 'EmailAddress' and h.key > ${after}
       and substring(h.key from '[^@]*$') = any(${domains}::text[]) and ${id}::text || ' ' || h.key = any(u.email_keys)
     order by h.key limit ${limit} for update of h`)

/** Which of these persons the directory keeps. */
export const usersAmong = async (queries: Queries, organizationId: string, directoryId: string, ids: string[]) => {
  const rows = await queries.rows(sql<{ id: string }>`
    select given.id from unnest(${ids}::uuid[]) given (id) cross join lateral (
             select directory_id from directory_users where org_id = ${organizationId} and person_id = given.id limit 1) u
     where u.directory_id = ${directoryId}`)
  return new Set(rows.map(({ id }) => id))
}

/** The directory that keeps the person. */
export const directoryNameOf = (queries: Queries, organizationId: string, personId: string) =>
  valueIn(queries)(sql<{ name: string }>`
    select d.name from directory_users u join directories d on d.org_id = u.org_id and d.id = u.directory_id
     where u.org_id = ${organizationId} and u.person_id = ${personId}`)

/** The directory whose users are known at this credential by their `externalId`. */
export const directoryAt = (queries: Queries, organizationId: string, credentialId: string) =>
  valueIn(queries)(sql<{ id: string }>`
    select id from directories
     where org_id = ${organizationId} and credential_id = ${credentialId} and match = 'external_id' and enabled`)

export const userWithExternalId = (queries: Queries, organizationId: string, directoryId: string, externalId: string) =>
  firstRow(queries)(sql<{ personId: string; active: boolean; region: string; groups: string[] }>`
    select p.person_id as "personId", p.active, p.region, p.groups
      from directory_users u join person_records p on p.org_id = u.org_id and p.person_id = u.person_id
     where u.org_id = ${organizationId} and u.directory_id = ${directoryId} and u.external_id = ${externalId}`)
