import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { connectionOf } from '../../server/src/ground/database/connection.ts'
import { type Database, openDatabase } from '../../server/src/ground/database/database.ts'
import { startEmbeddedPostgres } from '../../server/src/ground/database/embedded/index.ts'
import { awaitServer } from '../../server/src/ground/database/server-check.ts'
import { type Statement, sql } from '../../server/src/ground/database/sql.ts'
import { givenServer } from './options.ts'
import { cpuWithin, isNamed, parentOf } from './processes.ts'

export type Postgres = {
  /** Version, origin, and the settings that decide most. */
  description: string
  /** Seconds of CPU that all of its processes have used; NaN for a server on another machine. */
  cpu(): number
  /** Whether it was started here, so that what it uses is ours. */
  isOurs: boolean
  /** A new database, dropped by the cleanup. */
  create(name: string): Promise<BenchDatabase>
}

export type BenchDatabase = {
  url: string
  /** Connections like the product's. */
  database: Database
  run(text: string): Promise<void>
  rows<Row>(text: string): Promise<Row[]>
}

/** Databases of one run begin with this, so that a killed run's leftovers can be found. */
const run = `signet_bench_${randomBytes(4).toString('hex')}`

/** The given server, or the embedded one. */
export const openServer = (folder: string, cleanup: AsyncDisposableStack): Promise<Postgres> =>
  givenServer === undefined ? startPostgres(folder, cleanup) : serve('given', givenServer, cleanup)

/** One PostgreSQL for everybody, with the settings of the embedded one and room for all of them. */
export async function startPostgres(folder: string, cleanup: AsyncDisposableStack): Promise<Postgres> {
  const { connection, stop } = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    settings: { max_connections: '200', shared_preload_libraries: 'pg_stat_statements' },
    diesWithParent: true,
  })
  cleanup.defer(stop)
  const { host, port, user, database } = connection
  return serve(
    'embedded',
    `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    cleanup,
  )
}

async function serve(origin: 'embedded' | 'given', url: string, cleanup: AsyncDisposableStack): Promise<Postgres> {
  // One line that says what is wrong with the address.
  await awaitServer(connectionOf(url), 0, () => {})
  const administrative = openDatabase(connectionOf(url), 1)
  cleanup.defer(administrative.close)
  const administer = (text: string) => administrative.write.rows(plain<never>(text))
  const { settings, backend, is_local } = await look(administrative)
  const postmaster = is_local && isNamed(backend, 'postgres') ? parentOf(backend) : undefined
  return {
    description: `PostgreSQL ${settings.server_version}, ${origin} (jit ${settings.jit}, fsync ${settings.fsync}, shared_buffers ${settings.shared_buffers})`,
    cpu: () => (postmaster === undefined ? Number.NaN : cpuWithin(postmaster)),
    isOurs: origin === 'embedded',
    create: async (title) => {
      const name = `${run}_${title}`
      await administer(`create database ${name} template template0 encoding 'UTF8'`)
      cleanup.defer(async () => void (await administer(`drop database ${name} with (force)`)))
      return useDatabase(inDatabase(url, name), cleanup)
    },
  }
}

function useDatabase(url: string, cleanup: AsyncDisposableStack): BenchDatabase {
  const database = openDatabase(connectionOf(url), 3)
  cleanup.defer(database.close)
  return {
    url,
    database,
    run: async (text) => void (await database.write.rows(plain<never>(text))),
    rows: <Row>(text: string) => database.write.rows(plain<Row>(text)),
  }
}

type Server = { settings: Record<string, string>; backend: number; is_local: boolean }

/** The settings as a new connection has them, not as ours sets them. */
async function look(database: Database): Promise<Server> {
  const [server] = await database.read.rows(sql<Server>`
    select pg_backend_pid() as backend,
           inet_server_addr() is not distinct from inet_client_addr() as is_local,
           json_object_agg(name, case unit when '8kB' then pg_size_pretty(reset_val::bigint * 8192) else reset_val end) as settings
      from pg_settings
     where name in ('server_version', 'jit', 'fsync', 'shared_buffers')`)
  return server as Server
}

/** The same server, another database. */
function inDatabase(url: string, name: string): string {
  const changed = url.replace(/^(\w+:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`)
  if (connectionOf(changed).database !== name) throw new Error('--server: name the database in the path, not by dbname')
  return changed
}

/** Not prepared: asked once. */
const plain = <Row>(text: string): Statement<Row> => ({ name: '', text, values: [] })
