/**
 * Takes back what nobody will settle: expired leases, lanes that were not woken, deliveries without a webhook. And the register of
 * workers, by which the living find out who is dead.
 */
import type { Queries } from '../../../ground/database/database.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import { logoutTrigger } from '../../logouts/index.ts'
import { type FirstDue, graceMs, type LaneKey, toLaneKey } from '../delivery.ts'
import { classRows, isFreeFor, isInClass, lockLanes, unleased, wakeAt, withoutEnded } from './lanes.ts'
import { logEnded } from './log.ts'
import { mayBeLost, saidIdle } from './unqueued.ts'

/** Rows that one rescue takes back, and that it looks at: those of a few locked lanes must not hide the others. */
const rescueBatch = 1_000
const lookedAt = 3 * rescueBatch

/**
 * The deliveries whose lease ends before `before`: all, those of `leaseTokens`, or those that a dead worker holds. The statement
 * keeps that worker from registering meanwhile, and takes nothing from it if it has registered again.
 */
type Lapsed = { before: string; leaseTokens?: string[]; deadWorker?: string }

/**
 * Takes back deliveries whose lease has lapsed: their worker died, or never heard of its claim. They are due at once, in their
 * original position, and an attempt whose end nobody knows does not count against the window. Returns how many.
 *
 * The worker of a lane is looked up for each delivery: by an `exists` all lanes would be read once, into a hash. It waits for no
 * lane: what is of a locked one is left to the next rescue, else the lanes before that one would stay locked as long.
 */
export async function rescueDeliveries(queries: Queries, { before, leaseTokens, deadWorker }: Lapsed, now: string) {
  const unattempted = leaseTokens === undefined ? 0 : 1
  const [row] = await queries.rows(sql<{ count: number }>`
    with dead as materialized (
      select id from workers
       where id = ${deadWorker}::uuid and missing_since is not null
         and pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
    ), expired as materialized (
      select org_id, webhook_id, lease_token, ctid as row_location from deliveries d
       where is_leased and available_at < ${before} and (${leaseTokens === undefined}::boolean or lease_token = any(${leaseTokens ?? []}::uuid[]))
         and (${deadWorker === undefined}::boolean or (select id from dead) = (
           select leased_by from lanes l where l.org_id = d.org_id and l.webhook_id = d.webhook_id))
       order by available_at limit ${lookedAt}
    ), ${lockLanes(fragment`(select distinct org_id, webhook_id from expired) r`)},
    free as materialized (
      select * from expired
       where (org_id, webhook_id) not in (select org_id, webhook_id from locked) limit ${rescueBatch}
    ), rescued as (
      update deliveries d
         set is_leased = false, lease_token = null, window_attempts = d.window_attempts - 1, attempts_count = d.attempts_count - ${unattempted}::int,
             available_at = case when d.window_attempts > 1 then ${now} else least(${now}, time_of(d.event_id)) end
        from free f
       where d.ctid = f.row_location and d.lease_token = f.lease_token
      returning d.org_id, d.webhook_id
    ), freed as (
      select org_id, webhook_id, count(*)::int as count from rescued group by 1, 2
    ), woken as (
      update lanes l
         set in_flight = ${withoutEnded}, saturated = false,
             next_due_at = ${wakeAt(fragment`${now}::timestamptz`)}
        from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id
    )
    select count(*)::int as count from rescued`)
  return row?.count ?? 0
}

/** Webhooks that one statement looks at, and deliveries it ends. */
const sweepWidth = 5_000
const sweepBatch = 1_000
const nil = '00000000-0000-0000-0000-000000000000'
export const firstLane: LaneKey = { organizationId: nil, webhookId: nil }

/** A lease that ends before `lapsedBefore` has expired. `idleSince`: what the worker says with it while it is idle (`unqueued.ts`). */
type Sweep = { now: string; lapsedBefore: string; workerId: string; idleSince?: string | undefined }

