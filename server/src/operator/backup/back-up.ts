import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { dataFolder, postgresFolder, reachServer, removeAll } from '../../ground/database/embedded/index.ts'
import { isUnavailable } from '../../ground/database/postgres-error.ts'
import { runningClock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeFolder } from '../../ground/runtime/make-folder.ts'
import { version } from '../../ground/runtime/version.ts'
import { masterKeyPath } from '../installation/index.ts'
import { type BackupSession, openSession } from './backup-session.ts'
import { listClusterFiles, listSegments } from './cluster-files.ts'
import { type Copy, createCopy } from './copy.ts'
import { listSecrets, requireCluster, requireEmptyFolder } from './data-dir.ts'
import { readableDiskError, requireSpace, syncFolder, writePrivately } from './files.ts'
import { clusterFolder, draftName, type Manifest, manifestName, secretsFolder, writeManifest } from './manifest.ts'
import { stopped } from './stopped.ts'

export type Backup = Omit<Manifest, 'format' | 'folders' | 'files'> & { folder: string; files_count: number }

type Options = {
  dataDir: string
  folder: string
  /** Stops it, and leaves nothing of it. */
  signal: AbortSignal
  onProgress: (bytes: number, of: number) => void
  /** Called with the complete backup. Whatever is acknowledged before this process ends is in it. */
  onComplete: (backup: Backup) => void
}

/**
 * Writes a consistent copy of the data folder into an empty folder, also while the service runs. Throws an Error with one
 * readable line, and then has removed what it had written.
 */
export async function backUp(options: Options): Promise<void> {
  const folder = resolve(options.folder)
  await backUpInto(folder, options).catch((error) => {
    throw readableDiskError(error, folder)
  })
}

async function backUpInto(folder: string, options: Options) {
  const { dataDir } = options
  requireCluster(dataDir)
  requireEmptyFolder(folder, dataDir)
  const server = await reachServer(dataDir, options.signal)
  try {
    const session = await openSession(server.connection)
    await writeInto(folder, { ...options, session }).catch(async (error) => {
      await session.end()
      throw error
    })
    if (server.isOwn) await session.end()
    else session.endWithProcess()
  } finally {
    await server.leave()
  }
}

async function writeInto(folder: string, copying: Copying) {
  const discard = claim(folder)
  try {
    copying.onComplete(await write(folder, copying))
  } catch (error) {
    discard()
    if (copying.signal.aborted) throw stopped()
    if (isUnavailable(error)) throw new Error('PostgreSQL ended during the backup; run it again', { cause: error })
    throw error
  }
}

/** Two backups cannot claim one folder: the draft of the manifest is made once. Gives how everything is removed again. */
function claim(folder: string): () => void {
  const isNew = !existsSync(folder)
  makeFolder(folder, 0o700)
  chmodSync(folder, 0o700)
  makeDraft(folder)
  syncFolder(dirname(folder))
  return () => {
    for (const name of [manifestName, clusterFolder, secretsFolder, draftName]) removeAll(join(folder, name))
    if (isNew) removeAll(folder)
  }
}

function makeDraft(folder: string) {
  try {
    writePrivately(join(folder, draftName), '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`${folder}: another backup is written into it`, { cause: error })
  }
}

type Copying = Options & { session: BackupSession }

async function write(folder: string, { dataDir, session, signal, onProgress }: Copying): Promise<Backup> {
  const data = dataFolder(postgresFolder(dataDir))
  const startedAt = toTimestamp(runningClock().now())
  const baseUrl = await session.baseUrl()
  const first = await session.start()
  const found = listClusterFiles(data)
  const total = found.files.reduce((sum, { bytes }) => sum + bytes, 0)
  requireSpace(folder, total)
  let done = 0
  const copy = createCopy(folder, (bytes) => {
    signal.throwIfAborted()
    done += bytes
    onProgress(Math.min(done, total), total)
  })
  copy.makeFolders([...found.folders.map((path) => join(clusterFolder, path)), secretsFolder])
  const secrets = listSecrets(dataDir)
  for (const name of secrets) await copy.copyFile(join(dataDir, name), join(secretsFolder, name))
  for (const { path } of found.files) await copy.copyFile(join(data, path), join(clusterFolder, path))
  const { now, last_position } = await finish(copy, session, { data, first })
  const manifest = {
    signet_version: version,
    postgresql_major: majorOf(data),
    base_url: baseUrl,
    started_at: startedAt,
    complete_until: toTimestamp(now.getTime()),
    last_position,
    has_master_key: existsSync(masterKeyPath(dataDir)),
    bytes: copy.files.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  writeManifest(folder, { ...manifest, folders: copy.folders, files: copy.files })
  return { folder, ...manifest, files_count: copy.files.length }
}

/** The end of the log comes when all else is on disk, so that changes are held for as short a time as possible. */
async function finish(copy: Copy, session: BackupSession, { data, first }: { data: string; first: string }) {
  const copyLog = async (last: string) => {
    await copy.copyLog(data, listSegments(data, first, last))
    copy.sync()
  }
  await copyLog(await session.fullSegment())
  const { label, segment } = await session.stop()
  copy.writeFile(join(clusterFolder, 'backup_label'), label)
  await copyLog(segment)
  await session.holdChanges()
  const position = await session.position()
  await copyLog(position.segment)
  return position
}

const majorOf = (data: string) => Number.parseInt(readFileSync(join(data, 'PG_VERSION'), 'utf8'), 10)
