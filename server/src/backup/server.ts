import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../database/connection.ts'
import { findEmbeddedPostgres, holdDataFolder, startEmbeddedPostgres } from '../database/embedded/index.ts'
import { awaitServer } from '../database/server-check.ts'
import { postgresFolder } from './data-dir.ts'

/** For a service that has the data folder and is still starting its PostgreSQL. */
const startMs = 30_000
const lookEveryMs = 100

export type Server = {
  connection: Connection
  /** Started here, for want of a service. */
  isOwn: boolean
  /** Ends it where it is its own. */
  stop(): Promise<void>
}

/** The PostgreSQL of the service that runs on this data folder; where none does, started here under the same hold. */
export async function reachServer(dataDir: string): Promise<Server> {
  const held = await holdDataFolder(dataDir)
  return held ? startServer(dataDir, held) : findServer(dataDir)
}

async function startServer(dataDir: string, held: { release(): Promise<void> }): Promise<Server> {
  try {
    const postgres = await startEmbeddedPostgres({ folder: postgresFolder(dataDir) })
    const stop = () => postgres.stop().finally(held.release)
    return { connection: postgres.connection, isOwn: true, stop }
  } catch (error) {
    await held.release()
    throw error
  }
}

async function findServer(dataDir: string): Promise<Server> {
  for (const giveUpAt = performance.now() + startMs; performance.now() < giveUpAt; await sleep(lookEveryMs)) {
    const found = findEmbeddedPostgres(postgresFolder(dataDir))
    if (!found) continue
    await awaitServer(found, startMs, () => {})
    return { connection: found, isOwn: false, stop: async () => {} }
  }
  throw new Error(`${dataDir}: another process has this data folder, and PostgreSQL does not run on it`)
}
