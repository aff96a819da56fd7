import type { Queries } from '../../../ground/database/database.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import { logoutTrigger } from '../../logouts/index.ts'
import { type FirstDue, type LaneKey, type LaneReport, nameOfLane, type Settlement, toLaneKey } from '../delivery.ts'
import { countAttempts, countOf } from './attempt-counts.ts'
import { lockLanes, withoutEnded } from './lanes.ts'
import { countEnded, logEnded } from './log.ts'

type Settle = {
  now: string
  /** A receiver that failed gets no request before. */
  cooldownUntil: string
  /** A receiver that has failed ever since before then counts as failing, and is paused. */
  failingBefore: string
  pauseBefore: string
}

/** `locked`: lanes that another session has locked. */
type Settled = { firstDue: FirstDue; locked: LaneKey[] }

/**
 * Writes the outcomes of deliveries in one statement: queue, log, counts and lanes change together or not at all. The first attempt
 * of a window opens it, as of when it began. A settlement that comes late, after another claim was made, changes nothing.
 *
 * Rows are found by their location and judged by event and lease token, which only a leased row has. The event is needed: one claim
 * takes many rows, and a rewrite of the table (`vacuum full`) puts one where another was. With `is_leased` beside it, a plan made
 * while nothing was leased reads all leased rows for each settlement: 222 ms for 200 beside 2,000, and 6 without (measured). Each
 * settlement carries the number of its lane: a join over the reports took half the time of a statement for a hundred lanes.
 * Attempts are sent as lines, as payloads are in `insertEvents`: in an array each of their quotes is escaped.
 *
 * What is not in the queue goes straight into the log, and into the queue only to be repeated; where it is there, another worker has taken
 * it over, and a settlement that comes late changes nothing. One that was taken over while its worker settled it may be in both: it leaves
 * the queue when it ends, and its first end stands in the log.
 *
 * `lanes` has a report for the lane of each settlement. Those with news are locked before any delivery is touched. It waits for none,
 * for those of many organizations are settled together: locked lanes are returned, and nothing of them is written.
 */
export async function settleDeliveries(
  queries: Queries,
  all: Settlement[],
  lanes: LaneReport[],
  times: Settle,
): Promise<Settled> {
  const settlements = await withoutLogged(queries, all)
  const of = <Value>(value: (settlement: Settlement) => Value) => settlements.map(value)
  const numbers = new Map(lanes.map((lane, number) => [nameOfLane(lane), number]))
  const organizationIds = lanes.map((lane) => lane.organizationId)
  const webhookIds = lanes.map((lane) => lane.webhookId)
  const written = lanes.flatMap((lane, number) => (lane.isNews ? [number] : []))
  const attempts = of(({ attempt }) => JSON.stringify(attempt === null ? [] : [attempt])).join('\n')
  const counted = of(countedOf)
  const rows = await queries.rows(sql<LaneRow>`
    with ${lockLanes(fragment`unnest(${written.map((number) => organizationIds[number])}::uuid[], ${written.map((number) => webhookIds[number])}::uuid[],
                               ${written}::int[]) as r (org_id, webhook_id, number)`)},
    settled as materialized (
      select *, (attempt = '[]')::int as unattempted from unnest(
        ${of(({ delivery }) => delivery.rowLocation)}::tid[], ${of(({ delivery }) => delivery.eventId)}::uuid[],
        ${of(({ delivery }) => delivery.leaseToken)}::uuid[],
        ${of((settlement) => ('status' in settlement ? settlement.status : null))}::text[],
        ${of((settlement) => ('status' in settlement ? (settlement.reason ?? null) : null))}::text[],
        ${of((settlement) => ('retryAt' in settlement ? settlement.retryAt : null))}::timestamptz[],
        string_to_array(${attempts}, E'\\n')::jsonb[],
        ${of(({ delivery }) => numbers.get(delivery.laneName))}::int[], ${of(({ delivery }) => delivery.triggerName)}::text[],
        ${of(createdAt)}::timestamptz[], ${counted.map((each) => each?.failure ?? null)}::text[],
        ${counted.map((each) => each?.duration ?? null)}::numeric[]
      ) as s (row_location, event_id, lease_token, status, reason, retry_at, attempt, lane_number, trigger_name, trigger_created_at,
              failure, duration)
       where lane_number <> all(array(select number from locked))
    ), unqueued as materialized (${unqueuedOf(organizationIds, webhookIds)}), taken as (
      delete from deliveries d using settled s
       where s.status is not null and d.ctid = s.row_location and d.event_id = s.event_id and d.lease_token = s.lease_token
      returning d.org_id, d.webhook_id, d.event_id, d.trigger_name, s.status, s.reason, s.lane_number,
                d.attempts_count - s.unattempted as attempts_count, d.attempt_log || s.attempt as attempt_log, d.content, s.failure, s.duration
    ), ended as (
      select * from taken
      union all
      select org_id, webhook_id, event_id, trigger_name, status, reason, lane_number, 1 - unattempted, attempt, null, failure, duration
        from unqueued where status is not null
    ), ${logEnded(times.now)}, ${countEnded(times.now)}, queued as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at, attempts_count,
                              window_attempts, window_opened_at, attempt_log)
      select org_id, webhook_id, event_id, trigger_name, trigger_created_at, retry_at, 1 - unattempted, 1 - unattempted,
             (attempt -> 0 ->> 'started_at')::timestamptz, attempt
        from unqueued where status is null
      on conflict do nothing
    ), retried as (
      update deliveries d
         set is_leased = false, lease_token = null, available_at = s.retry_at, attempt_log = d.attempt_log || s.attempt,
             attempts_count = d.attempts_count - s.unattempted, window_attempts = d.window_attempts - s.unattempted,
             window_opened_at = coalesce(d.window_opened_at, (s.attempt -> 0 ->> 'started_at')::timestamptz)
        from settled s
       where s.status is null and d.ctid = s.row_location and d.event_id = s.event_id and d.lease_token = s.lease_token
      returning d.org_id, d.webhook_id, d.available_at, s.lane_number, s.failure, s.duration
    ), ${countAttempts('event', times.now, attempted)}, freed as (${freedLanes(lanes, written)}), updated_lanes as (${laneUpdates(times)})
    select next_due_at, healthy, null as org_id, null as webhook_id from updated_lanes
    union all
    select null, null, org_id, webhook_id from locked`)
  const updatedLanes = rows.filter((row) => row.webhook_id === null)
  const firstOf = (healthy: boolean) =>
    Math.min(...updatedLanes.filter((row) => row.healthy === healthy).map((row) => Number(row.next_due_at)))
  const locked = rows.filter((row) => row.webhook_id !== null).map(toLaneKey)
  return { firstDue: { healthy: firstOf(true), unhealthy: firstOf(false) }, locked }
}

