/** Finds receivers that are paused or fail, the newest first, and how each of them failed last. */
import type { Queries } from '../../ground/database/database.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import { type LastFailure, lastFailure } from '../queue/index.ts'
import { conditionOf, countWaiting } from './webhook-statistics-store.ts'

/** Runs of one hook that failed. */
export const maxRunsLookedAt = 1_000
/** The newest in the log of one webhook that has a hook, deliveries of events among them. */
export const maxLoggedLookedAt = 10_000

/** What it fails with is not known where an earlier version made those attempts. */
type Failing<Since> = { id: string; name: string; failing_since: Since } & (
  | LastFailure
  | Record<keyof LastFailure, null>
)
type Receiver<Since> = Failing<Since> & { waiting: number }
type Paused = Receiver<Date | null> & {
  paused_at: Date | null
  paused_reason: 'requested' | 'failing' | 'restored' | 'moving'
}

const troubled = (
  organizationId: string,
  { which, newestFirst, limit }: { which: Fragment; newestFirst: Fragment; limit: number },
) => fragment`
    select w.*, ${countWaiting(organizationId)} as waiting, f.*
      from (
        select w.id, w.name, l.paused_reason, l.paused_at, l.failing_since
          from lanes l join webhooks w on w.org_id = l.org_id and w.id = l.webhook_id
         where l.org_id = ${organizationId} and not l.is_logout and ${which}
         order by ${newestFirst}, id desc limit ${limit}) w
      left join lateral (${lastFailure(organizationId, 'event', fragment`w.failing_since`)}) f on true
     order by ${newestFirst}, id desc`

export const findPausedWebhooks = (queries: Queries, organizationId: string, limit: number) =>
  queries.rows(
    sql<Paused>`${troubled(organizationId, {
      which: conditionOf.paused,
      newestFirst: fragment`paused_at desc nulls last`,
      limit,
    })}`,
  )

/** Those that are not paused and whose newest attempt failed. */
export const findFailingWebhooks = (queries: Queries, organizationId: string, limit: number) =>
  queries.rows(
    sql<Receiver<Date>>`${troubled(organizationId, {
      which: conditionOf.failing,
      newestFirst: fragment`failing_since desc`,
      limit,
    })}`,
  )

/** `failing_since`, `failed_runs`: of its runs since the last one that did not fail, the end of the first one, and how many. */
type FailingHook = Failing<Date> & { trigger_name: string; on_failure: 'fail' | 'continue'; failed_runs: number }

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
    select w.*, f.*
      from (
        select w.id, w.name, t.name as trigger_name, t.on_failure, run.failing_since, run.failed_runs
          from triggers t join webhooks w on w.org_id = t.org_id and w.id = t.webhook_id
         cross join lateral (select ${newestGood(organizationId, from)} as event_id offset 0) good
         cross join lateral (
           select min(finished_at) as failing_since, count(*)::int as failed_runs
             from (
               select finished_at from finished_deliveries
                where org_id = ${organizationId} and webhook_id = t.webhook_id and event_id >= ${from} and trigger_type = 'sync_hook'
                  and status <> 'succeeded' and status = 'dropped' and event_id > good.event_id
                order by event_id desc limit ${maxRunsLookedAt}) dropped) run
         where t.org_id = ${organizationId} and t.type = 'sync_hook' and run.failed_runs > 0
         order by failing_since desc, id desc limit ${limit}) w
      left join lateral (${lastFailure(organizationId, 'sync_hook', fragment`w.failing_since`)}) f on true
     order by failing_since desc, id desc`)
