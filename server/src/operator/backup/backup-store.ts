import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { isLockTimeout } from '../../ground/database/postgres-error.ts'

/** Of every session that makes a backup. */
const sessionName = 'signet backup'
/**
 * Every change by the interface inserts into the first, and every publication into the second, at the end of its transaction and in
 * this order. Locked in the same order, so that two sessions never wait for each other.
 */
const tablesOfChanges = ['audit_entries', 'events']
/** Shorter than PostgreSQL waits before it looks for a deadlock (1 s), so that it ends no other transaction on account of the backup. */
const lockMs = 900

type Segment = { segment: string }

/** `last_position` is null on a schema without positions, and where none was drawn. */
export type Position = Segment & { now: Date; last_position: number | null }

export const nameSession = (client: pg.Client) => client.query(`set application_name = '${sessionName}'`)

/** The server keeps its log until the session ends. Gives the first segment of it that the copy needs. */
export async function startBackup(client: pg.Client): Promise<string> {
  const slot = `signet_backup_${randomBytes(8).toString('hex')}`
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot])
  const started = 'select pg_walfile_name(pg_backup_start($1, fast => true)) as segment'
  return (await one<Segment>(client, started, [sessionName])).segment
}

/** The content of `backup_label`, from which a recovery knows where to begin; and the last segment that it must replay. */
export const stopBackup = (client: pg.Client): Promise<Segment & { label: string }> =>
  one(
    client,
    'select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(wait_for_archive => false)',
  )

/**
 * What the log on disk holds at this moment: its current segment, the position that was drawn last, and the time. The sequence of a
 * stopped service of an earlier version is called `places`.
 */
export const readPosition = (client: pg.Client): Promise<Position> =>
  one(
    client,
    `select pg_walfile_name(pg_current_wal_flush_lsn()) as segment, clock_timestamp() as now,
            pg_sequence_last_value(coalesce(to_regclass('positions'), to_regclass('places')))::float8 as last_position`,
  )

/** The segment before the current one. */
export async function readFullSegment(client: pg.Client): Promise<string> {
  const before = "pg_current_wal_flush_lsn() - pg_size_bytes(current_setting('wal_segment_size'))"
  return (await one<Segment>(client, `select pg_walfile_name(${before}) as segment`)).segment
}

/** Undefined on a database on which no Signet was started. */
export const readBaseUrl = async (client: pg.Client): Promise<string | undefined> =>
  (await one<{ base_url: string } | undefined>(client, 'select base_url from installation'))?.base_url

/**
 * Every change that would be acknowledged from now on waits until this session ends. Where another transaction keeps a table for
 * `lockMs`, it gives up, and nothing waits.
 */
export async function lockChanges(client: pg.Client) {
  await client.query(`begin; set local lock_timeout = ${lockMs}`)
  try {
    for (const table of await presentTables(client)) await client.query(`lock table only ${table} in share mode`)
  } catch (error) {
    await unlockChanges(client)
    if (!isLockTimeout(error)) throw error
  }
}

const unlockChanges = (client: pg.Client) => client.query('rollback')

/** A stopped service may have been of an earlier version. */
async function presentTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) with ordinality t (name, n) where to_regclass(name) is not null order by n',
    [tablesOfChanges],
  )
  return rows.map(({ name }) => name)
}

/** Goes on in the server where this process has ended meanwhile: PostgreSQL looks at the connection only afterwards. */
export const waitInServer = (client: pg.Client, ms: number) => client.query(`select pg_sleep(${ms / 1_000})`)

async function one<Row>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await client.query(text, values)
  return rows[0] as Row
}
