/** The log of deliveries that have ended, and their counts: the way into it, back out of it, and its own end. */
import type { Queries } from '../../../ground/database/database.ts'
import { numberIn, valueIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import type { AttemptRecord } from '../../webhooks/attempts/index.ts'
import type { HookEnd } from '../delivery.ts'
import { countAttempts, countOf } from './attempt-counts.ts'

/**
 * Writes the rows of `ended` to the log: none that is there already, for its first end stands. It is not looked up before, by a query
 * of the log: PostgreSQL 18 crashes where a statement that locks or updates rows, and finds one of them changed meanwhile, also reads a
 * partitioned table (18.4, seen under load).
 */
export const logEnded = (now: string) => fragment`
    logged as (
      insert into finished_deliveries
        (org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempt_log, content, finished_at)
      select org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempt_log, content, ${now}::timestamptz
        from ended
      on conflict do nothing
      returning org_id, webhook_id, status, content is not null as is_logout
    )`

/** The session that counts: below zero it counts logout tokens, which no list of deliveries has. */
const countingSession = (isLogout: Fragment) =>
  fragment`(case when ${isLogout} then -pg_backend_pid() else pg_backend_pid() end)`

/**
 * Counts what was written to the log, by its day, and of an organization by its minute, there logout tokens apart. Where all of the rows are there they are
 * updated, else all are inserted: `on conflict do update` locks each row first, which is a record of its own in the write-ahead log
 * (66 of 137 bytes, measured). Either way in one go and in the order of the key, so that two sessions cannot deadlock.
 */
export const countEnded = (now: string) => fragment`
    ended_by_day as materialized (
      select l.*, c.count is not null as is_known
        from (select org_id, webhook_id, (${now}::timestamptz at time zone 'UTC')::date as day, status, count(*) as ended
                from logged group by 1, 2, 3, 4) l
        left join delivery_counts c
          on c.org_id = l.org_id and c.webhook_id = l.webhook_id and c.day = l.day and c.status = l.status
       order by 1, 2, 3, 4
    ), counted_again as (
      update delivery_counts c set count = c.count + l.ended from ended_by_day l
       where c.org_id = l.org_id and c.webhook_id = l.webhook_id and c.day = l.day and c.status = l.status
         and (select bool_and(is_known) from ended_by_day)
    ), counted as (
      insert into delivery_counts as c (org_id, webhook_id, day, status, count)
      select org_id, webhook_id, day, status, ended from ended_by_day
       where not (select bool_and(is_known) from ended_by_day) order by 1, 2, 3, 4
      on conflict (org_id, webhook_id, day, status) do update set count = c.count + excluded.count
    ), ended_by_minute as materialized (
      select l.*, c.count is not null as is_known
        from (select org_id, date_trunc('minute', ${now}::timestamptz) as minute, status, ${countingSession(fragment`is_logout`)} as session,
                     count(*) as ended
                from logged group by 1, 2, 3, 4) l
        left join delivery_minute_counts c
          on c.org_id = l.org_id and c.minute = l.minute and c.status = l.status and c.session = l.session
    ), minutes_counted_again as (
      update delivery_minute_counts c set count = c.count + l.ended from ended_by_minute l
       where c.org_id = l.org_id and c.minute = l.minute and c.status = l.status and c.session = l.session
    ), counted_by_minute as (
      insert into delivery_minute_counts as c (org_id, minute, status, session, count)
      select org_id, minute, status, session, ended from ended_by_minute where not is_known
      on conflict (org_id, minute, status, session) do update set count = c.count + excluded.count
    )`

/** The millisecond since which events are kept: a delivery of an earlier one is dropped, and cannot be redelivered. */
export const keptSince = (now: number, retentionMs: number) => Math.floor(now - retentionMs)

/** A webhook with deliveries in the queue, and the oldest event among them. */
type Overdue = { organizationId: string; webhookId: string; eventId: string }

/**
 * Walks the webhooks that have anything in the queue, with a lane or without, one probe of the primary key each. Returns up to
 * `limit` whose oldest event is before the id `before`, the oldest first.
 */
export async function findOverdue(queries: Queries, before: string, limit: number): Promise<Overdue[]> {
  const rows = await queries.rows(sql<{ org_id: string; webhook_id: string; event_id: string }>`
    with recursive oldest as (
      (select org_id, webhook_id, event_id from deliveries order by org_id, webhook_id, event_id limit 1)
      union all
      select following.* from oldest o cross join lateral (
        select org_id, webhook_id, event_id from deliveries
         where (org_id, webhook_id) > (o.org_id, o.webhook_id)
         order by org_id, webhook_id, event_id limit 1) following
    )
    select * from oldest where event_id < ${before} order by event_id limit ${limit}`)
  return rows.map((row) => ({ organizationId: row.org_id, webhookId: row.webhook_id, eventId: row.event_id }))
}

/**
 * Drops up to `limit` deliveries of a webhook whose event is before the id `before`, the oldest first: queue, log and counts change
 * together or not at all. Those in flight are left to their worker, so the lane's count stays. Returns how many.
 */
export const expireDeliveries = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  { before, now, limit }: { before: string; now: string; limit: number },
) =>
  numberIn(queries)(sql<{ count: number }>`
    with lane as materialized (
      select from lanes where org_id = ${organizationId} and webhook_id = ${webhookId} for update
    ), old as materialized (
      select event_id from deliveries
       where org_id = ${organizationId} and webhook_id = ${webhookId} and event_id < ${before} and not is_leased
       order by event_id limit ${limit}
    ), ended as (
      delete from deliveries d using old o
       where d.org_id = ${organizationId} and d.webhook_id = ${webhookId} and d.event_id = o.event_id
         and not d.is_leased and (select count(*) from lane) >= 0
      returning d.*, 'dropped' as status, 'expired' as reason
    ), ${logEnded(now)}, ${countEnded(now)}
    select count(*)::int as count from ended`)

