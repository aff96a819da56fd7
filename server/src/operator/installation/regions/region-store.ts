import type { Queries } from '../../../ground/database/database.ts'
import { onlyRow } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'

/** How many bytes of the log on the primary's present timeline all regions have replayed. */
export type Progress = { timeline: string; replayed: number }

/**
 * The minimum over all standbys with the regions' names. A standby that is unavailable or catching up counts as 0. Throws on
 * a server that is not a primary.
 */
export const readProgress = (queries: Queries, regions: string[]) =>
  onlyRow(queries)(sql<Progress>`
    select left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline,
           min(case when s.state = 'streaming' then coalesce(s.replay_lsn - '0/0', 0) else 0 end)::int8 as replayed
      from unnest(${regions}::text[]) as region (name)
      left join pg_stat_replication s on s.application_name = region.name`)

type Replica = {
  name: string
  state: 'streaming' | 'missing'
  replay_lag_seconds: number | null
  replay_lag_bytes: number | null
}

/**
 * What is known of the standbys of each region, in the order of `regions`, of several the worst. PostgreSQL forgets the time that a
 * replay took once the standby has nothing left to replay.
 */
export const readReplicas = async (queries: Queries, regions: string[]): Promise<Replica[]> =>
  queries.rows(sql<Replica>`
    select region.name,
           case when bool_and(s.state is not distinct from 'streaming') then 'streaming' else 'missing' end as state,
           max(case when b.behind = 0 then 0 else extract(epoch from s.replay_lag) end)::float8 as replay_lag_seconds,
           max(b.behind)::int8 as replay_lag_bytes
      from unnest(${regions}::text[]) with ordinality as region (name, number)
      left join pg_stat_replication s on s.application_name = region.name
     cross join lateral (
       select case when s.replay_lsn is not null then greatest(0, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), s.replay_lsn)) end as behind
     ) b
     group by region.name, region.number order by region.number`)

/** Null: PostgreSQL has not measured it, or the connection has replayed nothing yet. */
export type Lag = { standby: string; seconds: number | null; bytes: number | null }

/** Of every standby that the primary knows, of several with one name the worst: those of regions, and those for its failover. */
export const readLags = async (queries: Queries): Promise<Lag[]> =>
  queries.rows(sql<Lag>`
    select application_name as standby, max(case when b.behind = 0 then 0 else extract(epoch from s.replay_lag) end)::float8 as seconds,
           max(b.behind)::int8 as bytes
      from pg_stat_replication s
     cross join lateral (select greatest(0, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), s.replay_lsn)) as behind) b
     where s.replay_lsn is not null
     group by application_name`)

/** Signet relies on both: commits are flushed, and this role sees the standbys. */
export const readServer = (queries: Queries) =>
  onlyRow(queries)(sql<{ flushes: boolean; role: string; seesStandbys: boolean }>`
    select current_setting('synchronous_commit') <> 'off' as flushes, current_user as role,
           pg_has_role('pg_read_all_stats', 'usage') as "seesStandbys"`)
