import type { Queries } from '../../ground/database/database.ts'
import { numberIn, onlyRow } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'

/**
 * An index of events that ends with the position: `equal` are the columns before `column`, and each of `values` is a range of it that is
 * walked from its newest end.
 */
export type Walk = { equal: Fragment; column: Fragment; values: readonly string[] }

/** `walk` undefined: all events, by their positions. `matching`: what else is compared, event by event; each begins with `and`. */
export type Wanted = { walk: Walk | undefined; matching: Fragment | undefined; since: number; until: number }

/** The positions above `low` and below `high`. */
export type Bounds = { low: number; high: number }

/**
 * An event's id is made before its position is drawn, and locks are waited for in between: an event with a later position is earlier by
 * this at most, which is above the longest statement (130 s), the wait for a connection, and what clocks differ by.
 */
const slackMs = 300_000

/** The positions between which events of a span of time (milliseconds) are: one probe of the primary key for each end. */
export async function boundsOf(
  queries: Queries,
  organizationId: string,
  { since, until }: Pick<Wanted, 'since' | 'until'>,
): Promise<Bounds> {
  const { low, high } = await onlyRow(queries)(sql<{ low: number | null; high: number | null }>`
    select (select position from events
             where org_id = ${organizationId} and id < ${firstIdAt(since - slackMs)} and position is not null
             order by id desc limit 1) as low,
           (select position from events
             where org_id = ${organizationId} and id >= ${firstIdAt(until + slackMs)} and position is not null
             order by id limit 1) as high`)
  return { low: low ?? 0, high: high ?? Number.MAX_SAFE_INTEGER }
}

/** Of the events that are committed; 0: there is none. */
export const newestPosition = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql<{ position: number }>`
    select position from events where org_id = ${organizationId} and position is not null order by position desc limit 1`)

/** The last position of the newest `limit` events of the walk, whether they match or not. Undefined: there are fewer. */
export async function lookAt(
  queries: Queries,
  organizationId: string,
  { wanted, bounds, limit }: { wanted: Wanted; bounds: Bounds; limit: number },
): Promise<number | undefined> {
  const newest = newestOf(organizationId, {
    wanted: { ...wanted, matching: undefined },
    bounds,
    limit,
    columns: fragment``,
  })
  const { last, count } = await onlyRow(queries)(sql<{ last: number | null; count: number }>`
    select min(position) as last, count(*)::int as count from (${newest}) e`)
  return count === limit && last !== null ? last : undefined
}

export type NewestRow = { position: number; id: string; payload: string | null }

/** `payload` is null behind the event whose payload reaches `bytes`. `columns`: what is read beside it; each begins with a comma. */
export const newestEvents = <Row>(
  queries: Queries,
  organizationId: string,
  {
    wanted,
    bounds,
    limit,
    bytes,
    columns,
  }: { wanted: Wanted; bounds: Bounds; limit: number; bytes: number; columns: Fragment },
) =>
  queries.rows(sql<NewestRow & Row>`
    select position, id ${columns},
           case when sum(octet_length(payload)) over (order by position desc rows unbounded preceding) - octet_length(payload) < ${bytes}
                then payload end as payload
      from (${newestOf(organizationId, { wanted, bounds, limit, columns: fragment`, payload ${columns}` })}) e
     order by position desc`)

type Newest = { wanted: Wanted; bounds: Bounds; limit: number; columns: Fragment }

/**
 * Compared and ordered as rows, so that no plan walks all events by their positions instead. The ids leave out the partitions of other
 * days.
 */
function newestOf(organizationId: string, { wanted, bounds: { low, high }, limit, columns }: Newest): Fragment {
  const { walk, matching, since, until } = wanted
  const found = fragment`
      select id, position ${columns} from events
       where org_id = ${organizationId} and id >= ${firstIdAt(since)} and id < ${firstIdAt(until)} ${matching ?? fragment``}`
  if (!walk) {
    return fragment`${found} and position > ${low} and position < ${high} order by position desc limit ${limit}`
  }
  const { equal, column, values } = walk
  return fragment`
    select found.* from unnest(${values}::text[]) as range (value) cross join lateral (
      ${found} ${equal} and ${column} is not null
         and (${column}, position) > (range.value, ${low}) and (${column}, position) < (range.value, ${high})
       order by ${column} desc, position desc limit ${limit}) found
     order by position desc limit ${limit}`
}
