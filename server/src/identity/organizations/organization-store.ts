import { beginsWith } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, valueIn, valuesIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
import { type ConsoleAccess, consoleAccessOf } from './console-access/console-access-store.ts'

type Organization = { id: string; name: string; pricing_tier: string; created_at: Date }
/** `moving`: to another cell or from one; its calls are refused meanwhile. */
type ListedOrganization = Organization & { state: 'active' | 'moving' }
export type Settings = {
  self_registration: boolean
  allowed_email_domains: string[]
  link_by_verified_email: boolean
  default_locale: string
  display_name: string | null
  accent_color: string | null
  console_access: ConsoleAccess[]
  console_key_sign_in: boolean
}
/** `logo`: the hash of its picture. */
export type StoredSettings = Settings & { logo: string | null }
type Changes<Row> = { [Field in keyof Row]?: Row[Field] | undefined }

export const insertOrganization = (queries: Queries, { id, name, pricing_tier, created_at }: Organization) =>
  queries.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at) values (${id}, ${name}, ${pricing_tier}, ${created_at})`)

/** `name`: how it begins, whatever its case. */
type Search = { id?: string; name?: string }

/** The newest first: an id begins with its time. Each combination of filters is a statement of its own. */
export function pageOfOrganizations(queries: Queries, search: Search, { limit, offset }: Page) {
  const found = fragment`from organizations where (deleted_at is null or deleted_at = 'infinity') ${searched(search)}`
  return paged(
    queries.rows(sql<ListedOrganization>`
      select id, name, pricing_tier, created_at, case when deleted_at is null then 'active' else 'moving' end as state ${found} order by id desc limit ${limit} offset ${offset}`),
    numberIn(queries)(sql`select count(*) ${found}`),
  )
}

const searched = ({ id, name }: Search): Fragment => fragment`
  ${id === undefined ? fragment`` : fragment`and id = ${id}`}
  ${name === undefined ? fragment`` : fragment`and ${beginsWith(fragment`lower(name)`, fragment`lower(${name})`)}`}`

export const findOrganization = (queries: Queries, organizationId: string) =>
  firstRow(queries)(sql<Organization>`
    select id, name, pricing_tier, created_at from organizations where id = ${organizationId} and deleted_at is null`)

/** The oldest one, if there is any. */
export const firstOrganizationId = (queries: Queries) =>
  valueIn(queries)(sql<{ id: string }>`
    select id from organizations where deleted_at is null order by id limit 1`)

/** Absent fields stay as they are. */
export const updateOrganization = (
  queries: Queries,
  organizationId: string,
  { name, pricing_tier }: Changes<Pick<Organization, 'name' | 'pricing_tier'>>,
) =>
  firstRow(queries)(sql<Organization>`
    update organizations set name = coalesce(${name}, name), pricing_tier = coalesce(${pricing_tier}, pricing_tier)
     where id = ${organizationId} and deleted_at is null
    returning id, name, pricing_tier, created_at`)

export const findSettings = (queries: Queries, organizationId: string) =>
  firstRow(queries)(sql<StoredSettings>`
    select self_registration, allowed_email_domains, link_by_verified_email, default_locale, display_name, accent_color,
           console_key_sign_in, ${consoleAccessOf(organizationId)} as console_access,
           (select hash from organization_logos where org_id = ${organizationId}) as logo
      from organizations where id = ${organizationId}`)

/** All but `console_access`, which has rows of its own. */
export const updateSettings = (queries: Queries, organizationId: string, settings: Settings) =>
  queries.rows(sql`
    update organizations
       set self_registration = ${settings.self_registration}, allowed_email_domains = ${settings.allowed_email_domains},
           link_by_verified_email = ${settings.link_by_verified_email}, default_locale = ${settings.default_locale},
           display_name = ${settings.display_name}, accent_color = ${settings.accent_color},
           console_key_sign_in = ${settings.console_key_sign_in}
     where id = ${organizationId}`)

export const markDeleted = (tx: Transaction, organizationId: string, now: string) =>
  tx.rows(sql`update organizations set deleted_at = ${now} where id = ${organizationId} and deleted_at is null`)

/** Whether the organization exists, or was deleted only after `deletedAfter`. */
export const existedAt = (queries: Queries, organizationId: string, deletedAfter: string) =>
  hasRow(queries)(sql`
    select from organizations where id = ${organizationId} and (deleted_at is null or deleted_at > ${deletedAfter})`)

/** At most 100 of the organizations that were deleted at `time` or before. */
export const deletedBefore = (queries: Queries, time: string) =>
  valuesIn(queries)(sql<{ id: string }>`
    select id from organizations where deleted_at <= ${time} order by deleted_at limit 100`)

/**
 * Removes up to `size` rows that an organization has in a table (of a partitioned one: in each partition), and gives
 * whether there may be more. It goes by row location (ctid), the cheapest way that fits every table. Locations repeat from
 * partition to partition, but every row that they hit belongs to the organization.
 */
export async function purgeRows(queries: Queries, organizationId: string, table: string, size: number) {
  const text = `
    with found as materialized (select ctid from ${table} where org_id = $1 limit ${size}),
    purged as (delete from ${table} where org_id = $1 and ctid = any (array (select ctid from found)))
    select count(*) from found`
  const [row] = await queries.rows<{ count: number }>({ name: '', text, values: [organizationId] })
  return row?.count === size
}

/** From the commit on its calls are refused, and nothing of it is purged. */
export const closeOrganization = (tx: Transaction, organizationId: string) =>
  tx.rows(sql`update organizations set deleted_at = 'infinity' where id = ${organizationId} and deleted_at is null`)

export const openOrganization = (tx: Transaction, organizationId: string) =>
  tx.rows(sql`update organizations set deleted_at = null where id = ${organizationId} and deleted_at = 'infinity'`)

/** It is purged as one that is deleted now. */
export const giveUpOrganization = (tx: Transaction, organizationId: string, now: string) =>
  tx.rows(sql`update organizations set deleted_at = ${now} where id = ${organizationId} and deleted_at = 'infinity'`)

export const removeOrganization = (queries: Queries, organizationId: string) =>
  queries.rows(sql`delete from organizations where id = ${organizationId} and deleted_at is not null`)
