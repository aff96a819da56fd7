import type { Queries } from '../../ground/database/database.ts'
import { firstRow, valueIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { FinalStatus, LoggedStatus, Reason } from '../queue/index.ts'
import type { AttemptRecord } from '../webhooks/attempts/index.ts'
import type { TriggerType } from '../webhooks/index.ts'

/** The status of deliveries that wait for an attempt. */
type Waiting = 'pending' | 'held'
export type Status = Waiting | 'in_flight' | LoggedStatus

export type StoredDelivery = {
  /** Of a hook run: its own. */
  event_id: string
  trigger_type: TriggerType
  trigger_name: string
  status: Status
  reason: Reason | null
  attempts_count: number
  /** In the queue: when its next attempt is due; while it is in flight, when its lease ends. */
  available_at: Date | null
  finished_at: Date | null
  /** Of a hook run: protected claims that the receiver returned. Null: none. */
  dropped_claims: string[] | null
  /** Null before the first. */
  last_attempt: AttemptRecord | null
}

/** The status of deliveries that wait: `held` while the webhook is paused. Undefined when there is no such webhook. */
export const findWaitingStatus = (queries: Queries, organizationId: string, webhookId: string) =>
  valueIn(queries)(sql<{ waiting: Waiting }>`
    select case when paused_reason is null then 'pending' else 'held' end as waiting from lanes
     where org_id = ${organizationId} and webhook_id = ${webhookId} and not is_logout`)

export const findDelivery = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventId: string,
  waiting: Waiting,
): Promise<(StoredDelivery & { attempts: AttemptRecord[] }) | undefined> =>
  firstRow(queries)(sql<StoredDelivery & { attempts: AttemptRecord[] }>`
    select event_id, 'event' as trigger_type, trigger_name,
           case when is_leased then 'in_flight' else ${waiting}::text end as status,
           null as reason, attempts_count, available_at, null::timestamptz as finished_at, null::text[] as dropped_claims, attempt_log as attempts,
           attempt_log -> -1 as last_attempt
      from deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
    union all
    select event_id, 'event', trigger_name, 'in_flight', null, 1, null, null, null, '[]', null from unqueued_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
    union all
    select event_id, trigger_type, trigger_name, status, reason, attempts_count, null, finished_at, dropped_claims, attempt_log as attempts,
           attempt_log -> -1
      from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}`)

type Span = {
  /** Of the events' ids: from the first one on, up to but not including the second one. */
  from: string
  to: string
  status: FinalStatus | undefined
  limit: number
}

/** Ids of finished deliveries that may be delivered once more, the oldest first: no hook runs. */
export async function findFinished(queries: Queries, organizationId: string, webhookId: string, span: Span) {
  const { from, to, status, limit } = span
  // A generic plan takes the index of the unsuccessful only where the statement says `status <> 'succeeded'` as it does.
  const isUnsuccessful = status === 'dropped' || status === 'cancelled'
  const hasStatus = isUnsuccessful
    ? fragment`status <> 'succeeded' and status = ${status}`
    : fragment`(${status}::text is null or status = ${status})`
  const rows = await queries.rows(sql<{ event_id: string }>`
    select event_id from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id >= ${from} and event_id < ${to}
       and trigger_type = 'event' and ${hasStatus}
     order by event_id limit ${limit}`)
  return rows.map((row) => row.event_id)
}

type DayCounts = { day: string; succeeded: number; dropped: number; cancelled: number }

/** From `firstDay` (`2026-11-21`) on, only days with any, the newest first. A day has one row for each status. */
export const countsByDay = (queries: Queries, organizationId: string, webhookId: string, firstDay: string) =>
  queries.rows(sql<DayCounts>`
    select to_char(day, 'YYYY-MM-DD') as day,
           coalesce(max(count) filter (where status = 'succeeded'), 0) as succeeded,
           coalesce(max(count) filter (where status = 'dropped'), 0) as dropped,
           coalesce(max(count) filter (where status = 'cancelled'), 0) as cancelled
      from delivery_counts
     where org_id = ${organizationId} and webhook_id = ${webhookId} and day >= ${firstDay}::date
     group by day order by day desc`)
