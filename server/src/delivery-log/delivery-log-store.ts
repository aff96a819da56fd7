import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** What a delivery of a webhook is that waits for an attempt. */
export type Waiting = 'pending' | 'held'
type FinalStatus = 'succeeded' | 'dropped' | 'cancelled'
type Status = Waiting | 'in_flight' | FinalStatus

export type StoredDelivery = {
  event_id: string
  trigger_name: string
  status: Status
  reason: string | null
  attempts_count: number
  /** In the queue: when the next attempt is due, or the lease of the present one ends. */
  due_at: Date | null
  finished_at: Date | null
}

/** As the worker wrote it. */
export type StoredAttempt = {
  number: number
  jti: string
  started_at: string
  duration_ms: number
  status_code?: number
  error?: string
  answer?: string
}

/** Of the queue, and of the log, that are looked at for one page, whatever is looked for. */
const maxLookedAt = 10_000
/** Attempts that go back into the queue with a delivery, the newest; the earlier ones of one opened so often are forgotten. */
const keptAttempts = 100

/** `held` while the webhook is paused; undefined when it is not there. */
export async function findWaiting(
  queries: Queries,
  organizationId: string,
  webhookId: string,
): Promise<Waiting | undefined> {
  const [lane] = await queries.rows(sql<{ waiting: Waiting }>`
    select case when paused_reason is null then 'pending' else 'held' end as waiting from lanes
     where org_id = ${organizationId} and webhook_id = ${webhookId}`)
  return lane?.waiting
}

type Search = {
  waiting: Waiting
  status: Status | undefined
  triggerName: string | undefined
  /** Only deliveries of earlier events, by their ids. */
  before: string
  limit: number
}

/**
 * Deliveries, the newest event first, and where to go on while there may be more. Queue and log are read in one statement,
 * so that a delivery which moves between them meanwhile is in exactly one. What is dropped or cancelled is found among
 * millions that succeeded by an index of its own; else at most `maxLookedAt` are looked at, and the page may be short
 * (2 ms for a page of 100, 20 ms where all of them are looked at, measured beside 500,000).
 */
export async function pageOfDeliveries(queries: Queries, organizationId: string, webhookId: string, search: Search) {
  const { waiting, status, triggerName, before, limit } = search
  const inQueue = status === undefined || status === waiting || status === 'in_flight'
  const inLog = status === undefined || status === 'succeeded'
  const rows = await queries.rows(sql<StoredDelivery & { matches: boolean; place: number }>`
    select * from (
      select *, row_number() over (order by event_id desc) as place,
             (${status}::text is null or status = ${status}) and (${triggerName}::text is null or trigger_name = ${triggerName})
               as matches
        from (
          (select event_id, trigger_name, case when in_flight then 'in_flight' else ${waiting}::text end as status,
                  null as reason, attempts_count, due_at, null::timestamptz as finished_at
             from deliveries
            where ${inQueue}::boolean and org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before}
            order by event_id desc limit ${maxLookedAt})
          union all
          (select event_id, trigger_name, status, reason, attempts_count, null, finished_at
             from finished_deliveries
            where ${inLog}::boolean and org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before}
            order by event_id desc limit ${maxLookedAt})
          union all
          (select event_id, trigger_name, status, reason, attempts_count, null, finished_at
             from finished_deliveries
            where not ${inQueue || inLog}::boolean and org_id = ${organizationId} and webhook_id = ${webhookId}
              and status <> 'succeeded' and status = ${status} and event_id < ${before}
            order by event_id desc limit ${maxLookedAt})
        ) delivery
    ) looked
     where place <= ${maxLookedAt} and (matches or place = ${maxLookedAt})
     order by event_id desc limit ${limit + 1}`)
  return toPage(rows, limit)
}

/** One more than a page was asked for; the last one looked at is among the rows, whether it matches or not. */
function toPage(rows: (StoredDelivery & { matches: boolean; place: number })[], limit: number) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const isMore = rows.length > limit || last?.place === maxLookedAt
  return { deliveries: page.filter(({ matches }) => matches), next: isMore ? last?.event_id : undefined }
}

