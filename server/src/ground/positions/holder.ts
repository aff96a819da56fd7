import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Ordinary transactions hold readers back for milliseconds. */
const noticeableSeconds = 1

/** `seconds`: the age of the transaction that holds readers back. `gid`: where it is a prepared one. */
type Holder = {
  seconds: number
  positionsBehind: number
  pid: number | null
  applicationName: string | null
  gid: string | null
}

/** The oldest transaction that has drawn a position and is still open. */
async function findHolder(queries: Queries): Promise<Holder | undefined> {
  const rows = await queries.rows(sql<{
    seconds: number
    positions_behind: number
    pid: number | null
    application_name: string | null
    gid: string | null
  }>`
    select extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared))::float8 as seconds,
           s.last_value - greatest(h.position, s.last_value / 4294967296 * 4294967296) as positions_behind,
           h.pid, a.application_name, p.gid
      from (select pid, virtualtransaction, position from position_locks order by position limit 1) h
     cross join positions s
      left join pg_stat_activity a on a.pid = h.pid
      left join (pg_locks t join pg_prepared_xacts p on p.transaction = t.transactionid)
        on t.locktype = 'transactionid' and t.pid is null and t.virtualtransaction = h.virtualtransaction and h.pid is null`)
  const [row] = rows
  if (!row) return undefined
  const { seconds, positions_behind: positionsBehind, pid, application_name: applicationName, gid } = row
  return { seconds, positionsBehind, pid, applicationName, gid }
}

/** Who has held readers back for more than a second. */
export async function findNoticeableHolder(queries: Queries): Promise<Holder | undefined> {
  const holder = await findHolder(queries)
  return holder && holder.seconds >= noticeableSeconds ? holder : undefined
}

/** For people. */
export function describeHolder({ seconds, pid, applicationName, gid }: Holder): string {
  const who =
    gid === null
      ? `pid ${pid} (application ${JSON.stringify(applicationName ?? '')})`
      : `the prepared transaction ${gid}`
  return `feed: held back for ${Math.floor(seconds)} s by a transaction that has published and not ended: ${who}`
}
