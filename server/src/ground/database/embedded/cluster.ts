import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, findBinaries } from './binaries.ts'
import { chooseRunAs, type RunAs } from './run-as.ts'
import { reasonIn } from './server-log.ts'

/** Superuser and database of the cluster. */
export const clusterName = 'signet'
const unfinishedPrefix = 'unfinished-'

export type Cluster = {
  /** Real paths. The folder is Signet's own, the data inside is PostgreSQL's. */
  folder: string
  data: string
  binaries: Binaries
  runAs: RunAs
}

/** What Signet keeps of PostgreSQL in its data folder. */
export const postgresFolder = (dataDir: string) => join(dataDir, 'postgres')

export const dataFolder = (folder: string) => join(folder, 'data')

/** The cluster of that folder, made if there is none (0.5 s); by the package's programs, unless others are given. */
export async function openCluster(path: string, given?: Binaries, signal?: AbortSignal): Promise<Cluster> {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const folder = realpathSync(path)
  const data = dataFolder(folder)
  for (const name of readdirSync(folder)) if (name.startsWith(unfinishedPrefix)) removeAll(join(folder, name))
  const binaries = given ?? (await findBinaries(folder, signal))
  const cluster = { folder, data, binaries, runAs: chooseRunAs(binaries, folder, data) }
  if (!existsSync(data)) await makeCluster(cluster)
  return cluster
}

/**
 * Made under another name, so that a start killed half-way leaves nothing that looks like a cluster; a new one each time, because the
 * programs of the killed start may still write.
 */
async function makeCluster({ folder, data, binaries, runAs }: Cluster) {
  const unfinished = mkdtempSync(join(folder, unfinishedPrefix))
  chownSync(unfinished, runAs.owner.uid, runAs.owner.gid)
  // Whoever gets to the socket is trusted.
  const initdb = [binaries.initdb, '-D', unfinished, '-U', clusterName, '-A', 'trust', ...binaries.locale]
  await run(initdb, '', binaries, runAs)
  const single = [binaries.postgres, '--single', '-D', unfinished, 'template1']
  await run(single, `create database ${clusterName}\n`, binaries, runAs)
  renameSync(unfinished, data)
}

/** Tries again where programs of a killed process still write there. */
export const removeAll = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 5 })

async function run(command: string[], input: string, { environment }: Binaries, { prefix, ids }: RunAs) {
  const [program = '', ...args] = [...prefix, ...command]
  const running = promisify(execFile)(program, args, { ...ids, cwd: '/', env: environment })
  // A program that ends early does not read it; why it ended is in its output.
  running.child.stdin?.on('error', () => {}).end(input)
  await running.catch((error) => {
    throw new Error(`embedded PostgreSQL: the cluster was not made: ${reasonIn(error.stderr)}`, { cause: error })
  })
}
