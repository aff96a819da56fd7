import { dayMs, toDay, toTimestamp } from '../runtime/clock.ts'
import { firstIdAt } from '../runtime/identifiers.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { fragment, sql } from './sql.ts'

type Unit = {
  /** The first moment of the unit that `ms` is in, and of the one after it. */
  startOf(ms: number): number
  after(start: number): number
  /** How the names of its partitions end. */
  label(start: number): string
}

const day: Unit = {
  startOf: (ms) => Math.floor(ms / dayMs) * dayMs,
  after: (start) => start + dayMs,
  label: (start) => toDay(start).replaceAll('-', ''),
}

const monthOf = (ms: number, further: number) => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further)
}
const month: Unit = {
  startOf: (ms) => monthOf(ms, 0),
  after: (start) => monthOf(start, 1),
  label: (start) => day.label(start).slice(0, 6),
}

/** Tables partitioned by the day that their UUIDv7 begins with, or by the month of their time (UTC). `bound`: the first value of a moment. */
const partitioned = {
  events: { unit: day, bound: firstIdAt },
  finished_deliveries: { unit: day, bound: firstIdAt },
  audit_entries: { unit: month, bound: toTimestamp },
}
const tables = Object.keys(partitioned) as (keyof typeof partitioned)[]
/** Enough that a failing interval is harmless for two weeks. */
const daysAhead = 14
/** The service is ready when today and the next two days have partitions, so that nothing changes at midnight. */
const daysNeeded = 2
/** While a drop waits for its lock, later statements on the table wait behind it; hence this limit. */
const dropWaitMs = 100

/** In the transaction that drops this partition. What it throws keeps the partition. */
type BeforeDrop = (tx: Transaction, partition: Named) => Promise<void>

/** `table`: the one that it is a part of. */
type Named = { table: keyof typeof partitioned; name: string }
type Partition = Named & { from: string; to: string }
/** By table. A day stands for the partition that it is in. */
export type DaysOfTables = { [Table in Named['table']]?: number[] }
/** By table the time (milliseconds) from which it is needed; a table that is not named is left alone. */
export type NeededSince = { [Table in Named['table']]?: number }

/**
 * Creates missing partitions of the coming days; safe in several processes at once. Created separately and then attached,
 * which takes no lock that a reader or writer would wait for.
 */
export const makePartitions = async (database: Database, now: number) =>
  makeMissing(database, await missing(database.write, upcoming(now, daysAhead)))

/** The same for days of which rows come from another database: by table, as their number since 1970. */
export async function makePartitionsOf(database: Database, days: DaysOfTables) {
  const wanted = tables.flatMap((table) => (days[table] ?? []).map((number) => partitionOf(table, number * dayMs)))
  await makeMissing(database, await missing(database.write, wanted))
}

/** The first days of the partitions in which each table has rows of the organization: one probe of each. */
export async function daysWith(queries: Queries, organizationId: string): Promise<DaysOfTables> {
  const days: DaysOfTables = {}
  for (const { table, name } of await listPartitions(queries)) {
    const text = `select from ${name} where org_id = $1 limit 1`
    const found = await queries.rows({ name: '', text, values: [organizationId] })
    if (found.length > 0) days[table] = [...(days[table] ?? []), startOf(name) / dayMs]
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
 * Drops the partitions that end before their table is needed; safe to run in several processes at once. A partition that is being
 * read, or dumped, is reported to `onError` and left to the next run.
 */
export async function dropPartitions(
  database: Database,
  neededSince: NeededSince,
  { beforeDrop, onError }: { beforeDrop: BeforeDrop; onError: (error: unknown) => void },
) {
  const isOver = ({ table, name }: Named) =>
    partitioned[table].unit.after(startOf(name)) <= (neededSince[table] ?? Number.NEGATIVE_INFINITY)
  for (const partition of (await listPartitions(database.write)).filter(isOver))
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

/** Within a table, names sort by time. */
const listPartitions = (queries: Queries) =>
  queries.rows(sql<Named>`
    select i.inhparent::regclass::text as table, c.relname as name
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = any(${tables}::text[]::regclass[]) order by c.relname`)

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
const upcoming = (now: number, days: number): Partition[] =>
  tables.flatMap((table) => {
    const { unit } = partitioned[table]
    const partitions: Partition[] = []
    const end = day.startOf(now) + (days + 1) * dayMs
    for (let start = unit.startOf(now - dayMs); start < end; start = unit.after(start))
      partitions.push(partitionOf(table, start))
    return partitions
  })

function partitionOf(table: Named['table'], ms: number): Partition {
  const { unit, bound } = partitioned[table]
  const start = unit.startOf(ms)
  return { table, name: `${table}_${unit.label(start)}`, from: bound(start), to: bound(unit.after(start)) }
}

/** The reverse: of the name of a partition. Not a number where a test has named it otherwise. */
const startOf = (name: string) => Date.parse(name.replace(/.*_(\d{4})(\d\d)(\d\d)?$/, '$1-$2-$3').replace(/-$/, ''))

/** Partition bounds cannot be parameters. All four parts are generated here, none comes from a caller. */
const statements = ({ table, name, from, to }: Partition) => [
  `create table ${name} (like ${table} including all)`,
  `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
]
