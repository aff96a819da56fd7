import type { BenchDatabase } from './postgres.ts'

export type TableCount = { name: string; rows: number; dead: number; updates: number; hot: number; bytes: number }

/** Those in which rows of deliveries, lanes and workers are changed while events are delivered. */
export const queueTables = ['deliveries', 'lanes', 'unqueued_since']

/** Each table with its indexes, its TOAST and, under the name of the partitioned one, its partitions. */
export const countTables = (database: BenchDatabase): Promise<TableCount[]> =>
  database.rows<TableCount>(`
    select coalesce(i.inhparent::regclass::text, s.relname) as name, sum(n_live_tup)::float8 as rows, sum(n_dead_tup)::float8 as dead,
           sum(n_tup_upd)::float8 as updates, sum(n_tup_hot_upd)::float8 as hot, sum(pg_total_relation_size(s.relid))::float8 as bytes
      from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid
     group by 1 order by bytes desc, name`)
