import type pg from 'pg'
import { sql } from './sql.ts'

/** A place in the write-ahead log: all before it is flushed at this server. */
export type LogPosition = {
  /** Eight hexadecimal digits, as in the names of the log's files: a later one is greater as text, too. */
  timeline: string
  /** Bytes; exact for the first 9 PB. */
  lsn: number
}

/**
 * Begins a transaction whose replay standbys report at once, not with their next report. Where PostgreSQL itself is told
 * to wait for standbys it is not asked for: the commit would wait for the replay, and hold its connection meanwhile.
 */
export const beginReported = `begin;
  select set_config('synchronous_commit', 'remote_apply', true) where current_setting('synchronous_standby_names') = ''`

/** Where the log of that connection's server is. `undefined`: the connection broke just then. */
export function readPosition(client: pg.ClientBase): Promise<LogPosition | undefined> {
  const statement = sql`
    select left(pg_walfile_name(lsn), 8) as timeline, (lsn - '0/0')::int8 as lsn from pg_current_wal_flush_lsn() as lsn`
  return client.query<LogPosition>(statement).then(
    ({ rows: [position] }) => position,
    () => undefined,
  )
}