export async function findDelivery(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventId: string,
  waiting: Waiting,
): Promise<(StoredDelivery & { attempts: StoredAttempt[] }) | undefined> {
  const [row] = await queries.rows(sql<StoredDelivery & { attempts: StoredAttempt[] }>`
    select event_id, trigger_name, case when in_flight then 'in_flight' else ${waiting}::text end as status,
           null as reason, attempts_count, due_at, null::timestamptz as finished_at, attempts
      from deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
    union all
    select event_id, trigger_name, status, reason, attempts_count, null, finished_at, attempts
      from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}`)
  return row
}

type Span = {
  /** Of the events' ids: from the first one on, up to but not including the second one. */
  from: string
  to: string
  status: FinalStatus | undefined
  limit: number
}

/** Ids of finished deliveries, the oldest first. */
export async function findFinished(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  { from, to, status, limit }: Span,
): Promise<string[]> {
  const isUnsuccessful = status === 'dropped' || status === 'cancelled'
  const rows = await queries.rows(sql<{ event_id: string }>`
    (select event_id from finished_deliveries
      where not ${isUnsuccessful}::boolean and org_id = ${organizationId} and webhook_id = ${webhookId}
        and event_id >= ${from} and event_id < ${to} and (${status}::text is null or status = ${status})
      order by event_id limit ${limit})
    union all
    (select event_id from finished_deliveries
      where ${isUnsuccessful}::boolean and org_id = ${organizationId} and webhook_id = ${webhookId}
        and status <> 'succeeded' and status = ${status} and event_id >= ${from} and event_id < ${to}
      order by event_id limit ${limit})`)
  return rows.map((row) => row.event_id)
}

export async function hasTrigger(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  name: string,
): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from triggers
     where org_id = ${organizationId} and webhook_id = ${webhookId} and type = 'event' and name = ${name}`)
  return rows.length > 0
}

/**
 * Moves finished deliveries back into the queue, due now and with a new window, for the trigger as it is at present; those
 * whose trigger is gone stay. Of two callers at once only one finds a delivery to move. Gives how many were moved.
 */
export async function reopenDeliveries(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventIds: string[],
  now: string,
): Promise<number> {
  // Only the partitions of their days are opened.
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql`
    with taken as (
      delete from finished_deliveries f
       using unnest(${eventIds}::uuid[]) as wanted (event_id), triggers t
       where f.org_id = ${organizationId} and f.webhook_id = ${webhookId} and f.event_id = wanted.event_id
         and f.event_id >= ${bounds.at(0)} and f.event_id <= ${bounds.at(-1)}
         and t.org_id = ${organizationId} and t.webhook_id = ${webhookId} and t.type = 'event' and t.name = f.trigger_name
      returning f.*, t.created_at as trigger_created_at
    )
    insert into deliveries
      (org_id, webhook_id, event_id, trigger_name, trigger_created_at, due_at, attempts_count, attempts)
    select org_id, webhook_id, event_id, trigger_name, trigger_created_at, ${now}::timestamptz, attempts_count,
           jsonb_path_query_array(attempts, '$[last - $earlier to last]', jsonb_build_object('earlier', ${keptAttempts - 1}::int))
      from taken
    returning event_id`)
  return rows.length
}

export type DayCounts = { day: string; succeeded: number; dropped: number; cancelled: number }

/** Of the days from `firstDay` (`2026-11-21`) on that have any, the newest first. */
export const countsByDay = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  firstDay: string,
): Promise<DayCounts[]> =>
  queries.rows(sql<DayCounts>`
    select to_char(day, 'YYYY-MM-DD') as day,
           coalesce(sum(count) filter (where status = 'succeeded'), 0)::bigint as succeeded,
           coalesce(sum(count) filter (where status = 'dropped'), 0)::bigint as dropped,
           coalesce(sum(count) filter (where status = 'cancelled'), 0)::bigint as cancelled
      from delivery_counts
     where org_id = ${organizationId} and webhook_id = ${webhookId} and day >= ${firstDay}::date
     group by day order by day desc`)
