import type { Queries } from '../database/database.ts'
import { fragment, sql } from '../database/sql.ts'

/**
 * CTE of a statement that inserts places: takes the lock that holds readers back until its transaction ends. Inline, because
 * PostgreSQL 15 plans a function at each call (0.54 of the insert rate, 0.85 to 0.96 with this). Each statement takes its own lock:
 * a rolled back savepoint may have released an earlier one.
 */
export const placing = fragment`
    held as materialized (
      select pg_advisory_xact_lock_shared(4611686018427387904 + last_value),
             exists (select from place_epochs where server_started_at = pg_postmaster_start_time()) as is_entered
        from places
    )`

/** The next place, in the select list of a statement that reads from `held`. The first one after a start enters the epoch. */
export const nextPlace = fragment`case when held.is_entered then nextval('places') else next_place() end`

export type Epoch = { key: string; firstPlace: number; restoredUpTo: number | null }

export const enterEpoch = (queries: Queries) => queries.rows(sql`select enter_epoch()`)

/** Oldest first. */
export async function listEpochs(queries: Queries): Promise<Epoch[]> {
  const rows = await queries.rows(sql<{ key: string; first_place: number; restored_up_to: number | null }>`
    select key, first_place, restored_up_to from place_epochs order by first_place`)
  return rows.map((row) => ({ key: row.key, firstPlace: row.first_place, restoredUpTo: row.restored_up_to }))
}

export async function findEnd(queries: Queries): Promise<number> {
  const [row] = await queries.rows(sql<{ end: number }>`select places_end() as end`)
  return row?.end ?? 0
}

/** Marks what follows `place` in the newest epoch as lost: cursors beyond it are refused. For a restore of the whole database. */
export const endHistoryAt = (queries: Queries, place: number) =>
  queries.rows(sql`
    update place_epochs set restored_up_to = ${place}
     where first_place = (select max(first_place) from place_epochs where first_place <= ${place})`)

/** `seconds`: the age of the transaction that holds readers back. `gid`: where it is a prepared one. */
export type Holder = {
  seconds: number
  placesBehind: number
  pid: number | null
  applicationName: string | null
  gid: string | null
}

/** The oldest transaction that has drawn a place and is still open. */
export async function findHolder(queries: Queries): Promise<Holder | undefined> {
  const rows = await queries.rows(sql<{
    seconds: number
    places_behind: number
    pid: number | null
    application_name: string | null
    gid: string | null
  }>`
    select extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared))::float8 as seconds,
           s.last_value - greatest(h.place, s.last_value / 4294967296 * 4294967296) as places_behind,
           h.pid, a.application_name, p.gid
      from (select pid, virtualtransaction, (classid::bigint << 32 | objid::bigint) - 4611686018427387904 as place from pg_locks
             where locktype = 'advisory' and objsubid = 1 and classid::bigint between 1073741824 and 1075838975
               and database = (select oid from pg_database where datname = current_database())
             order by 3 limit 1) h
     cross join places s
      left join pg_stat_activity a on a.pid = h.pid
      left join pg_prepared_xacts p on h.virtualtransaction = '-1/' || p.transaction`)
  const [row] = rows
  if (!row) return undefined
  const { seconds, places_behind: placesBehind, pid, application_name: applicationName, gid } = row
  return { seconds, placesBehind, pid, applicationName, gid }
}
