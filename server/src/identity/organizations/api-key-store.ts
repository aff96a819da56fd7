import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, onlyRow } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
import type { Scope } from '../../ground/http/chain/scopes.ts'
import type { KeyUse } from './key-uses.ts'

export type ApiKey = {
  id: string
  name: string | null
  /** Null: all scopes, or with `read_only` all that read. */
  scopes: Scope[] | null
  /** Of every key but the admin keys. */
  read_only: boolean
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
}
export type NewApiKey = Omit<ApiKey, 'last_used_at'> & { hash: Buffer }
export type FoundKey = Omit<ApiKey, 'created_at' | 'last_used_at'> & { is_expired: boolean; pricing_tier: string }

const columns = fragment`id, name, scopes, read_only, created_at, expires_at, last_used_at`

export const insertApiKey = (queries: Queries, organizationId: string, key: NewApiKey) =>
  queries.rows(sql`
    insert into api_keys (org_id, id, name, key_hash, scopes, read_only, created_at, expires_at)
    values (${organizationId}, ${key.id}, ${key.name}, ${key.hash}, ${key.scopes}, ${key.read_only}, ${key.created_at},
            ${key.expires_at})`)

/** Makes room for a new key: until then expired keys are listed. */
export const removeExpiredKeys = (tx: Transaction, organizationId: string, now: string) =>
  tx.rows(sql`delete from api_keys where org_id = ${organizationId} and expires_at <= ${now}`)

export const countKeys = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql`select count(*) from api_keys where org_id = ${organizationId}`)

/** Of those that have not expired. `admin`: those with all scopes. */
export const countValidKeys = (queries: Queries, organizationId: string, now: string) =>
  onlyRow(queries)(sql<{ all: number; admin: number }>`
    select count(*) as all, count(*) filter (where not read_only) as admin from api_keys
     where org_id = ${organizationId} and (expires_at is null or expires_at > ${now})`)

/** The newest first: an id begins with its time. */
export const pageOfKeys = (queries: Queries, organizationId: string, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<ApiKey>`
      select ${columns} from api_keys
       where org_id = ${organizationId} order by id desc limit ${limit} offset ${offset}`),
    countKeys(queries, organizationId),
  )

/** Undefined also where the organization was deleted. */
export const findKeyByHash = (queries: Queries, organizationId: string, hash: Buffer, now: string) =>
  findFreshKey(queries, organizationId, fragment`k.key_hash = ${hash}`, now)

/** The same. */
export const findKeyById = (queries: Queries, organizationId: string, keyId: string, now: string) =>
  findFreshKey(queries, organizationId, fragment`k.id = ${keyId}`, now)

const findFreshKey = (queries: Queries, organizationId: string, isIt: Fragment, now: string) =>
  firstRow(queries)(sql<FoundKey>`
    select k.id, k.name, k.scopes, k.read_only, k.expires_at, coalesce(k.expires_at <= ${now}, false) as is_expired, o.pricing_tier
      from api_keys k join organizations o on o.id = k.org_id
     where k.org_id = ${organizationId} and ${isIt} and o.deleted_at is null`)

/** Whether the organization has a key with this hash, and was not deleted. */
export const existsKey = (queries: Queries, organizationId: string, hash: Buffer) =>
  hasRow(queries)(sql`
    select from api_keys k join organizations o on o.id = k.org_id
     where k.org_id = ${organizationId} and k.key_hash = ${hash} and o.deleted_at is null`)

export const findKey = (queries: Queries, organizationId: string, keyId: string) =>
  firstRow(queries)(sql<ApiKey>`
    select ${columns} from api_keys
     where org_id = ${organizationId} and id = ${keyId}`)

/** Those that there are and that have a name, by their ids. */
export async function namesOfKeys(queries: Queries, organizationId: string, ids: readonly string[]) {
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select id, name from api_keys where org_id = ${organizationId} and id = any(${ids}::uuid[]) and name <> ''`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Of things that expire after `from` and up to `until`, `limit` of them: the most urgent ones. */
export type ExpirySpan = { from: string; now: string; until: string; limit: number }

/** First what is yet to expire, the soonest first; then what has expired, the latest first. */
export const byUrgency = (expiresAt: Fragment, now: string) =>
  fragment`${expiresAt} <= ${now}, greatest(${expiresAt} - ${now}, ${now} - ${expiresAt})`

/** An organization has few keys. */
export const findExpiringKeys = (queries: Queries, organizationId: string, { from, now, until, limit }: ExpirySpan) =>
  queries.rows(sql<Pick<ApiKey, 'id' | 'name' | 'created_at'> & { expires_at: Date }>`
    select id, name, created_at, expires_at from api_keys
     where org_id = ${organizationId} and expires_at > ${from} and expires_at <= ${until}
     order by ${byUrgency(fragment`expires_at`, now)}, id limit ${limit}`)

/** Locked. */
export const findKeyToChange = (tx: Transaction, organizationId: string, keyId: string) =>
  firstRow(tx)(sql<ApiKey>`
    select ${columns} from api_keys
     where org_id = ${organizationId} and id = ${keyId} for no key update`)

export const renameKey = (tx: Transaction, organizationId: string, keyId: string, name: string | null) =>
  tx.rows(sql`update api_keys set name = ${name} where org_id = ${organizationId} and id = ${keyId}`)

/**
 * Removes a key unless it is the last admin key that has not expired. A key that will
 * expire counts: an organization whose other keys all expire must be able to remove the one that does not, with which it
 * began. Call it only under the organization's lock.
 */
export async function removeKey(tx: Transaction, organizationId: string, keyId: string, now: string) {
  const [row] = await tx.rows(sql<{ is_last_admin: boolean }>`
    with admin as (
      select id from api_keys
       where org_id = ${organizationId} and not read_only and (expires_at is null or expires_at > ${now})
    ), key as (
      select id, id in (select id from admin) and (select count(*) from admin) = 1 as is_last_admin
        from api_keys where org_id = ${organizationId} and id = ${keyId}
    ), removed as (
      delete from api_keys where org_id = ${organizationId} and id in (select id from key where not is_last_admin)
    )
    select is_last_admin from key`)
  return row?.is_last_admin ? 'last admin key' : 'removed'
}

/** Skips locked rows: another process is noting the use of that key, or removing it. */
export const noteKeyUses = (queries: Queries, uses: KeyUse[], minute: string) =>
  queries.rows(sql`
    update api_keys k set last_used_at = ${minute}
      from (select k.org_id, k.id
              from unnest(${uses.map((use) => use.organizationId)}::uuid[], ${uses.map((use) => use.keyId)}::uuid[])
                   as used (org_id, id)
              join api_keys k on k.org_id = used.org_id and k.id = used.id
             where k.last_used_at is null or k.last_used_at < ${minute}
               for no key update of k skip locked) due
     where k.org_id = due.org_id and k.id = due.id`)

/** By name, or the one with the id. */
export const searchKeys = (queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string | null }>`
    select id, name from api_keys where org_id = ${organizationId} and id = ${id}::uuid
    union
    (select id, name from api_keys
      where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
      order by lower(name) collate "C", id limit ${limit})
    order by 2`)
