import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Rows taken back by one rescue, and looked at: those of a few full lanes that somebody has locked hide no others. */
const rescueBatch = 1_000
const lookedAt = 3 * rescueBatch

/**
 * The deliveries whose lease ends before `before`: all of them, those of `claims`, or those that a dead worker holds. The statement
 * keeps that worker from registering meanwhile, and takes nothing from it if it has registered again.
 */
type Lapsed = { before: string; claims?: string[]; deadWorker?: string }

/**
 * Takes back what has lapsed, for nobody has it any more: its worker died, or never heard that it was claimed. It is due at once,
 * in its place among what is as old, and the attempt that nobody knows the end of does not count against the window. Gives how
 * many.
 *
 * Whose lane it is, is asked for each delivery: by an `exists` all lanes would be read once, into a hash.
 *
 * It waits for no lane: what is of one that somebody has locked is left to the next rescue. Else all lanes before that one
 * would stay locked as long.
 */
export async function rescueDeliveries(
  queries: Queries,
  { before, claims, deadWorker }: Lapsed,
  now: string,
): Promise<number> {
  const isUncalled = claims === undefined ? 0 : 1
  const [row] = await queries.rows(sql<{ count: number }>`
    with dead as materialized (
      select id from workers
       where id = ${deadWorker}::uuid and missing_since is not null
         and pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
    ), expired as materialized (
      select org_id, webhook_id, claim, ctid as place from deliveries d
       where in_flight and due_at < ${before} and (${claims === undefined}::boolean or claim = any(${claims ?? []}::uuid[]))
         and (${deadWorker === undefined}::boolean or (select id from dead) = (
           select owner from lanes l where l.org_id = d.org_id and l.webhook_id = d.webhook_id))
       order by due_at limit ${lookedAt}
    ), lane as materialized (
      select e.*, l.webhook_id is null as missed
        from (select distinct org_id, webhook_id from expired) e
        left join lateral (
          select webhook_id from lanes
           where org_id = e.org_id and webhook_id = e.webhook_id for update skip locked) l on true
    ), locked as materialized (
      select m.org_id, m.webhook_id from lane m
       where m.missed and exists (select from lanes l where l.org_id = m.org_id and l.webhook_id = m.webhook_id)
    ), free as materialized (
      select * from expired
       where (org_id, webhook_id) not in (select org_id, webhook_id from locked) limit ${rescueBatch}
    ), rescued as (
      update deliveries d
         set in_flight = false, claim = null, tries = d.tries - 1, attempts_count = d.attempts_count - ${isUncalled}::int,
             due_at = case when d.tries > 1 then ${now} else least(${now}, time_of(d.event_id)) end
        from free f
       where d.ctid = f.place and d.claim = f.claim
      returning d.org_id, d.webhook_id
    ), freed as (
      select org_id, webhook_id, count(*)::int as count from rescued group by 1, 2
    ), armed as (
      update lanes l
         set in_flight = l.in_flight - f.count, is_full = false,
             next_due_at = least(l.next_due_at, greatest(${now}::timestamptz, l.resting_until))
        from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id
    )
    select count(*)::int as count from rescued`)
  return row?.count ?? 0
}
