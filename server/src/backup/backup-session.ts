import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Connection } from '../database/connection.ts'
import { codeOf } from '../database/postgres-error.ts'
import { createPrimary } from '../database/primary.ts'

const name = 'signet backup'
/**
 * Every change of the interface writes the first of them, every event the second, as the last statements of a transaction and in
 * this order: so locks that are taken in this order wait for nobody who waits for them.
 */
const tablesOfChanges = ['audit_entries', 'events']
/** Shorter than PostgreSQL's look for deadlocks (1 s), so that nobody else's transaction is ended for this one. */
const lockMs = 900
/** Until whoever waits for this process has noticed its end, on a busy machine. PostgreSQL does not look at the connection before. */
const noticedMs = 250
const lockNotAvailable = '55P03'
/** How long a PostgreSQL that was started here is kept for another backup that is under way on it. */
const othersMs = 3_600_000
const lookEveryMs = 200

/** The session of a backup: PostgreSQL is in backup mode, and keeps its log, until this session ends, whatever ends it. */
export type BackupSession = {
  /** The first segment of the log that the copy needs. */
  start(): Promise<string>
  /** The label, without which a copy is not recovered rightly, and the last segment without which it is not consistent. */
  stop(): Promise<{ label: string; segment: string }>
  /**
   * Makes whatever would be acknowledged now wait until this session ends. False where somebody's transaction stays open for
   * `lockMs`: then nothing waits.
   */
  holdChanges(): Promise<boolean>
  /** Up to where the copy goes: the segment that is being written, the place that was drawn last, and the time. */
  position(): Promise<Position>
  /** Of the last segment that is full. */
  fullSegment(): Promise<string>
  baseUrl(): Promise<string>
  /** Returns when no other backup is under way, or when it is to be waited for no longer. */
  othersEnded(signal: AbortSignal): Promise<void>
  /**
   * Lets this process end before its session does, by `noticedMs`: what waits for the session is acknowledged to nobody who has
   * not seen the process end.
   */
  endWithProcess(): void
  end(): Promise<void>
}

export async function openSession(connection: Connection): Promise<BackupSession> {
  const client = await createPrimary(connection).connect({ settings: { statementTimeoutMs: 0 } })
  const one = async <Row>(text: string, values: unknown[] = []): Promise<Row> =>
    (await client.query(text, values)).rows[0] as Row
  await client.query(`set application_name = '${name}'`)
  return {
    start: async () => {
      await client.query('select pg_create_physical_replication_slot($1, true, true)', [
        `signet_backup_${randomBytes(8).toString('hex')}`,
      ])
      return (await one<Segment>('select pg_walfile_name(pg_backup_start($1, fast => true)) as segment', [name]))
        .segment
    },
    stop: () =>
      one('select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(wait_for_archive => false)'),
    holdChanges: () => holdChanges(client),
    position: () => one(position),
    fullSegment: async () => (await one<Segment>(beforeCurrent)).segment,
    baseUrl: async () => {
      const row = await one<{ base_url: string } | undefined>('select base_url from installation')
      if (!row) throw new Error('database: Signet has not been started on it yet')
      return row.base_url
    },
    othersEnded: async (signal) => {
      // A transaction sees the sessions as they were when it looked first.
      await client.query('rollback')
      for (
        const until = performance.now() + othersMs;
        performance.now() < until && !signal.aborted;
        await sleep(lookEveryMs)
      )
        if ((await one<{ others: number }>(countOthers, [name])).others === 0) return
    },
    endWithProcess: () => {
      const ends = client.query(`select pg_sleep(${noticedMs / 1_000})`).then(() => client.end())
      ends.catch(() => {})
      ;(client as unknown as WithStream).connection.stream.unref()
    },
    end: () => client.end(),
  }
}

type Segment = { segment: string }
type WithStream = { connection: { stream: { unref(): void } } }

/** `last_place` is null on a schema without places, and where none was drawn. */
type Position = Segment & { now: Date; last_place: number | null }

const position = `
  select pg_walfile_name(pg_current_wal_flush_lsn()) as segment, clock_timestamp() as now,
         pg_sequence_last_value(to_regclass('places'))::float8 as last_place`
const beforeCurrent = `
  select pg_walfile_name(pg_current_wal_flush_lsn() - pg_size_bytes(current_setting('wal_segment_size'))) as segment`
const countOthers = `
  select count(*)::int as others from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()`

async function holdChanges(client: pg.Client): Promise<boolean> {
  await client.query(`begin; set local lock_timeout = ${lockMs}`)
  try {
    for (const table of await present(client)) await client.query(`lock table only ${table} in share mode`)
    return true
  } catch (error) {
    await client.query('rollback')
    if (codeOf(error) === lockNotAvailable) return false
    throw error
  }
}

/** A stopped service may have been of an earlier version. */
async function present(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) with ordinality t (name, n) where to_regclass(name) is not null order by n',
    [tablesOfChanges],
  )
  return rows.map(({ name }) => name)
}
