import type { Queries } from '../../../ground/database/database.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'

/** Counting costs more than a look, and stops there. */
const maxCounted = 100_000

/**
 * `retrying`: have failed, and wait for their next attempt. `due`: no worker has claimed them. Like `oldestDueMs` of webhooks that are
 * not paused; 0 when nothing is due.
 */
export type Backlog = { unfinished: number; retrying: number; due: number; oldestDueMs: number }

const isDue = (time: string) => fragment`not d.is_leased and d.available_at <= ${time} and l.webhook_id is null`

/** Of the deliveries of all organizations in the queue, up to `maxCounted`. */
export async function readBacklog(queries: Queries, now: number): Promise<Backlog> {
  const time = toTimestamp(now)
  const [row] = await queries.rows(sql<{ unfinished: number; retrying: number; due: number; since: Date | null }>`
    select count(*)::int as unfinished, (count(*) filter (where not d.is_leased and d.attempts_count > 0))::int as retrying,
           (count(*) filter (where ${isDue(time)}))::int as due, min(d.available_at) filter (where ${isDue(time)}) as since
      from (select org_id, webhook_id, is_leased, attempts_count, available_at from deliveries limit ${maxCounted}) d
      left join lanes l on l.org_id = d.org_id and l.webhook_id = d.webhook_id and l.paused_reason is not null`)
  const { unfinished = 0, retrying = 0, due = 0, since } = row ?? {}
  return { unfinished, retrying, due, oldestDueMs: Math.max(0, now - (since?.getTime() ?? now)) }
}
