import { createHash } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from './run-as.ts'

/** Bytes; the kernel's bound is 107 on Linux and 103 on macOS. */
const longestSocketPath = 99

export type Address = { host: string; port: number }

export const socketPath = ({ host, port }: Address) => join(host, `.s.PGSQL.${port}`)

/** Beside the data; when that path is too long for a socket, in the system's temporary folder. */
export function chooseSocketFolder(folder: string, port: number): string {
  const beside = join(folder, 'run')
  if (Buffer.byteLength(socketPath({ host: beside, port })) <= longestSocketPath) return beside
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(tmpdir(), `signet-${name}`)
}

/** Who may enter this folder is superuser of the cluster, so one that somebody else prepared is refused. */
export function makeSocketFolder(path: string, { uid, gid }: Owner) {
  try {
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, uid, gid)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  const found = lstatSync(path)
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o777) === 0o700) return
  throw new Error(`embedded PostgreSQL: ${path} must be a folder of user ${uid} with mode 0700: remove it`)
}
