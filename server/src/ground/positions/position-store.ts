import type { Queries } from '../database/database.ts'
import { firstRow, numberIn, onlyRow } from '../database/rows.ts'
import { fragment, sql } from '../database/sql.ts'

/**
 * CTE of a statement that inserts positions: takes the lock that holds readers back until its transaction ends. Inline, because
 * PostgreSQL 15 plans a function at each call (0.54 of the insert rate, 0.85 to 0.96 with this). Each statement takes its own lock:
 * a rolled back savepoint may have released an earlier one.
 */
export const lockingPositions = fragment`
    held as materialized (
      select pg_advisory_xact_lock_shared(4611686018427387904 + last_value),
             exists (select from current_epoch) as is_entered
        from positions
    )`

/** The next position, in the select list of a statement that reads from `held`. `ground/database/transaction.ts` enters the epoch where it is refused. */
export const nextPosition = fragment`case when held.is_entered then nextval('positions') else refuse_position() end`

export type Epoch = { key: string; firstPosition: number }

/** Oldest first. */
export async function listEpochs(queries: Queries): Promise<Epoch[]> {
  const rows = await queries.rows(sql<{ key: string; first_position: number }>`
    select key, first_position from position_epochs order by first_position`)
  return rows.map((row) => ({ key: row.key, firstPosition: row.first_position }))
}

/** `before`: where the next epoch begins; null: this is the newest one. `through`: the greatest position that the next one found. */
export type EpochOfCursor = { first: number; before: number | null; through: number | null; current: string | null }

/** Undefined where this database does not know the key. */
export const findEpochOfCursor = (queries: Queries, key: string) =>
  firstRow(queries)(sql<EpochOfCursor>`
    select first_position as first, restored_up_to as through, (select key from current_epoch) as current,
           (select min(n.first_position) from position_epochs n where n.first_position > e.first_position) as before
      from position_epochs e where key = ${key}`)

export const findEnd = (queries: Queries) =>
  numberIn(queries)(sql<{ end: number }>`select positions_end()::float8 as end`)

/** `epoch`: the key of the current one; null: none is entered since PostgreSQL started, or since the database was copied or restored. */
export const findEndAndEpoch = (queries: Queries) =>
  onlyRow(queries)(
    sql<{
      end: number
      epoch: string | null
    }>`select positions_end()::float8 as end, (select key from current_epoch) as epoch`,
  )

export const findDrawn = (queries: Queries) =>
  numberIn(queries)(sql<{ drawn: number }>`select last_value as drawn from positions`)

/** Marks what follows `position` in the newest epoch as lost: cursors beyond it are refused. For a restore or copy of the whole database. */
export const endHistoryAt = (queries: Queries, position: number) =>
  queries.rows(sql`
    update position_epochs set restored_up_to = least(restored_up_to, ${position})
     where first_position = (select max(first_position) from position_epochs where first_position <= ${position})`)

/** Whether this database is, since the same start of PostgreSQL, the one that the rows came from: it would then draw the same positions again. */
export const isInEpoch = async (queries: Queries): Promise<boolean> =>
  (await queries.rows(sql`select from current_epoch`)).length > 0
