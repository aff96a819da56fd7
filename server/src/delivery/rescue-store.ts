import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Rows looked at by one rescue; the rest waits for the next one. */
export const rescueBatch = 1_000

/**
 * Takes back the deliveries whose lease ended before `before` because their worker died: they are due at once, and the
 * attempt that nobody knows the end of does not count against the window. Gives how many.
 */
export async function rescueDeliveries(queries: Queries, before: string, now: string): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with expired as materialized (
      select org_id, webhook_id, claim, ctid as place from deliveries
       where in_flight and due_at < ${before} order by due_at limit ${rescueBatch}
    ), lane as materialized (
      select l.*
        from (select distinct org_id, webhook_id from expired order by org_id, webhook_id) e
       cross join lateral (
         select org_id, webhook_id from lanes where org_id = e.org_id and webhook_id = e.webhook_id for update) l
    ), rescued as (
      update deliveries d
         set in_flight = false, claim = null, due_at = ${now}, tries = d.tries - 1,
             window_opened_at = case when d.tries > 1 then d.window_opened_at end
        from expired e
       where d.ctid = e.place and d.claim = e.claim and (select count(*) from lane) >= 0
      returning d.org_id, d.webhook_id
    ), freed as (
      select org_id, webhook_id, count(*)::int as count from rescued group by 1, 2
    ), armed as (
      update lanes l
         set in_flight = l.in_flight - f.count, is_full = false,
             next_due_at = least(l.next_due_at, greatest(${now}::timestamptz, l.resting_until))
        from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id
    )
    select count(*)::int as count from rescued`)
  return row?.count ?? 0
}
