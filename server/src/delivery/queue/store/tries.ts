/** A delivery that is tried out of its order: its lane names it until a worker claims it, though the lane is paused or cools down. */
import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow, hasRow } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { ClaimedDelivery, Lease } from '../delivery.ts'
import { type QueuedRow, toClaimed } from './claim.ts'
import { isFreeFor, unleased } from './lanes.ts'

/** Lanes of which one claim takes the delivery. */
const maxClaimed = 4

/** Not while its organization moves, nor in a copy where nobody has resumed it: no receiver is called there. */
const mayTry = fragment`(coalesce(paused_reason in ('requested', 'failing'), true) and not is_restored)`

/** `busy`: one is in flight, or is to be tried already. */
export type Chosen = { event_id: string; attempts_count: number } | 'no_webhook' | 'not_here' | 'busy' | 'none'

/**
 * Chooses the delivery that would go next: by its priority, and then by when it is due. Under the lock of the lane, so that of two
 * callers at once one finds it chosen.
 */
export async function chooseToTry(tx: Transaction, organizationId: string, webhookId: string): Promise<Chosen> {
  const lane = await firstRow(tx)(sql<{ may_try: boolean; busy: boolean }>`
    select ${mayTry} as may_try, in_flight > 0 or trying is not null as busy from lanes
     where org_id = ${organizationId} and webhook_id = ${webhookId} and not is_logout for update`)
  if (!lane) return 'no_webhook'
  if (!lane.may_try) return 'not_here'
  if (lane.busy) return 'busy'
  const chosen = await firstRow(tx)(sql<{ event_id: string; attempts_count: number }>`
    update lanes l set trying = d.event_id
      from (select next.event_id, next.attempts_count from lanes l cross join (values (0), (1)) as priorities (priority) cross join lateral (
              select event_id, attempts_count, available_at ${unleased(fragment`priorities.priority`)} order by available_at limit 1) next
             where l.org_id = ${organizationId} and l.webhook_id = ${webhookId}
             order by priorities.priority, next.available_at limit 1) d
     where l.org_id = ${organizationId} and l.webhook_id = ${webhookId}
    returning d.event_id, d.attempts_count`)
  return chosen ?? 'none'
}

export const hasTries = (queries: Queries) =>
  hasRow(queries)(sql`select from lanes where trying is not null and ${mayTry} limit 1`)

type Claim = Lease & { excluded: string[] }

/**
 * Claims what is to be tried, of lanes that this worker may have. One that waits no more is forgotten. While its webhook is paused it has
 * no window, as of when it is resumed; else its window goes on.
 */
export async function claimTries(queries: Queries, { leaseToken, leaseEnd, workerId, excluded }: Claim) {
  const rows = await queries.rows(sql<TriedRow>`
    with lane as materialized (
      select org_id, webhook_id, trying, paused_reason is not null as paused, resumed_at, healthy, failing and not healthy as failing,
             max_in_flight, max_requests, failures
        from lanes
       where trying is not null and ${mayTry} and in_flight < max_in_flight and ${isFreeFor(workerId)}
         and org_id <> all(${excluded}::uuid[])
       limit ${maxClaimed} for update skip locked
    ), claimed as (
      update deliveries d
         set is_leased = true, available_at = ${leaseEnd}, lease_token = ${leaseToken}, attempts_count = attempts_count + 1,
             window_attempts = case when d.window_opened_at >= l.resumed_at and not l.paused then d.window_attempts + 1 else 1 end,
             window_opened_at = case when d.window_opened_at >= l.resumed_at and not l.paused then d.window_opened_at end
        from lane l
       where d.org_id = l.org_id and d.webhook_id = l.webhook_id and d.event_id = l.trying
         and case when d.is_leased then false else true end
      returning d.ctid as row_location, d.org_id, d.webhook_id, d.event_id, d.trigger_name, d.attempts_count, d.window_attempts,
                d.window_opened_at, d.trigger_created_at, l.paused, l.healthy, l.failing, l.max_in_flight, l.max_requests, l.failures
    ), updated_lanes as (
      update lanes l
         set trying = null, in_flight = l.in_flight + (c.event_id is not null)::int,
             leased_by = case when c.event_id is not null then ${workerId}::uuid else l.leased_by end
        from lane left join claimed c using (org_id, webhook_id)
       where l.org_id = lane.org_id and l.webhook_id = lane.webhook_id
    )
    select * from claimed`)
  return rows.map((row) => toDelivery(row, { leaseToken, leaseEnd }))
}

type TriedRow = QueuedRow & { event_id: string; row_location: string; paused: boolean }

const toDelivery = (row: TriedRow, lease: Omit<Lease, 'workerId'>): ClaimedDelivery => ({
  ...toClaimed(row, lease),
  eventId: row.event_id,
  rowLocation: row.row_location,
  isHeld: row.paused,
})
