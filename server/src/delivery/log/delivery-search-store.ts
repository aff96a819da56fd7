/** Finds deliveries, of one webhook or of all, in the queue and in the log together. */

import type { Queries } from '../../ground/database/database.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import { daysOf } from '../../ground/database/time-partitions.ts'
import { type LogoutContent, logoutTrigger } from '../logouts/index.ts'
import { type LoggedStatus, loggedStatuses } from '../queue/index.ts'
import type { AttemptError } from '../webhooks/attempts/index.ts'
import type { TriggerType } from '../webhooks/index.ts'
import type { Status, StoredDelivery } from './delivery-log-store.ts'

/** Rows of the queue, and of the log, that one page looks at where no index answers the filter. */
const maxLookedAt = 10_000

/** Of a delivery in the list: the newest event first, and of one event the greatest id of a webhook. */
export type Position = { eventId: string; webhookId: string }

/** From the first event to the newest one. */
export const allIds = {
  from: '00000000-0000-0000-0000-000000000000',
  before: { eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', webhookId: '00000000-0000-0000-0000-000000000000' },
}

export type Search = {
  /** Absent: of all webhooks. */
  webhookId?: string | undefined
  status?: Status | undefined
  triggerName?: string | undefined
  /** Both of the newest attempt. */
  statusCode?: number | undefined
  error?: AttemptError | undefined
  triggerType?: TriggerType | undefined
  /** In RFC 3339. What has not ended is in no such span. */
  finishedSince?: string | undefined
  finishedUntil?: string | undefined
  /** Only deliveries of this event and later ones, by their ids, and those that come after the position `before` in the list. */
  from: string
  before: Position
  limit: number
}

type FoundDelivery = StoredDelivery & { webhook_id: string; content: LogoutContent | null }

/**
 * Deliveries, the newest event first, and where to go on while there may be more. What is found is in ranges of an index, each in
 * the order of the list: one for each webhook. They are merged. Where
 * a filter has no index, rows are looked at, `maxLookedAt` at most: the page ends where the first range has come to its share, may be
 * short, and says where to go on. One statement, so that a delivery that moves between queue and log is in exactly one.
 */
export async function searchDeliveries(queries: Queries, organizationId: string, search: Search) {
  const { limit } = search
  const rows = await queries.rows(sql<Looked>`
    with recursive ${inQueue(organizationId, search)}, ${notInQueue(organizationId, search)}, ${inLog(organizationId, search)}
    select event_id, webhook_id, trigger_type, trigger_name, status, reason, attempts_count, available_at, finished_at,
           dropped_claims, content, attempt_log -> -1 as last_attempt, matches, ends
      from (
        select * from (
          select *, ${matches(search)} as matches
            from (select * from queued union all select * from unqueued union all select * from logged) delivery
        ) looked
         where matches or ends
         order by event_id desc, webhook_id desc limit ${limit + 1}
      ) page
     order by event_id desc, webhook_id desc`)
  return toPage(rows, limit)
}

const matches = ({
  status,
  triggerName,
  triggerType,
  statusCode,
  error,
  finishedSince,
  finishedUntil,
}: Search) => fragment`
  (${status}::text is null or status = ${status}) and (${triggerName}::text is null or trigger_name = ${triggerName})
  and (${statusCode}::int is null or attempt_log -> -1 -> 'status_code' = to_jsonb(${statusCode}::int))
  and (${error}::text is null or attempt_log -> -1 ->> 'error' = ${error})
  and (${triggerType}::text is null or trigger_type = ${triggerType})
  and (${finishedSince}::timestamptz is null or coalesce(finished_at >= ${finishedSince}, false))
  and (${finishedUntil}::timestamptz is null or coalesce(finished_at < ${finishedUntil}, false))`

/** Those that no index answers but for the status: each row is compared with them. */
const comparedWith = ({ triggerName, triggerType, statusCode, error, finishedSince, finishedUntil }: Search) => [
  triggerName,
  triggerType,
  statusCode,
  error,
  finishedSince,
  finishedUntil,
]

/** `ends`: after this row some range may have rows that were not looked at. */
type Looked = FoundDelivery & { matches: boolean; ends: boolean }

/** `rows`: up to one more than the page. */
function toPage(rows: Looked[], limit: number) {
  const end = rows.findIndex(({ ends }) => ends)
  const known = end < 0 ? rows : rows.slice(0, end + 1)
  const page = known.slice(0, limit)
  const last = page.at(-1)
  const isMore = known.length > limit || last?.ends
  const next: Position | undefined = isMore && last ? { eventId: last.event_id, webhookId: last.webhook_id } : undefined
  return { deliveries: page.filter(({ matches }) => matches), next }
}

/** The bound of the event's id alone lets PostgreSQL leave out partitions. */
const within = ({ from, before }: Search) => fragment`
  event_id >= ${from} and event_id <= ${before.eventId} and (event_id, webhook_id) < (${before.eventId}, ${before.webhookId})`

const inQueue = (organizationId: string, search: Search): Fragment =>
  search.status === 'in_flight' ? inFlight(organizationId, search) : waiting(organizationId, search)

/** All that is in flight, of whatever organization: so much as workers may have at once, and most of it is old in a long queue. */
const inFlight = (organizationId: string, search: Search) => fragment`
  leased as materialized (select * from deliveries where is_leased),
  queued as (
    select event_id, webhook_id, 'event' as trigger_type, trigger_name, 'in_flight' as status, null as reason, attempts_count,
           available_at, null::timestamptz as finished_at, null::text[] as dropped_claims, content, attempt_log, false as ends
      from leased
     where org_id = ${organizationId} and ${within(search)}
       and coalesce(webhook_id = ${search.webhookId}, trigger_name <> ${logoutTrigger})
  )`

/**
 * The queue has no index for this, which each delivery would pay for. Its key finds the webhooks that have anything in the queue, and
 * the newest of each, by one probe each (some 6 µs). A page takes from no more webhooks than it has rows: those with the newest ones.
 */
function waiting(organizationId: string, search: Search) {
  const { webhookId, status, limit } = search
  const isFiltered = [status, ...comparedWith(search)].some((filter) => filter !== undefined)
  const most = isFiltered ? maxLookedAt : limit + 1
  const backlog = webhookId === undefined ? webhooksInQueue : oneWebhook
  return fragment`
    ${backlog(organizationId, search)}, lane as materialized (
      select *, least(${most}, greatest(1, ${maxLookedAt} / count(*) over ())) as share,
             row_number() over (order by newest desc, webhook_id desc) > ${limit} as is_last
        from (
          select b.webhook_id, newest.event_id as newest, case when l.paused_reason is null then 'pending' else 'held' end as waiting
            from backlog b left join lanes l on l.org_id = ${organizationId} and l.webhook_id = b.webhook_id
           cross join lateral (
             select event_id from deliveries
              where org_id = ${organizationId} and webhook_id = b.webhook_id and ${within(search)}
              order by event_id desc limit 1) newest
           where (${webhookId}::uuid is not null or not coalesce(l.is_logout, false))
             and (${status}::text is null or ${status} = case when l.paused_reason is null then 'pending' else 'held' end)
           order by newest desc, webhook_id desc limit ${limit + 1}
        ) newest_lanes
    ), queued as (
      select event_id, e.webhook_id, 'event' as trigger_type, trigger_name,
             case when is_leased then 'in_flight' else waiting end as status, null as reason, attempts_count,
             available_at, null::timestamptz as finished_at, null::text[] as dropped_claims, content, attempt_log,
             position = share or is_last as ends
        from lane cross join lateral (
          select *, row_number() over (order by event_id desc) as position
            from (select * from deliveries
                   where org_id = ${organizationId} and webhook_id = lane.webhook_id and ${within(search)}
                   order by event_id desc limit share) d) e
    )`
}

/** What is in flight without a row in the queue: of the last seconds. */
const notInQueue = (organizationId: string, search: Search) => fragment`
  unqueued as (
    select event_id, webhook_id, 'event' as trigger_type, trigger_name, 'in_flight' as status, null as reason, 1 as attempts_count,
           null::timestamptz as available_at, null::timestamptz as finished_at, null::text[] as dropped_claims, null::jsonb as content, '[]'::jsonb as attempt_log,
           false as ends
      from unqueued_deliveries
     where org_id = ${organizationId} and ${within(search)} and coalesce(webhook_id = ${search.webhookId}, true) and ${mayWait(search)}
     order by event_id desc limit ${maxLookedAt}
  )`

const oneWebhook = (_: string, search: Search) => fragment`
  backlog as (select ${search.webhookId}::uuid as webhook_id where ${mayWait(search)})`

/** Each found by the one before it. */
const webhooksInQueue = (organizationId: string, search: Search) => fragment`
  backlog as (
    (select webhook_id from deliveries where org_id = ${organizationId} and ${mayWait(search)} order by webhook_id limit 1)
    union all
    select following.webhook_id from backlog b cross join lateral (
      select webhook_id from deliveries
       where org_id = ${organizationId} and webhook_id > b.webhook_id order by webhook_id limit 1) following
  )`

const isFinal = (status: Status | undefined): status is LoggedStatus => loggedStatuses.some((final) => final === status)

const mayWait = ({ status, finishedSince, finishedUntil }: Search) =>
  fragment`${!isFinal(status) && finishedSince === undefined && finishedUntil === undefined}::boolean`

/** Of each range the same columns, and of no range more than its share of rows. */
const logged = (rows: Fragment, share: number) => fragment`
  logged as (
    select event_id, webhook_id, trigger_type, trigger_name, status, reason, attempts_count, null::timestamptz as available_at,
           finished_at, dropped_claims, content, attempt_log, position = ${share} as ends
      from (${rows}) l
  )`

/** What an attempt was answered without success, or was not: then it is not that of a delivery that succeeded. */
const isFailure = ({ statusCode, error }: Search) =>
  error !== undefined || (statusCode !== undefined && (statusCode < 200 || statusCode > 299))

function inLog(organizationId: string, search: Search): Fragment {
  const statuses = loggedStatuses.filter(
    (status) => (search.status ?? status) === status && !(status === 'succeeded' && isFailure(search)),
  )
  if (search.webhookId === undefined) return ofAllWebhooks(organizationId, search, statuses)
  return (isUnsuccessful(statuses) ? unsuccessfulOfWebhook : ofWebhook)(organizationId, search, statuses)
}

/**
 * Day by day, the newest first, until the page is full or `maxLookedAt` rows were looked at. Of a day the key finds the webhooks that
 * have anything in it, and the newest of each, by one probe each; those that did not succeed have a smaller index for the same. Rows
 * are taken as `waiting` takes them, but where a filter is compared with each row, from all webhooks of the day.
 */
function ofAllWebhooks(organizationId: string, search: Search, statuses: LoggedStatus[]) {
  const { limit } = search
  return fragment`
  day as materialized (
    select first, beyond, row_number() over (order by first desc) as number from ${daysOf('finished_deliveries')} days
     where beyond > ${search.from} and first <= ${search.before.eventId} and ${statuses.length > 0}::boolean
  ), searched as (
    select 0::bigint as number, 0::bigint as looked_at, 0::bigint as found, false as is_over,
           '{}'::uuid[] as event_ids, '{}'::uuid[] as webhook_ids, '{}'::boolean[] as ends
    union all
    select d.number, s.looked_at + p.looked_at, s.found + p.found, p.is_over, p.event_ids, p.webhook_ids, p.ends
      from searched s join day d on d.number = s.number + 1
     cross join lateral (${pageOfDay(organizationId, search, statuses)}) p
     where s.found <= ${limit} and not s.is_over
  ), logged as (
    select f.event_id, f.webhook_id, trigger_type, trigger_name, status, reason, attempts_count, null::timestamptz as available_at,
           finished_at, dropped_claims, content, attempt_log, k.ends
      from searched s cross join lateral unnest(s.event_ids, s.webhook_ids, s.ends) as k (event_id, webhook_id, ends)
     cross join lateral (
       select * from finished_deliveries
        where org_id = ${organizationId} and webhook_id = k.webhook_id and event_id = k.event_id limit 1) f
  )`
}

/** Of day `d`, after the days `s`: the keys of those that match, or after which rows were not looked at. */
const pageOfDay = (organizationId: string, search: Search, statuses: LoggedStatus[]) => fragment`
  with recursive ${rangesOfDay(organizationId, search, statuses)}, looked as materialized (
    select e.event_id, e.webhook_id, e.matches, e.position = share as ends,
           s.looked_at + count(*) over () >= ${maxLookedAt}
             and row_number() over (order by e.event_id, e.webhook_id) = 1 as is_last_looked_at
      from range cross join lateral (
        select event_id, webhook_id, ${matches(search)} as matches, row_number() over (order by event_id desc) as position
          from (select * from finished_deliveries
                 where org_id = ${organizationId} and webhook_id = range.webhook_id and ${ofKind(statuses, fragment`range.status`)}
                   and event_id >= range.oldest and event_id < d.beyond and ${within(search)}
                 order by event_id desc limit share) l) e
  ), page as (
    select * from looked where matches or ends or is_last_looked_at
     order by event_id desc, webhook_id desc limit ${search.limit + 1}
  )
  select (select count(*) from looked) as looked_at, count(*) as found, coalesce(bool_or(ends or is_last_looked_at), false) as is_over,
         coalesce(array_agg(event_id), '{}') as event_ids, coalesce(array_agg(webhook_id), '{}') as webhook_ids,
         coalesce(array_agg(ends or is_last_looked_at), '{}') as ends
    from page`

/**
 * Each webhook found by the one before it; where none of what is looked for succeeded, with a range for each status. A few rows of
 * each range tell how old the last row of a full page is at most, where so many of them match: then none is taken that is older.
 */
function rangesOfDay(organizationId: string, search: Search, statuses: LoggedStatus[]) {
  const { limit } = search
  const isFiltered = isCompared(search, statuses)
  const isOfDay = fragment`org_id = ${organizationId} and event_id >= d.first and event_id < d.beyond`
  const few = fragment`(select 1 + ${(isFiltered ? 10 : 2) * limit}::int / count(*) from webhook)`
  return fragment`
    webhook as (
      (select webhook_id, trigger_name from finished_deliveries where ${isOfDay} and ${ofKind(statuses)} order by webhook_id limit 1)
      union all
      select following.* from webhook w cross join lateral (
        select webhook_id, trigger_name from finished_deliveries
         where ${isOfDay} and ${ofKind(statuses)} and webhook_id > w.webhook_id order by webhook_id limit 1) following
    ), newest as materialized (
      select w.webhook_id, r.status, n.event_id, n.matches
        from webhook w cross join unnest(${isUnsuccessful(statuses) ? statuses : ['any']}::text[]) as r (status)
       cross join lateral (
         select event_id, ${isFiltered ? matches(search) : fragment`true`} as matches from finished_deliveries
          where ${isOfDay} and webhook_id = w.webhook_id and ${ofKind(statuses, fragment`r.status`)} and ${within(search)}
          order by event_id desc limit ${few}) n
       where w.trigger_name <> ${logoutTrigger}
    ), range as materialized (
      select webhook_id, status, oldest,
             case when ${isFiltered}::boolean then greatest(1, (${maxLookedAt} - s.looked_at) / count(*) over ()) else ${limit + 1} end as share
        from newest cross join (
          select coalesce((select event_id from newest where matches order by event_id desc offset ${limit} limit 1), d.first) as oldest) page_end
       where event_id >= oldest group by webhook_id, status, oldest
    )`
}

const isUnsuccessful = (statuses: LoggedStatus[]) => !statuses.includes('succeeded')

/** A generic plan takes the index of the unsuccessful only where the statement says `status <> 'succeeded'` as it does. */
function ofKind(statuses: LoggedStatus[], status?: Fragment) {
  if (!isUnsuccessful(statuses)) return fragment`true`
  return status ? fragment`status <> 'succeeded' and status = ${status}` : fragment`status <> 'succeeded'`
}

/** Whether each row of the log is compared with a filter: the index of the unsuccessful knows their status. */
const isCompared = (search: Search, statuses: LoggedStatus[]) =>
  [isUnsuccessful(statuses) ? undefined : search.status, ...comparedWith(search)].some((filter) => filter !== undefined)

function unsuccessfulOfWebhook(organizationId: string, search: Search, statuses: LoggedStatus[]): Fragment {
  const { webhookId } = search
  const share = shareOf(statuses.length, search, comparedWith(search))
  return logged(
    fragment`
      select f.* from unnest(${statuses}::text[]) as range (status)
       cross join lateral (
         select *, row_number() over (order by event_id desc) as position
           from (select * from finished_deliveries
                  where org_id = ${organizationId} and webhook_id = ${webhookId} and status <> 'succeeded'
                    and status = range.status and ${within(search)}
                  order by event_id desc limit ${share}) d) f`,
    share,
  )
}

function ofWebhook(organizationId: string, search: Search): Fragment {
  const { webhookId, status } = search
  const share = shareOf(1, search, [status, ...comparedWith(search)])
  return logged(
    fragment`
      select *, row_number() over (order by event_id desc) as position
        from (select * from finished_deliveries
               where org_id = ${organizationId} and webhook_id = ${webhookId} and ${within(search)}
               order by event_id desc limit ${share}) d`,
    share,
  )
}

/** How many rows of each range are looked at; `filters`: those that each row is compared with. */
const shareOf = (ranges: number, { limit }: Search, filters: unknown[]) =>
  filters.some((filter) => filter !== undefined) ? Math.ceil(maxLookedAt / Math.max(1, ranges)) : limit + 1
