import type { SettableClock } from '../runtime/clock.ts'
import type { Queries } from './database.ts'
import { sql } from './sql.ts'

/** Smaller differences from the database are ignored. */
const toleratedMs = 250

/** The database's time in milliseconds since the epoch. */
export async function databaseTime(queries: Queries): Promise<number> {
  const [row] = await queries.rows(
    sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  )
  return row?.now ?? Number.NaN
}

/**
 * Sets `clock` to the database's time, assumed to be read in the middle of the round trip. The error is up to half the
 * round trip, so a slow reply does not set the clock.
 */
export async function followDatabaseTime(clock: SettableClock, queries: Queries) {
  const before = clock.now()
  const time = await databaseTime(queries)
  const after = clock.now()
  const difference = time - (before + after) / 2
  if (Math.abs(difference) > Math.max(toleratedMs, (after - before) / 2)) clock.set(after + difference)
}
