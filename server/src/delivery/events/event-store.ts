import type { Queries } from '../../ground/database/database.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { lockingPositions, nextPosition } from '../../ground/positions/index.ts'
import type { EventName } from './event-json.ts'

/** What is delivered of an event. `traceparent`: of the span that published it, where that is traced. */
export type EventContent = { payload: string; traceparent?: string | null | undefined }

/**
 * `payload` is JSON text without line breaks. `provider`: of a sign-in, for the statistics. `onlyWebhookId`: no other webhook gets it,
 * whatever its triggers.
 */
export type StoredEvent = EventContent & {
  id: string
  name: EventName
  provider?: string | undefined
  onlyWebhookId?: string | undefined
}

const nothing = { column: fragment``, values: fragment`` }

/** Another array takes 3 % of the time of inserting one event (measured): none where no event has a value. */
function providersOf(events: StoredEvent[]) {
  if (!events.some(({ provider }) => provider)) return nothing
  return { column: fragment`, provider`, values: fragment`, ${events.map(({ provider }) => provider ?? null)}::text[]` }
}

function traceparentsOf(events: StoredEvent[]) {
  if (!events.some(({ traceparent }) => traceparent)) return nothing
  const values = fragment`, ${events.map(({ traceparent }) => traceparent ?? null)}::text[]`
  return { column: fragment`, traceparent`, values }
}

/** Of an event that is published and claimed in one statement, which has a part `claim` (name, claimed_by, claimed_for). */
const claimed = { columns: fragment`, claimed_by, claimed_for`, join: fragment` left join claim using (name)` }
const unclaimed = { columns: fragment``, join: fragment`` }

/**
 * CTEs that end with `published` (id, name); positions are drawn in the order of `events`. Payloads travel as lines of one text: in an
 * array parameter every quote would be escaped.
 */
export const insertEvents = (organizationId: string, events: StoredEvent[], { isClaimed } = { isClaimed: false }) => {
  const [providers, traceparents] = [providersOf(events), traceparentsOf(events)]
  const claims = isClaimed ? claimed : unclaimed
  const columns = fragment`${providers.column}${traceparents.column}`
  return fragment`
    ${lockingPositions}, published as (
      insert into events (org_id, id, name, payload, position${columns}${claims.columns})
      select ${organizationId}::uuid, e.id, e.name, e.payload, ${nextPosition}${columns}${claims.columns}
        from held cross join unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ name }) => name)}::text[],
                          string_to_array(${events.map(({ payload }) => payload).join('\n')}, E'\\n')${providers.values}${traceparents.values})
                     with ordinality as e (id, name, payload${columns}, position)${claims.join}
       order by e.position
      returning id, name
    )`
}

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
