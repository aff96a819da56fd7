import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { connectionOf } from '../../src/ground/database/connection.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/ground/database/embedded/index.ts'
import { migrate } from '../../src/ground/database/migrate.ts'
import { makePartitions } from '../../src/ground/database/time-partitions.ts'
import { administer, type Connection, inDatabase, makeName } from './database.ts'
import { repository } from './program.ts'
import { startStockPostgres } from './stock-postgres.ts'

/** Survives a killed process, not a power failure: what tests need, at three times the speed. */
const embeddedSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '64MB',
  max_prepared_transactions: '8',
}

type Server = { role: Connection; superuser?: pg.ClientConfig; stop(): Promise<void> }

/** A folder of PostgreSQL's programs, of which a server is made, or the address of a server; by default the embedded programs. */
const given = process.env.SIGNET_TEST_SERVER
const programs = given?.startsWith('/') ? given : undefined

/** One server for all of a project, and a migrated template that each test file copies. */
export default async function setup(project: TestProject) {
  keepToLoopback()
  process.env.NODE_COMPILE_CACHE ??= join(repository, 'node_modules/.cache/node')
  const { role, superuser, stop } = await openServer()
  const run = makeName('signet_test')
  project.provide('postgres', role)
  project.provide('superuser', superuser)
  project.provide('run', run)
  project.provide('template', await makeTemplate(role, run))
  project.provide('programs', programs)
  // Makes the same random choices again.
  project.provide('faultsSeed', Number(process.env.SIGNET_FAULTS_SEED ?? Date.now() % 2 ** 31))
  return async () => {
    await dropAll(role, run)
    await stop()
  }
}

function openServer(): Promise<Server> {
  if (programs) return makeServer((folder) => startStockPostgres(programs, folder))
  if (given) return useServer(given)
  return makeServer((folder) => startEmbeddedPostgres({ folder, settings: embeddedSettings, diesWithParent: true }))
}

/** In each process of the tests, unless the server they were given may be elsewhere. */
function keepToLoopback() {
  const { NODE_OPTIONS = '' } = process.env
  const guard = `--import=${pathToFileURL(join(import.meta.dirname, 'loopback-only.mjs'))}`
  const mayBeElsewhere = given !== undefined && !programs
  if (!mayBeElsewhere && !NODE_OPTIONS.includes(guard)) process.env.NODE_OPTIONS = `${NODE_OPTIONS} ${guard}`
}

/** A cluster of this run, where tests have a role like an installation's: no superuser, but the owner of its databases. */
async function makeServer(start: (folder: string) => Promise<EmbeddedPostgres>): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  chmodSync(folder, 0o711)
  const { connection: superuser, stop } = await start(join(folder, 'postgres'))
  await administer(superuser, 'create role tester login createdb in role pg_monitor')
  const { host, port, database } = superuser
  const url = `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=tester`
  return {
    role: { ...superuser, user: 'tester', url },
    superuser,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Somebody's server, as it comes. */
async function useServer(url: string): Promise<Server> {
  const role = { port: 5432, ...connectionOf(url), url } as Connection
  const { rows } = await administer(role, `select current_setting('is_superuser') = 'on' as super`)
  return { role, ...(rows[0].super && { superuser: role }), stop: async () => {} }
}

async function makeTemplate(server: Connection, run: string): Promise<string> {
  const name = makeName(run)
  await administer(server, `create database ${name} template template0 encoding 'UTF8'`)
  const template = inDatabase(server, name)
  await migrate(template, async () => {})
  const database = openDatabase(template)
  await makePartitions(database, Date.now())
  await database.close()
  return name
}

/** Most test files leave theirs behind. */
async function dropAll(server: Connection, run: string) {
  const { rows } = await administer(server, `select datname from pg_database where starts_with(datname, '${run}')`)
  for (const { datname } of rows) await administer(server, `drop database if exists ${datname} with (force)`)
}

declare module 'vitest' {
  interface ProvidedContext {
    /** As the role of tests. */
    postgres: Connection
    /** Where there is one. */
    superuser: pg.ClientConfig | undefined
    /** How the names of its databases begin. */
    run: string
    template: string
    /** The folder of those that servers beside it are made of; undefined: the embedded ones. */
    programs: string | undefined
    faultsSeed: number
  }
}
