import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** How far all regions are: on the primary's present timeline they have replayed so many bytes of its log. */
export type Progress = { timeline: string; replayed: number }

/**
 * The least of all standbys that go by the regions' names. One that is away, or is catching up, has replayed nothing.
 * Throws on a server that is no primary.
 */
export async function readProgress(queries: Queries, regions: string[]): Promise<Progress> {
  const [progress] = await queries.rows(sql<Progress>`
    select left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline,
           min(case when s.state = 'streaming' then coalesce(s.replay_lsn - '0/0', 0) else 0 end)::int8 as replayed
      from unnest(${regions}::text[]) as region (name)
      left join pg_stat_replication s on s.application_name = region.name`)
  return progress as Progress
}

/** What Signet must be able to rely on: that commits are flushed, and that this role is told of standbys. */
export async function readServer(queries: Queries): Promise<{ flushes: boolean; role: string; seesStandbys: boolean }> {
  const [server] = await queries.rows(sql<{ flushes: boolean; role: string; seesStandbys: boolean }>`
    select current_setting('synchronous_commit') <> 'off' as flushes, current_user as role,
           pg_has_role('pg_read_all_stats', 'usage') as "seesStandbys"`)
  return server as Awaited<ReturnType<typeof readServer>>
}
