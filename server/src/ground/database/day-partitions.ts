import { dayMs, toDay } from '../runtime/clock.ts'
import { firstIdAt } from '../runtime/identifiers.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { fragment, sql } from './sql.ts'

/** Tables partitioned by the day that their UUIDv7 begins with. */
const partitioned = ['events', 'finished_deliveries'] as const
/** Enough that a failing interval is harmless for two weeks. */
const daysAhead = 14
/** The service is ready when today and the next two days have partitions, so that nothing changes at midnight. */
const daysNeeded = 2
/** After every day that there will be a partition for. */
const allDays = Date.parse('9999-12-31')
/** While a drop waits for its lock, later statements on the table wait behind it; hence this limit. */
const dropWaitMs = 200

/** In the transaction that drops this partition. What it throws keeps the partition. */
type BeforeDrop = (tx: Transaction, partition: Named) => Promise<void>

/** `table`: the one that it is a part of. */
type Named = { table: (typeof partitioned)[number]; name: string }
type Partition = Named & { from: string; to: string }
export type DaysOfTables = { [Table in Named['table']]?: number[] }

/**
 * Creates missing partitions of the coming days; safe in several processes at once. Created separately and then attached,
 * which takes no lock that a reader or writer would wait for.
 */
export const makePartitions = async (database: Database, now: number) =>
  makeMissing(database, await missing(database.write, upcoming(now, daysAhead)))

/** The same for days of which rows come from another database: by table, as their number since 1970. */
export async function makePartitionsOf(database: Database, days: DaysOfTables) {
  const wanted = partitioned.flatMap((table) => (days[table] ?? []).map((day) => dayPartition(table, day)))
  await makeMissing(database, await missing(database.write, wanted))
}

/** The days of which each table has rows of the organization: one probe of each partition. */
export async function daysWith(queries: Queries, organizationId: string): Promise<DaysOfTables> {
  const days: DaysOfTables = {}
  for (const { table, name } of await partitionsBefore(queries, allDays)) {
    const text = `select from ${name} where org_id = $1 limit 1`
    const found = await queries.rows({ name: '', text, values: [organizationId] })
    if (found.length > 0) days[table] = [...(days[table] ?? []), dayOf(name)]
  }
  return days
}

/** The bounds of each partition of a table as a subquery: the ids `first`, and `beyond`, which belongs to the next day. */
export const daysOf = (table: Named['table']) => fragment`
  (select bounds[1]::uuid as first, bounds[2]::uuid as beyond
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
    cross join lateral regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') as bounds
    where i.inhparent = ${table}::regclass)`

async function makeMissing(database: Database, partitions: Partition[]) {
  for (const partition of partitions) {
    await database.transaction(async (tx) => {
      await takeTurn(tx)
      if (await exists(tx, partition)) return
      for (const text of statements(partition)) await tx.rows({ name: '', text, values: [] })
    })
  }
}

/**
 * Drops the partitions of the days before that of `neededSince` (milliseconds); safe to run in several processes at
 * once. A partition that is being read is reported to `onError` and left to the next run.
 */
export async function dropPartitions(
  database: Database,
  neededSince: number,
  { beforeDrop, onError }: { beforeDrop: BeforeDrop; onError: (error: unknown) => void },
) {
  for (const partition of await partitionsBefore(database.write, neededSince))
    await drop(database, partition, beforeDrop).catch(onError)
}

/** The lock is short as well: PostgreSQL unlinks the files after the commit. */
const drop = (database: Database, partition: Named, beforeDrop: BeforeDrop) =>
  database.transaction(async (tx) => {
    await takeTurn(tx)
    const run = (text: string) => tx.rows({ name: '', text, values: [] })
    await run(`set local lock_timeout = ${dropWaitMs}`)
    // Another process may have dropped it.
    if (!(await exists(tx, partition))) return
    await beforeDrop(tx, partition)
    await run(`drop table ${partition.name}`)
  })

/** Lets one process at a time create or drop partitions. */
const takeTurn = (tx: Transaction) => tx.rows(sql`select pg_advisory_xact_lock(hashtext('signet partitions'))`)

/** Within a table, names sort by day. */
async function partitionsBefore(queries: Queries, neededSince: number): Promise<Named[]> {
  const first = partitioned.map((table) => dayPartition(table, Math.floor(neededSince / dayMs)).name)
  return queries.rows(sql<Named>`
    select needed.parent as table, c.relname as name
      from unnest(${partitioned}::text[], ${first}::text[]) as needed (parent, first)
      join pg_inherits i on i.inhparent = needed.parent::regclass
      join pg_class c on c.oid = i.inhrelid
     where c.relname < needed.first order by c.relname`)
}

/** Missing partitions without which writes would soon fail. */
export const partitionsMissingSoon = async (queries: Queries, now: number): Promise<string[]> =>
  (await missing(queries, upcoming(now, daysNeeded))).map((partition) => partition.name)

async function missing(queries: Queries, wanted: Partition[]): Promise<Partition[]> {
  const rows = await queries.rows(
    sql<{
      name: string
    }>`select relname as name from pg_class where relname = any(${wanted.map(({ name }) => name)}) and pg_table_is_visible(oid)`,
  )
  const present = new Set(rows.map((row) => row.name))
  return wanted.filter(({ name }) => !present.has(name))
}

const exists = async (queries: Queries, { name }: Named): Promise<boolean> =>
  (await queries.rows(sql`select from pg_class where relname = ${name} and pg_table_is_visible(oid)`)).length > 0

/** Starts yesterday, for nodes whose clock is behind. */
function upcoming(now: number, days: number): Partition[] {
  const today = Math.floor(now / dayMs)
  return partitioned.flatMap((table) =>
    Array.from({ length: days + 2 }, (_, index) => dayPartition(table, today - 1 + index)),
  )
}

function dayPartition(table: Named['table'], day: number): Partition {
  const date = toDay(day * dayMs).replaceAll('-', '')
  return { table, name: `${table}_${date}`, from: firstIdAt(day * dayMs), to: firstIdAt((day + 1) * dayMs) }
}

/** The reverse: of the name of a partition. */
const dayOf = (name: string) => Date.parse(name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3')) / dayMs

/** Partition bounds cannot be parameters. All four parts are generated here, none comes from a caller. */
const statements = ({ table, name, from, to }: Partition) => [
  `create table ${name} (like ${table} including all)`,
  `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
]
