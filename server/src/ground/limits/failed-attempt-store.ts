import type { Queries } from '../database/database.ts'
import { rowCount, valueIn } from '../database/rows.ts'
import { sql } from '../database/sql.ts'

type Attempt = { now: string; endsAt: string; most: number }

/** Counts one more, in a new period where the last one is over. Gives undefined, or, at the limit, when the period ends. */
export async function addAttempt(
  queries: Queries,
  kind: string,
  clientAddress: string,
  { now, endsAt, most }: Attempt,
): Promise<Date | undefined> {
  const counted = await queries.rows(sql`
    insert into failed_attempts as a (kind, client_address, count, ends_at) values (${kind}, ${clientAddress}, 1, ${endsAt})
    on conflict (kind, client_address) do update
       set count = case when a.ends_at <= ${now} then 1 else a.count + 1 end,
           ends_at = case when a.ends_at <= ${now} then excluded.ends_at else a.ends_at end
     where a.ends_at <= ${now} or a.count < ${most}
    returning kind`)
  if (counted.length > 0) return undefined
  const [row] = await queries.rows(sql<{ ends_at: Date }>`
    select ends_at from failed_attempts where kind = ${kind} and client_address = ${clientAddress}`)
  return row?.ends_at ?? new Date(now)
}

/** Undefined below the limit, or where the period is over. */
export const findEndOfWait = (
  queries: Queries,
  kind: string,
  clientAddress: string,
  { now, most }: Pick<Attempt, 'now' | 'most'>,
) =>
  valueIn(queries)(sql<{ ends_at: Date }>`
    select ends_at from failed_attempts
     where kind = ${kind} and client_address = ${clientAddress} and count >= ${most}::int and ends_at > ${now}`)

export const takeBackAttempt = (queries: Queries, kind: string, clientAddress: string) =>
  queries.rows(sql`
    update failed_attempts set count = count - 1
     where kind = ${kind} and client_address = ${clientAddress} and count > 0`)

/** Rows that are kept, those whose period ends last: as many addresses as an attacker may have at hand. */
const maxKept = 100_000

/** Removes up to `limit` rows whose period is over, or that are beyond `kept`. Gives how many were removed. */
export const removeOldAttempts = (queries: Queries, now: string, limit: number, kept = maxKept) =>
  rowCount(queries)(sql`
    delete from failed_attempts where (kind, client_address) in (
      select kind, client_address from failed_attempts
       where ends_at <= greatest(${now}, (select ends_at from failed_attempts order by ends_at desc offset ${kept} limit 1))
       order by ends_at limit ${limit} for update skip locked)
    returning 1`)
