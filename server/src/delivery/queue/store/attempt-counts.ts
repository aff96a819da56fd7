/** Counts of attempts by webhook, hour and how they ended, with how long they took: written in the statement that writes their outcome. */
import type { Queries } from '../../../ground/database/database.ts'
import { numberIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import type { AttemptRecord } from '../../webhooks/attempts/index.ts'

/** Durations are told apart in steps of a fifth, from 1 ms on: the middle of a step is within a tenth of each duration in it. */
const stepRatio = 1.2
/** The last one begins at 97 s, beyond the longest timeout. */
const steps = 64
const digitsOfStep = 12
/** PostgreSQL computes with four decimal digits at a time, and sends these. */
const digitsAtOnce = 4
const partsOfStep = digitsOfStep / digitsAtOnce

const stepOf = (ms: number) => Math.min(steps - 1, Math.max(0, Math.floor(Math.log(ms) / Math.log(stepRatio))))

/** What one attempt adds to its row. */
export const countOf = (attempt: Pick<AttemptRecord, 'duration_ms' | 'status_code' | 'error'>) => ({
  failure: failureOf(attempt),
  duration: `1e${digitsOfStep * stepOf(attempt.duration_ms)}`,
})

const failureOf = ({ error, status_code }: Pick<AttemptRecord, 'status_code' | 'error'>) =>
  error ?? (status_code !== undefined && status_code >= 200 && status_code < 300 ? '' : String(status_code ?? ''))

/** How many attempts took how long, by step. `sum`: of `durations`, as `numeric_send` gives it. */
export function readDurations(sum: Buffer): number[] {
  const counts = Array.from({ length: steps }, () => 0)
  const first = sum.readInt16BE(2)
  for (let index = 0; index < sum.readInt16BE(0); index += 1) {
    const position = first - index
    const step = Math.floor(position / partsOfStep)
    counts[step] =
      (counts[step] ?? 0) + sum.readInt16BE(8 + 2 * index) * 10 ** (digitsAtOnce * (position % partsOfStep))
  }
  return counts
}

/** The duration that `share` of the attempts did not exceed, in milliseconds, within a tenth; undefined where there are none. */
export function percentile(counts: number[], share: number): number | undefined {
  const rank = Math.ceil(share * counts.reduce((sum, count) => sum + count, 0))
  if (rank === 0) return undefined
  let below = 0
  const step = counts.findIndex((count) => {
    below += count
    return below >= rank
  })
  return Number((stepRatio ** (step + 0.5)).toPrecision(3))
}

/**
 * Counts the rows of `attempted` (org_id, webhook_id, failure, duration). A row that is there is updated, else it is inserted:
 * `on conflict do update` locks each row first, which is a record of its own in the write-ahead log. `limit 1` keeps the look-up from
 * becoming a join that reads the whole table.
 */
export const countAttempts = (triggerType: 'event' | 'sync_hook', now: string, attempted: Fragment) => fragment`
    attempts_by_hour as materialized (
      select a.*, c.row_location
        from (select org_id, webhook_id, date_trunc('hour', ${now}::timestamptz at time zone 'UTC') at time zone 'UTC' as hour, failure,
                     pg_backend_pid() as session, count(*) as made, sum(duration) as durations
                from (${attempted}) each where failure is not null group by 1, 2, 3, 4) a
        left join lateral (
          select ctid as row_location from attempt_counts
           where org_id = a.org_id and webhook_id = a.webhook_id and hour = a.hour and trigger_type = ${triggerType}
             and failure = a.failure and session = a.session limit 1) c on true
    ), attempts_counted_again as (
      update attempt_counts c
         set count = c.count + a.made, durations = c.durations + a.durations, last_at = greatest(c.last_at, ${now})
        from attempts_by_hour a where c.ctid = a.row_location
    ), attempts_counted as (
      insert into attempt_counts as c (org_id, webhook_id, hour, trigger_type, failure, session, count, durations, last_at)
      select org_id, webhook_id, hour, ${triggerType}, failure, session, made, durations, ${now}
        from attempts_by_hour where row_location is null
      on conflict (org_id, webhook_id, hour, trigger_type, failure, session) do update
        set count = c.count + excluded.count, durations = c.durations + excluded.durations,
            last_at = greatest(c.last_at, excluded.last_at)
    )`

/** `failure`: its word, or its status; `same`: how many failed as it did. */
export type LastFailure = { last_at: Date; failure: string; same: number }

/** Of a webhook `w`: its newest failed attempt since the hour of `since`. No row: none is known. */
export const lastFailure = (organizationId: string, triggerType: 'event' | 'sync_hook', since: Fragment) => fragment`
    select newest.last_at, newest.failure, same.count as same
      from (${failures(organizationId, triggerType, since)} order by hour desc, last_at desc limit 1) newest
     cross join lateral (
       select sum(count)::bigint as count
         from (${failures(organizationId, triggerType, since)} and failure = newest.failure) each) same`

const failures = (organizationId: string, triggerType: 'event' | 'sync_hook', since: Fragment) => fragment`
      select hour, failure, count, last_at from attempt_counts
       where org_id = ${organizationId} and webhook_id = w.id and trigger_type = ${triggerType} and failure <> ''
         and hour >= date_trunc('hour', ${since} at time zone 'UTC') at time zone 'UTC'`

/** Removes up to `limit` counts of hours before `hour`, and returns how many. Those that another process removes are left to it. */
export const removeAttemptCounts = (queries: Queries, hour: string, limit: number) =>
  numberIn(queries)(sql<{ count: number }>`
    with old as materialized (
      select ctid as row_location from attempt_counts where hour < ${hour}
       order by hour limit ${limit} for update skip locked
    ), removed as (
      delete from attempt_counts where ctid = any(array(select row_location from old)) returning 1
    )
    select count(*)::int as count from removed`)
