import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type LaneKey, toLaneKey } from './lane-key.ts'

/** Webhooks that one statement looks at, and deliveries it ends. */
const sweepWidth = 5_000
const sweepBatch = 1_000
const nil = '00000000-0000-0000-0000-000000000000'
export const firstLane: LaneKey = { organizationId: nil, webhookId: nil }

/** A lease that ends before `lapsedBefore` has expired. */
type Times = { now: string; lapsedBefore: string }

/** `next`: where to continue; undefined at the end. `hasLapsed`: a lease has expired, of whatever webhook. */
export type Swept = { next: LaneKey | undefined; armed: number; hasLapsed: boolean }

/**
 * Walks the webhooks from `from` on that have anything pending, a few index probes each. Arms the lanes that should be due earlier
 * than they are (their worker died between a commit and its wake-up), and ends as `cancelled` the deliveries whose webhook,
 * and so whose lane, was removed. Also reports whether any lease has expired, so that an idle process needs one statement instead
 * of two.
 */
export async function sweepLanes(queries: Queries, { now, lapsedBefore }: Times, from = firstLane): Promise<Swept> {
  const [row] = await queries.rows(sql<SweptRow>`
    with recursive pending as (
      (select org_id, webhook_id, 1 as number from deliveries
        where not in_flight and (org_id, webhook_id) >= (${from.organizationId}::uuid, ${from.webhookId}::uuid)
        order by org_id, webhook_id, priority_in_lane(trigger_name), due_at limit 1)
      union all
      select following.*, p.number + 1 from pending p cross join lateral (
        select org_id, webhook_id from deliveries
         where not in_flight and (org_id, webhook_id) > (p.org_id, p.webhook_id)
         order by org_id, webhook_id, priority_in_lane(trigger_name), due_at limit 1) following
       where p.number < ${sweepWidth}
    ), late as materialized (
      select l.*, first.due_at
        from pending p cross join lateral (
          select min(each.due_at) as due_at from (values (0), (1)) as priorities (priority) cross join lateral (
            select due_at from deliveries
             where org_id = p.org_id and webhook_id = p.webhook_id and priority_in_lane(trigger_name) = priorities.priority
               and not in_flight
             order by due_at limit 1) each) first
       cross join lateral (
          select org_id, webhook_id from lanes
           where org_id = p.org_id and webhook_id = p.webhook_id
             and greatest(first.due_at, resting_until) < next_due_at and (not is_full or in_flight = 0)
             for update skip locked) l
    ), armed as (
      update lanes l set is_full = false, next_due_at = least(l.next_due_at, greatest(late.due_at, l.resting_until))
        from late where l.org_id = late.org_id and l.webhook_id = late.webhook_id
      returning l.webhook_id
    ), orphan as materialized (
      select d.org_id, d.webhook_id, d.event_id
        from pending p cross join lateral (
          select org_id, webhook_id, event_id from deliveries
           where org_id = p.org_id and webhook_id = p.webhook_id and not in_flight limit ${sweepBatch}) d
       where not exists (select from lanes l where l.org_id = p.org_id and l.webhook_id = p.webhook_id)
       limit ${sweepBatch}
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
    select last.*, (select count(*)::int from armed) as armed, (select count(*)::int from cancelled) as cancelled,
           exists (select from deliveries where in_flight and due_at < ${lapsedBefore}) as lapsed
      from (values (1)) one left join (
        select org_id, webhook_id, number from pending order by number desc limit 1) last on true`)
  const { armed, cancelled, lapsed, ...last } = row as SweptRow
  const isCut = last.number === sweepWidth
  return {
    next: cancelled === sweepBatch ? from : isCut ? toLaneKey(last) : undefined,
    ...{ armed, hasLapsed: lapsed },
  }
}

/** The last webhook that was looked at, if there was any. */
type Last = { org_id: string; webhook_id: string; number: number }
type SweptRow = Last & { armed: number; cancelled: number; lapsed: boolean }
