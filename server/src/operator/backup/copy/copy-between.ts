import { type Connection, renewableConnection } from '../../../ground/database/connection.ts'
import { reachServer } from '../../../ground/database/embedded/index.ts'
import { awaitServer, type Say } from '../../../ground/database/server-check.ts'
import { makeDataDir } from '../../installation/index.ts'
import { refuseIncomplete, requireCluster } from '../data-dir.ts'
import { type Copied, type CopyOptions, copyDatabase } from './copy-database.ts'

/** As the settings of the service name it. */
type Source = {
  databaseUrl: string | undefined
  databaseUrlFile: string | undefined
  databaseWaitMs: number
  dataDir: string
}

/** A data folder, or another database. */
export type Target = { folder: string } | { connection: Connection }

type Options = Omit<CopyOptions, 'source' | 'target'> & { target: Target; say: Say }

type Waiting = { say: Say; signal: AbortSignal }

type Side = { connection: Connection; leave(): Promise<void> }

/** Copies what the service would use; an embedded PostgreSQL that does not run is started for it. */
export async function copyBetween(from: Source, { target: to, say, ...options }: Options): Promise<Copied> {
  const waitMs = from.databaseWaitMs
  const waiting = { say, signal: options.signal }
  const source = await reachSource(from, waiting)
  try {
    const target = await reachTarget(to, waitMs, waiting)
    const sides = { source: source.connection, target: target.connection }
    return await copyDatabase({ ...sides, ...options }).finally(target.leave)
  } finally {
    await source.leave()
  }
}

async function reachSource(
  { databaseUrl, databaseUrlFile, databaseWaitMs, dataDir }: Source,
  waiting: Waiting,
): Promise<Side> {
  if (databaseUrl)
    return reach(renewableConnection(databaseUrl, databaseUrlFile), 'DATABASE_URL', databaseWaitMs, waiting)
  requireCluster(dataDir)
  return reachServer(dataDir, waiting.signal)
}

async function reachTarget(target: Target, waitMs: number, waiting: Waiting): Promise<Side> {
  if ('connection' in target) return reach(target.connection, '--to', waitMs, waiting)
  makeDataDir(target.folder)
  refuseIncomplete(target.folder)
  return reachServer(target.folder, waiting.signal)
}

async function reach(connection: Connection, setting: string, waitMs: number, { say, signal }: Waiting): Promise<Side> {
  await awaitServer(connection, waitMs, say, { setting, signal })
  return { connection, leave: async () => {} }
}
