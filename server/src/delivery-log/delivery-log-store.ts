import type { AttemptRecord } from '../attempts/index.ts'
import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { FinalStatus, Reason } from '../delivery/index.ts'
import type { TriggerType } from '../webhooks/index.ts'

/** The status of deliveries that wait for an attempt. */
export type Waiting = 'pending' | 'held'
type Status = Waiting | 'in_flight' | FinalStatus

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

/** Rows of the queue, and of the log, that one page looks at, whatever its filter. */
const maxLookedAt = 10_000

/** The status of deliveries that wait: `held` while the webhook is paused. Undefined when there is no such webhook. */
export async function findWaitingStatus(
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
 * Deliveries, the newest event first, and where to go on while there may be more. An index of their own finds dropped and cancelled
 * ones among millions that succeeded; else at most `maxLookedAt` are looked at, and the page may be short (2 ms for a page of 100, 20
 * ms where all of them are looked at, measured beside 500,000). Attempts are read only for the page, each by its key: some 10 µs.
 */
export async function pageOfDeliveries(queries: Queries, organizationId: string, webhookId: string, search: Search) {
  const { status, limit } = search
  const look = isUnsuccessful(status) ? lookAtUnsuccessful : lookAtAll
  return toPage(await queries.rows(look(organizationId, webhookId, search)), limit)
}

type Looked = StoredDelivery & { matches: boolean; position: number }

/** Queue and log in one statement, so that a delivery that moves between them is in exactly one. Neither is read in vain. */
function lookAtAll(organizationId: string, webhookId: string, { waiting, status, triggerName, before, limit }: Search) {
  const limitFor = (...found: Status[]) => (status === undefined || found.includes(status) ? maxLookedAt : 0)
  return sql<Looked>`
    select page.*, case when finished_at is null
             then (select attempt_log -> -1 from deliveries d
                    where d.org_id = ${organizationId} and d.webhook_id = ${webhookId} and d.event_id = page.event_id)
             else (select attempt_log -> -1 from finished_deliveries f
                    where f.org_id = ${organizationId} and f.webhook_id = ${webhookId} and f.event_id = page.event_id)
           end as last_attempt
      from (select * from (
      select *, row_number() over (order by event_id desc) as position,
             (${status}::text is null or status = ${status}) and (${triggerName}::text is null or trigger_name = ${triggerName})
               as matches
        from (
          (select event_id, 'event' as trigger_type, trigger_name,
                  case when is_leased then 'in_flight' else ${waiting}::text end as status,
                  null as reason, attempts_count, available_at, null::timestamptz as finished_at, null::text[] as dropped_claims
             from deliveries
            where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before}
            order by event_id desc limit ${limitFor(waiting, 'in_flight')})
          union all
          (select event_id, trigger_type, trigger_name, status, reason, attempts_count, null, finished_at, dropped_claims
             from finished_deliveries
            where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before}
            order by event_id desc limit ${limitFor('succeeded')})
        ) delivery
    ) looked
     where position <= ${maxLookedAt} and (matches or position = ${maxLookedAt})
     order by event_id desc limit ${limit + 1}) page
     order by event_id desc`
}

/** A generic plan takes the index of the unsuccessful only where the statement says `status <> 'succeeded'` as it does. */
const lookAtUnsuccessful = (
  organizationId: string,
  webhookId: string,
  { status, triggerName, before, limit }: Search,
) => sql<Looked>`
    select page.*, (select attempt_log -> -1 from finished_deliveries f
                     where f.org_id = ${organizationId} and f.webhook_id = ${webhookId}
                       and f.event_id = page.event_id) as last_attempt
      from (select * from (
      select event_id, trigger_type, trigger_name, status, reason, attempts_count, null::timestamptz as available_at,
             finished_at, dropped_claims, row_number() over (order by event_id desc) as position,
             ${triggerName}::text is null or trigger_name = ${triggerName} as matches
        from finished_deliveries
       where org_id = ${organizationId} and webhook_id = ${webhookId}
         and status <> 'succeeded' and status = ${status} and event_id < ${before}
       order by event_id desc limit ${maxLookedAt}
    ) looked
     where matches or position = ${maxLookedAt}
     order by event_id desc limit ${limit + 1}) page
     order by event_id desc`

const isUnsuccessful = (status: Status | undefined) => status === 'dropped' || status === 'cancelled'

/** `rows`: up to one more than the page, and the last row that was looked at, whether it matches or not. */
function toPage(rows: Looked[], limit: number) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const isMore = rows.length > limit || last?.position === maxLookedAt
  return { deliveries: page.filter(({ matches }) => matches), next: isMore ? last?.event_id : undefined }
}

export async function findDelivery(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventId: string,
  waiting: Waiting,
): Promise<(StoredDelivery & { attempts: AttemptRecord[] }) | undefined> {
  const [row] = await queries.rows(sql<StoredDelivery & { attempts: AttemptRecord[] }>`
    select event_id, 'event' as trigger_type, trigger_name,
           case when is_leased then 'in_flight' else ${waiting}::text end as status,
           null as reason, attempts_count, available_at, null::timestamptz as finished_at, null::text[] as dropped_claims, attempt_log as attempts,
           attempt_log -> -1 as last_attempt
      from deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
    union all
    select event_id, trigger_type, trigger_name, status, reason, attempts_count, null, finished_at, dropped_claims, attempt_log as attempts,
           attempt_log -> -1
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

/** Ids of finished deliveries that may be delivered once more, the oldest first: no hook runs. */
export async function findFinished(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  span: Span,
): Promise<string[]> {
  const find = isUnsuccessful(span.status) ? findUnsuccessful : findInLog
  return (await queries.rows(find(organizationId, webhookId, span))).map((row) => row.event_id)
}

const findInLog = (organizationId: string, webhookId: string, { from, to, status, limit }: Span) =>
  sql<{ event_id: string }>`
    select event_id from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id >= ${from} and event_id < ${to}
       and trigger_type = 'event' and (${status}::text is null or status = ${status})
     order by event_id limit ${limit}`

/** `status <> 'succeeded'` for the generic plan, as above. */
const findUnsuccessful = (organizationId: string, webhookId: string, { from, to, status, limit }: Span) =>
  sql<{ event_id: string }>`
    select event_id from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id >= ${from} and event_id < ${to}
       and status <> 'succeeded' and status = ${status} and trigger_type = 'event'
     order by event_id limit ${limit}`

export type DayCounts = { day: string; succeeded: number; dropped: number; cancelled: number }

/** From `firstDay` (`2026-11-21`) on, only days with any, the newest first. A day has one row for each status. */
export const countsByDay = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  firstDay: string,
): Promise<DayCounts[]> =>
  queries.rows(sql<DayCounts>`
    select to_char(day, 'YYYY-MM-DD') as day,
           coalesce(max(count) filter (where status = 'succeeded'), 0) as succeeded,
           coalesce(max(count) filter (where status = 'dropped'), 0) as dropped,
           coalesce(max(count) filter (where status = 'cancelled'), 0) as cancelled
      from delivery_counts
     where org_id = ${organizationId} and webhook_id = ${webhookId} and day >= ${firstDay}::date
     group by day order by day desc`)
