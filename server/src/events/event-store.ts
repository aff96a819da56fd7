import type { Queries } from '../database/database.ts'
import { fragment, sql } from '../database/sql.ts'
import { nextPlace, placing } from '../places/index.ts'
import type { EventName } from './event-json.ts'

/** What is delivered of an event. `traceparent`: of the span that published it, where that is traced. */
export type EventContent = { payload: string; traceparent?: string | null | undefined }

/** `payload` is JSON text without line breaks. */
export type StoredEvent = EventContent & { id: string; name: EventName }

const nothing = fragment``
const isTraced = (events: StoredEvent[]) => events.some(({ traceparent }) => traceparent)
const traceparentsOf = (events: StoredEvent[]) =>
  fragment`, (${events.map(({ traceparent }) => traceparent ?? null)}::text[])[e.position::int]`

/**
 * CTEs that end with `published` (id, name); places are drawn in the order of `events`. Payloads travel as lines of one text: in an
 * array parameter every quote would be escaped. The spans are written only where one is traced.
 */
export const insertEvents = (organizationId: string, events: StoredEvent[]) => fragment`
    ${placing}, published as (
      insert into events (org_id, id, name, payload, place${isTraced(events) ? fragment`, traceparent` : nothing})
      select ${organizationId}::uuid, e.id, e.name, e.payload, ${nextPlace}${isTraced(events) ? traceparentsOf(events) : nothing}
        from held, unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ name }) => name)}::text[],
                          string_to_array(${events.map(({ payload }) => payload).join('\n')}, E'\\n'))
                     with ordinality as e (id, name, payload, position)
       order by e.position
      returning id, name
    )`

/**
 * By event id. The bounds let PostgreSQL open only the partitions of those days; with the list of ids alone it
 * would open all partitions.
 */
export async function loadPayloads(queries: Queries, events: { organizationId: string; eventId: string }[]) {
  if (events.length === 0) return new Map<string, EventContent>()
  const organizationIds = events.map(({ organizationId }) => organizationId)
  const eventIds = events.map(({ eventId }) => eventId)
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql<EventContent & { id: string }>`
    select e.id, e.payload, e.traceparent
      from unnest(${organizationIds}::uuid[], ${eventIds}::uuid[]) as wanted (org_id, id)
      join events e on e.org_id = wanted.org_id and e.id = wanted.id
     where e.id >= ${bounds.at(0)}::uuid and e.id <= ${bounds.at(-1)}::uuid`)
  return new Map(rows.map(({ id, ...content }) => [id, content]))
}
