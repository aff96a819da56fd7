import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Of one webhook in the queue: the event that it has waited for longest. */
export type Overdue = { organizationId: string; webhookId: string; eventId: string }

/**
 * Walks the webhooks that have anything in the queue, with a lane or without, one probe of the primary key each. Gives
 * those whose oldest event is before the id `before`, the oldest first, `most` of them.
 */
export async function findOverdue(queries: Queries, before: string, most: number): Promise<Overdue[]> {
  const rows = await queries.rows(sql<{ org_id: string; webhook_id: string; event_id: string }>`
    with recursive oldest as (
      (select org_id, webhook_id, event_id from deliveries order by org_id, webhook_id, event_id limit 1)
      union all
      select following.* from oldest o cross join lateral (
        select org_id, webhook_id, event_id from deliveries
         where (org_id, webhook_id) > (o.org_id, o.webhook_id)
         order by org_id, webhook_id, event_id limit 1) following
    )
    select * from oldest where event_id < ${before} order by event_id limit ${most}`)
  return rows.map((row) => ({ organizationId: row.org_id, webhookId: row.webhook_id, eventId: row.event_id }))
}

/**
 * Ends up to `most` deliveries of a webhook whose event is before the id `before`, the oldest first, as dropped: queue,
 * log and counts change together or not at all. Those in flight are left to their worker, so the lane counts the same.
 * Gives how many.
 */
export async function expireDeliveries(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  { before, now, most }: { before: string; now: string; most: number },
): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with lane as materialized (
      select from lanes where org_id = ${organizationId} and webhook_id = ${webhookId} for update
    ), old as materialized (
      select event_id from deliveries
       where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before} and not in_flight
       order by event_id limit ${most}
    ), expired as (
      delete from deliveries d using old o
       where d.org_id = ${organizationId} and d.webhook_id = ${webhookId} and d.event_id = o.event_id
         and not d.in_flight and (select count(*) from lane) >= 0
      returning d.*
    ), logged as (
      insert into finished_deliveries
        (org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempts, finished_at)
      select org_id, webhook_id, event_id, trigger_name, 'dropped', 'expired', attempts_count, attempts,
             ${now}::timestamptz
        from expired
    ), counted as (
      insert into delivery_counts as c (org_id, webhook_id, day, status, count)
      select org_id, webhook_id, (${now}::timestamptz at time zone 'UTC')::date, 'dropped', count(*)
        from expired group by 1, 2
      on conflict (org_id, webhook_id, day, status) do update set count = c.count + excluded.count
    )
    select count(*)::int as count from expired`)
  return row?.count ?? 0
}

/** The oldest event before the id `before` with a delivery that ended without success after `since`. */
export async function oldestEndedSince(queries: Queries, before: string, since: string): Promise<string | undefined> {
  const [row] = await queries.rows(sql<{ event_id: string }>`
    select event_id from finished_deliveries
     where event_id < ${before} and status <> 'succeeded' and finished_at > ${since}
     order by event_id limit 1`)
  return row?.event_id
}

/** Removes up to `most` counts of days before `day`, and gives how many. Those that another process removes are left to it. */
export async function removeCounts(queries: Queries, day: string, most: number): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with old as materialized (
      select org_id, webhook_id, day, status from delivery_counts where day < ${day}::date
       order by day limit ${most} for update skip locked
    ), removed as (
      delete from delivery_counts c using old o
       where c.org_id = o.org_id and c.webhook_id = o.webhook_id and c.day = o.day and c.status = o.status
      returning c.day
    )
    select count(*)::int as count from removed`)
  return row?.count ?? 0
}
