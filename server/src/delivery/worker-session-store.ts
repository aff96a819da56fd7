import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { FirstDue } from './settle-store.ts'

/** What a process without a session holds is given back after so long. */
const graceMs = 5_000

/**
 * Registers the session that asks, for as long as it lasts. It waits for whoever is giving back what the process held. The lock is
 * shared: an earlier session of the process may not have been noticed to be gone.
 */
export async function registerWorker(queries: Queries, owner: string): Promise<void> {
  await queries.rows(sql`select pg_advisory_lock_shared(hashtextextended(${owner}::uuid::text, 0))`)
  await queries.rows(sql`
    insert into workers (owner, registered_at) values (${owner}, now())
    on conflict (owner) do update set registered_at = excluded.registered_at, lost_at = null`)
}

export type Look = {
  /** Workers without a session, and for how long each may still register again. */
  lost: { owner: string; leftMs: number }[]
  /** Something is in flight, of any worker. */
  isBusy: boolean
  /** When the first lanes are due that this worker may claim, whoever made them due. */
  firstDue: FirstDue
}

/**
 * What other workers did, or did not live to do. The time in which a lost one may register again begins when it is first looked
 * for, and not before the worker that looks has registered: after a failover or a restart all sessions are gone at once, and each
 * worker has that time from the moment at which the first one was let in.
 */
export async function lookAtWorkers(queries: Queries, owner: string): Promise<Look> {
  const rows = await queries.rows(sql<LookRow>`
    with lost as materialized (
      select owner, lost_at from workers
       where owner <> ${owner} and pg_try_advisory_xact_lock(hashtextextended(owner::text, 0))
    ), noticed as (
      update workers w set lost_at = now() from lost where w.owner = lost.owner and w.lost_at is null
    ), due as materialized (
      select share.quick, l.next_due_at
        from (values (true, false), (false, true), (false, false)) as share (quick, failing) cross join lateral (
          select next_due_at from lanes
           where quick = share.quick and (failing and not quick) = share.failing and paused_reason is null
             and next_due_at < 'infinity' and (in_flight = 0 or owner = ${owner})
           order by next_due_at limit 1) l
    )
    select lost.owner, exists (select from deliveries where in_flight) as busy,
           (select min(next_due_at) from due where quick) as quick_due,
           (select min(next_due_at) from due where not quick) as not_quick_due,
           ${graceMs}::float8 - 1000 * extract(epoch from now() - greatest(coalesce(lost.lost_at, now()), me.registered_at))::float8 as left_ms
      from workers me left join lost on true where me.owner = ${owner}`)
  const [row] = rows
  return {
    lost: rows.flatMap(({ owner, left_ms }) => (owner === null ? [] : [{ owner, leftMs: left_ms }])),
    isBusy: row?.busy ?? false,
    firstDue: { quick: Number(row?.quick_due ?? Infinity), notQuick: Number(row?.not_quick_due ?? Infinity) },
  }
}

type LookRow = {
  owner: string | null
  left_ms: number
  busy: boolean
  quick_due: Date | null
  not_quick_due: Date | null
}

/** Forgets a lost worker, once nothing that it held is in flight. */
export async function forgetLost(queries: Queries, owner: string): Promise<void> {
  await queries.rows(sql`
    delete from workers w
     where w.owner = ${owner} and w.lost_at is not null and not exists (
       select from deliveries d
        where d.in_flight and ${owner} = (
          select owner from lanes l where l.org_id = d.org_id and l.webhook_id = d.webhook_id))`)
}

/** For one that stops, and holds nothing any more. */
export async function unregisterWorker(queries: Queries, owner: string): Promise<void> {
  await queries.rows(sql`delete from workers where owner = ${owner}`)
}
