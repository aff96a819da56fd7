import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { queriesOn } from '../ground/database/ask.ts'
import type { Queries } from '../ground/database/database.ts'
import { databaseTime } from '../ground/database/database-time.ts'
import { appliedMigrations, listMigrations } from '../ground/database/migrate.ts'
import { codeOf, isFull, troubleOf } from '../ground/database/postgres-error.ts'
import type { Primary } from '../ground/database/primary.ts'
import { sql } from '../ground/database/sql.ts'
import { partitionsMissingSoon } from '../ground/database/time-partitions.ts'
import type { HealthCheck, HealthResult } from '../ground/http/health.ts'
import { describeHolder, findNoticeableHolder } from '../ground/positions/index.ts'
import type { Clock } from '../ground/runtime/clock.ts'

/** Between the clocks of this machine and the database. Only readiness depends on it: due times follow the database's clock. */
const maxClockDifferenceMs = 30_000
/** Probes have deadlines, and a frozen database never answers. */
const deadlineMs = 2_000
const statementTimeoutMs = 1_500
const names = ['database', 'schema', 'clock', 'partitions'] as const

/**
 * The check behind `/readyz`. It opens a connection of its own, because only that shows whether a request could get one now, to
 * a server that takes writes. Where the server gives no further one, the open connection of reads decides: what this process has, it can use.
 */
export function createReadinessCheck(primary: Primary, clock: Clock, open: Queries): HealthCheck {
  // Read once: an update may replace the files while this process runs.
  const needed = listMigrations()
  const checkOn = (client: pg.Client) =>
    checksOn(queriesOn(client), needed, clock)
      .catch((error) => {
        primary.notConnected(error)
        throw error
      })
      .finally(() => client.end())
  const checkOnOpen = async (refusal: unknown) => {
    await requireWrites(open)
    const { checks, notes } = await checkQueries(open, needed, clock)
    const { code, sqlstate } = troubleOf(refusal)
    return { checks, notes: [...notes, `no further connection to the database: ${code} ${sqlstate}`] }
  }
  return async () => {
    let refusal: unknown
    const connected = primary.connect({ settings: { statementTimeoutMs } }).then(checkOn)
    const checked = connected.catch((error) => {
      refusal = error
      return isFull(error) ? checkOnOpen(error).catch(() => failed(error)) : failed(error)
    })
    const late = wait(deadlineMs, undefined, { ref: false }).then(() => failed(refusal))
    return Promise.race([checked, late])
  }
}

/** Checks that need the database are unknown. Without an SQLSTATE the server was not reached. */
function failed(error: unknown): HealthResult {
  const { code, sqlstate } = troubleOf(error)
  const checks = names.map((name) => [name, name === 'database' ? `${code} ${sqlstate}` : 'unknown'])
  return { checks: Object.fromEntries(checks), notes: [] }
}

async function checksOn(queries: Queries, needed: string[], clock: Clock): Promise<HealthResult> {
  await requireDiskSpace(queries)
  return checkQueries(queries, needed, clock)
}

async function checkQueries(queries: Queries, needed: string[], clock: Clock): Promise<HealthResult> {
  const now = await databaseTime(queries)
  const applied = new Set(await appliedMigrations(queries))
  const partitions = await partitionsMissingSoon(queries, clock.now())
  const isSkewed = Math.abs(Date.now() - now) > maxClockDifferenceMs
  const checks = {
    database: 'ok',
    // A newer, compatible schema lacks nothing.
    schema: needed.every((name) => applied.has(name)) ? 'ok' : 'schema_missing',
    clock: isSkewed ? 'clock_skewed' : 'ok',
    partitions: partitions.length > 0 ? 'partitions_missing' : 'ok',
  }
  return { checks, notes: checks.schema === 'ok' ? await notesOn(queries) : [] }
}

/** A feed that is held back is no reason to send requests elsewhere. */
async function notesOn(queries: Queries): Promise<string[]> {
  const holder = await findNoticeableHolder(queries)
  return holder ? [describeHolder(holder)] : []
}

/** As a new connection is asked for it. */
async function requireWrites(queries: Queries) {
  const [server] = await queries.rows(sql<{ is_read_only: boolean }>`
    select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only`)
  if (server?.is_read_only !== false) throw new Error('the server takes no writes')
}

/** A sort beyond `work_mem` writes a temporary file, which a full disk refuses as it refuses a row (53100). */
async function requireDiskSpace(queries: Queries) {
  await queries.rows(sql`select set_config('work_mem', '64kB', false)`)
  await queries.rows(sql`select count(*) from generate_series(1, 5000)`).catch((error) => {
    // Refused by the operator's `temp_file_limit`, which says nothing about the disk.
    if (codeOf(error) !== '53400') throw error
  })
}
