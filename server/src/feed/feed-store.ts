import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { EventName } from '../events/index.ts'

/** `payload`: JSON text. */
export type FeedEvent = { place: number; id: string; name: EventName; payload: string }

/** Of the places after `after`, up to and including `end`. */
type Span = { after: number; end: number; limit: number }

/** The rows by the index of places, in each partition. */
export const pageOfEvents = (queries: Queries, organizationId: string, { after, end, limit }: Span) =>
  queries.rows(sql<FeedEvent>`
    select place, id, name, payload from events
     where org_id = ${organizationId} and place > ${after} and place <= ${end} order by place limit ${limit}`)

/** The newest one up to and including `end`. */
export async function findNewestPlace(queries: Queries, organizationId: string, end: number) {
  const [newest] = await queries.rows(sql<{ place: number }>`
    select place from events where org_id = ${organizationId} and place <= ${end} order by place desc limit 1`)
  return newest?.place
}

/**
 * The least place among the first events of ids from `firstId` on, by the primary key. 0: the first ones are from before the feed, and
 * have no place.
 */
export async function findPlaceFrom(
  queries: Queries,
  organizationId: string,
  { firstId, end, limit }: { firstId: string; end: number; limit: number },
) {
  const [first] = await queries.rows(sql<{ place: number | null }>`
    select min(coalesce(place, 0)) as place
      from (select place from events
             where org_id = ${organizationId} and id >= ${firstId} and coalesce(place, 0) <= ${end}
             order by id limit ${limit}) f`)
  return first?.place ?? undefined
}

/** `last`: the place of the last of the first `limit` events, whatever their names. */
export async function findWindow(queries: Queries, organizationId: string, { after, end, limit }: Span) {
  const [window] = await queries.rows(sql<{ last: number | null; count: number }>`
    select max(place) as last, count(*)::int as count
      from (select place from events
             where org_id = ${organizationId} and place > ${after} and place <= ${end} order by place limit ${limit}) w`)
  return { last: window?.last ?? undefined, isFull: window?.count === limit }
}

/** `end` is that of a window, which bounds the rows that are looked at. */
export const eventsNamed = (
  queries: Queries,
  organizationId: string,
  names: EventName[],
  { after, end, limit }: Span,
) =>
  queries.rows(sql<FeedEvent>`
    select place, id, name, payload from events
     where org_id = ${organizationId} and place > ${after} and place <= ${end} and name = any(${names}::text[])
     order by place limit ${limit}`)

/** The place of the newest event that retention has dropped; 0: none. */
export async function findFloor(queries: Queries, organizationId: string): Promise<number> {
  const [floor] = await queries.rows(sql<{ place: number }>`
    select place from event_floors where org_id = ${organizationId}`)
  return floor?.place ?? 0
}

export async function findEvent(queries: Queries, organizationId: string, eventId: string) {
  const [event] = await queries.rows(sql<{ name: EventName; payload: string }>`
    select name, payload from events where org_id = ${organizationId} and id = ${eventId}`)
  return event
}
