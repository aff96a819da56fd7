/** Finds receivers that are paused or fail, the newest first, and what was wrong with each of them last. */
import type { Queries } from '../../ground/database/database.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { AttemptRecord } from '../webhooks/attempts/index.ts'

/** Of one webhook. */
export const maxWaitingCounted = 10_000
/** Deliveries in the queue and in the log, of one webhook, among which its newest failed attempt is looked for. */
const maxErrorsLookedAt = 20
/** Of what was dropped, with the runs of a hook of the same webhook. */
const maxDroppedLookedAt = 200
/** Runs of one hook that failed. */
export const maxRunsLookedAt = 1_000
/** The newest in the log of one webhook that has a hook, deliveries of events among them. */
export const maxLoggedLookedAt = 10_000

export type LastError = { delivery_id: string; attempt: AttemptRecord }
type Trouble = { id: string; name: string; failing_since: Date | null; waiting: number; last_error: LastError | null }
type Paused = Trouble & { paused_at: Date | null; paused_reason: 'requested' | 'failing' | 'restored' | 'moving' }

/**
 * The newest attempt of what was not delivered, of the webhook of a row `w`: of what waits for another attempt, by the index
 * `deliveries_retries`, and of what was dropped. Null: none is known any more.
 */
const lastError = (organizationId: string) => fragment`(
  select json_build_object('delivery_id', event_id, 'attempt', attempt_log -> -1)
    from (
      (select event_id, attempt_log from deliveries
        where org_id = ${organizationId} and webhook_id = w.id and priority_in_lane(trigger_name) = 0
          and not is_leased and window_attempts > 0
        order by available_at desc limit ${maxErrorsLookedAt})
      union all
      (select event_id, attempt_log from deliveries
        where org_id = ${organizationId} and webhook_id = w.id and priority_in_lane(trigger_name) = 1
          and not is_leased and window_attempts > 0
        order by available_at desc limit ${maxErrorsLookedAt})
      union all
      (select event_id, attempt_log from (
         select event_id, attempt_log, trigger_type from finished_deliveries
          where org_id = ${organizationId} and webhook_id = w.id and status <> 'succeeded' and status = 'dropped'
          order by event_id desc limit ${maxDroppedLookedAt}) dropped
        where trigger_type = 'event' order by event_id desc limit ${maxErrorsLookedAt})) failed
   where attempt_log -> -1 is not null
   order by attempt_log -> -1 ->> 'started_at' desc limit 1) as last_error`

const troubled = (
  organizationId: string,
  { which, newestFirst, limit }: { which: Fragment; newestFirst: Fragment; limit: number },
) => fragment`
    select w.id, w.name, w.paused_reason, w.paused_at, w.failing_since, ${lastError(organizationId)},
           (select count(*)::int from (
              select from deliveries where org_id = ${organizationId} and webhook_id = w.id limit ${maxWaitingCounted}) d) as waiting
      from (
        select h.id, h.name, l.paused_reason, l.paused_at, l.failing_since
          from lanes l join webhooks h on h.org_id = l.org_id and h.id = l.webhook_id
         where l.org_id = ${organizationId} and not l.is_logout and ${which}
         order by ${newestFirst}, h.id desc limit ${limit}) w`

export const findPausedWebhooks = (queries: Queries, organizationId: string, limit: number) =>
  queries.rows(
    sql<Paused>`${troubled(organizationId, {
      which: fragment`l.paused_reason is not null`,
      newestFirst: fragment`l.paused_at desc nulls last`,
      limit,
    })}`,
  )

/** Those that are not paused and whose newest attempt failed. */
export const findFailingWebhooks = (queries: Queries, organizationId: string, limit: number) =>
  queries.rows(
    sql<Trouble & { failing_since: Date }>`${troubled(organizationId, {
      which: fragment`l.paused_reason is null and l.failing_since is not null`,
      newestFirst: fragment`l.failing_since desc`,
      limit,
    })}`,
  )

type FailingHook = {
  id: string
  name: string
  trigger_name: string
  on_failure: 'fail' | 'continue'
  /** Of its runs since the last one that did not fail: the first, and how many. */
  first_run: string
  failed_runs: number
  last_error: LastError
}

/** What the log of the webhook of a row `t` has from the id `from` on, the newest first. */
const logged = (organizationId: string, from: string) => fragment`
  from finished_deliveries where org_id = ${organizationId} and webhook_id = t.webhook_id and event_id >= ${from} order by event_id desc`

/** The newest run of the hook `t` that did not fail, or else the last thing that is looked at. A run that refused somebody did not fail. */
const newestGood = (organizationId: string, from: string) => fragment`
  coalesce(
    (select event_id from (
       select event_id, trigger_type, status ${logged(organizationId, from)} limit ${maxLoggedLookedAt}) looked
      where trigger_type = 'sync_hook' and status in ('succeeded', 'refused') order by event_id desc limit 1),
    (select event_id ${logged(organizationId, from)} offset ${maxLoggedLookedAt} limit 1),
    ${from}::uuid)`

/**
 * Hooks whose newest run from `from` on, an id, failed: it was dropped. Runs that another hook's refusal ended say nothing of a receiver.
 */
export const findFailingHooks = (
  queries: Queries,
  organizationId: string,
  { from, limit }: { from: string; limit: number },
) =>
  queries.rows(sql<FailingHook>`
    select w.id, w.name, t.name as trigger_name, t.on_failure, run.first_run, run.failed_runs, run.last_error
      from triggers t join webhooks w on w.org_id = t.org_id and w.id = t.webhook_id
     cross join lateral (select ${newestGood(organizationId, from)} as event_id offset 0) good
     cross join lateral (
       select min(event_id::text)::uuid as first_run, count(*)::int as failed_runs,
              (array_agg(json_build_object('delivery_id', event_id, 'attempt', attempt_log -> -1) order by event_id desc))[1] as last_error
         from (
           select event_id, attempt_log from finished_deliveries
            where org_id = ${organizationId} and webhook_id = t.webhook_id and event_id >= ${from} and trigger_type = 'sync_hook'
              and status <> 'succeeded' and status = 'dropped' and event_id > good.event_id
            order by event_id desc limit ${maxRunsLookedAt}) dropped) run
     where t.org_id = ${organizationId} and t.type = 'sync_hook' and run.failed_runs > 0
     order by run.first_run desc limit ${limit}`)
