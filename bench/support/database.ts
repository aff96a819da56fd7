import { join } from 'node:path'
import { openDatabase } from '../../server/src/ground/database/database.ts'
import { clusterName } from '../../server/src/ground/database/embedded/cluster.ts'
import { chooseSocketFolder } from '../../server/src/ground/database/embedded/socket-folder.ts'
import { sql } from '../../server/src/ground/database/sql.ts'

export type Connection = { host: string; port: number; user: string; database: string }

/** To the embedded PostgreSQL of the Signet that runs in that folder. */
export function connectionTo(folder: string): Connection {
  const port = 5432
  const host = chooseSocketFolder(join(folder, 'data/postgres'), port)
  return { host, port, user: clusterName, database: clusterName }
}

export async function versionOf(connection: Connection): Promise<string> {
  const database = openDatabase(connection)
  const [row] = await database.read.rows(sql<{ version: string }>`select current_setting('server_version') as version`)
  await database.close()
  return row?.version ?? 'unknown'
}
