import { firstIdAt } from '../identifiers.ts'
import type { Database, Queries } from './database.ts'
import { sql } from './sql.ts'

/** Tables partitioned by the day that their UUIDv7 begins with. */
const partitioned = ['events', 'finished_deliveries'] as const
const dayMs = 86_400_000
/** Long enough that nobody has to look after it for two weeks. */
const daysAhead = 14
/** Ready means: today and the next two days are there, so that midnight is no event. */
const daysNeeded = 2

type Partition = { table: string; name: string; from: string; to: string }

/**
 * Makes the partitions of the coming days that are missing; safe to run in several processes at once. Attached, not
 * created in place: that takes no lock which a reader or writer would wait for.
 */
export async function makePartitions(database: Database, now: number) {
  for (const partition of await missing(database.write, now, daysAhead)) {
    await database.transaction(async (tx) => {
      await tx.rows(sql`select pg_advisory_xact_lock(hashtext('signet partitions'))`)
      if (await exists(tx, partition)) return
      for (const text of statements(partition)) await tx.rows({ name: '', text, values: [] })
    })
  }
}

/** Names of the partitions without which the service would soon refuse to write. */
export async function partitionsMissingSoon(queries: Queries, now: number): Promise<string[]> {
  return (await missing(queries, now, daysNeeded)).map((partition) => partition.name)
}

async function missing(queries: Queries, now: number, days: number): Promise<Partition[]> {
  const wanted = partitioned.flatMap((table) => upcoming(table, now, days))
  const rows = await queries.rows(
    sql<{ name: string }>`select relname as name from pg_class where relname = any(${wanted.map(({ name }) => name)})`,
  )
  const present = new Set(rows.map((row) => row.name))
  return wanted.filter(({ name }) => !present.has(name))
}

async function exists(queries: Queries, { name }: Partition): Promise<boolean> {
  return (await queries.rows(sql`select from pg_class where relname = ${name}`)).length > 0
}

/** From yesterday on: a node whose clock is behind still writes into a partition. */
function upcoming(table: string, now: number, days: number): Partition[] {
  const today = Math.floor(now / dayMs)
  return Array.from({ length: days + 2 }, (_, index) => dayPartition(table, today - 1 + index))
}

function dayPartition(table: string, day: number): Partition {
  const date = new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
  return { table, name: `${table}_${date}`, from: firstIdAt(day * dayMs), to: firstIdAt((day + 1) * dayMs) }
}

/** Bounds of a partition cannot be parameters. All four parts are made here, none is a caller's. */
const statements = ({ table, name, from, to }: Partition) => [
  `create table ${name} (like ${table} including all)`,
  `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
]
