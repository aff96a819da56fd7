import type { Queries } from '../../ground/database/database.ts'
import { hasRow, numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Act, Target } from '../../ground/http/chain/recorded-change.ts'
import { type IsReached, lockingPositions, nextPosition } from '../../ground/positions/index.ts'
import { withTarget } from './stored-thing.ts'

/** `before` and `after` are JSON text, without secrets and handles, as `storedThing` gives it. */
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
  /** The id of what was changed. */
  target: string | undefined
  /** From this time on, and before that one. */
  since: string | undefined
  until: string | undefined
}

/** Only entries before this position, up to so many. */
type Page = { before: number; limit: number }

/**
 * An entry's time is taken before its position is drawn, and locks are waited for in between: an entry with a later position is earlier by
 * this at most, which is above the longest statement (130 s), the wait for a connection, and what clocks differ by. So positions bound
 * the entries of a span of time.
 */
const slack = fragment`interval '5 minutes'`

/** Of the entries that are committed; 0 where there are none. */
export const newestPosition = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql<{ position: number }>`
    select position from audit_entries where org_id = ${organizationId} order by position desc limit 1`)

const beyondAll = fragment`9223372036854775807`

/** `most`: so many of the newest entries of each actor are looked at. */
type NewestOf = { action: string; actorIds: string[]; since: string; most: number }

/** Of actors that have done that since then: how often, and when first. */
export const countActs = (queries: Queries, organizationId: string, { action, actorIds, since, most }: NewestOf) =>
  queries.rows(sql<{ actorId: string; count: number; first: Date }>`
    select actor as "actorId", count, first
      from unnest(${actorIds}::uuid[]) actor cross join lateral (
        select count(*), min(at) as first from (
          select at from audit_entries
           where org_id = ${organizationId} and actor_id = actor ${withinAction(fragment`${action}`, fragment`0`, beyondAll)} limit ${most}) newest
         where at >= ${since}) acts
     where count > 0`)

/** Whether there is an entry from `from` on and below `before`, or none below `from`: retention removes the oldest. */
export const hasReached =
  (queries: Queries): IsReached =>
  (organizationId, { from, before }) =>
    hasRow(queries)(sql`
      select where exists (select from audit_entries where org_id = ${organizationId} and position >= ${from} and position < ${before})
                or not exists (select from audit_entries where org_id = ${organizationId} and position < ${from})`)

/**
 * The newest first. Each combination of filters is a statement of its own, which walks ranges of the index that it fits, from the
 * newest end of each: of a target, an actor or a type without an action there is one for each action, of an action one for each type of
 * actors. What else is asked of the entries of a target is compared entry by entry, for one has few.
 */
export async function pageOfEntries(
  queries: Queries,
  organizationId: string,
  filters: Filters,
  { before, limit }: Page,
): Promise<Entry[]> {
  const { action, actor, target, since, until } = filters
  const low = since === undefined ? fragment`0` : lastBefore(organizationId, fragment`${since}::timestamptz - ${slack}`)
  const last = until !== undefined && lastBefore(organizationId, fragment`${until}::timestamptz + ${slack}`)
  const high = last ? fragment`least(${before}::bigint, 1 + ${last})` : fragment`${before}::bigint`
  const found = fragment`
    select position, id, at, actor_type as "actorType", actor_id as "actorId", actor_name as "actorName", action,
           target_type as "targetType", target_id as "targetId", before, after, request_id as "requestId",
           client_ip_address as "clientAddress"
      from audit_entries
     where org_id = ${organizationId} ${since === undefined ? fragment`` : fragment`and at >= ${since}`}
       ${until === undefined ? fragment`` : fragment`and at < ${until}`}`
  const rows = await queries.rows(
    action === undefined && !actor && target === undefined
      ? sql<Row>`${found} and position > ${low} and position < ${high} order by position desc limit ${limit}`
      : sql<Row>`
    with recursive ranges as (${rangesOf(organizationId, filters)})
    select entry.* from ranges cross join lateral (
      ${found} ${ofTarget(filters) ?? ofActor(actor) ?? fragment`and actor_type = ranges.value`}
       ${withinAction(action === undefined ? fragment`ranges.value` : fragment`${action}`, low, high)} limit ${limit}) entry
     order by position desc limit ${limit}`,
  )
  return rows.map(toEntry)
}

const lastBefore = (organizationId: string, moment: Fragment) =>
  fragment`(select last_entry_before(${organizationId}, ${moment}))`

/** Compared and ordered as rows, so that no plan walks all entries by their positions instead, where few are of that action. */
const withinAction = (action: Fragment, low: Fragment, high: Fragment) => fragment`
       and (action, position) > (${action}, ${low}) and (action, position) < (${action}, ${high})
     order by action desc, position desc`

function ofActor(actor: Filters['actor']) {
  if (!actor) return undefined
  return 'id' in actor ? fragment`and actor_id = ${actor.id}` : fragment`and actor_type = ${actor.type}`
}

/** The actor is compared in a form that fits no index, so that no plan walks all that an actor did for the few that concern the target. */
function ofTarget({ target, actor }: Filters) {
  if (target === undefined) return undefined
  if (!actor) return fragment`and target_id = ${target}`
  return 'id' in actor
    ? fragment`and target_id = ${target} and actor_id is not distinct from ${actor.id}::uuid`
    : fragment`and target_id = ${target} and actor_type is not distinct from ${actor.type}::text`
}

/**
 * The values of the column of the index that is not given: of a target, an actor or a type all actions, by one probe of the index for each,
 * and of an action all types. Nothing is left out where both are given.
 */
function rangesOf(organizationId: string, { action, actor, target }: Filters): Fragment {
  const given = target === undefined ? ofActor(actor) : fragment`and target_id = ${target}`
  if (action !== undefined && given) return fragment`select 1`
  const column = given ? fragment`action` : fragment`actor_type`
  return fragment`
      (select ${column} as value from audit_entries where org_id = ${organizationId} ${given ?? fragment``} order by ${column} limit 1)
      union all
      select following.value from ranges cross join lateral (
        select ${column} as value from audit_entries
         where org_id = ${organizationId} ${given ?? fragment``} and ${column} > ranges.value order by ${column} limit 1) following`
}

const toEntry = ({ actorType, actorId, actorName, targetType, targetId, before, after, ...row }: Row): Entry => ({
  ...row,
  actor: { type: actorType, id: actorId, name: actorName },
  target: { type: targetType, id: targetId },
  before: before && withTarget(before, targetId),
  after: after && withTarget(after, targetId),
})
