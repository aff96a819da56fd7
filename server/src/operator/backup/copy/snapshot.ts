import type pg from 'pg'
import { queriesOn } from '../../../ground/database/ask.ts'
import type { Connection } from '../../../ground/database/connection.ts'
import { appliedMigrations, listMigrations } from '../../../ground/database/migrate.ts'
import { isMissingTable } from '../../../ground/database/postgres-error.ts'
import { createPrimary } from '../../../ground/database/primary.ts'
import { listTables, type Table } from '../../../ground/database/table-order.ts'
import { findEnd } from '../../../ground/positions/index.ts'
import { hasOrganizations, listPartitions, listSequences, readState, type Sequence } from './copy-store.ts'

/** Everything that the source had at one moment. The source may be in use all the time. */
export type Snapshot = {
  client: pg.Client
  tables: Table[]
  partitions: string[]
  sequences: Sequence[]
  base_url: string
  taken_at: Date
  /** Whatever has a position up to here is in it; what comes later may be. */
  last_position: number
}

/** The connection stays in the transaction of the snapshot until it is ended. */
export async function takeSnapshot(source: Connection): Promise<Snapshot> {
  const client = await createPrimary(source).connect({ settings: { statementTimeoutMs: 0 } })
  try {
    await requireSchema(client)
    const queries = queriesOn(client)
    // Before the snapshot: what had a position by then has been committed, or never will be.
    const last_position = await findEnd(queries)
    // The source waits for the target between two tables.
    await client.query(
      'begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0',
    )
    if (!(await hasOrganizations(queries))) throw new Error('it has no organization, so there is nothing to copy')
    const { base_url, now: taken_at } = await readState(queries)
    const tables = movesLast(await listTables(queries))
    const [partitions, sequences] = [await listPartitions(queries), await listSequences(queries)]
    return { client, tables, partitions, sequences, base_url, taken_at, last_position }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Triggers refuse rows of organizations that are moving: those of a copy come before its moves. */
const movesLast = (tables: Table[]) =>
  tables.toSorted((one, other) => Number(isOfMoves(one)) - Number(isOfMoves(other)))
const isOfMoves = ({ name }: Table) => name === 'moved_organizations'

/** Rows fit a schema that is the same. */
async function requireSchema(client: pg.Client) {
  const applied = await appliedMigrations(queriesOn(client)).catch((error) => {
    if (!isMissingTable(error)) throw error
    return []
  })
  if (applied.toSorted().join() !== listMigrations().join())
    throw new Error('its schema is not the one of this version of Signet; start this version on it first')
}
