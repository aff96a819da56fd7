import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { FinalStatus } from '../delivery/index.ts'

/** Times in RFC 3339, whole minutes; `stepSeconds`: of a point, which begins at `since` or a whole number of steps later. */
export type Span = { since: string; until: string; stepSeconds: number }

/** `point`: how many steps after `since`. */
export type EventCount = { point: number; outcome: string; method: string; count: number }

/** Sums of the counts by point; of sign-ins also by how and by which method they ended, which are empty for others. */
export const sumEvents = (queries: Queries, organizationId: string, { since, until, stepSeconds }: Span) =>
  queries.rows(sql<EventCount>`
    select floor(extract(epoch from minute - ${since}::timestamptz) / ${stepSeconds})::int as point, outcome, method,
           sum(count)::bigint as count
      from event_counts where org_id = ${organizationId} and minute >= ${since} and minute < ${until}
     group by 1, 2, 3 order by 1, 2, 3`)

export type EndedCount = { point: number; status: FinalStatus; count: number }

export const sumEnded = (queries: Queries, organizationId: string, { since, until, stepSeconds }: Span) =>
  queries.rows(sql<EndedCount>`
    select floor(extract(epoch from minute - ${since}::timestamptz) / ${stepSeconds})::int as point, status, sum(count)::bigint as count
      from delivery_minute_counts where org_id = ${organizationId} and minute >= ${since} and minute < ${until}
     group by 1, 2`)

/** Deliveries in the queue that are counted. */
export const maxCounted = 100_000

/** Of what is in the queue now, `maxCounted` at most. */
export async function countWaiting(queries: Queries, organizationId: string) {
  const [row] = await queries.rows(sql<{ pending: number; in_flight: number; held: number }>`
    select count(*) filter (where not is_leased and paused_reason is null)::int as pending,
           count(*) filter (where is_leased)::int as in_flight,
           count(*) filter (where not is_leased and paused_reason is not null)::int as held
      from (select webhook_id, is_leased from deliveries where org_id = ${organizationId} limit ${maxCounted}) d
      left join (select webhook_id, paused_reason from lanes where org_id = ${organizationId}) l using (webhook_id)`)
  return row ?? { pending: 0, in_flight: 0, held: 0 }
}

/** The delivery that has been due for longest at `now`, by one probe for each webhook and priority that has any. */
export async function findOldestDue(queries: Queries, organizationId: string, now: string) {
  const [row] = await queries.rows(sql<{ webhook_id: string; event_id: string; due_at: Date }>`
    select l.webhook_id, d.event_id, d.available_at as due_at
      from lanes l cross join (values (0), (1)) as priorities (priority) cross join lateral (
        select event_id, available_at from deliveries
         where org_id = ${organizationId} and webhook_id = l.webhook_id and priority_in_lane(trigger_name) = priorities.priority
           and not is_leased and available_at <= ${now}
         order by available_at limit 1) d
     where l.org_id = ${organizationId} and l.paused_reason is null and l.next_due_at < 'infinity'
     order by d.available_at limit 1`)
  return row
}