/** The oldest event before the id `before` with a delivery that ended without success after `since`. */
export const oldestEndedSince = (queries: Queries, before: string, since: string) =>
  valueIn(queries)(sql<{ event_id: string }>`
    select event_id from finished_deliveries
     where event_id < ${before} and status <> 'succeeded' and finished_at > ${since}
     order by event_id limit 1`)

/** Removes up to `limit` counts of days before `day`, and returns how many. Those that another process removes are left to it. */
export const removeCounts = (queries: Queries, day: string, limit: number) =>
  numberIn(queries)(sql<{ count: number }>`
    with old as materialized (
      select org_id, webhook_id, day, status from delivery_counts where day < ${day}::date
       order by day limit ${limit} for update skip locked
    ), removed as (
      delete from delivery_counts c using old o
       where c.org_id = o.org_id and c.webhook_id = o.webhook_id and c.day = o.day and c.status = o.status
      returning c.day
    )
    select count(*)::int as count from removed`)

/** The same for the counts of minutes before `minute`. */
export const removeMinuteCounts = (queries: Queries, minute: string, limit: number) =>
  numberIn(queries)(sql<{ count: number }>`
    with old as materialized (
      select ctid as row_location from delivery_minute_counts where minute < ${minute}
       order by minute limit ${limit} for update skip locked
    ), removed as (
      delete from delivery_minute_counts where ctid = any(array(select row_location from old)) returning 1
    )
    select count(*)::int as count from removed`)

/**
 * Takes what leaves the log out of the count of the minute in which it ended, so that the counts are those of the log. In a row of this
 * session, whose count may so be below zero: only the sum of the sessions says how many there are.
 */
const uncountTaken = fragment`
    uncounted as (
      insert into delivery_minute_counts as c (org_id, minute, status, session, count)
      select org_id, date_trunc('minute', finished_at), status, ${countingSession(fragment`content is not null`)}, -count(*)
        from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (org_id, minute, status, session) do update set count = c.count + excluded.count
    )`

