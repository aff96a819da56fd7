import type { Clock } from './clock.ts'
import type { Queries } from './database/database.ts'
import { databaseTime } from './database/database-time.ts'
import { partitionsMissingSoon } from './database/day-partitions.ts'
import { appliedMigrations, listMigrations } from './database/migrate.ts'
import type { HealthCheck } from './http/health.ts'

/** Between this machine's clock and the database's (readiness only: due times follow the database's clock). */
const maxClockDifferenceMs = 30_000

/** What `/readyz` asks for. */
export function readinessChecks(queries: Queries, clock: Clock): Record<string, HealthCheck> {
  // Read once: an update may put other files there while this program still runs.
  const needed = listMigrations()
  return {
    database: async () => {
      await databaseTime(queries)
      return undefined
    },
    schema: async () => {
      // A newer, compatible schema lacks nothing.
      const applied = new Set(await appliedMigrations(queries))
      const missing = needed.filter((name) => !applied.has(name))
      return missing.length > 0 ? `migrations missing: ${missing.join(', ')}` : undefined
    },
    clock: async () => {
      const difference = Math.round(Date.now() - (await databaseTime(queries)))
      return Math.abs(difference) > maxClockDifferenceMs ? `${difference} ms from the database's clock` : undefined
    },
    partitions: async () => {
      const missing = await partitionsMissingSoon(queries, clock.now())
      return missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined
    },
  }
}
