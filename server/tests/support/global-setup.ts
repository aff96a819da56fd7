import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/database/database.ts'
import { makePartitions } from '../../src/database/day-partitions.ts'
import { startEmbeddedPostgres } from '../../src/database/embedded/index.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createDatabase, templateName } from './database.ts'

/** Survives a killed process, not a power failure: what tests need, at three times the speed. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '64MB' }

/** One PostgreSQL for the whole run, and a migrated template that each test file copies. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), settings, diesWithParent: true })
  const template = await createDatabase(postgres.connection, templateName, 'template1')
  await migrate(template, async () => {})
  const database = openDatabase(template)
  await makePartitions(database, Date.now())
  await database.close()
  project.provide('postgres', postgres.connection)
  // Makes the same random choices again.
  project.provide('faultsSeed', Number(process.env.SIGNET_FAULTS_SEED ?? Date.now() % 2 ** 31))
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string }
  }
}
