import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries } from '../database/database.ts'
import { isLockTimeout } from '../database/postgres-error.ts'
import { sql } from '../database/sql.ts'
import type { MovedPiece, PlaceSegment, PlacesOf } from './layout.ts'

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

/** Where the organization's places lie. An epoch without any has its first place in their stead. */
export async function findPlacesOf(queries: Queries, organizationId: string): Promise<PlacesOf> {
  const segments = await queries.rows(sql<PlaceSegment>`
    with epochs as (
      select key, first_place, restored_up_to,
             case when lag(key) over epoch is null then 0 else first_place end as first,
             coalesce(lead(first_place) over epoch - 1, (select last_value from places)) as last
        from place_epochs window epoch as (order by first_place)
    )
    select e.key, least(e.last, e.restored_up_to) as through, coalesce(bounds.low, e.first_place) as low,
           coalesce(bounds.high, e.first_place) as high
      from epochs e cross join lateral (
        select min(place) as low, max(place) as high from (
          (select place from events where org_id = ${organizationId} and place between e.first and e.last order by place limit 1)
          union all
          (select place from events where org_id = ${organizationId} and place between e.first and e.last order by place desc limit 1)
          union all
          (select place from audit_entries where org_id = ${organizationId} and place between e.first and e.last order by place limit 1)
          union all
          (select place from audit_entries where org_id = ${organizationId} and place between e.first and e.last order by place desc limit 1)
          union all
          (select place from event_floors where org_id = ${organizationId} and place between e.first and e.last)
          union all
          (select place from event_count_places where org_id = ${organizationId} and place between e.first and e.last)
        ) as of_organization) bounds
     order by e.first_place`)
  const pieces = await queries.rows(sql<MovedPiece>`
    select epoch_key as key, through, low, high, shift from moved_places where org_id = ${organizationId} order by through`)
  return { segments, pieces }
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
