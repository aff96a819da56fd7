import type { Queries } from '../../../ground/database/database.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Claimable, ReceiverClass } from '../capacity.ts'
import { type ClaimedDelivery, type Concurrency, type Lease, nameOfLane, toLaneKey } from '../delivery.ts'
import { classRows, firstAttempts, isFreeFor, isInClass, retries, unleased } from './lanes.ts'

type ClaimRequest = Lease & { now: string; claimable: Claimable }

/** Priorities in a lane. Literal, so that every plan may use the index. */
const first = fragment`0`
const last = fragment`1`
/** Taken from a lane at least before it goes to the back of the queue, when many lanes are due. */
const minQuota = 8

export type Claimed = {
  /** Lanes by who has waited longest; of a lane page events last, and the oldest with those that are alike. */
  deliveries: ClaimedDelivery[]
  /** Whether another claim at once would find something. */
  hasMore: boolean
}

/**
 * Claims due deliveries: lanes by who has waited longest, a few from each, never more of a lane than may be in flight.
 * One statement, whose cost does not depend on the backlog (0.26 ms beside 1,000,000 pending, measured). A saturated lane is woken by
 * a settlement, an empty one sleeps until its next delivery is due. Of a lane what was attempted before goes first, for its schedule
 * says when. A page event is taken only where nothing else of its lane is due.
 *
 * A lane that was woken between this statement's snapshot and its lock may have deliveries that the snapshot does not see: `changed`
 * keeps it due, so that no wake-up is lost. For the same reason deliveries are judged again as they are updated, and counted then,
 * not as they are picked; by a `case`, which no index but the primary key answers.
 *
 * Deliveries that differ only in event and row location are returned as one row. `alike` is materialized so that it is hashed: else
 * the final order has it sorted by all its columns. A claim on publish (`enqueue.ts`) has stricter conditions.
 */
export async function claimDeliveries(queries: Queries, claim: ClaimRequest): Promise<Claimed> {
  const { now, leaseEnd, leaseToken, workerId, claimable } = claim
  const columnsOf = (receivers: ReceiverClass) => {
    const { limit, excluded } = claimable[receivers]
    const quota = receivers === 'healthy' ? minQuota : 1
    return fragment`, ${Math.ceil(limit / quota)}::int, ${limit}::int, ${quota}::int, ${excluded}::uuid[]`
  }
  const rows = await queries.rows(sql<AlikeRow & { more: boolean }>`
    with class (healthy, failing, lanes, claim_limit, min_quota, excluded) as (
      ${classRows(columnsOf)}
    ), due as materialized (
      select l.*, class.lanes, class.claim_limit, class.min_quota
        from class cross join lateral (
          select org_id, webhook_id, in_flight, max_requests, failures, healthy, failing and not healthy as failing, resumed_at,
                 ${maxInFlight(claimable.ofNew)} as max_in_flight, next_due_at as due_since, xmin as version from lanes
           where ${isInClass} and next_due_at <= ${now} and ${isFreeFor(workerId)} and org_id <> all(class.excluded)
           order by next_due_at limit class.lanes for update skip locked) l
    ), lane as materialized (
      select due.*, due.version <> seen.xmin as changed,
             greatest(0, least(due.max_in_flight - due.in_flight,
                               greatest(min_quota, claim_limit / count(*) over (partition by due.healthy, due.failing))))::int as quota
        from due join lanes seen on seen.org_id = due.org_id and seen.webhook_id = due.webhook_id
    ), pick as materialized (
      select l.healthy, l.failing, l.max_in_flight, l.max_requests, l.failures, l.resumed_at, l.due_since, d.row_location, d.available_at
        from lane l cross join lateral (
          (select ctid as row_location, available_at ${retries(first)} and available_at <= ${now} order by available_at limit l.quota)
          union all
          (select ctid, available_at ${firstAttempts(first)} and available_at <= ${now} order by available_at limit l.quota)
          union all
          (select ctid, available_at ${retries(last)} and available_at <= ${now} order by available_at limit l.quota)
          union all
          (select ctid, available_at ${firstAttempts(last)} and available_at <= ${now} order by available_at limit l.quota)
          limit l.quota) d
    ), claimed as (
      update deliveries d
         set is_leased = true, available_at = ${leaseEnd}, lease_token = ${leaseToken}, attempts_count = attempts_count + 1,
             window_attempts = case when d.window_opened_at >= p.resumed_at then d.window_attempts + 1 else 1 end,
             window_opened_at = case when d.window_opened_at >= p.resumed_at then d.window_opened_at end
        from pick p
       where d.ctid = p.row_location and case when d.is_leased then false else d.available_at <= ${now} end
      returning d.ctid as row_location, d.org_id, d.webhook_id, d.event_id, d.trigger_name, d.attempts_count,
                d.window_attempts, d.window_opened_at, d.trigger_created_at, p.healthy, p.failing, p.max_in_flight, p.max_requests, p.failures,
                p.due_since, p.available_at as was_available_at
    ), taken as (
      select l.org_id, l.webhook_id, l.quota, l.changed, l.max_in_flight, count(c.event_id)::int as count
        from lane l left join claimed c using (org_id, webhook_id) group by 1, 2, 3, 4, 5
    ), updated_lanes as (
      update lanes l
         set in_flight = l.in_flight + t.count, leased_by = case when t.count > 0 then ${workerId}::uuid else l.leased_by end, saturated = l.in_flight + t.count >= t.max_in_flight,
             next_due_at = case
               when l.in_flight + t.count >= t.max_in_flight then 'infinity'
               when t.changed or t.count = t.quota then ${now}
               else coalesce(least(
                 (select available_at ${unleased(first)} and available_at > ${now} order by available_at limit 1),
                 (select available_at ${unleased(last)} and available_at > ${now} order by available_at limit 1)), 'infinity') end
        from taken t where l.org_id = t.org_id and l.webhook_id = t.webhook_id
      returning l.next_due_at
    ), alike as materialized (
      select due_since, org_id, webhook_id, trigger_name, trigger_created_at, attempts_count, window_attempts, window_opened_at,
             healthy, failing, max_in_flight, max_requests, failures, min(was_available_at) as oldest, string_agg(event_id::text, ' ') as event_ids,
             string_agg(row_location::text, ' ') as row_locations
        from claimed group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    )
    select *, (select bool_or(next_due_at <= ${now}) from updated_lanes)
              or exists (select from due group by healthy, failing having count(*) = min(lanes)) as more
      from alike order by due_since, org_id, webhook_id, priority_in_lane(trigger_name), window_attempts = 1, oldest`)
  return { deliveries: rows.flatMap((row) => toDeliveries(row, claim)), hasMore: rows[0]?.more ?? false }
}

