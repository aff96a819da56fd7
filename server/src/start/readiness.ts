import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { queriesOn } from '../database/ask.ts'
import { databaseTime } from '../database/database-time.ts'
import { partitionsMissingSoon } from '../database/day-partitions.ts'
import { appliedMigrations, listMigrations } from '../database/migrate.ts'
import { codeOf, troubleOf } from '../database/postgres-error.ts'
import type { Primary } from '../database/primary.ts'
import { sql } from '../database/sql.ts'
import type { Queries } from '../database/transaction.ts'
import type { HealthCheck, HealthChecks } from '../http/health.ts'
import type { Clock } from '../runtime/clock.ts'

/** Between this machine's clock and the database's (readiness only: due times follow the database's clock). */
const maxClockDifferenceMs = 30_000
/** Whoever asks has a deadline, too, and a database that is frozen never answers. */
const withinMs = 2_000
const statementTimeoutMs = 1_500
const names = ['database', 'schema', 'clock', 'partitions'] as const

/**
 * What `/readyz` asks for, on a connection that is made for it: whether a request could get one now, to a server that takes writes.
 * What the service's own connections met a moment ago says nothing about that.
 */
export function createReadinessCheck(primary: Primary, clock: Clock): HealthCheck {
  // Read once: an update may put other files there while this program still runs.
  const needed = listMigrations()
  const checkOn = (client: pg.Client) =>
    checksOn(client, needed, clock)
      .catch((error) => {
        primary.notConnected(error)
        throw error
      })
      .finally(() => client.end())
  const check = () => primary.connect({ settings: { statementTimeoutMs } }).then(checkOn).catch(failed)
  return () => Promise.race([check(), wait(withinMs, failed(undefined), { ref: false })])
}

/** What cannot be asked for is not known. Without a code the server was not reached. */
function failed(error: unknown): HealthChecks {
  const { code, sqlstate } = troubleOf(error)
  return Object.fromEntries(names.map((name) => [name, name === 'database' ? `${code} ${sqlstate}` : 'unknown']))
}

async function checksOn(client: pg.Client, needed: string[], clock: Clock): Promise<HealthChecks> {
  const queries = queriesOn(client)
  await requireRoom(queries)
  const now = await databaseTime(queries)
  const applied = new Set(await appliedMigrations(queries))
  const partitions = await partitionsMissingSoon(queries, clock.now())
  const isSkewed = Math.abs(Date.now() - now) > maxClockDifferenceMs
  return {
    database: 'ok',
    // A newer, compatible schema lacks nothing.
    schema: needed.every((name) => applied.has(name)) ? 'ok' : 'schema_missing',
    clock: isSkewed ? 'clock_skewed' : 'ok',
    partitions: partitions.length > 0 ? 'partitions_missing' : 'ok',
  }
}

/** More than the memory it may have goes to a file, which a full disk refuses as it refuses a row (53100). */
async function requireRoom(queries: Queries) {
  await queries.rows(sql`select set_config('work_mem', '64kB', false)`)
  await queries.rows(sql`select count(*) from generate_series(1, 5000)`).catch((error) => {
    // The operator forbids such files (`temp_file_limit`): that says nothing of the disk.
    if (codeOf(error) !== '53400') throw error
  })
}
