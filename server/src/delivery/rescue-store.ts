import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Rows looked at by one rescue or one sweep; the rest waits for the next one. */
export const rescueBatch = 1_000

/**
 * Takes back the deliveries whose lease ended before `before` because their worker died: they are due at once, and the
 * attempt that nobody knows the end of does not count against the window. Gives how many.
 */
export async function rescueDeliveries(queries: Queries, before: string, now: string): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with expired as materialized (
      select org_id, webhook_id, event_id from deliveries
       where in_flight and due_at < ${before} order by due_at limit ${rescueBatch}
    ), lane as materialized (
      select l.org_id, l.webhook_id
        from (select distinct org_id, webhook_id from expired) e
        join lanes l on l.org_id = e.org_id and l.webhook_id = e.webhook_id
       order by l.org_id, l.webhook_id for update of l
    ), rescued as (
      update deliveries d
         set in_flight = false, claim = null, due_at = ${now}, tries = d.tries - 1,
             window_opened_at = case when d.tries > 1 then d.window_opened_at end
        from expired e
       where d.org_id = e.org_id and d.webhook_id = e.webhook_id and d.event_id = e.event_id
         and d.in_flight and d.due_at < ${before} and (select count(*) from lane) >= 0
      returning d.org_id, d.webhook_id
    ), freed as (
      select org_id, webhook_id, count(*)::int as count from rescued group by 1, 2
    ), armed as (
      update lanes l
         set in_flight = l.in_flight - f.count, is_full = false, next_due_at = least(l.next_due_at, ${now}::timestamptz)
        from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id
    )
    select count(*)::int as count from rescued`)
  return row?.count ?? 0
}

/**
 * Walks the webhooks that have anything pending, one index probe each. Arms the lanes that should be due earlier than
 * they are (their worker died between a commit and its wake-up), and ends as `cancelled` the deliveries whose webhook,
 * and so whose lane, was removed. Gives how many were cancelled.
 */
export async function sweepLanes(queries: Queries, now: string): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with recursive pending as (
      (select org_id, webhook_id, due_at from deliveries where not in_flight
        order by org_id, webhook_id, due_at limit 1)
      union all
      select following.* from pending p cross join lateral (
        select org_id, webhook_id, due_at from deliveries
         where not in_flight and (org_id, webhook_id) > (p.org_id, p.webhook_id)
         order by org_id, webhook_id, due_at limit 1) following
    ), late as materialized (
      select l.org_id, l.webhook_id, p.due_at
        from pending p join lanes l on l.org_id = p.org_id and l.webhook_id = p.webhook_id
       where greatest(p.due_at, l.resting_until) < l.next_due_at and (not l.is_full or l.in_flight = 0)
       order by 1, 2 for update of l skip locked
    ), armed as (
      update lanes l set is_full = false, next_due_at = least(l.next_due_at, greatest(late.due_at, l.resting_until))
        from late where l.org_id = late.org_id and l.webhook_id = late.webhook_id
    ), orphan as materialized (
      select d.org_id, d.webhook_id, d.event_id
        from pending p cross join lateral (
          select org_id, webhook_id, event_id from deliveries
           where org_id = p.org_id and webhook_id = p.webhook_id and not in_flight limit ${rescueBatch}) d
       where not exists (select from lanes l where l.org_id = p.org_id and l.webhook_id = p.webhook_id)
       limit ${rescueBatch}
    ), cancelled as (
      delete from deliveries d using orphan o
       where d.org_id = o.org_id and d.webhook_id = o.webhook_id and d.event_id = o.event_id and not d.in_flight
      returning d.*
    ), logged as (
      insert into finished_deliveries
        (org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempts, finished_at)
      select org_id, webhook_id, event_id, trigger_name, 'cancelled', 'webhook_deleted', attempts_count, attempts,
             ${now}::timestamptz
        from cancelled
    )
    select count(*)::int as count from cancelled`)
  return row?.count ?? 0
}
