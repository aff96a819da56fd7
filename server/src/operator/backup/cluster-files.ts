import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What belongs to the running server alone, and what a backup has of its own ("Making a base backup", 25.3.3). */
const notCopied =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|.*\.tmp|(backup_label|tablespace_map)(\.old)?|backup_manifest)$/
/** Folders whose content is made anew. The write-ahead log is copied apart. */
const emptied = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$/
/** Folders in that of the log, without which a server does not start. */
const inLog = ['archive_status', 'summaries']

/** Tells how far the server had got. Copied last, so that no other file is newer than it says. */
export const controlFile = 'global/pg_control'
export const logFolder = 'pg_wal'

type ClusterFiles = {
  folders: string[]
  /** The control file is the last. */
  files: { path: string; bytes: number }[]
}

/** Folders and files of a cluster that a copy must have, by their paths within it. Throws where some lie elsewhere. */
export function listClusterFiles(data: string): ClusterFiles {
  const found: ClusterFiles = { folders: [''], files: [] }
  walk(data, '', found)
  found.folders.push(...inLog.map((name) => join(logFolder, name)))
  found.files.sort((one, other) => Number(one.path === controlFile) - Number(other.path === controlFile))
  return found
}

function walk(data: string, folder: string, found: ClusterFiles) {
  if (emptied.test(folder)) return
  for (const entry of readdirSync(join(data, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (notCopied.test(basename(path))) continue
    const kind = kindOf(entry, join(data, path))
    if (kind === 'folder') {
      found.folders.push(path)
      walk(data, path, found)
    } else if (kind) found.files.push({ path, bytes: kind.bytes })
  }
}

/** Undefined for one that has vanished since, and for what is neither. The log may lie on another disk. */
function kindOf(entry: Dirent, path: string): 'folder' | { bytes: number } | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  if (found.isFile()) return { bytes: found.size }
  if (entry.isSymbolicLink() && entry.name !== logFolder)
    throw new Error(`${path}: leads out of the data folder; a backup of tablespaces is made with pg_basebackup`)
  return found.isDirectory() ? 'folder' : undefined
}

/** Segments of the write-ahead log from `first` to `last`, by their names, which sort by their place in it. */
export const listSegments = (data: string, first: string, last: string): string[] =>
  readdirSync(join(data, logFolder))
    .filter((name) => /^[\dA-F]{24}$/.test(name) && name >= first && name <= last)
    .sort()
