import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, numberIn } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'
import { byUrgency, type ExpirySpan, type KeyUse } from '../../organizations/index.ts'
import { type Directory, directoryColumns } from '../directory-store.ts'

export type Token = {
  id: string
  name: string | null
  created_at: Date
  /** Null: it does not expire. */
  expires_at: Date | null
  last_used_at: Date | null
}
export type NewToken = Omit<Token, 'last_used_at'> & { hash: Buffer }

const columns = fragment`id, name, created_at, expires_at, last_used_at`

export const insertToken = (tx: Transaction, organizationId: string, directoryId: string, token: NewToken) =>
  tx.rows(sql`
    insert into directory_tokens (org_id, id, directory_id, name, token_hash, created_at, expires_at)
    values (${organizationId}, ${token.id}, ${directoryId}, ${token.name}, ${token.hash}, ${token.created_at}, ${token.expires_at})`)

/** Makes room for a new token: until then expired ones are listed. */
export const removeExpiredTokens = (tx: Transaction, organizationId: string, directoryId: string, now: string) =>
  tx.rows(sql`
    delete from directory_tokens
     where org_id = ${organizationId} and directory_id = ${directoryId} and expires_at <= ${now}`)

export const countTokens = (queries: Queries, organizationId: string, directoryId: string) =>
  numberIn(queries)(sql`
    select count(*) from directory_tokens where org_id = ${organizationId} and directory_id = ${directoryId}`)

/** The newest first: an id begins with its time. */
export const pageOfTokens = (queries: Queries, organizationId: string, directoryId: string, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<Token>`
      select ${columns} from directory_tokens
       where org_id = ${organizationId} and directory_id = ${directoryId} order by id desc limit ${limit} offset ${offset}`),
    countTokens(queries, organizationId, directoryId),
  )

/** Gives the token, if there was one. */
export const removeToken = (tx: Transaction, organizationId: string, directoryId: string, id: string) =>
  firstRow(tx)(sql<Token>`
    delete from directory_tokens where org_id = ${organizationId} and directory_id = ${directoryId} and id = ${id}
    returning ${columns}`)

type FoundDirectory = Directory & { token_id: string; is_expired: boolean; pricing_tier: string }

/** The directory for which a token speaks. Undefined also where it is switched off, or its organization was deleted. */
export const findDirectoryByToken = (queries: Queries, organizationId: string, hash: Buffer, now: string) =>
  firstRow(queries)(sql<FoundDirectory>`
    select ${directoryColumns}, t.id as token_id, coalesce(t.expires_at <= ${now}, false) as is_expired, o.pricing_tier
      from directory_tokens t
           join directories d on d.org_id = t.org_id and d.id = t.directory_id
           join organizations o on o.id = t.org_id
     where t.org_id = ${organizationId} and t.token_hash = ${hash} and d.enabled and o.deleted_at is null`)

/** Notes when tokens, and so their directories, were used. Skips locked rows: another process notes the same, or they change. */
export const noteTokenUses = (queries: Queries, uses: KeyUse[], minute: string) =>
  queries.rows(sql`
    with used as (
      select t.org_id, t.id, t.directory_id
        from unnest(${uses.map((use) => use.organizationId)}::uuid[], ${uses.map((use) => use.keyId)}::uuid[]) as u (org_id, id)
             join directory_tokens t on t.org_id = u.org_id and t.id = u.id
       where t.last_used_at is null or t.last_used_at < ${minute}
         for no key update of t skip locked
    ), of_tokens as (
      update directory_tokens t set last_used_at = ${minute} from used where t.org_id = used.org_id and t.id = used.id
    ), asked as (
      select d.org_id, d.id from directories d
       where (d.org_id, d.id) in (select org_id, directory_id from used)
         and (d.last_request_at is null or d.last_request_at < ${minute})
         for no key update skip locked
    )
    update directories d set last_request_at = ${minute} from asked where d.org_id = asked.org_id and d.id = asked.id`)

/** An organization has few that expire. */
export const findExpiringTokens = (queries: Queries, organizationId: string, { from, now, until, limit }: ExpirySpan) =>
  queries.rows(sql<{
    token_id: string
    directory_id: string
    name: string
    created_at: Date
    expires_at: Date
  }>`
    select t.id as token_id, d.id as directory_id, d.name, t.created_at, t.expires_at
      from directory_tokens t join directories d on d.org_id = t.org_id and d.id = t.directory_id
     where t.org_id = ${organizationId} and t.expires_at > ${from} and t.expires_at <= ${until}
     order by ${byUrgency(fragment`t.expires_at`, now)}, t.id limit ${limit}`)
