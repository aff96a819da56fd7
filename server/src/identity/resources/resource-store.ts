import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { hasRow, numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'

export type ResourceFields = {
  name: string
  scopes: string[]
  /** A duration in Go's notation. */
  token_lifetime: string
}
export type Resource = ResourceFields & {
  id: string
  /** Compared character by character. */
  identifier: string
  created_at: Date
}

type StoredResource = Omit<Resource, 'token_lifetime'> & { token_lifetime_ms: number }

const columns = fragment`id, identifier, name, scopes, token_lifetime_ms, created_at`

const toResource = ({ created_at, token_lifetime_ms: ms, ...stored }: StoredResource): Resource => ({
  ...stored,
  token_lifetime: formatDuration(ms),
  created_at,
})

/** Gives whether it was inserted: no other resource of the organization has the identifier. */
export const insertResource = (queries: Queries, organizationId: string, resource: Resource) =>
  hasRow(queries)(sql`
    insert into resources (org_id, ${columns})
    values (${organizationId}, ${resource.id}, ${resource.identifier}, ${resource.name}, ${resource.scopes},
            ${parseDuration(resource.token_lifetime)}, ${resource.created_at})
    on conflict (org_id, identifier) do nothing
    returning 1`)

/** The newest first: an id begins with its time. */
export async function listResources(queries: Queries, organizationId: string, { limit, offset }: Page) {
  const rows = await queries.rows(sql<StoredResource>`
    select ${columns} from resources where org_id = ${organizationId} order by id desc limit ${limit} offset ${offset}`)
  return rows.map(toResource)
}

export const countResources = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql`
    select count(*) from resources where org_id = ${organizationId}`)

export const findResource = (queries: Queries, organizationId: string, id: string) =>
  find(queries, organizationId, fragment`id = ${id}`)

export const findResourceByIdentifier = (queries: Queries, organizationId: string, identifier: string) =>
  find(queries, organizationId, fragment`identifier = ${identifier}`)

/** As `findResource`, and locks the row until the end of the transaction. */
export const lockResource = (tx: Transaction, organizationId: string, id: string) =>
  find(tx, organizationId, fragment`id = ${id} for no key update`)

async function find(queries: Queries, organizationId: string, condition: Fragment) {
  const [row] = await queries.rows(sql<StoredResource>`
    select ${columns} from resources where org_id = ${organizationId} and ${condition}`)
  return row && toResource(row)
}

/** The resource must be locked. */
export const updateResource = (
  tx: Transaction,
  organizationId: string,
  id: string,
  { name, scopes, token_lifetime }: ResourceFields,
) =>
  tx.rows(sql`
    update resources
       set name = ${name}, scopes = ${scopes}, token_lifetime_ms = ${parseDuration(token_lifetime)}
     where org_id = ${organizationId} and id = ${id}`)

export const removeResource = (tx: Transaction, organizationId: string, id: string) =>
  tx.rows(sql`delete from resources where org_id = ${organizationId} and id = ${id}`)

/** By name, or the one with the id. */
export const searchResources = (queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string; identifier: string }>`
    select id, name, identifier from resources where org_id = ${organizationId} and id = ${id}::uuid
    union
    (select id, name, identifier from resources
      where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
      order by lower(name) collate "C", id limit ${limit})
    order by 2`)
