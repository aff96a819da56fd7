import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Clients that are counted at once; the one whose minute began first is forgotten first. */
const maxClients = 10_000

type Attempt = { now: string; minuteAgo: string; limit: number }

/**
 * Counts one more refused attempt, and begins a new minute where the last one is over. Returns undefined, else, at the limit, when the
 * minute began.
 */
export async function addRefusal(
  queries: Queries,
  clientAddress: string,
  { now, minuteAgo, limit }: Attempt,
): Promise<Date | undefined> {
  const counted = await queries.rows(sql`
    with forgotten as (
      delete from console_refusals where client_address = (
        select client_address from console_refusals
         where client_address <> ${clientAddress} and (select count(*) from console_refusals) >= ${maxClients}
         order by began_at limit 1 for update skip locked)
    )
    insert into console_refusals as r (client_address, refused, began_at) values (${clientAddress}, 1, ${now})
    on conflict (client_address) do update
       set refused = case when r.began_at <= ${minuteAgo} then 1 else r.refused + 1 end,
           began_at = case when r.began_at <= ${minuteAgo} then excluded.began_at else r.began_at end
     where r.began_at <= ${minuteAgo} or r.refused < ${limit}
    returning client_address`)
  if (counted.length > 0) return undefined
  const [row] = await queries.rows(sql<{ began_at: Date }>`
    select began_at from console_refusals where client_address = ${clientAddress}`)
  return row?.began_at ?? new Date(now)
}

export async function takeBackRefusal(queries: Queries, clientAddress: string) {
  await queries.rows(sql`
    update console_refusals set refused = refused - 1 where client_address = ${clientAddress} and refused > 0`)
}

/** Gives how many clients were removed; what another process removes is left to it. */
export async function removeOldRefusals(queries: Queries, minuteAgo: string, limit: number): Promise<number> {
  const rows = await queries.rows(sql`
    delete from console_refusals where client_address in
      (select client_address from console_refusals where began_at <= ${minuteAgo}
        order by began_at limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}
