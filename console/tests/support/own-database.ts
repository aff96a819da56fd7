import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../server/src/ground/database/embedded/index.ts'
import { migrate } from '../../../server/src/ground/database/migrate.ts'
import type { Connection } from '../../../server/tests/support/database.ts'

const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '100', shared_buffers: '64MB' }

/** A PostgreSQL with an empty, migrated database, for programs that are no tests. */
export async function startOwnDatabase(): Promise<Connection & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-console-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), settings, diesWithParent: true })
  await migrate(postgres.connection, async () => {})
  const { host = '', port = 0, database = '', user = '' } = postgres.connection
  const url = `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
  const stop = async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...postgres.connection, host, port, database, url, stop }
}
