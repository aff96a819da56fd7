/**
 * Deliveries that are claimed on publish and have no row in the queue: since when a worker may have any, and how those are found that
 * nobody will settle. The event says who has claimed it and for which webhooks; what is neither in the queue nor in the log is in flight.
 */
import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { hasRow, numberIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import { firstIdAt } from '../../../ground/runtime/identifiers.ts'
import type { LaneKey } from '../delivery.ts'
import { leaseMs } from '../lease.ts'
import { wakeAt } from './lanes.ts'

/** Deliveries that one rescue puts into the queue. */
const rescueBatch = 1_000
/** Ids so far beyond the clock, which may have been set back; not more, for partitions of later days would be searched too. */
const aheadMs = 86_400_000
/** A worker that was lost for so long has nothing left that is still to be committed. */
const forgetAfterMs = 60_000

/** Since when a worker may have any: an event's id. Commits asynchronously: what a crash of the database forgets was earlier. */
export const sayUnqueuedSince = (queries: Queries, workerId: string, eventId: string, isBusy: boolean) =>
  queries.rows(sql`
    with asynchronous as materialized (
      select set_config('synchronous_commit', 'off', true)
    )
    insert into unqueued_since as u (worker_id, event_id, seen_at, is_busy)
    select ${workerId}, ${eventId}, now(), ${isBusy} from asynchronous
    on conflict (worker_id) do update
      set event_id = excluded.event_id, seen_at = excluded.seen_at, is_busy = excluded.is_busy, is_lost = false`)

/** The same for one that has said that it is idle, in a statement of its own. Nothing where `since` is undefined. */
export const saidIdle = (workerId: string, since: string | undefined) => fragment`
    said as (
      insert into unqueued_since as u (worker_id, event_id, seen_at, is_busy)
      select ${workerId}, since, now(), false from (values (${since}::uuid)) as s (since) where since is not null
      on conflict (worker_id) do update set event_id = excluded.event_id, seen_at = excluded.seen_at, is_lost = false where not u.is_busy
    )`

/** For a worker that stops and has none. */
export const removeUnqueuedSince = (queries: Queries, workerId: string) =>
  queries.rows(sql`delete from unqueued_since where worker_id = ${workerId}`)

/** Lanes of which the worker has nothing in flight are anybody's. Locked ones stay its own until the next time. */
export const releaseLanes = (queries: Queries, workerId: string, lanes: LaneKey[]) =>
  queries.rows(sql`
    with asynchronous as materialized (
      select set_config('synchronous_commit', 'off', true)
    ), idle as materialized (
      select l.org_id, l.webhook_id
        from asynchronous, unnest(${lanes.map((lane) => lane.organizationId)}::uuid[], ${lanes.map((lane) => lane.webhookId)}::uuid[])
          as i (org_id, webhook_id)
       cross join lateral (
          select org_id, webhook_id from lanes
           where org_id = i.org_id and webhook_id = i.webhook_id and leased_by = ${workerId} and in_flight = 0
             for no key update skip locked) l
    )
    update lanes l set leased_by = null from idle where l.org_id = idle.org_id and l.webhook_id = idle.webhook_id`)

const isSilent = fragment`
  u.seen_at < now() - case when u.is_busy then 1 else 2 end * ${leaseMs}::int * interval '1 millisecond'`

/** Of a row `u`: it may be that of a lost worker, or is. Where one runs alone none is registered. */
export const mayBeLost = fragment`(${isSilent} or not exists (select from workers w where w.id = u.worker_id))`

/** `isOver`: it was lost so long ago that it can be forgotten. */
type Lost = { workerId: string; isOver: boolean }

/**
 * Other workers that are dead, or have not been heard of for as long as a lease, and twice as long where they said that they were idle,
 * for then they say so with each sweep: from now on they have no lanes. A worker that is alone
 * on its database knows that all others are dead. Otherwise a failover silences all: then each counts from when this one registered.
 */
export async function findLostWorkers(queries: Queries, workerId: string, isAlone: boolean): Promise<Lost[]> {
  const rows = await queries.rows(sql<{ worker_id: string; is_over: boolean }>`
    update unqueued_since u set is_lost = true
     where u.worker_id <> ${workerId} and (
       ${isAlone}::boolean
       or (not exists (select from workers w where w.id = u.worker_id)
           and pg_try_advisory_xact_lock(hashtextextended(u.worker_id::text, 0)))
       or (${isSilent}
           and (select registered_at from workers where id = ${workerId}) < now() - ${leaseMs}::int * interval '1 millisecond'))
    returning worker_id, seen_at < now() - ${forgetAfterMs}::int * interval '1 millisecond' as is_over`)
  return rows.map((row) => ({ workerId: row.worker_id, isOver: row.is_over }))
}

/** Unless it has said since then that it lives, or a publication of its time is still open. */
export const forgetLostWorker = (queries: Queries, workerId: string) =>
  queries.rows(sql`
    delete from unqueued_since u
     where worker_id = ${workerId} and is_lost and not exists (
       select from position_locks k join pg_stat_activity a on a.pid = k.pid
        where a.xact_start < u.seen_at + ${forgetAfterMs}::int * interval '1 millisecond')`)

type Found = { org_id: string; webhook_id: string; event_id: string; trigger_name: string }

/**
 * Puts them into the queue, due at once; a lane that is locked is woken by the sweep. In a statement of its own: PostgreSQL 18 crashes where
 * one that locks rows also reads a partitioned table (`log.ts`). What is settled in between is in the log too, and its first end stands.
 */
async function queueFound(queries: Queries, found: Found[], attempts: number, now: Fragment): Promise<number> {
  if (found.length === 0) return 0
  const of = (column: keyof Found) => found.map((row) => row[column])
  return numberIn(queries)(sql<{ count: number }>`
    with queued as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at, attempts_count)
      select f.org_id, f.webhook_id, f.event_id, f.trigger_name, coalesce(t.created_at, 'epoch'), least(${now}, time_of(f.event_id)),
             ${attempts}::int
        from unnest(${of('org_id')}::uuid[], ${of('webhook_id')}::uuid[], ${of('event_id')}::uuid[], ${of('trigger_name')}::text[])
               as f (org_id, webhook_id, event_id, trigger_name)
        left join triggers t on t.org_id = f.org_id and t.webhook_id = f.webhook_id and t.type = 'event'
                            and t.name = f.trigger_name and t.created_at <= time_of(f.event_id) + interval '5 seconds'
      on conflict do nothing
      returning org_id, webhook_id
    ), lane as materialized (
      select l.org_id, l.webhook_id from (select distinct org_id, webhook_id from queued) q cross join lateral (
        select org_id, webhook_id from lanes
         where org_id = q.org_id and webhook_id = q.webhook_id for no key update skip locked) l
    ), woken as (
      update lanes l set next_due_at = ${wakeAt(now)}
        from lane where l.org_id = lane.org_id and l.webhook_id = lane.webhook_id
    )
    select count(*)::int as count from queued`)
}

/**
 * Puts into the queue what a lost worker was delivering, up to a batch, and returns how much that was. It asks for each organization
 * that has a webhook, found by the one before it. Its attempts count, although nobody knows how they ended. A trigger that was removed
 * meanwhile, or was added again, has its deliveries cancelled as they are claimed.
 */
export async function rescueUnqueued(queries: Queries, workerId: string, now: number, time: string): Promise<number> {
  const found = await queries.rows(sql<Found>`
    with recursive organization as (
      (select org_id from lanes order by org_id limit 1)
      union all
      select following.org_id from organization o cross join lateral (
        select org_id from lanes where org_id > o.org_id order by org_id limit 1) following
    )
    select u.org_id, u.webhook_id, u.event_id, u.trigger_name from organization o cross join lateral (
      select * from unqueued_deliveries
       where org_id = o.org_id and claimed_by = ${workerId} and event_id < ${firstIdAt(now + aheadMs)} limit ${rescueBatch}) u
     limit ${rescueBatch}`)
  return queueFound(queries, found, 1, fragment`${time}::timestamptz`)
}

/** The same of events whose publication may have been committed although its reply was lost: nobody has begun to deliver them. */
export async function queueUnsent(queries: Queries, organizationId: string, eventIds: string[], time: string) {
  const bounds = eventIds.toSorted()
  const found = await queries.rows(sql<Found>`
    select org_id, webhook_id, event_id, trigger_name from unqueued_deliveries
     where org_id = ${organizationId} and event_id = any(${eventIds}::uuid[]) and event_id between ${bounds.at(0)} and ${bounds.at(-1)}`)
  return queueFound(queries, found, 0, fragment`${time}::timestamptz`)
}

/** The same of all that is left of an organization that moves: its deliveries move with it. */
export async function queueUnqueued(queries: Queries, organizationId: string, time: string) {
  const found = await queries.rows(sql<Found>`
    select org_id, webhook_id, event_id, trigger_name from unqueued_deliveries where org_id = ${organizationId}`)
  return queueFound(queries, found, 1, fragment`${time}::timestamptz`)
}

/** The same in a database that was restored, or copied from another: none of the workers that it knows is its own. */
export async function queueAllUnqueued(tx: Transaction) {
  const found = await tx.rows(sql<Found>`select org_id, webhook_id, event_id, trigger_name from unqueued_deliveries`)
  await queueFound(tx, found, 1, fragment`now()`)
  await tx.rows(sql`delete from unqueued_since`)
}

/** Whether a transaction that began before then, by the time of this process, has drawn a position and is still open. */
export const hasOpenPublication = (queries: Queries, before: string) =>
  hasRow(queries)(sql`
    select from position_locks k join pg_stat_activity a on a.pid = k.pid where a.xact_start < ${before} limit 1`)
