import type { Queries } from '../../ground/database/database.ts'
import { valueIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { lockingPositions, nextPosition } from '../../ground/positions/index.ts'
import type { EventName } from './event-json.ts'
import type { SignInEvent } from './sign-in-event.ts'

/** What is delivered of an event. `traceparent`: of the span that published it, where that is traced. */
export type EventContent = { payload: string; traceparent?: string | null | undefined }

/** `payload` is JSON text without line breaks. `personId`: whom it is about. */
export type StoredEvent = EventContent & {
  id: string
  name: EventName
  personId?: string | undefined
  signIn?: SignInEvent | undefined
}

const nothing = { column: fragment``, values: fragment`` }

/** Another array takes 3 % of the time of inserting one event (measured): none where no event has a value. */
function personsOf(events: StoredEvent[]) {
  if (!events.some(({ personId }) => personId)) return nothing
  return {
    column: fragment`, person_id`,
    values: fragment`, ${events.map(({ personId }) => personId ?? null)}::uuid[]`,
  }
}

function signInsOf(events: StoredEvent[]) {
  if (!events.some(({ signIn }) => signIn)) return nothing
  const each = <Value>(of: (signIn: SignInEvent) => Value | undefined) =>
    events.map(({ signIn }) => (signIn && of(signIn)) ?? null)
  return {
    column: fragment`, provider, outcome, client_id, credential_id, client_ip_address, handle_type, handle_hash, handle_value, handle_verified`,
    values: fragment`, ${each(({ provider }) => provider)}::text[], ${each(({ outcome }) => outcome)}::text[],
                     ${each(({ clientId }) => clientId)}::text[], ${each(({ credentialId }) => credentialId)}::uuid[],
                     ${each(({ clientAddress }) => clientAddress)}::text[], ${each(({ handle }) => handle?.type)}::text[],
                     ${each(({ handle }) => handle?.hash)}::text[], ${each(({ handle }) => handle?.value)}::text[],
                     ${each(({ handle }) => handle?.verified)}::boolean[]`,
  }
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
  const [persons, signIns, traceparents] = [personsOf(events), signInsOf(events), traceparentsOf(events)]
  const claims = isClaimed ? claimed : unclaimed
  const columns = fragment`${persons.column}${signIns.column}${traceparents.column}`
  return fragment`
    ${lockingPositions}, published as (
      insert into events (org_id, id, name, payload, position${columns}${claims.columns})
      select ${organizationId}::uuid, e.id, e.name, e.payload, ${nextPosition}${columns}${claims.columns}
        from held cross join unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ name }) => name)}::text[],
                          string_to_array(${events.map(({ payload }) => payload).join('\n')}, E'\\n')${persons.values}${signIns.values}${traceparents.values})
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

export const nameOfEvent = (queries: Queries, organizationId: string, eventId: string) =>
  valueIn(queries)(sql<{ name: EventName }>`
    select name from events where org_id = ${organizationId} and id = ${eventId}`)

/**
 * Takes the addresses from the sign-ins of a person who is deleted, and from those that nobody was recognised in and that told one of
 * these. Their hashes stay.
 */
export const forgetHandles = (queries: Queries, organizationId: string, personId: string, hashes: string[]) =>
  queries.rows(sql`
    update events set handle_value = null
     where org_id = ${organizationId} and handle_value is not null
       and (person_id = ${personId} or handle_hash = any(${hashes}::text[]) and person_id is null)`)
