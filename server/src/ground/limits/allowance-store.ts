import type { Database } from '../database/database.ts'
import { fragment, sql } from '../database/sql.ts'
import type { Rate } from '../http/socket/rate-limit.ts'

const tables = {
  testEvents: fragment`test_event_allowances`,
  dryRuns: fragment`dry_run_allowances`,
}

type Taken = { of: keyof typeof tables; rate: Rate; count: number; now: string }

const relaxed = fragment`select set_config('synchronous_commit', 'off', true)`
const durable = fragment`select`

/**
 * Takes `count` tokens, at most a whole burst, from the organization's token bucket. Returns undefined when they were taken,
 * else the seconds, at least one, until the bucket will hold them.
 *
 * A transaction of its own with `synchronous_commit` off (CTE `relaxed`): its row lock would otherwise make all test events
 * of an organization wait for each other's disk writes (400 instead of 2,000 a second). A crash loses a few tokens' use. Not so
 * where it is part of a call that may be repeated, whose commit must be on disk.
 */
export async function takeAllowance(
  { write: queries, isTogether }: Pick<Database, 'write' | 'isTogether'>,
  organizationId: string,
  { of, rate: { perMinute, burst }, count, now }: Taken,
): Promise<number | undefined> {
  const [table, perSecond] = [tables[of], perMinute / 60]
  const taken = await queries.rows(sql`
    with relaxed as materialized (${isTogether() ? durable : relaxed})
    insert into ${table} as a (org_id, tokens, refilled_at)
    select ${organizationId}::uuid, ${burst - count}::float8, ${now}::timestamptz from relaxed
    on conflict (org_id) do update
       set refilled_at = greatest(a.refilled_at, excluded.refilled_at),
           tokens = tokens_at(a, excluded.refilled_at, ${perSecond}, ${burst}) - ${count}::float8
     where tokens_at(a, excluded.refilled_at, ${perSecond}, ${burst}) >= ${count}::float8
    returning org_id`)
  if (taken.length > 0) return undefined
  const [bucket] = await queries.rows(sql<{ tokens: number }>`
    select tokens_at(a, ${now}, ${perSecond}, ${burst}) as tokens from ${table} a where org_id = ${organizationId}`)
  return Math.max(1, Math.ceil((count - (bucket?.tokens ?? 0)) / perSecond))
}
