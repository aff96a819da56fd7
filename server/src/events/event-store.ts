import type { Queries } from '../database/database.ts'
import { fragment, sql } from '../database/sql.ts'
import { nextPlace, placing } from '../places/index.ts'
import type { EventName } from './event-json.ts'

/** `payload` is JSON text without line breaks. `provider`: of a sign-in, for the statistics. */
export type StoredEvent = { id: string; name: EventName; payload: string; provider?: string | undefined }

/**
 * CTEs that end with `published` (id, name); places are drawn in the order of `events`. Payloads travel as lines of one text: in an
 * array parameter every quote would be escaped. Without a provider the statement has no column for it: another array took 3 % of the
 * time of inserting one event (measured).
 */
export const insertEvents = (organizationId: string, events: StoredEvent[]) => {
  const hasProvider = events.some(({ provider }) => provider !== undefined)
  const column = hasProvider ? fragment`, provider` : fragment``
  const values = hasProvider ? fragment`, ${events.map(({ provider }) => provider ?? null)}::text[]` : fragment``
  return fragment`
    ${placing}, published as (
      insert into events (org_id, id, name, payload, place${column})
      select ${organizationId}::uuid, e.id, e.name, e.payload, ${nextPlace}${column}
        from held, unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ name }) => name)}::text[],
                          string_to_array(${events.map(({ payload }) => payload).join('\n')}, E'\\n')${values})
                     with ordinality as e (id, name, payload${column}, position)
       order by e.position
      returning id, name
    )`
}

/**
 * Payloads by event id. The bounds let PostgreSQL open only the partitions of those days; with the list of ids alone it
 * would open all partitions.
 */
export async function loadPayloads(queries: Queries, events: { organizationId: string; eventId: string }[]) {
  if (events.length === 0) return new Map<string, string>()
  const organizationIds = events.map(({ organizationId }) => organizationId)
  const eventIds = events.map(({ eventId }) => eventId)
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql<{ id: string; payload: string }>`
    select e.id, e.payload
      from unnest(${organizationIds}::uuid[], ${eventIds}::uuid[]) as wanted (org_id, id)
      join events e on e.org_id = wanted.org_id and e.id = wanted.id
     where e.id >= ${bounds.at(0)}::uuid and e.id <= ${bounds.at(-1)}::uuid`)
  return new Map(rows.map((row) => [row.id, row.payload]))
}
