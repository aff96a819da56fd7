import type { Queries } from '../../ground/database/database.ts'
import { firstRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import type { FinalStatus } from '../queue/index.ts'

/** Times in RFC 3339, whole minutes; `stepSeconds`: of a point, which begins at `since` or a whole number of steps later. */
export type Span = { since: string; until: string; stepSeconds: number }

/** `point`: how many steps after `since`. */
export type EventCount = { point: number; outcome: string; method: string; provider: string | null; count: number }

/**
 * Sums of the counts by point; of sign-ins also by how and by which method they ended, which are empty for others, and by
 * provider. Those of a provider are in `event_counts` as well, so they are taken from what has none.
 */
export const sumEvents = (queries: Queries, organizationId: string, { since, until, stepSeconds }: Span) =>
  queries.rows(sql<EventCount>`
    select floor(extract(epoch from minute - ${since}::timestamptz) / ${stepSeconds})::int as point, outcome, method, provider,
           sum(count)::bigint as count
      from (
        select minute, outcome, method, null as provider, count
          from event_counts where org_id = ${organizationId} and minute >= ${since} and minute < ${until}
        union all
        select minute, outcome, method, unnest(array[null, provider]), unnest(array[-count, count])
          from provider_counts where org_id = ${organizationId} and minute >= ${since} and minute < ${until}) counted
     group by 1, 2, 3, 4 having sum(count) > 0 order by 1, 2, 3, 4`)

export type EndedCount = { point: number; status: FinalStatus; is_logout: boolean; count: number }

/** Never below zero: of what has left the log its end may have been counted by no minute, or by one that is gone. */
export const sumEnded = (queries: Queries, organizationId: string, { since, until, stepSeconds }: Span) =>
  queries.rows(sql<EndedCount>`
    select floor(extract(epoch from minute - ${since}::timestamptz) / ${stepSeconds})::int as point, status, session < 0 as is_logout,
           greatest(0, sum(count))::bigint as count
      from delivery_minute_counts where org_id = ${organizationId} and minute >= ${since} and minute < ${until}
     group by 1, 2, 3`)

/** Deliveries in the queue that are counted of those whose webhook is paused, and of the others. */
export const maxCounted = 100_000

/**
 * Of webhooks, as the list of deliveries has them: without logout tokens. Lanes know how many of the queue are in flight; the rest is
 * counted by the key. Others are in flight without a row in the queue.
 */
export async function countUnfinished(queries: Queries, organizationId: string) {
  const rows = await queries.rows(sql<{ is_paused: boolean; in_flight: number; count: number; unqueued: number }>`
    select is_paused, coalesce(in_flight, 0)::int as in_flight, counted.count,
           (select count(*)::int from (
              select from unqueued_deliveries where org_id = ${organizationId} limit ${maxCounted}) each) as unqueued
      from (values (false), (true)) as kinds (is_paused)
      left join (select paused_reason is not null as is_paused, sum(in_flight) as in_flight
                   from lanes where org_id = ${organizationId} and not is_logout group by 1) l using (is_paused)
     cross join lateral (
       select count(*)::int as count from (
         select from lanes w cross join lateral (
           select from deliveries where org_id = ${organizationId} and webhook_id = w.webhook_id offset 0) d
          where w.org_id = ${organizationId} and not w.is_logout and (w.paused_reason is not null) = is_paused
          limit ${maxCounted}::bigint + coalesce(l.in_flight, 0)) waiting) counted`)
  const waitingOf = (isPaused: boolean) =>
    rows
      .filter((row) => row.is_paused === isPaused)
      .reduce((sum, row) => sum + Math.max(0, row.count - row.in_flight), 0)
  const inFlight = rows.reduce((sum, row) => sum + row.in_flight, rows[0]?.unqueued ?? 0)
  return { pending: waitingOf(false), in_flight: inFlight, held: waitingOf(true) }
}

/** The delivery that has been due for longest at `now`, by one probe for each webhook and priority that has any. */
export const findOldestDue = (queries: Queries, organizationId: string, now: string) =>
  firstRow(queries)(sql<{ webhook_id: string; event_id: string; due_at: Date }>`
    select l.webhook_id, d.event_id, d.available_at as due_at
      from lanes l cross join (values (0), (1)) as priorities (priority) cross join lateral (
        select event_id, available_at from deliveries
         where org_id = ${organizationId} and webhook_id = l.webhook_id and priority_in_lane(trigger_name) = priorities.priority
           and not is_leased and available_at <= ${now}
         order by available_at limit 1) d
     where l.org_id = ${organizationId} and l.paused_reason is null and not l.is_logout and l.next_due_at < 'infinity'
     order by d.available_at limit 1`)