/**
 * `next`: where to continue; undefined at the end. `hasLapsed`: a lease has expired, of any webhook. `hasLost`: lost workers may have
 * deliveries that are not in the queue. `hasTries`: a delivery is to be tried out of its order.
 */
export type Swept = {
  next: LaneKey | undefined
  woken: number
  hasLapsed: boolean
  hasLost: boolean
  hasTries: boolean
}

/**
 * Walks the webhooks from `from` on that have anything pending, a few index probes each. Wakes lanes that should be due earlier than
 * they are (their worker died between a commit and its wake-up), and cancels deliveries whose webhook, and so whose lane, was
 * removed. Reports also whether there is anything to take back, so that an idle process needs one statement instead of three.
 */
export async function sweepLanes(
  queries: Queries,
  { now, lapsedBefore, workerId, idleSince }: Sweep,
  from = firstLane,
): Promise<Swept> {
  const [row] = await queries.rows(sql<SweptRow>`
    with recursive pending as (
      (select org_id, webhook_id, 1 as number from deliveries
        where not is_leased and (org_id, webhook_id) >= (${from.organizationId}::uuid, ${from.webhookId}::uuid)
        order by org_id, webhook_id, priority_in_lane(trigger_name), available_at limit 1)
      union all
      select following.*, p.number + 1 from pending p cross join lateral (
        select org_id, webhook_id from deliveries
         where not is_leased and (org_id, webhook_id) > (p.org_id, p.webhook_id)
         order by org_id, webhook_id, priority_in_lane(trigger_name), available_at limit 1) following
       where p.number < ${sweepWidth}
    ), late as materialized (
      select lane.*, first.available_at
        from pending l cross join lateral (
          select min(each.available_at) as available_at from (values (0), (1)) as priorities (priority) cross join lateral (
            select available_at ${unleased(fragment`priorities.priority`)} order by available_at limit 1) each) first
       cross join lateral (
          select org_id, webhook_id from lanes
           where org_id = l.org_id and webhook_id = l.webhook_id
             and greatest(first.available_at, cooldown_until) < next_due_at and (not saturated or in_flight = 0)
             for update skip locked) lane
    ), woken as (
      update lanes l set saturated = false, next_due_at = ${wakeAt(fragment`late.available_at`)}
        from late where l.org_id = late.org_id and l.webhook_id = late.webhook_id
      returning l.webhook_id
    ), orphan as materialized (
      select d.org_id, d.webhook_id, d.event_id
        from pending p cross join lateral (
          select org_id, webhook_id, event_id from deliveries
           where org_id = p.org_id and webhook_id = p.webhook_id and not is_leased limit ${sweepBatch}) d
       where not exists (select from lanes l where l.org_id = p.org_id and l.webhook_id = p.webhook_id)
       limit ${sweepBatch}
    ), ended as (
      delete from deliveries d using orphan o
       where d.org_id = o.org_id and d.webhook_id = o.webhook_id and d.event_id = o.event_id and not d.is_leased
      returning d.*, 'cancelled' as status,
                case when d.trigger_name = ${logoutTrigger} then 'logout_uri_removed' else 'webhook_deleted' end as reason
    ), ${logEnded(now)}, ${saidIdle(workerId, idleSince)}
    select last.*, (select count(*)::int from woken) as woken, (select count(*)::int from ended) as cancelled,
           exists (select from deliveries where is_leased and available_at < ${lapsedBefore}) as lapsed,
           exists (select from unqueued_since u where worker_id <> ${workerId} and ${mayBeLost}) as lost,
           exists (select from lanes where trying is not null) as trying
      from (values (1)) one left join (
        select org_id, webhook_id, number from pending order by number desc limit 1) last on true`)
  const { woken, cancelled, lapsed, lost, trying, ...last } = row as SweptRow
  const isCut = last.number === sweepWidth
  return {
    next: cancelled === sweepBatch ? from : isCut ? toLaneKey(last) : undefined,
    woken,
    hasLapsed: lapsed,
    hasLost: lost,
    hasTries: trying,
  }
}

