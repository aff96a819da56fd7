import type { Queries, Transaction } from '../../ground/database/database.ts'
import { hasRow, valuesIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import type { MovedSegment } from '../../ground/positions/index.ts'
import type { MovedTable, Rows } from './contents.ts'

/** Whether there is a row of it, whatever its state. */
export const existsOrganization = async (queries: Queries, organizationId: string): Promise<boolean> =>
  (await queries.rows(sql`select from organizations where id = ${organizationId}`)).length > 0

export const isServed = (queries: Queries, organizationId: string) =>
  hasRow(queries)(sql`select from organizations where id = ${organizationId} and deleted_at is null`)

/**
 * The transactions of any organization that write a table whose trigger refuses what is written while an organization moves. A
 * transaction that takes this lock later runs the trigger after the mark was committed, and is refused.
 */
export const listWriters = (queries: Queries) =>
  valuesIn(queries)(sql<{ virtualtransaction: string }>`
    select distinct virtualtransaction from pg_locks
     where locktype = 'relation' and mode = 'RowExclusiveLock' and pid is distinct from pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())
       and relation in (select tgrelid from pg_trigger
                         where tgfoid in ('refuse_while_moving'::regproc, 'refuse_inserts_while_moving'::regproc))`)

/** Rows of one message of the file. A payload has up to 119 kB. */
const rowsTogether = 200

/** All rows of a table, as JSON, in the transaction's snapshot. */
export async function* rowsOf(
  tx: Transaction,
  organizationId: string,
  { name, organizationColumn }: MovedTable,
): AsyncGenerator<Rows> {
  const run = <Row>(text: string, values: string[] = []) => tx.rows<Row>({ name: '', text, values })
  const rows = `select row_to_json(t)::text as row from ${name} t where ${organizationColumn} = $1`
  await run(`declare moved no scroll cursor for ${rows}`, [organizationId])
  for (;;) {
    const fetched = await run<{ row: string }>(`fetch ${rowsTogether} from moved`)
    if (fetched.length > 0) yield { table: name, rows: fetched.map(({ row }) => row) }
    if (fetched.length < rowsTogether) break
  }
  await run('close moved')
}

type Changed = (row: string) => string

/** `$3` to `$5`: the segments in which positions lie. */
const movedPosition: Changed = (row) => `${row}.position + (
  select s.shift from unnest($3::bigint[], $4::bigint[], $5::bigint[]) s (low, high, shift)
   where ${row}.position between s.low and s.high)`

/** What is not as it was: positions in the feed are those of this cell, and nobody here has a delivery in flight. */
const changedColumns: Record<string, Record<string, Changed>> = {
  events: { position: movedPosition, claimed_by: () => 'null', claimed_for: () => 'null' },
  audit_entries: { position: movedPosition },
  event_low_watermarks: { position: movedPosition },
  event_count_positions: { position: movedPosition },
  // A lease that has lapsed: an attempt whose end nobody knows does not count against the window.
  deliveries: {
    is_leased: () => 'false',
    lease_token: () => 'null',
    window_attempts: (row) => `${row}.window_attempts - ${row}.is_leased::int`,
  },
  lanes: { in_flight: () => '0', saturated: () => 'false', leased_by: () => 'null' },
}

/** Inserts rows of the file. Throws where it did not insert them all, as where one is of another organization. */
export async function insertRows(
  tx: Transaction,
  organizationId: string,
  { name, columns, organizationColumn }: MovedTable,
  rows: string[],
  segments: MovedSegment[],
) {
  const changed = changedColumns[name] ?? {}
  const expressions = columns.map((column) => changed[column]?.('r') ?? `r.${column}`)
  const ofSegments = [
    segments.map(({ low }) => low),
    segments.map(({ high }) => high),
    segments.map(({ shift }) => shift),
  ]
  const text = `
    with inserted as (
      insert into ${name} (${columns.join(', ')})
      select ${expressions.join(', ')} from json_populate_recordset(null::${name}, $1::json) r
       where r.${organizationColumn} = $2
      returning 1
    )
    select count(*)::int as count from inserted`
  const values = [`[${rows.join(',')}]`, organizationId, ...(changed.position ? ofSegments : [])]
  const [row] = await tx.rows<{ count: number }>({ name: '', text, values })
  if (row?.count !== rows.length) throw new Error(`${name}: only ${row?.count} of ${rows.length} rows were inserted`)
}