/**
 * Without those to be repeated that have no row in the queue and ended meanwhile at another worker. They are looked up in a statement of
 * their own: see `logEnded`.
 */
async function withoutLogged(queries: Queries, settlements: Settlement[]): Promise<Settlement[]> {
  const repeated = settlements.filter((each) => each.delivery.rowLocation === null && 'retryAt' in each)
  if (repeated.length === 0) return settlements
  const of = (column: 'organizationId' | 'webhookId' | 'eventId') => repeated.map(({ delivery }) => delivery[column])
  const rows = await queries.rows(sql<{ webhook_id: string; event_id: string }>`
    select r.webhook_id, r.event_id
      from unnest(${of('organizationId')}::uuid[], ${of('webhookId')}::uuid[], ${of('eventId')}::uuid[]) as r (org_id, webhook_id, event_id)
     where (select 1 from finished_deliveries f
             where f.org_id = r.org_id and f.webhook_id = r.webhook_id and f.event_id = r.event_id) is not null`)
  const logged = new Set(rows.map((row) => row.webhook_id + row.event_id))
  return settlements.filter(
    (each) => !(repeated.includes(each) && logged.has(each.delivery.webhookId + each.delivery.eventId)),
  )
}

const attempted = fragment`
      select org_id, webhook_id, failure, duration from taken
      union all select org_id, webhook_id, failure, duration from retried
      union all select org_id, webhook_id, failure, duration from unqueued`

/** Of the settlements: what has no row in the queue, and was not taken over. */
const unqueuedOf = (organizationIds: string[], webhookIds: string[]) => fragment`
      select * from (
        select s.*, (${organizationIds}::uuid[])[lane_number + 1] as org_id, (${webhookIds}::uuid[])[lane_number + 1] as webhook_id
          from settled s where row_location is null) u
       where (select 1 from deliveries d where d.org_id = u.org_id and d.webhook_id = u.webhook_id and d.event_id = u.event_id) is null`