/** The last webhook that was looked at, if there was any. */
type Last = { org_id: string; webhook_id: string; number: number }
type SweptRow = Last & { woken: number; cancelled: number; lapsed: boolean; lost: boolean; trying: boolean }

/**
 * Registers the session that runs this, for as long as it lasts. It waits while another worker takes back what this one held. The
 * lock is shared, because the database may not have noticed yet that an earlier session of this process has ended.
 */
export async function registerWorker(queries: Queries, id: string): Promise<void> {
  await queries.rows(sql`select pg_advisory_lock_shared(hashtextextended(${id}::uuid::text, 0))`)
  await queries.rows(sql`
    insert into workers (id, registered_at) values (${id}, now())
    on conflict (id) do update set registered_at = excluded.registered_at, missing_since = null`)
}

export type WorkerStatus = {
  /** Workers without a session, and how long each has left to register again. One that has no time left is dead. */
  missing: { id: string; leftMs: number }[]
  /** Any worker has a delivery in flight. */
  isBusy: boolean
  /** When the first lanes that this worker may claim from are due. */
  firstDue: FirstDue
}

/**
 * Which other workers are missing, and what there is to do. The time in which a missing worker may register again begins when it is
 * first found missing, and not before the worker that looks has registered: a failover or a restart ends all sessions at once, and
 * each worker then has that time from when the first one could register.
 */
export async function lookAtWorkers(queries: Queries, id: string): Promise<WorkerStatus> {
  const rows = await queries.rows(sql<StatusRow>`
    with missing as materialized (
      select id, missing_since from workers
       where id <> ${id} and pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
    ), noticed as (
      update workers w set missing_since = now() from missing where w.id = missing.id and w.missing_since is null
    ), due as materialized (
      select class.healthy, l.next_due_at
        from (${classRows()}) as class (healthy, failing) cross join lateral (
          select next_due_at from lanes
           where ${isInClass} and next_due_at < 'infinity' and ${isFreeFor(id)}
           order by next_due_at limit 1) l
    )
    select missing.id,
           exists (select from deliveries where is_leased)
             or exists (select from unqueued_since where is_busy and not is_lost and worker_id <> ${id}) as busy,
           (select min(next_due_at) from due where healthy) as healthy_due,
           (select min(next_due_at) from due where not healthy) as unhealthy_due,
           ${graceMs}::float8 - 1000 * extract(
             epoch from now() - greatest(coalesce(missing.missing_since, now()), me.registered_at))::float8 as left_ms
      from workers me left join missing on true where me.id = ${id}`)
  const [row] = rows
  // The others have found this worker dead: it is to register again.
  if (!row) throw new Error('this worker is not registered any more')
  return {
    missing: rows.flatMap(({ id, left_ms }) => (id === null ? [] : [{ id, leftMs: left_ms }])),
    isBusy: row.busy,
    firstDue: { healthy: Number(row.healthy_due ?? Infinity), unhealthy: Number(row.unhealthy_due ?? Infinity) },
  }
}

type StatusRow = {
  id: string | null
  left_ms: number
  busy: boolean
  healthy_due: Date | null
  unhealthy_due: Date | null
}

/**
 * For a dead worker, or one that stops. One that still holds deliveries stays, until others have taken them back: what is not in the queue,
 * those of a dead one find once it is not registered any more.
 */
export const deleteWorker = (queries: Queries, id: string, { isDead }: { isDead: boolean }) =>
  queries.rows(sql`
    delete from workers w
     where w.id = ${id} and case when ${isDead}::boolean then w.missing_since is not null
                                 else not exists (select from unqueued_since where worker_id = ${id}) end and not exists (
       select from deliveries d
        where d.is_leased and ${id} = (
          select leased_by from lanes l where l.org_id = d.org_id and l.webhook_id = d.webhook_id))`)