/**
 * A receiver that has not answered yet, or was resumed, has one in the row and may have as many as requests. Where places are scarce
 * it has one, and so has one that fails.
 */
const maxInFlight = ({ maxInFlight, crowded }: Claimable['ofNew']) => fragment`
  (case when healthy or (max_in_flight > 1 and failures = 0) then max_in_flight when org_id = any(${crowded}::uuid[]) then 1
        when failures = 0 then ${maxInFlight}::int else least(max_in_flight, ${maxInFlight}::int) end)`

export type ConcurrencyRow = { max_requests: number | null; failures: number }
export const concurrencyOf = ({ max_requests, failures }: ConcurrencyRow): Concurrency => ({
  maxRequests: max_requests ?? Infinity,
  failures,
})

/** What a claim reads of a delivery, besides which event it is of and where its row is. */
export type QueuedRow = ConcurrencyRow & {
  org_id: string
  webhook_id: string
  trigger_name: string
  attempts_count: number
  window_attempts: number
  window_opened_at: Date | null
  healthy: boolean
  failing: boolean
  max_in_flight: number
  trigger_created_at: Date | null
}

export function toClaimed(row: QueuedRow, { leaseToken, leaseEnd }: Pick<Lease, 'leaseToken' | 'leaseEnd'>) {
  const key = toLaneKey(row)
  return {
    ...key,
    laneName: nameOfLane(key),
    triggerName: row.trigger_name,
    leaseToken,
    leaseEndsAt: Date.parse(leaseEnd),
    attemptNumber: row.attempts_count,
    windowAttempts: row.window_attempts,
    windowOpenedAt: row.window_opened_at?.getTime() ?? null,
    triggerCreatedAt: row.trigger_created_at?.getTime() ?? null,
    isHealthy: row.healthy,
    isFailing: row.failing,
    maxInFlight: row.max_in_flight,
    concurrency: concurrencyOf(row),
  }
}

/** Deliveries that differ only in event and row location, as one row; both lists are in the same order. */
type AlikeRow = QueuedRow & { event_ids: string; row_locations: string }

function toDeliveries(row: AlikeRow, lease: Lease): ClaimedDelivery[] {
  const common = toClaimed(row, lease)
  const rowLocations = row.row_locations.split(' ')
  const eventIds = row.event_ids.split(' ')
  return eventIds.map((eventId, index) => ({ ...common, eventId, rowLocation: rowLocations[index] as string }))
}
