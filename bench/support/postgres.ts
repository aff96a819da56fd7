import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../server/src/database/database.ts'
import { startEmbeddedPostgres } from '../../server/src/database/embedded/index.ts'
import { type Statement, sql } from '../../server/src/database/sql.ts'
import { cpuWithin } from './processes.ts'

export type Postgres = {
  version: string
  /** Seconds of CPU that all of its processes have used. */
  cpu(): number
  /** A new database. */
  create(name: string): Promise<BenchDatabase>
}

export type BenchDatabase = {
  url: string
  /** Connections like the product's. */
  database: Database
  run(text: string): Promise<void>
  rows<Row>(text: string): Promise<Row[]>
}

/** One PostgreSQL for everybody, with the settings of the embedded one and room for all of them; `fsync` is on. */
export async function startPostgres(folder: string, cleanup: AsyncDisposableStack): Promise<Postgres> {
  const { connection, stop } = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    settings: { max_connections: '200', shared_preload_libraries: 'pg_stat_statements' },
    diesWithParent: true,
  })
  cleanup.defer(stop)
  const pid = Number(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
  const open = (database: string) => {
    const opened = openDatabase({ ...connection, database }, 3)
    cleanup.defer(opened.close)
    return opened
  }
  const administrative = open(connection.database)
  const [found] = await administrative.read.rows(
    sql<{
      version: string
      fsync: string
    }>`select current_setting('server_version') as version, current_setting('fsync') as fsync`,
  )
  if (found?.fsync !== 'on') throw new Error('fsync must be on')
  return {
    version: found.version,
    cpu: () => cpuWithin(pid),
    create: async (name) => {
      await administrative.write.rows(plain<never>(`create database ${name}`))
      const database = open(name)
      const { host, port, user } = connection
      return {
        url: `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
        database,
        run: async (text) => void (await database.write.rows(plain<never>(text))),
        rows: <Row>(text: string) => database.write.rows(plain<Row>(text)),
      }
    },
  }
}

/** Not prepared: asked once. */
const plain = <Row>(text: string): Statement<Row> => ({ name: '', text, values: [] })
