import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { openServerLog, reasonIn } from './server-log.ts'
import { type Address, makeSocketFolder, socketPath } from './socket-folder.ts'

/** Polling interval for an adopted postmaster; the end of a child process is reported by the system. */
const watchEveryMs = 1_000
const stopCheckEveryMs = 10
/** Signals that stop a postmaster, each tried when the one before did not: fast, immediate, kill. */
const waysToStop = [
  { signal: 'SIGINT', withinMs: 10_000 },
  { signal: 'SIGQUIT', withinMs: 6_000 },
  { signal: 'SIGKILL', withinMs: 2_000 },
] as const

export type Postmaster = {
  pid: number
  address: Address
  /** Settles with the reason when it has ended. Does not keep this process alive. */
  gone: Promise<string>
}

type Launch = { address: Address; settings: Record<string, string>; diesWithParent: boolean }

/** The postmaster that already runs on this cluster, left by a process that was killed. */
export function findPostmaster(cluster: Pick<Cluster, 'data'>, usual: Address): Postmaster | undefined {
  const [line, , , port, host] = readPidFile(cluster)
  const pid = Number(line)
  if (!isPostmaster(pid, cluster)) return undefined
  // A postmaster that has just started has not written port and folder yet; they then have the default values.
  const address = { host: host || usual.host, port: Number(port) || usual.port }
  return { pid, address, gone: watch(pid, cluster) }
}

/**
 * Starts a postmaster in a session of its own: Ctrl-C reaches the whole group of `npm start`, and PostgreSQL is to be
 * stopped by Signet alone, after Signet. Only when none was found.
 */
export function spawnPostmaster(cluster: Cluster, launch: Launch): Postmaster {
  const { folder, data, binaries, runAs } = cluster
  makeSocketFolder(launch.address.host, runAs.owner)
  // Left by a crash. PostgreSQL refuses them when their number now belongs to another process, or to a dead one whose
  // status nobody fetched. Safe even if one still ran here: "pre-existing shared memory block is still in use".
  for (const lock of [pidFile(data), `${socketPath(launch.address)}.lock`]) rmSync(lock, { force: true })
  const log = openServerLog(folder, runAs.owner)
  const [program = '', ...args] = [...runAs.prefix, ...commandOf(cluster, launch)]
  const child = spawn(program, args, {
    ...runAs.ids,
    cwd: '/',
    env: binaries.environment,
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
  })
  child.unref()
  const gone = new Promise<string>((resolve) => {
    const end = (reason: string | undefined, said = log.close()) => resolve(reason ?? reasonIn(said))
    child.once('error', (error) => end(error.message))
    child.once('exit', (_code, signal) => end(signal ? `killed by ${signal}` : undefined))
  })
  return { pid: child.pid ?? 0, address: launch.address, gone }
}

function commandOf({ data, binaries }: Cluster, { address, settings, diesWithParent }: Launch): string[] {
  // A list of folders, hence the quotes.
  const folders = `"${address.host.replaceAll('"', '""')}"`
  const all = { ...settings, port: `${address.port}`, listen_addresses: '', unix_socket_directories: folders }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const dying = diesWithParent && process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'INT', '--'] : []
  return [...dying, binaries.postgres, '-D', data, ...options]
}

export async function stopPostmaster({ pid }: Postmaster, cluster: Cluster): Promise<void> {
  for (const { signal, withinMs } of waysToStop) {
    if (isPostmaster(pid, cluster)) send(pid, signal)
    for (const until = performance.now() + withinMs; performance.now() < until; await sleep(stopCheckEveryMs)) {
      if (!isPostmaster(pid, cluster)) return
    }
  }
}

/** The process may end between the check and the signal. */
function send(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

async function watch(pid: number, cluster: Pick<Cluster, 'data'>): Promise<string> {
  while (isPostmaster(pid, cluster)) await sleep(watchEveryMs, undefined, { ref: false })
  return 'nobody saw why'
}

const pidFile = (data: string) => join(data, 'postmaster.pid')

function readPidFile({ data }: Pick<Cluster, 'data'>): string[] {
  try {
    return readFileSync(pidFile(data), 'utf8').split('\n')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

/** A number alone proves nothing: it may belong to another process by now. Its command line must name this cluster. */
const isPostmaster = (pid: number, { data }: Pick<Cluster, 'data'>): boolean =>
  pid > 0 && commandLine(pid).includes(` -D ${data} -c `)

/** Arguments with a blank between them; empty for a process that has ended, also while nobody has fetched its status. */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return ''
  }
}
