import type { Queries } from '../../ground/database/database.ts'
import { hasRow, numberIn, rowCount, valuesIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Act, Target } from '../../ground/http/chain/recorded-change.ts'
import { type IsReached, lockingPositions, nextPosition } from '../../ground/positions/index.ts'

/** `before` and `after` are JSON text, without secrets and handles. */
export type NewEntry = Act & { id: string; at: string; target: Target; before: string | null; after: string | null }

/** An entry of the audit log, written where `from` has a row. It needs the part `lockingPositions` before it. */
const insertEntry = (organizationId: string, entry: NewEntry, from: Fragment) => fragment`
      insert into audit_entries (org_id, position, id, at, actor_type, actor_id, actor_name, action, target_type, target_id,
                                 before, after, request_id, client_ip_address)
      select ${organizationId}::uuid, ${nextPosition}, ${entry.id}::uuid, ${entry.at}::timestamptz, ${entry.actor.type}::text,
             ${entry.actor.id}::uuid, ${entry.actor.name}::text, ${entry.action}::text, ${entry.target.type}::text,
             ${entry.target.id}::text, ${entry.before}::json, ${entry.after}::json, ${entry.requestId}::text,
             ${entry.clientAddress}::text
        from ${from}`

export const writeEntry = (queries: Queries, organizationId: string, entry: NewEntry) =>
  queries.rows(sql`with ${lockingPositions} ${insertEntry(organizationId, entry, fragment`held`)}`)

/** Parts of a statement: one entry for each row of the query `changed`. */
export const entryWithin = (organizationId: string, entry: NewEntry, changed: Fragment) => fragment`
    ${lockingPositions}, entered as (${insertEntry(organizationId, entry, fragment`held cross join (${changed}) changed`)})`

export type Entry = Omit<NewEntry, 'at' | 'before' | 'after'> & {
  position: number
  at: Date
  before: object | null
  after: object | null
}

type Row = Omit<Entry, 'actor' | 'target'> & {
  actorType: Act['actor']['type']
  actorId: string | null
  actorName: string | null
  targetType: Target['type']
  targetId: string
}

export type Filters = {
  action: string | undefined
  /** The id of an actor, or a type of actors. */
  actor: { id: string } | { type: string } | undefined
  /** From this time on, and before that one. */
  since: string | undefined
  until: string | undefined
}

/** Only entries before this position, up to so many. */
type Page = { before: number; limit: number }

/**
 * An entry's time is taken before its position is drawn, and locks are waited for in between: an entry with a later position is earlier by
 * this at most, which is above the longest statement (130 s), the wait for a connection, and what clocks differ by. So one probe of
 * the index of times finds the positions between which the entries of a span of time are.
 */
const slack = fragment`interval '5 minutes'`

/** Of the entries that are committed; 0 where there are none. */
export const newestPosition = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql<{ position: number }>`
    select position from audit_entries where org_id = ${organizationId} order by position desc limit 1`)

/** Whether there is an entry from `from` on and below `before`, or none below `from`: retention removes the oldest. */
export const hasReached =
  (queries: Queries): IsReached =>
  (organizationId, { from, before }) =>
    hasRow(queries)(sql`
      select where exists (select from audit_entries where org_id = ${organizationId} and position >= ${from} and position < ${before})
                or not exists (select from audit_entries where org_id = ${organizationId} and position < ${from})`)

/** The newest first. Each combination of filters is a statement of its own, whose plan walks the index that it fits. */
export async function pageOfEntries(
  queries: Queries,
  organizationId: string,
  filters: Filters,
  { before, limit }: Page,
): Promise<Entry[]> {
  const { action, since, until } = filters
  const rows = await queries.rows(sql<Row>`
    select position, id, at, actor_type as "actorType", actor_id as "actorId", actor_name as "actorName", action,
           target_type as "targetType", target_id as "targetId", before, after, request_id as "requestId",
           client_ip_address as "clientAddress"
      from audit_entries
     where org_id = ${organizationId} and position < ${before}
       ${action === undefined ? fragment`` : fragment`and action = ${action}`} ${ofActor(filters.actor)}
       ${since === undefined ? fragment`` : notBefore(organizationId, since)}
       ${until === undefined ? fragment`` : notAfter(organizationId, until)}
     order by position desc limit ${limit}`)
  return rows.map(toEntry)
}

function ofActor(actor: Filters['actor']) {
  if (!actor) return fragment``
  if ('id' in actor) return fragment`and actor_id = ${actor.id}`
  // The index of actors' types has no keys, which nearly all entries are of.
  return actor.type === 'key'
    ? fragment`and actor_type = 'key'`
    : fragment`and actor_type = ${actor.type} and actor_type <> 'key'`
}

const notBefore = (organizationId: string, since: string) => fragment`
       and at >= ${since} and position > coalesce((
         select position from audit_entries
          where org_id = ${organizationId} and at < ${since}::timestamptz - ${slack} order by at desc limit 1), 0)`

const notAfter = (organizationId: string, until: string) => fragment`
       and at < ${until} and position < coalesce((
         select position from audit_entries
          where org_id = ${organizationId} and at >= ${until}::timestamptz + ${slack} order by at limit 1), ${Number.MAX_SAFE_INTEGER})`

const toEntry = ({ actorType, actorId, actorName, targetType, targetId, ...row }: Row): Entry => ({
  ...row,
  actor: { type: actorType, id: actorId, name: actorName },
  target: { type: targetType, id: targetId },
})

/** Organizations that have entries of before `time`: walks the organizations, one probe of the index of times each. */
export const organizationsWithEntriesBefore = (queries: Queries, time: string, limit: number) =>
  valuesIn(queries)(sql<{ org_id: string }>`
    with recursive oldest as (
      (select org_id, at from audit_entries order by org_id, at limit 1)
      union all
      select following.* from oldest o cross join lateral (
        select org_id, at from audit_entries where org_id > o.org_id order by org_id, at limit 1) following
    )
    select org_id from oldest where at < ${time} order by at limit ${limit}`)

/** Removes up to `limit` entries of before `time`, the oldest first, and returns how many. What another process removes is left to it. */
export const removeEntries = (queries: Queries, organizationId: string, time: string, limit: number) =>
  rowCount(queries)(sql`
    with old as materialized (
      select position from audit_entries where org_id = ${organizationId} and at < ${time}
       order by at limit ${limit} for update skip locked
    )
    delete from audit_entries where org_id = ${organizationId} and position = any(array(select position from old))
    returning position`)
