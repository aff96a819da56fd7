import { setTimeout as wait } from 'node:timers/promises'
import type { FailingClaims } from '../delivery/queue/index.ts'
import type { Queries } from '../ground/database/database.ts'
import { appliedMigrations, listMigrations } from '../ground/database/migrate.ts'
import { codeOf, isMissingTable, isReadOnly, troubleOf } from '../ground/database/postgres-error.ts'
import type { Primary } from '../ground/database/primary.ts'
import { createProbe } from '../ground/database/probe.ts'
import { onlyRow } from '../ground/database/rows.ts'
import { sql } from '../ground/database/sql.ts'
import { partitionsMissingSoon } from '../ground/database/time-partitions.ts'
import type { HealthResult } from '../ground/http/health.ts'
import { describeHolder, findNoticeableHolder } from '../ground/positions/index.ts'
import type { Clock } from '../ground/runtime/clock.ts'

/** Between the clocks of this machine and the database. Only readiness depends on it: due times follow the database's clock. */
const maxClockDifferenceMs = 30_000
/** Probes have deadlines, and a frozen database never answers. */
const deadlineMs = 2_000
const statementTimeoutMs = 1_500
/** Of a server that vanished silently; by then the deadline has passed. */
const answerMs = 2_500
/** On a new connection, five statements; a look in between is one. */
const examineEveryMs = 120_000
/** Less is a database that was away, which `database` says. */
const claimsFailAfterMs = 30_000
const names = ['database', 'schema', 'clock', 'partitions'] as const

type Dependencies = {
  primary: Primary
  clock: Clock
  /** Decides where the server gives no further connection. */
  open: Queries
  /** Whether the roles of this process are those. */
  roles: { api: boolean; worker: boolean }
  claimsFailing: () => FailingClaims | undefined
}

/**
 * The check behind `/readyz`, on a connection of its own to a server that takes writes. It is kept and replaced every two minutes, and after
 * any trouble that this process has met: only a new one shows whether another could be had, and where the address leads. Where the
 * server gives none, those that are open decide: what this process has, it can use.
 */
export function createReadiness({ primary, clock, open, roles, claimsFailing }: Dependencies) {
  const probe = createProbe(primary, statementTimeoutMs, answerMs)
  // Read once: an update may replace the files while this process runs.
  const needed = listMigrations()
  let examined: { at: number; result: HealthResult } | undefined
  let running: Promise<HealthResult> | undefined

  const examine = async (): Promise<HealthResult> => {
    const at = performance.now()
    const refusal = await probe.renew().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    const kept = probe.kept()
    const examining = { needed, clock, isOwn: kept !== undefined }
    const result = await examineAfter(refusal, kept ?? open, examining).catch((error) => {
      primary.notConnected(error)
      return failed(refusal ? refusal.error : error)
    })
    examined = { at, result }
    return result
  }

  const check = async (): Promise<HealthResult> => {
    const kept = probe.kept()
    const isDue =
      !(kept && examined?.result.isReady) ||
      performance.now() - examined.at > examineEveryMs ||
      primary.troubledAt() > examined.at
    return isDue ? examine() : look(kept, examined?.result as HealthResult).catch(examine)
  }

  /** One at a time, also where the answer did not wait for its end. */
  const checkOnce = () => {
    running ??= check().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    check: async (): Promise<HealthResult> => {
      const late = wait(deadlineMs, undefined, { ref: false }).then(() => failed(undefined))
      const result = await Promise.race([checkOnce(), late])
      return roles.worker ? withDeliveries(result, claimsFailing(), roles.api) : result
    },
    close: probe.close,
  }
}

/** Checks that need the database are unknown. Without an SQLSTATE the server was not reached. */
function failed(error: unknown): HealthResult {
  const { code, sqlstate } = troubleOf(error)
  const checks = names.map((name) => [name, name === 'database' ? `${code} ${sqlstate}` : 'unknown'])
  return { isReady: false, checks: Object.fromEntries(checks), notes: [] }
}

/** `isOwn`: nobody else uses the connection. */
type Examining = { needed: string[]; clock: Clock; isOwn: boolean }

/** Where a new connection has reached a server that takes no writes, the address leads to another one than before. */
async function examineAfter(refusal: { error: unknown } | undefined, queries: Queries, examining: Examining) {
  if (refusal && isReadOnly(refusal.error)) throw refusal.error
  const result = await examineOn(queries, examining)
  if (!refusal) return result
  const { code, sqlstate } = troubleOf(refusal.error)
  return { ...result, notes: [...result.notes, `no further connection to the database: ${code} ${sqlstate}`] }
}

async function examineOn(queries: Queries, { needed, clock, isOwn }: Examining): Promise<HealthResult> {
  const applied = new Set(await appliedMigrations(queries).catch(noneWithoutTable))
  const missing = needed.filter((name) => !applied.has(name))
  // A newer, compatible schema lacks nothing.
  if (missing.length > 0)
    return resultOf({ database: 'ok', schema: 'schema_missing', clock: 'unknown', partitions: 'unknown' })
  if (isOwn) await requireDiskSpace(queries)
  const partitions = await partitionsMissingSoon(queries, clock.now())
  const found = partitions.length > 0 ? 'partitions_missing' : 'ok'
  return look(queries, resultOf({ database: 'ok', schema: 'ok', clock: 'ok', partitions: found }))
}

function noneWithoutTable(error: unknown): string[] {
  if (!isMissingTable(error)) throw error
  return []
}

const resultOf = (checks: HealthResult['checks'], notes: string[] = []): HealthResult => ({
  checks,
  notes,
  isReady: Object.values(checks).every((result) => result === 'ok'),
})

type Server = { is_read_only: boolean; now: number; is_feed_held: boolean }

/** What one statement tells, beside what was examined before. */
async function look(queries: Queries, { checks }: HealthResult): Promise<HealthResult> {
  const server = await onlyRow(queries)(sql<Server>`
    select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
           extract(epoch from clock_timestamp())::float8 * 1000 as now,
           exists (select from position_locks) as is_feed_held`)
  if (server.is_read_only) throw Object.assign(new Error('the server takes no writes'), { code: '25006' })
  const isSkewed = Math.abs(Date.now() - server.now) > maxClockDifferenceMs
  const notes = server.is_feed_held ? await notesOn(queries) : []
  return resultOf({ ...checks, clock: isSkewed ? 'clock_skewed' : 'ok' }, notes)
}

/** A feed that is held back is no reason to send requests elsewhere. */
async function notesOn(queries: Queries): Promise<string[]> {
  const holder = await findNoticeableHolder(queries)
  return holder ? [describeHolder(holder)] : []
}

/** A sort beyond the `work_mem` of a probe writes a temporary file, which a full disk refuses as it refuses a row (53100). */
async function requireDiskSpace(queries: Queries) {
  await queries.rows(sql`select count(*) from generate_series(1, 5000)`).catch((error) => {
    // Refused by the operator's `temp_file_limit`, which says nothing about the disk.
    if (codeOf(error) !== '53400') throw error
  })
}

/** A load balancer must not take a process out that serves requests for what only the deliveries miss. */
function withDeliveries(
  result: HealthResult,
  failing: FailingClaims | undefined,
  servesRequests: boolean,
): HealthResult {
  const isFailing = failing !== undefined && failing.forMs > claimsFailAfterMs
  const deliveries = isFailing ? `failing ${troubleOf(failing.error).sqlstate}` : 'ok'
  return {
    ...result,
    checks: { ...result.checks, deliveries },
    isReady: result.isReady && (servesRequests || !isFailing),
  }
}
