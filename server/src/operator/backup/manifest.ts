import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrongArgument } from '../../ground/runtime/wrong-argument.ts'
import { type Content, readContent, syncFolder } from './files.ts'

export const manifestName = 'backup.json'
/** Claims the folder while the backup is being made; becomes the manifest at the end. */
export const draftName = `${manifestName}.new`
/** Of the manifest and of how the folder is laid out. */
const format = 1
/** Folders of a backup. None is a name of the data folder, so that nobody starts Signet on a backup by mistake. */
export const clusterFolder = 'cluster'
export const secretsFolder = 'secrets'

export type ListedFile = Content & {
  /** Within the backup. */
  path: string
}

export type Manifest = {
  format: number
  signet_version: string
  postgresql_major: number
  base_url: string
  started_at: string
  /** Whatever was acknowledged by then is in it. */
  complete_until: string
  /** The newest position in the order of events; what was placed after it is not in the copy. */
  last_position: number | null
  /** False: the service had it from a setting. */
  has_master_key: boolean
  bytes: number
  /** Those that PostgreSQL expects even where they are empty. */
  folders: string[]
  files: ListedFile[]
}

/** Comes last: a folder without it is no backup. */
export function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>) {
  const complete: Manifest = { format, ...manifest }
  const draft = join(folder, draftName)
  const text = JSON.stringify({ ...complete, manifest_sha256: digestOf(complete) }, undefined, 1)
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(draft, join(folder, manifestName))
  syncFolder(folder)
}

/** Throws one readable line where there is none, or none that this program reads. */
export function readManifest(folder: string): Manifest {
  const { manifest_sha256: digest, ...manifest } = parse(folder)
  if (manifest.format > format)
    throw wrongArgument(`${folder}: was made by a newer Signet (${manifest.signet_version}); restore it with that one`)
  if (
    digest !== digestOf(manifest) ||
    ![...manifest.folders, ...manifest.files.map(({ path }) => path)].every(isInside)
  )
    throw new Error(`${join(folder, manifestName)}: is damaged; the backup cannot be trusted`)
  const { last_place, ...others } = manifest
  return { ...others, last_position: others.last_position ?? last_place ?? null }
}

/** Before positions were called so, a manifest had `last_place`. */
type StoredManifest = Manifest & { manifest_sha256: string; last_place?: number | null }

function parse(folder: string): StoredManifest {
  const path = join(folder, manifestName)
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${path}: is damaged; the backup cannot be trusted`)
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw wrongArgument(`${path}: cannot be read (${code})`)
    throw wrongArgument(`${folder}: is no complete backup: it has no ${manifestName}, which is written last`)
  }
}

const digestOf = (manifest: Manifest) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex')

const isInside = (path: string) => /^(cluster|secrets)(\/|$)/.test(path) && !path.split('/').includes('..')

/** Throws with the first file that is missing or differs from what was written. */
export async function verifyFiles(folder: string, { files }: Manifest, onBytes: (bytes: number) => void) {
  for (const { path, bytes, sha256 } of files) {
    const found = await readContent(join(folder, path), onBytes).catch((error: NodeJS.ErrnoException) => {
      throw error.path
        ? new Error(`${join(folder, path)}: cannot be read (${error.code}); the backup is damaged`)
        : error
    })
    if (found.bytes !== bytes || found.sha256 !== sha256) throw damaged(join(folder, path))
  }
}

export const damaged = (path: string) => new Error(`${path}: is not what was written; the backup is damaged`)
