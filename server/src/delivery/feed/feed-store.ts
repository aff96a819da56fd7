import type { Queries } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, valueIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { IsReached } from '../../ground/positions/index.ts'
import type { EventName } from '../events/index.ts'

/** `payload`: JSON text. */
export type FeedEvent = { position: number; id: string; name: EventName; payload: string }

/** Of the positions after `after`, up to and including `end`. */
type Span = { after: number; end: number; limit: number }

/** At most `limit` rows, with the payloads as long as those before have fewer than so many bytes. */
type BoundedSpan = Span & { bytes: number }

/** `payload` is null beyond the bytes. */
export type EventRow = Omit<FeedEvent, 'payload'> & { payload: string | null }

/** The payloads of the first rows only. The size of a payload is known without reading it. */
const withinBytes = (bytes: number) => fragment`
  case when sum(octet_length(payload)) over (order by position rows unbounded preceding) - octet_length(payload) < ${bytes}
       then payload end as payload`

/** The rows by the index of positions, in each partition. */
export const pageOfEvents = (queries: Queries, organizationId: string, { after, end, limit, bytes }: BoundedSpan) =>
  queries.rows(sql<EventRow>`
    select position, id, name, ${withinBytes(bytes)}
      from (select position, id, name, payload from events
             where org_id = ${organizationId} and position > ${after} and position <= ${end} order by position limit ${limit}) e
     order by position`)

/** The newest one up to and including `end`. */
export const findNewestPosition = (queries: Queries, organizationId: string, end: number) =>
  valueIn(queries)(sql<{ position: number }>`
    select position from events where org_id = ${organizationId} and position <= ${end} order by position desc limit 1`)

/**
 * The least position among the first events of ids from `firstId` on, by the primary key. 0: the first ones are from before the feed, and
 * have no position.
 */
export async function findPositionFrom(
  queries: Queries,
  organizationId: string,
  { firstId, end, limit }: { firstId: string; end: number; limit: number },
) {
  const [first] = await queries.rows(sql<{ position: number | null }>`
    select min(coalesce(position, 0)) as position
      from (select position from events
             where org_id = ${organizationId} and id >= ${firstId} and coalesce(position, 0) <= ${end}
             order by id limit ${limit}) f`)
  return first?.position ?? undefined
}

/** `last`: the position of the last of the first `limit` events, whatever their names. */
export async function scanEvents(queries: Queries, organizationId: string, { after, end, limit }: Span) {
  const [row] = await queries.rows(sql<{ last: number | null; count: number }>`
    select max(position) as last, count(*)::int as count
      from (select position from events
             where org_id = ${organizationId} and position > ${after} and position <= ${end} order by position limit ${limit}) e`)
  return { last: row?.last ?? undefined, isFull: row?.count === limit }
}

/** `end` is where the rows end that are looked at. */
export const eventsNamed = (
  queries: Queries,
  organizationId: string,
  names: EventName[],
  { after, end, limit, bytes }: BoundedSpan,
) =>
  queries.rows(sql<EventRow>`
    select position, id, name, ${withinBytes(bytes)}
      from (select position, id, name, payload from events
             where org_id = ${organizationId} and position > ${after} and position <= ${end} and name = any(${names}::text[])
             order by position limit ${limit}) e
     order by position`)

/** The position of the newest event that retention has dropped; 0: none. */
export const findLowWatermark = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql<{ position: number }>`
    select position from event_low_watermarks where org_id = ${organizationId}`)

/** Whether there is an event from `from` on and below `before`, or was one that retention has dropped. */
export const hasReached =
  (queries: Queries): IsReached =>
  (organizationId, { from, before }) =>
    hasRow(queries)(sql`
    select from events where org_id = ${organizationId} and position >= ${from} and position < ${before}
    union all
    select from event_low_watermarks where org_id = ${organizationId} and position >= ${from}
    union all
    select from moved_positions where org_id = ${organizationId} and high + shift between ${from}::bigint and ${before}::bigint
    limit 1`)

export const findEvent = (queries: Queries, organizationId: string, eventId: string) =>
  firstRow(queries)(sql<{ name: EventName; payload: string }>`
    select name, payload from events where org_id = ${organizationId} and id = ${eventId}`)
