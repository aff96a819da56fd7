import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries } from '../database/database.ts'
import { isLockTimeout } from '../database/postgres-error.ts'
import { sql } from '../database/sql.ts'
import type { MovedPiece } from './layout.ts'

/** Undefined: the cursor is not from a former cell, or from a history that was lost there. */
export async function findMovedPlace(
  queries: Queries,
  organizationId: string,
  { key, place }: { key: string; place: number },
): Promise<number | undefined> {
  const [row] = await queries.rows(sql<{ place: number }>`
    select greatest(least(${place}::bigint, high), low - 1) + shift as place from moved_places
     where org_id = ${organizationId} and epoch_key = ${key} and through >= ${place}::bigint order by through limit 1`)
  return row?.place
}

/** In place of those that there are. */
export async function insertMovedPieces(queries: Queries, organizationId: string, pieces: MovedPiece[]) {
  await queries.rows(sql`delete from moved_places where org_id = ${organizationId}`)
  await queries.rows(sql`
    insert into moved_places (org_id, epoch_key, through, low, high, shift)
    select ${organizationId}::uuid, * from unnest(
      ${pieces.map(({ key }) => key)}::uuid[], ${pieces.map(({ through }) => through)}::bigint[],
      ${pieces.map(({ low }) => low)}::bigint[], ${pieces.map(({ high }) => high)}::bigint[],
      ${pieces.map(({ shift }) => shift)}::bigint[])`)
}

/** While the lock on the sequence is waited for, nobody draws a place; hence this limit. */
const lockWaitMs = 25
/** Much longer than the wait, so that places are drawn most of the time. */
const betweenTriesMs = 500
const maxTries = 100

/**
 * Takes so many places in a row that nobody draws, and gives the first. `setval` alone could take back a place that is drawn
 * meanwhile, so it runs under the lock that changes of a sequence take, which those who draw from it hold until their commit.
 */
export async function reservePlaces(database: Database, count: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.transaction(async (tx) => {
        await tx.rows({ name: '', text: `set local lock_timeout = ${lockWaitMs}`, values: [] })
        await tx.rows({ name: '', text: 'alter sequence places owned by none', values: [] })
        const [row] = await tx.rows(sql<{ first: number }>`
          select setval('places', last_value + ${count}::bigint) - ${count}::bigint + 1 as first from places`)
        return (row as { first: number }).first
      })
    } catch (error) {
      if (!isLockTimeout(error) || tries === maxTries) throw error
      await sleep(betweenTriesMs)
    }
  }
}
