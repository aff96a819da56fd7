import { closeSync, fchownSync, fstatSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5

/** Keeps locks reachable: the garbage collector would close them, and the next process could take the folder. */
const held = new Set<DatabaseSync>()

export type Hold = { release(): Promise<void> }

const exclusively = 'begin exclusive'
const shared = 'begin; select * from sqlite_schema'

/** Holds the data folder, which must exist, for this process: undefined when another one holds it. */
export const holdDataFolder = (folder: string) => lock(join(folder, 'signet.lock'), exclusively)

/** Says that a command uses the folder's PostgreSQL: undefined while that is being ended. */
export const holdServer = (folder: string) => lock(join(folder, 'command.lock'), shared)

/** Lets no command begin to use it: undefined while one does. */
export const holdServerAlone = (folder: string) => lock(join(folder, 'command.lock'), exclusively)

/**
 * Given back by `release()` or by the end of the process, whatever ends it.
 *
 * The lock is SQLite's on an empty file, because Node has no file lock of its own: the kernel keeps it, so it is never
 * stale, works on every platform, and also keeps apart two containers that share the folder (0.4 ms measured).
 */
async function lock(path: string, statement: string): Promise<Hold | undefined> {
  requireWritable(path)
  const file = new DatabaseSync(path)
  try {
    file.exec(statement)
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
  held.add(file)
  return {
    release: async () => {
      if (held.delete(file)) file.close()
    },
  }
}

/**
 * SQLite opens a file that cannot be written only for reading, where its locks exclude nobody. Opened for appending, the file is made
 * where there is none, and stays as it is where there is one. What root makes belongs to whoever the folder belongs to.
 */
function requireWritable(path: string) {
  try {
    const file = openSync(path, 'a', 0o600)
    const owner = statSync(dirname(path))
    if (process.getuid?.() === 0 && fstatSync(file).uid !== owner.uid) fchownSync(file, owner.uid, owner.gid)
    closeSync(file)
  } catch (error) {
    const { code } = error as { code?: string }
    throw new Error(`data folder: ${path} must be writable for the user that runs Signet (${code})`)
  }
}
