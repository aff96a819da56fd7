import { lstatSync, mkdirSync } from 'node:fs'

/** Makes it where it is missing. For what is run later: one that others than this user and root may write to, or have made, is refused. */
export function makeOwnFolder(path: string, mode = 0o755) {
  mkdirSync(path, { recursive: true, mode })
  const found = lstatSync(path)
  if (found.isDirectory() && [0, process.getuid?.()].includes(found.uid) && (found.mode & 0o022) === 0) return
  throw new Error(`${path} must be a folder of this user, to which nobody else may write: remove it`)
}
