import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, readSync, statfsSync, writeFileSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { megabytes } from '../../ground/runtime/megabytes.ts'

/** Shared by all copies: each chunk is written before the next `await`. */
const buffer = Buffer.allocUnsafeSlow(1_048_576)

export type Content = { bytes: number; sha256: string }
type OnBytes = (bytes: number) => void

/**
 * Copies a file that may change meanwhile: the content is that of the copy. The copy is private, and not yet on disk. By
 * synchronous calls, which take a fifth of the time for many small files; after each chunk other work gets its turn, where
 * `onBytes` may throw to stop it.
 */
export async function copyFile(source: string, target: string, onBytes: OnBytes): Promise<Content> {
  const from = openSync(source, 'r')
  try {
    const to = openSync(target, 'wx', 0o600)
    try {
      return await eachChunk(from, onBytes, (chunk) => writeAll(to, chunk))
    } finally {
      closeSync(to)
    }
  } finally {
    closeSync(from)
  }
}

/** The same for a small file that is overwritten in one piece: two readings that are equal have no half of another. */
export async function copyStill(source: string, target: string, onBytes: OnBytes): Promise<Content> {
  for (let before = readFileSync(source); ; ) {
    const content = readFileSync(source)
    if (content.equals(before)) {
      writePrivately(target, content)
      onBytes(content.length)
      return contentOf(content)
    }
    before = content
  }
}

export async function readContent(path: string, onBytes: OnBytes): Promise<Content> {
  const from = openSync(path, 'r')
  try {
    return await eachChunk(from, onBytes, () => {})
  } finally {
    closeSync(from)
  }
}

async function eachChunk(from: number, onBytes: OnBytes, take: (chunk: Buffer) => void): Promise<Content> {
  const hash = createHash('sha256')
  let bytes = 0
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
    const chunk = buffer.subarray(0, read)
    hash.update(chunk)
    take(chunk)
    bytes += read
    onBytes(read)
    await setImmediate()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** A disk that is nearly full takes a part. */
function writeAll(to: number, chunk: Buffer) {
  for (let at = 0; at < chunk.length; ) at += writeSync(to, chunk, at)
}

export const contentOf = (content: string | Buffer): Content => ({
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
})

export const writePrivately = (path: string, content: string | Buffer) =>
  writeFileSync(path, content, { flag: 'wx', mode: 0o600 })

/** After a power failure the file is there with all its content. */
export const syncFile = (path: string) => sync(path, 'r+')

/** After a power failure the folder has the names that it has now. */
export const syncFolder = (path: string) => sync(path, 'r')

function sync(path: string, flags: string) {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** For the log that PostgreSQL writes during a backup, and for what it writes while it recovers a restored one. */
const spareBytes = 64_000_000

/** Throws where the disk of that folder has no room for a copy of so many bytes. */
export function requireSpace(folder: string, bytes: number) {
  const { bavail, bsize } = statfsSync(folder)
  const [needed, free] = [bytes + spareBytes, bavail * bsize]
  if (free < needed)
    throw new Error(`${folder}: not enough space: ${megabytes(needed)} are needed, and ${megabytes(free)} are free`)
}

/** An error of the file system as one line, which names the file or the folder; any other as it is. */
export function readableDiskError(error: unknown, folder: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Error(`${folder}: the disk is full (${code})`, { cause: error })
  if (code && path) return new Error(`${path}: ${problems[code] ?? 'cannot be used'} (${code})`, { cause: error })
  return error
}

const noRight = 'no right to use it; run this as the user that runs Signet'
const problems: Record<string, string> = {
  EACCES: noRight,
  EPERM: noRight,
  EEXIST: 'is there already',
  EIO: 'the disk does not read or write it',
  EISDIR: 'is a folder',
  EMFILE: 'too many files are open',
  ENOENT: 'is not there',
  ENOTDIR: 'is in something that is no folder',
  EROFS: 'the disk is read-only',
}
