import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries } from '../database/database.ts'
import { isLockTimeout } from '../database/postgres-error.ts'
import { valueIn } from '../database/rows.ts'
import { sql } from '../database/sql.ts'
import type { MovedSegment } from './layout.ts'

/** Undefined: the cursor is not from a former cell, or from a history that was lost there. */
export const findMovedPosition = (
  queries: Queries,
  organizationId: string,
  { key, position }: { key: string; position: number },
) =>
  valueIn(queries)(sql<{ position: number }>`
    select greatest(least(${position}::bigint, high), low - 1) + shift as position from moved_positions
     where org_id = ${organizationId} and epoch_key = ${key} and through >= ${position}::bigint order by through limit 1`)

/** In position of those that there are. */
export async function insertMovedSegments(queries: Queries, organizationId: string, segments: MovedSegment[]) {
  await queries.rows(sql`delete from moved_positions where org_id = ${organizationId}`)
  await queries.rows(sql`
    insert into moved_positions (org_id, epoch_key, through, low, high, shift)
    select ${organizationId}::uuid, * from unnest(
      ${segments.map(({ key }) => key)}::uuid[], ${segments.map(({ through }) => through)}::bigint[],
      ${segments.map(({ low }) => low)}::bigint[], ${segments.map(({ high }) => high)}::bigint[],
      ${segments.map(({ shift }) => shift)}::bigint[])`)
}

/** While the lock on the sequence is waited for, nobody draws a position; hence this limit. */
const lockWaitMs = 25
/** Much longer than the wait, so that positions are drawn most of the time. */
const betweenTriesMs = 500
const maxTries = 100

/**
 * Takes so many positions in a row that nobody draws, and gives the first. `setval` alone could take back a position that is drawn
 * meanwhile, so it runs under the lock that changes of a sequence take, which those who draw from it hold until their commit.
 */
export async function reservePositions(database: Database, count: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.transaction(async (tx) => {
        await tx.rows({ name: '', text: `set local lock_timeout = ${lockWaitMs}`, values: [] })
        await tx.rows({ name: '', text: 'alter sequence positions owned by none', values: [] })
        const [row] = await tx.rows(sql<{ first: number }>`
          select setval('positions', last_value + ${count}::bigint) - ${count}::bigint + 1 as first from positions`)
        return (row as { first: number }).first
      })
    } catch (error) {
      if (!isLockTimeout(error) || tries === maxTries) throw error
      await sleep(betweenTriesMs)
    }
  }
}
