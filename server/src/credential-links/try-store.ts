import type { Queries } from '../database/database.ts'
import { fragment, sql } from '../database/sql.ts'

/** Of one client address, from the first of them on, in all processes together. */
const maxTries = 20
const period = fragment`interval '1 hour'`

/**
 * Counts a try before anything of it is looked up, so that tries at once cannot pass the limit together. Returns undefined, or
 * the seconds until the next try where there were `maxTries`.
 */
export async function takeTry(queries: Queries, caller: string, now: string): Promise<number | undefined> {
  const taken = await queries.rows(sql`
    insert into credential_link_tries as t (caller, began_at, count) values (${caller}, ${now}, 1)
    on conflict (caller) do update
       set began_at = case when t.began_at <= excluded.began_at - ${period} then excluded.began_at else t.began_at end,
           count = case when t.began_at <= excluded.began_at - ${period} then 1 else t.count + 1 end
     where t.began_at <= excluded.began_at - ${period} or t.count < ${maxTries}
    returning caller`)
  if (taken.length > 0) return undefined
  const [row] = await queries.rows(sql<{ seconds: number }>`
    select extract(epoch from began_at + ${period} - ${now}::timestamptz)::float8 as seconds
      from credential_link_tries where caller = ${caller}`)
  return Math.max(1, Math.ceil(row?.seconds ?? 1))
}

/** The try has succeeded, and does not count. */
export async function returnTry(queries: Queries, caller: string) {
  await queries.rows(sql`update credential_link_tries set count = count - 1 where caller = ${caller} and count > 0`)
}

/** Removes up to `limit` callers whose hour is over, or who are older than the newest `kept`. Gives how many were removed. */
export async function removeOldTries(
  queries: Queries,
  now: string,
  { limit, kept }: { limit: number; kept: number },
): Promise<number> {
  const rows = await queries.rows(sql`
    delete from credential_link_tries where caller in (
      select caller from credential_link_tries
       where began_at <= greatest(${now}::timestamptz - ${period}, (
               select began_at from credential_link_tries order by began_at desc offset ${kept} limit 1))
       order by began_at limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}
