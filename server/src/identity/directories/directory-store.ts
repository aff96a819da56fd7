import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'

export type Directory = {
  id: string
  name: string
  /** The credential whose accounts its users sign in with. */
  credential_id: string | null
  match: 'external_id' | 'none'
  adopt: boolean
  /** A-labels in lower case. */
  email_domains: string[]
  on_delete: 'delete' | 'deactivate'
  /** Empty: none. */
  group_prefix: string
  enabled: boolean
  created_at: Date
}
/** As it is shown. */
export type ShownDirectory = Directory & { oauth_client_id: string | null; last_request_at: Date | null }

/** Of a directory `d`. */
export const directoryColumns = fragment`
  d.id, d.name, d.credential_id, d.match, d.adopt, d.email_domains, d.on_delete, d.group_prefix, d.enabled, d.created_at`
/** With its credential `c`. */
const shown = fragment`${directoryColumns}, c.client_id as oauth_client_id, d.last_request_at`
const withCredential = fragment`
  directories d left join oidc_credentials c on c.org_id = d.org_id and c.id = d.credential_id`

export const insertDirectory = (tx: Transaction, organizationId: string, directory: Directory) =>
  tx.rows(sql`
    insert into directories
           (org_id, id, name, credential_id, match, adopt, email_domains, on_delete, group_prefix, enabled, created_at)
    values (${organizationId}, ${directory.id}, ${directory.name}, ${directory.credential_id}, ${directory.match},
            ${directory.adopt}, ${directory.email_domains}, ${directory.on_delete}, ${directory.group_prefix},
            ${directory.enabled}, ${directory.created_at})`)

/** Whom or what a directory keeps. */
export type Kept = { person_id?: string; group?: string }

const keeping = (organizationId: string, { person_id, group }: Kept) => {
  const ofPerson = fragment`
    and d.id = (select directory_id from directory_users where org_id = ${organizationId} and person_id = ${person_id})`
  const ofGroup = fragment`
    and d.id = (select directory_id from directory_groups where org_id = ${organizationId} and group_name = ${group})`
  return fragment`${person_id === undefined ? fragment`` : ofPerson} ${group === undefined ? fragment`` : ofGroup}`
}

export const countDirectories = (queries: Queries, organizationId: string, kept: Kept = {}) =>
  numberIn(queries)(sql`
    select count(*) from directories d where d.org_id = ${organizationId} ${keeping(organizationId, kept)}`)

/** The newest first: an id begins with its time. Those that keep a person or a group are one at most. */
export const pageOfDirectories = (queries: Queries, organizationId: string, kept: Kept, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<ShownDirectory>`
      select ${shown} from ${withCredential}
       where d.org_id = ${organizationId} ${keeping(organizationId, kept)} order by d.id desc limit ${limit} offset ${offset}`),
    countDirectories(queries, organizationId, kept),
  )

/** An organization has some hundreds at most. */
export const namesOfDirectories = async (queries: Queries, organizationId: string) => {
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select id, name from directories where org_id = ${organizationId}`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const findDirectory = (queries: Queries, organizationId: string, id: string) =>
  find(queries, organizationId, id, fragment``)

/** As `findDirectory`, and nobody else changes it until the end of the transaction. Waits for those who hold it. */
export const lockDirectory = (tx: Transaction, organizationId: string, id: string) =>
  find(tx, organizationId, id, fragment`for no key update of d`)

/** The same, and no row that refers to it is added meanwhile. */
export const lockDirectoryToRemove = (tx: Transaction, organizationId: string, id: string) =>
  find(tx, organizationId, id, fragment`for update of d`)

const find = (queries: Queries, organizationId: string, id: string, lock: Fragment) =>
  firstRow(queries)(sql<ShownDirectory>`
    select ${shown} from ${withCredential} where d.org_id = ${organizationId} and d.id = ${id} ${lock}`)

/**
 * Each write of a directory takes this lock first, so that the directory is neither changed nor deleted before the end of the transaction.
 * Undefined: it was deleted or switched off since its token was accepted.
 */
export const holdDirectory = (tx: Transaction, organizationId: string, id: string) =>
  firstRow(tx)(sql<Directory>`
    select ${directoryColumns} from directories d where d.org_id = ${organizationId} and d.id = ${id} and d.enabled for share`)

/** The directory must be locked. */
export const updateDirectory = (tx: Transaction, organizationId: string, directory: Directory) =>
  tx.rows(sql`
    update directories
       set name = ${directory.name}, credential_id = ${directory.credential_id}, match = ${directory.match},
           adopt = ${directory.adopt}, email_domains = ${directory.email_domains}, on_delete = ${directory.on_delete},
           group_prefix = ${directory.group_prefix}, enabled = ${directory.enabled}
     where org_id = ${organizationId} and id = ${directory.id}`)

/** Its tokens, links and refusals go with it; of its users, groups and vouchers there must be none any more. */
export const removeDirectory = (tx: Transaction, organizationId: string, id: string) =>
  tx.rows(sql`delete from directories where org_id = ${organizationId} and id = ${id}`)

/** Takes the credential from the directory that names it, and gives that directory, if there is one, as it was. */
export const removeCredential = (tx: Transaction, organizationId: string, credentialId: string) =>
  firstRow(tx)(sql<Pick<Directory, 'id' | 'name'> & { oauth_client_id: string }>`
    with named as (
      select d.org_id, d.id, d.name, c.client_id as oauth_client_id from ${withCredential}
       where d.org_id = ${organizationId} and d.credential_id = ${credentialId} for no key update of d
    )
    update directories d set credential_id = null from named n where d.org_id = n.org_id and d.id = n.id
    returning n.id, n.name, n.oauth_client_id`)

/** How many users and groups each keeps, counted in indexes alone. */
export const countKept = (queries: Queries, organizationId: string, ids: string[]) =>
  queries.rows(sql<{ id: string; users_count: number; groups_count: number }>`
    select d.id,
           (select count(*) from directory_users where org_id = ${organizationId} and directory_id = d.id) as users_count,
           (select count(*) from directory_groups where org_id = ${organizationId} and directory_id = d.id) as groups_count
      from unnest(${ids}::uuid[]) as d (id)`)

/** By name, or the one with the id. */
export const searchDirectories = (queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string }>`
    select id, name from directories where org_id = ${organizationId} and id = ${id}::uuid
    union
    (select id, name from directories
      where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
      order by lower(name) collate "C", id limit ${limit})
    order by 2`)