/** The newest attempts go back into the queue with a delivery; earlier ones are forgotten. */
const keptAttempts = 100
const keptOf = (attempts: Fragment) => fragment`
  jsonb_path_query_array(${attempts}, '$[last - $earlier to last]', jsonb_build_object('earlier', ${keptAttempts - 1}::int))`

/**
 * Moves finished deliveries back into the queue, due now and with a new window, for the trigger as it is at present; those whose
 * trigger is gone stay. Of two callers at once only one finds a delivery to move. Returns how many were moved.
 */
export async function reopenDeliveries(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventIds: string[],
  now: string,
): Promise<number> {
  // The bounds let PostgreSQL open only the partitions of their days.
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql`
    with taken as (
      delete from finished_deliveries f
       using unnest(${eventIds}::uuid[]) as wanted (event_id), triggers t
       where f.org_id = ${organizationId} and f.webhook_id = ${webhookId} and f.event_id = wanted.event_id
         and f.event_id >= ${bounds.at(0)} and f.event_id <= ${bounds.at(-1)}
         and t.org_id = ${organizationId} and t.webhook_id = ${webhookId} and t.type = 'event' and t.name = f.trigger_name
      returning f.*, t.created_at as trigger_created_at
    ), ${uncountTaken}
    insert into deliveries
      (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at, attempts_count, attempt_log)
    select org_id, webhook_id, event_id, trigger_name, trigger_created_at, ${now}::timestamptz, attempts_count,
           ${keptOf(fragment`attempt_log`)}
      from taken
    returning event_id`)
  return rows.length
}

/** The same of logout tokens of an application that has an address now. */
export async function reopenLogout(
  queries: Queries,
  organizationId: string,
  clientId: string,
  id: string,
  now: string,
) {
  const rows = await queries.rows(sql`
    with taken as (
      delete from finished_deliveries f
       where org_id = ${organizationId} and webhook_id = ${clientId} and event_id = ${id} and content is not null
         and exists (select from lanes l where l.org_id = ${organizationId} and l.webhook_id = ${clientId} and l.is_logout)
      returning *
    ), ${uncountTaken}
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, attempts_count, attempt_log, content)
    select org_id, webhook_id, event_id, trigger_name, ${now}::timestamptz, attempts_count, ${keptOf(fragment`attempt_log`)}, content
      from taken
    returning event_id`)
  return rows.length === 1
}

/** The call of one webhook in a hook run. `dropped`: protected claims of the response. */
type HookCall = HookEnd & { webhookId: string; attempts: { record: AttemptRecord }[]; dropped: string[] }

/** Writes a hook run to the log: a row for each webhook. Counts its attempts. */
export async function logHookRun(
  queries: Queries,
  organizationId: string,
  { runId, triggerName, finishedAt }: { runId: string; triggerName: string; finishedAt: string },
  calls: HookCall[],
) {
  const rows = calls.map(({ webhookId, status, reason, attempts, dropped }) => ({
    webhook_id: webhookId,
    status,
    reason,
    attempt_log: attempts.map(({ record }) => record),
    dropped_claims: dropped.length > 0 ? dropped : null,
  }))
  const counted = calls.flatMap(({ webhookId, attempts }) =>
    attempts.map(({ record }) => ({ webhook_id: webhookId, ...countOf(record) })),
  )
  const attempted = fragment`
      select ${organizationId}::uuid as org_id, webhook_id, failure, duration
        from jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) as a (webhook_id uuid, failure text, duration numeric)`
  await queries.rows(sql`
    with ${countAttempts('sync_hook', finishedAt, attempted)}
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_type, trigger_name, status, reason, attempts_count, attempt_log, dropped_claims,
       finished_at)
    select ${organizationId}, webhook_id, ${runId}, 'sync_hook', ${triggerName}, status, reason,
           jsonb_array_length(attempt_log), attempt_log, dropped_claims, ${finishedAt}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as c (webhook_id uuid, status text, reason text, attempt_log jsonb, dropped_claims text[])`)
}
