import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Transaction } from '../../ground/database/database.ts'
import {
  holdDataFolder,
  type Owner,
  placeForCluster,
  postgresFolder,
  removeAll,
  startEmbeddedPostgres,
} from '../../ground/database/embedded/index.ts'
import { migrate } from '../../ground/database/migrate.ts'
import { version } from '../../ground/runtime/version.ts'
import { makeDataDir } from '../installation/index.ts'
import { type Detached, detachFromSource } from './copy/index.ts'
import { completeDataDir, emptyDataDir, requireFreeDataDir, takeDataDir } from './data-dir.ts'
import { copyFile, readableDiskError, requireSpace, syncFile, syncFolder } from './files.ts'
import { clusterFolder, damaged, type Manifest, readManifest, secretsFolder, verifyFiles } from './manifest.ts'
import { stopped } from './stopped.ts'

export type Restored = Detached &
  Pick<Manifest, 'base_url' | 'complete_until' | 'has_master_key'> & { data_dir: string }

type Options = {
  folder: string
  /** Must be empty, or not there yet. */
  dataDir: string
  /** Leaves the webhooks as they were; else they are paused, so that a copy on another machine calls no receiver. */
  deliver: boolean
  /** Stops it, and leaves nothing of it. */
  signal: AbortSignal
  onProgress: (bytes: number, of: number) => void
}

/**
 * Makes a data folder from a backup. Throws an Error with one readable line, and then has removed what it had written; where it
 * is killed, what it leaves starts no service.
 */
export const restore = (options: Options): Promise<Restored> =>
  restoreFrom(resolve(options.folder), options).catch((error) => {
    throw readableDiskError(error, options.dataDir)
  })

async function restoreFrom(folder: string, options: Options): Promise<Restored> {
  const { dataDir, signal } = options
  const manifest = readManifest(folder)
  refuseNewer(folder, manifest)
  requireFreeDataDir(dataDir)
  const onBytes = progressOf(options, 2 * manifest.bytes)
  await verifyFiles(folder, manifest, onBytes).catch((error) => {
    throw signal.aborted ? stopped() : error
  })
  return inNewDataDir(dataDir, signal, async () => {
    requireSpace(dataDir, manifest.bytes)
    await copyAll(folder, dataDir, manifest, onBytes)
    const recovered = await recover(options, manifest)
    const { base_url, complete_until, has_master_key } = manifest
    return { data_dir: dataDir, base_url, complete_until, has_master_key, ...recovered }
  })
}

function progressOf({ signal, onProgress }: Options, of: number) {
  let done = 0
  return (bytes: number) => {
    signal.throwIfAborted()
    done += bytes
    onProgress(done, of)
  }
}

function refuseNewer(folder: string, { signet_version: made }: Manifest) {
  const [one, other] = [made, version].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = one.findIndex((part, index) => part !== other[index])
  if (at >= 0 && (one[at] ?? 0) > (other[at] ?? 0))
    throw new Error(
      `${folder}: was made by Signet ${made}, and this is ${version}; restore it with ${made} or a later one`,
    )
}

/** Holds the data folder, so that no service starts on it meanwhile. */
async function inNewDataDir<Result>(
  dataDir: string,
  signal: AbortSignal,
  fill: () => Promise<Result>,
): Promise<Result> {
  const isNew = !existsSync(dataDir)
  makeDataDir(dataDir)
  const held = await holdDataFolder(dataDir)
  if (!held) throw new Error(`SIGNET_DATA_DIR: another process uses ${dataDir}`)
  try {
    takeDataDir(dataDir)
    return await filled(dataDir, signal, fill).catch((error) => {
      emptyDataDir(dataDir)
      if (isNew) removeAll(dataDir)
      throw signal.aborted ? stopped() : error
    })
  } finally {
    await held.release()
  }
}

async function filled<Result>(dataDir: string, signal: AbortSignal, fill: () => Promise<Result>): Promise<Result> {
  const result = await fill()
  signal.throwIfAborted()
  completeDataDir(dataDir)
  return result
}

async function copyAll(folder: string, dataDir: string, manifest: Manifest, onBytes: (bytes: number) => void) {
  const { data, owner, postgresMajor } = await placeForCluster(postgresFolder(dataDir))
  if (postgresMajor !== manifest.postgresql_major)
    throw new Error(
      `${folder}: its files are those of PostgreSQL ${manifest.postgresql_major}, and this Signet brings ${postgresMajor}; ` +
        'restore it with a Signet that brings the same',
    )
  const targetOf = (path: string) =>
    path.startsWith(clusterFolder)
      ? join(data, path.slice(clusterFolder.length))
      : join(dataDir, path.slice(secretsFolder.length))
  const ownerOf = (path: string) => (path.startsWith(clusterFolder) ? owner : undefined)
  const folders = manifest.folders.filter((path) => path !== secretsFolder)
  for (const path of folders) makeFolder(targetOf(path), ownerOf(path))
  for (const { path, sha256 } of manifest.files) {
    const content = await copyFile(join(folder, path), targetOf(path), onBytes)
    if (content.sha256 !== sha256) throw damaged(join(folder, path))
    give(targetOf(path), ownerOf(path))
  }
  for (const { path } of manifest.files) syncFile(targetOf(path))
  for (const path of folders) syncFolder(targetOf(path))
  syncFolder(dirname(data))
}

function makeFolder(path: string, owner: Owner | undefined) {
  mkdirSync(path, { mode: 0o700 })
  give(path, owner)
}

const give = (path: string, owner: Owner | undefined) => owner && chownSync(path, owner.uid, owner.gid)

/** PostgreSQL replays the log; then the schema is brought to this program's version, as at any start. */
async function recover({ dataDir, deliver, signal }: Options, { last_position }: Manifest) {
  const postgres = await startEmbeddedPostgres({ folder: postgresFolder(dataDir), signal })
  try {
    const detach = (tx: Transaction) => detachFromSource(tx, { lastPosition: last_position, deliver })
    return await migrate(postgres.connection, detach, undefined, signal)
  } finally {
    await postgres.stop()
  }
}
