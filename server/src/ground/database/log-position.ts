import type pg from 'pg'
import { sql } from './sql.ts'

/** A position in the write-ahead log up to which this server has flushed. */
export type LogPosition = {
  /** Eight hexadecimal digits, as in the names of the log's files, so that text order is timeline order. */
  timeline: string
  /** Bytes; exact for the first 9 PB. */
  lsn: number
}

/**
 * Begins a transaction whose replay standbys report at once instead of with their next status message. Not where
 * `synchronous_standby_names` is set: there the commit itself would wait for the replay and hold its connection.
 */
export const beginReported = `begin;
  select set_config('synchronous_commit', 'remote_apply', true) where current_setting('synchronous_standby_names') = ''`

/** The log position of the connection's server; undefined when the connection broke. */
export function readPosition(client: pg.ClientBase): Promise<LogPosition | undefined> {
  const statement = sql`
    select left(pg_walfile_name(lsn), 8) as timeline, (lsn - '0/0')::int8 as lsn from pg_current_wal_flush_lsn() as lsn`
  return client.query<LogPosition>(statement).then(
    ({ rows: [position] }) => position,
    () => undefined,
  )
}
