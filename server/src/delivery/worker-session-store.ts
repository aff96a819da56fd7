import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { graceMs } from './lease.ts'
import type { FirstDue } from './settle-store.ts'

/**
 * Registers the session that runs this, for as long as it lasts. It waits while another worker gives back what this one held. The
 * lock is shared, because the database may not have noticed yet that an earlier session of this process has ended.
 */
export async function registerWorker(queries: Queries, id: string): Promise<void> {
  await queries.rows(sql`select pg_advisory_lock_shared(hashtextextended(${id}::uuid::text, 0))`)
  await queries.rows(sql`
    insert into workers (id, registered_at) values (${id}, now())
    on conflict (id) do update set registered_at = excluded.registered_at, missing_since = null`)
}

export type WorkerStatus = {
  /** Workers without a session, and how long each has left to register again. One that has none left is dead. */
  missing: { id: string; leftMs: number }[]
  /** A delivery is in flight, of any worker. */
  isBusy: boolean
  /** When the first lanes are due that this worker may claim, whoever made them due. */
  firstDue: FirstDue
}

/**
 * Which other workers are missing, and what there is to do. The time in which a missing worker may register again begins when it
 * is first found missing, and not before the worker that looks has registered: a failover or a restart ends all sessions at once,
 * and each worker then has that time from the moment at which the first one could register.
 */
export async function lookAtWorkers(queries: Queries, id: string): Promise<WorkerStatus> {
  const rows = await queries.rows(sql<StatusRow>`
    with missing as materialized (
      select id, missing_since from workers
       where id <> ${id} and pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
    ), noticed as (
      update workers w set missing_since = now() from missing where w.id = missing.id and w.missing_since is null
    ), due as materialized (
      select share.quick, l.next_due_at
        from (values (true, false), (false, true), (false, false)) as share (quick, failing) cross join lateral (
          select next_due_at from lanes
           where quick = share.quick and (failing and not quick) = share.failing and paused_reason is null
             and next_due_at < 'infinity' and (in_flight = 0 or owner = ${id})
           order by next_due_at limit 1) l
    )
    select missing.id, exists (select from deliveries where in_flight) as busy,
           (select min(next_due_at) from due where quick) as quick_due,
           (select min(next_due_at) from due where not quick) as not_quick_due,
           ${graceMs}::float8 - 1000 * extract(
             epoch from now() - greatest(coalesce(missing.missing_since, now()), me.registered_at))::float8 as left_ms
      from workers me left join missing on true where me.id = ${id}`)
  const [row] = rows
  return {
    missing: rows.flatMap(({ id, left_ms }) => (id === null ? [] : [{ id, leftMs: left_ms }])),
    isBusy: row?.busy ?? false,
    firstDue: { quick: Number(row?.quick_due ?? Infinity), notQuick: Number(row?.not_quick_due ?? Infinity) },
  }
}

type StatusRow = {
  id: string | null
  left_ms: number
  busy: boolean
  quick_due: Date | null
  not_quick_due: Date | null
}

/** For a dead worker, or for one that stops. What still holds deliveries stays, and others take them back. */
export async function deleteWorker(queries: Queries, id: string, { isDead }: { isDead: boolean }): Promise<void> {
  await queries.rows(sql`
    delete from workers w
     where w.id = ${id} and (w.missing_since is not null or not ${isDead}::boolean) and not exists (
       select from deliveries d
        where d.in_flight and ${id} = (
          select owner from lanes l where l.org_id = d.org_id and l.webhook_id = d.webhook_id))`)
}
