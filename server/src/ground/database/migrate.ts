import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Connection } from './connection.ts'
import type { Queries, Transaction } from './database.ts'
import { codeOf, isDeadlock, isLockTimeout } from './postgres-error.ts'
import { createPrimary } from './primary.ts'
import { valuesIn } from './rows.ts'
import { readable } from './server-check.ts'
import { type Statement, sql } from './sql.ts'
import { whileFull } from './while-full.ts'

const ownMigrations = join(import.meta.dirname, '../../../migrations')
/** Any fixed number: who holds this advisory lock is the only one that migrates. */
const migrationLock = 7_300_214_113

type Migration = { name: string; text: string; sha256: string; breaking: boolean }
/** One that is being applied, the `number`th `of` those that are missing. `isWaiting`: for a table that another transaction uses. */
export type MigrationProgress = { name: string; number: number; of: number; isWaiting: boolean }
type Applied = { name: string; sha256: string; breaking: boolean }

/**
 * Brings the schema to this program's version. Safe when several processes start at once: one applies, the others wait
 * and find nothing to do. `-- breaking` on the first line of a migration means that older programs cannot run on it.
 * `underLock` runs in a transaction before the lock is given back, when the schema is current; gives its result. `client` is the
 * connection of that transaction, for COPY.
 *
 * Throws with one readable line when a migration file was changed after it was applied, or when the database is newer
 * than this program in a way that this program cannot run on.
 */
export async function migrate<Result>(
  connection: Connection,
  underLock: (tx: Transaction, client: pg.Client) => Promise<Result>,
  folder = ownMigrations,
  onProgress: (progress: MigrationProgress) => void = () => {},
): Promise<Result> {
  // A migration may take as long as it takes.
  const primary = createPrimary(connection)
  const open = () => primary.connect({ settings: { statementTimeoutMs: 0 } })
  const client = await whileFull(open).catch((error) => {
    throw readable(error)
  })
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await applyMissing(client, readMigrations(folder), onProgress)
    const tx: Transaction = {
      rows: async <Row>(statement: Statement<Row>) => (await client.query(statement)).rows as Row[],
      // Whoever holds this lock runs nothing yet that could be told of a commit or a failure.
      afterCommit: () => {},
      afterFailure: () => {},
      last: (send) => send(),
    }
    return await inTransaction(client, () => underLock(tx, client))
  } catch (error) {
    throw codeOf(error) ? readable(error) : error
  } finally {
    await client.end()
  }
}

export const appliedMigrations = (queries: Queries) =>
  valuesIn(queries)(sql<{ name: string }>`select name from schema_migrations`)

/** The names of all that this program needs. */
export const listMigrations = (folder = ownMigrations): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))
    .sort()

const readMigrations = (folder: string): Migration[] =>
  listMigrations(folder).map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { name, text, sha256, breaking: text.startsWith('-- breaking\n') }
  })

async function applyMissing(
  client: pg.Client,
  migrations: Migration[],
  onProgress: (progress: MigrationProgress) => void,
) {
  await refuseSecondSchema(client)
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, sha256 text not null, breaking boolean not null, applied_at timestamptz not null default now()
     )`,
  )
  const { rows } = await client.query<Applied>('select name, sha256, breaking from schema_migrations')
  const applied = new Map(rows.map((row) => [row.name, row]))
  refuseUnfit(applied, migrations)
  const missing = migrations.filter(({ name }) => !applied.has(name))
  for (const [index, migration] of missing.entries()) {
    const tell = (isWaiting: boolean) =>
      onProgress({ name: migration.name, number: index + 1, of: missing.length, isWaiting })
    tell(false)
    await apply(client, migration, () => tell(true))
  }
}

/** A schema named as the role, made later, would come first in the path, and be filled beside the one that has everything. */
async function refuseSecondSchema(client: pg.Client) {
  const { rows } = await client.query<{ own: string; other: string }>(
    `select current_schema() as own, n.nspname as other
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = 'schema_migrations' and n.nspname = any(current_schemas(false)) and n.nspname <> current_schema()`,
  )
  for (const { own, other } of rows)
    throw new Error(`database: Signet's tables are in the schema ${other}, and the search_path has ${own} before it`)
}

function refuseUnfit(applied: Map<string, Applied>, migrations: Migration[]) {
  const known = new Set(migrations.map((migration) => migration.name))
  const changed = migrations.find(
    (migration) => (applied.get(migration.name)?.sha256 ?? migration.sha256) !== migration.sha256,
  )
  if (changed) throw new Error(`database: migration ${changed.name} was changed after it had been applied`)
  const newer = [...applied.values()].find((row) => row.breaking && !known.has(row.name))
  if (newer) throw new Error(`database: its schema (${newer.name}) is newer than this version of Signet can run on`)
}

/**
 * While a migration waits for a table that a long transaction uses, everybody else who writes that table waits behind it; hence this
 * limit. Shorter than PostgreSQL waits before it looks for a deadlock (1 s), so that a migration ends no other transaction.
 */
const lockWaitMs = 500
const betweenTriesMs = 2_000
/** About two and a half minutes in all. */
const maxTries = 60

async function apply(client: pg.Client, migration: Migration, onWait: () => void) {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(client, () => applyOnce(client, migration))
    } catch (error) {
      if (!(isLockTimeout(error) || isDeadlock(error)) || tries === maxTries)
        throw new Error(`database: migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
      onWait()
      await sleep(betweenTriesMs)
    }
  }
}

async function applyOnce(client: pg.Client, { name, text, sha256, breaking }: Migration) {
  await client.query(`set local lock_timeout = ${lockWaitMs}`)
  await client.query(text)
  const record = 'insert into schema_migrations (name, sha256, breaking) values ($1, $2, $3)'
  await client.query(record, [name, sha256, breaking])
}

async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
