import { setTimeout as sleep } from 'node:timers/promises'
import { awaitServer } from '../server-check.ts'
import { postgresFolder } from './cluster.ts'
import { type Hold, holdDataFolder, holdServer, holdServerAlone } from './hold-data-folder.ts'
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts'

/** For one that is just being started, or ended. */
const changeMs = 30_000
/** How long a PostgreSQL that was started here is kept for other commands that use it. */
const othersMs = 3_600_000
const lookEveryMs = 100

type ReachedServer = Pick<EmbeddedPostgres, 'connection'> & {
  /** Started here, for want of a service. */
  isOwn: boolean
  /** Where it is its own: ends it, when no other command uses it. */
  leave(): Promise<void>
}

/**
 * For a command: the PostgreSQL of the service that runs on this data folder; where none does, started here under the same hold.
 * `signal` ends a wait.
 */
export async function reachServer(dataDir: string, signal?: AbortSignal): Promise<ReachedServer> {
  const use = await soon(() => holdServer(dataDir), changeMs, signal)
  if (!use) throw new Error(`${dataDir}: its PostgreSQL is being ended, and has not ended after ${changeMs / 1_000} s`)
  try {
    const held = await holdDataFolder(dataDir)
    return held ? await startServer(dataDir, { held, use, signal }) : await findServer(dataDir, use, signal)
  } catch (error) {
    await use.release()
    throw error
  }
}

type Own = { held: Hold; use: Hold; signal: AbortSignal | undefined }

async function startServer(dataDir: string, { held, use, signal }: Own): Promise<ReachedServer> {
  try {
    const { connection, stop } = await startEmbeddedPostgres({ folder: postgresFolder(dataDir), signal })
    const leave = async () => {
      await use.release()
      const alone = await soon(() => holdServerAlone(dataDir), othersMs)
      await stop()
      await held.release()
      await alone?.release()
    }
    return { connection, isOwn: true, leave }
  } catch (error) {
    await held.release()
    throw error
  }
}

async function findServer(dataDir: string, use: Hold, signal: AbortSignal | undefined): Promise<ReachedServer> {
  const connection = await soon(async () => findEmbeddedPostgres(postgresFolder(dataDir)), changeMs, signal)
  if (!connection)
    throw new Error(`${dataDir}: another process has this data folder, and PostgreSQL does not run on it`)
  await awaitServer(connection, changeMs, () => {}, { signal })
  return { connection, isOwn: false, leave: use.release }
}

/** Looks until it is there, for at most `ms`. */
async function soon<Found>(look: () => Promise<Found | undefined>, ms: number, signal?: AbortSignal) {
  for (const giveUpAt = performance.now() + ms; ; await sleep(lookEveryMs, undefined, { signal })) {
    const found = await look()
    if (found || performance.now() >= giveUpAt) return found
  }
}
