import type { Queries } from '../../ground/database/database.ts'
import { onlyRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** Those whose rows are updated and removed with each delivery, count or sign-in: by them a held snapshot is felt first. */
export const hotTables = [
  'deliveries',
  'lanes',
  'delivery_minute_counts',
  'attempt_counts',
  'event_counts',
  'event_count_positions',
  'flows',
]

/**
 * `seconds`: of transactions. `undatedXmin`: the oldest one whose age PostgreSQL does not tell: what a standby or its slot still needs,
 * or, to a role without `pg_monitor`, a transaction of another role.
 */
export type HeldRows = { seconds: number; undatedXmin: string | null; deadRows: Record<string, number> }

/**
 * What keeps PostgreSQL from removing dead rows, and how many there are, by its own views. A transaction counts from its beginning, for
 * only few take their snapshot later; `vacuum` itself holds nothing back. An xmin that nothing was written after does not, either.
 */
export const readHeldRows = (queries: Queries) =>
  onlyRow(queries)(sql<HeldRows>`
    select (
             select coalesce(max(extract(epoch from clock_timestamp() - held.since)), 0)::float8
               from (
                 select xact_start as since from pg_stat_activity a
                  where datname = current_database() and (backend_xmin is not null or backend_xid is not null)
                    and not exists (select from pg_stat_progress_vacuum v where v.pid = a.pid)
                 union all
                 select prepared from pg_prepared_xacts where database = current_database()
               ) held
           ) as seconds,
           (
             select xmin::text
               from (
                 select xmin from pg_replication_slots
                 union all
                 select backend_xmin from pg_stat_replication
                 union all
                 select coalesce(backend_xmin, backend_xid) from pg_stat_activity a
                  where datname = current_database() and xact_start is null
                    and not exists (select from pg_stat_progress_vacuum v where v.pid = a.pid)
               ) undated
              where age(xmin) > 1 order by age(xmin) desc limit 1
           ) as "undatedXmin",
           (
             select coalesce(json_object_agg(relname, n_dead_tup), '{}') from pg_stat_user_tables
              where schemaname = current_schema() and relname = any(${hotTables}::text[])
           ) as "deadRows"`)
