import { existsSync, realpathSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { answering } from './await-server.ts'
import type { Binaries } from './binaries.ts'
import { type Cluster, clusterName, dataFolder, openCluster } from './cluster.ts'
import { findPostmaster, type Postmaster, spawnPostmaster, stopPostmaster } from './postmaster.ts'
import { type Address, chooseSocketFolder } from './socket-folder.ts'

/** Names the socket; nothing listens on the network. */
const port = 5432
/** Between an end and the next start; doubled each time until one has served for `steadyMs`. */
const firstPauseMs = 50
const longestPauseMs = 5_000
const steadyMs = 1_000
/** About 3 s: after a kill -9 of everything, the old postmaster's children may hold its memory for a while. */
const triesOfFirstStart = 7

/**
 * What differs from a stock server, and the two that must not be changed by its files. What Signet depends on beyond them each
 * connection sets itself: `session-settings.ts`.
 */
const productSettings = {
  // Committed changes survive a power failure. Stock: on.
  fsync: 'on',
  // Committed changes survive a crash of PostgreSQL, too. Stock: on; a start is refused where it is off.
  synchronous_commit: 'on',
  // For one process, which opens up to 26. Stock: 100.
  max_connections: '60',
  // The queue and the indexes of a small installation. Stock: 128MB, and more reads from the system's cache.
  shared_buffers: '256MB',
  // An operator's forgotten `psql` keeps dead rows of the queue for no longer. Stock: never.
  idle_in_transaction_session_timeout: '60s',
  // The same hour on every machine. Stock: the system's zone.
  log_timezone: 'UTC',
  // A refused statement is told to the client, which logs it. Stock: its text, and the values of a key that was violated, are in
  // the server's log as well: addresses of persons, for one.
  log_min_messages: 'log',
  // Checkpoint lines would only fill the log, which is rotated only at a start. Stock: two lines every five minutes.
  log_checkpoints: 'off',
}

export type EmbeddedPostgres = {
  /** `host` is the folder of the socket, which has no TLS. Stays the same when PostgreSQL is started again. */
  connection: { host: string; port: number; user: string; database: string; ssl: false }
  /** Ends PostgreSQL and waits until it has ended: at once when idle, at most 18 s. */
  stop(): Promise<void>
}

type Options = {
  /** Holds everything. One process at a time: the caller must hold the data folder. */
  folder: string
  /** Over the product's own. */
  settings?: Record<string, string>
  /** Instead of the package's. For tests on another version. */
  programs?: Binaries | undefined
  /** On Linux: PostgreSQL ends when this process does, however that ends. For tests. */
  diesWithParent?: boolean
  onEvent?: (line: string) => void
  /** Called once it is on its way for the first time: what takes a while costs no time here. */
  whileStarting?: () => void
  /** Ends the wait for it, and then it as well. */
  signal?: AbortSignal | undefined
}

/**
 * Makes the cluster of this folder if there is none; starts it, or adopts the one that a killed process left running;
 * and starts it again whenever it ends by itself, until `stop()`. Throws with one line when it does not start.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options.folder, options.programs, options.signal)
  const { address, stop } = await keepRunning(cluster, options)
  return { connection: connectionTo(address), stop }
}

/** The connection to the PostgreSQL that another process has started on this folder; undefined when none runs there. */
export function findEmbeddedPostgres(path: string): EmbeddedPostgres['connection'] | undefined {
  if (!existsSync(path)) return undefined
  const folder = realpathSync(path)
  const found = findPostmaster({ data: dataFolder(folder) }, { host: chooseSocketFolder(folder, port), port })
  return found && connectionTo(found.address)
}

/** Without TLS, whatever PGSSLMODE in the environment asks for. */
export const connectionTo = (address: Address): EmbeddedPostgres['connection'] => ({
  ...address,
  user: clusterName,
  database: clusterName,
  ssl: false,
})

type Running = { address: Address; stop(): Promise<void> }

async function keepRunning(cluster: Cluster, options: Options): Promise<Running> {
  const { settings = {}, diesWithParent = false, onEvent = () => {}, whileStarting = () => {} } = options
  const stopping = new AbortController()
  const started = Promise.withResolvers<Address>()
  const usual = { host: chooseSocketFolder(cluster.folder, port), port }
  let address: Address | undefined
  let current: Postmaster | undefined
  let failures = 0

  /** Gives the reason when it has ended. Looking for it and starting it is one step, so that `stop` misses none. */
  const runOnce = async (): Promise<string> => {
    const launch = { address: address ?? usual, settings: { ...productSettings, ...settings }, diesWithParent }
    current = findPostmaster(cluster, usual) ?? spawnPostmaster(cluster, launch)
    if (!address) whileStarting()
    await ready(current, cluster)
    if (address) onEvent('embedded PostgreSQL: running again')
    address ??= current.address
    started.resolve(address)
    const since = performance.now()
    const reason = await current.gone
    if (performance.now() - since > steadyMs) failures = 0
    return reason
  }

  const keep = async () => {
    for (;;) {
      const reason = await runOnce().catch((error: Error) => error.message)
      if (stopping.signal.aborted) return
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs)
      failures++
      if (!address && failures === triesOfFirstStart) return started.reject(new Error(`embedded PostgreSQL: ${reason}`))
      onEvent(`embedded PostgreSQL: ended by itself (${reason}); starting it again in ${pauseMs} ms`)
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const stop = async () => {
    stopping.abort()
    if (current) await stopPostmaster(current, cluster)
    if (address) await rmdir(address.host).catch(() => {})
  }

  void keep()
  const reached = await untilAborted(started.promise, options.signal).catch(async (error) => {
    if (options.signal?.aborted) await stop()
    throw error
  })
  return { address: reached, stop }
}

/** Throws with the reason when it ends before it takes connections, and ends it when it never will. */
async function ready(postmaster: Postmaster, cluster: Cluster) {
  const over = new AbortController()
  const ended = postmaster.gone.then((reason) => Promise.reject(new Error(reason)))
  try {
    await Promise.race([answering(postmaster.address, over.signal), ended])
  } catch (error) {
    await stopPostmaster(postmaster, cluster)
    throw error
  } finally {
    over.abort()
  }
}