/** What the settlements and the reports say of each lane that is to be written. */
function freedLanes(lanes: LaneReport[], written: number[]) {
  /** Of the lane of that number. By a subscript, which costs no join. */
  const ofLane = <Value>(value: (lane: LaneReport) => Value, type: 'boolean' | 'int') =>
    type === 'int'
      ? fragment`(${lanes.map(value)}::int[])[lane_number + 1]`
      : fragment`(${lanes.map(value)}::boolean[])[lane_number + 1]`
  return fragment`
      select org_id, webhook_id, count, retry_at, ${ofLane((lane) => lane.isHealthy, 'boolean')} as healthy,
             ${ofLane((lane) => lane.isDown, 'boolean')} as down, nullif(${ofLane(succeededOf, 'int')}, -1) = 1 as succeeded,
             ${ofLane((lane) => lane.maxInFlight, 'int')} as max_in_flight, ${ofLane((lane) => lane.refillAt, 'int')} as refill_at,
             nullif(${ofLane((lane) => lane.maxRequests ?? 0, 'int')}, 0) as max_requests, ${ofLane((lane) => lane.failures, 'int')} as failures,
             ${ofLane((lane) => lane.requestsAtOnce, 'int')} as requests_at_once
        from (select org_id, webhook_id, lane_number, sum(leased)::int as count, min(retry_at) as retry_at
                from (select org_id, webhook_id, lane_number, null::timestamptz as retry_at, 1 as leased from taken
                      union all select org_id, webhook_id, lane_number, available_at, 1 from retried
                      union all select org_id, webhook_id, lane_number, retry_at, 0 from unqueued) each
               where lane_number = any(${written}::int[]) group by org_id, webhook_id, lane_number) l`
}

/** Writes the lanes `l` of the rows `f` of `freed`. */
function laneUpdates({ now, cooldownUntil, failingBefore, pauseBefore }: Settle) {
  const cooldown = fragment`case when f.succeeded is false and f.down then ${cooldownUntil} else l.cooldown_until end`
  const isPaused = fragment`(f.succeeded is false and l.failing_since < ${pauseBefore} and not l.is_logout)`
  /** One failure, or a few among successes, does not make a receiver unhealthy. */
  const isHealthy = fragment`(f.healthy and case when f.succeeded is false then l.healthy and not f.down else coalesce(f.succeeded, l.healthy) end)`
  /** A healthy lane until it is half empty, so that claims are few and large. */
  const stays = fragment`(l.saturated and l.in_flight - f.count > case when ${isHealthy} then f.refill_at else f.requests_at_once - 1 end)`
  return fragment`
      update lanes l
         set in_flight = ${withoutEnded},
             max_in_flight = case when f.succeeded is null then least(l.max_in_flight, f.max_in_flight)
                                  when ${isHealthy} then f.max_in_flight else least(f.max_in_flight, f.requests_at_once) end,
             max_requests = case when f.succeeded is null then l.max_requests else f.max_requests end,
             failures = case when f.succeeded is null then l.failures else f.failures end,
             healthy = ${isHealthy},
             failing = case when f.succeeded is null then l.failing
                            else not f.succeeded and coalesce(l.failing_since < ${failingBefore}, false) end,
             failing_since = case when f.succeeded then null
                                  when f.succeeded is false then coalesce(l.failing_since, ${now}) else l.failing_since end,
             paused_reason = case when ${isPaused} then coalesce(l.paused_reason, 'failing') else l.paused_reason end,
             paused_at = case when ${isPaused} and l.paused_reason is null then ${now} else l.paused_at end,
             cooldown_until = ${cooldown},
             saturated = ${stays},
             next_due_at = greatest(
               ${cooldown},
               least(greatest(f.retry_at, ${now}), case when l.saturated and not ${stays} then ${now} else l.next_due_at end))
        from freed f
       where l.org_id = f.org_id and l.webhook_id = f.webhook_id
      returning l.next_due_at, l.healthy`
}

/** Logout tokens are no calls of a webhook. */
const countedOf = ({ attempt, delivery }: Settlement) =>
  attempt === null || delivery.triggerName === logoutTrigger ? undefined : countOf(attempt)

const createdAt = ({ delivery: { triggerCreatedAt } }: Settlement) =>
  triggerCreatedAt === null ? null : toTimestamp(triggerCreatedAt)

const succeededOf = ({ succeeded }: LaneReport) => (succeeded === null ? -1 : Number(succeeded))

type LaneRow =
  | { next_due_at: Date | number; healthy: boolean; webhook_id: null }
  | { org_id: string; webhook_id: string }
