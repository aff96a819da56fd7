import { existsSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { dataFolder, postgresFolder, removeAll } from '../../ground/database/embedded/index.ts'
import { wrongArgument } from '../../ground/runtime/wrong-argument.ts'
import { storedSecretNames } from '../installation/index.ts'
import { syncFolder } from './files.ts'
import { manifestName } from './manifest.ts'

/** In the data folder from the first to the last moment of a restore. */
const restoreMark = 'restore-unfinished'

/** The one argument of a start: throws one line where that folder is a backup, or what an interrupted restore left. */
export function refuseIncomplete(dataDir: string) {
  if (existsSync(join(dataDir, restoreMark)))
    throw new Error(`${dataDir}: holds what an interrupted restore left; run signet restore again`)
  if (existsSync(join(dataDir, manifestName)))
    throw new Error(`${dataDir}: is a backup; restore it into another folder with signet restore`)
}

/** Throws one line where no Signet has ever run on that folder. */
export function requireCluster(dataDir: string) {
  refuseIncomplete(dataDir)
  if (!existsSync(dataFolder(postgresFolder(dataDir))))
    throw new Error(`${dataDir}: no Signet has run on this data folder`)
}

/** Names of those that the data folder has. */
export const listSecrets = (dataDir: string): string[] =>
  storedSecretNames.filter((name) => existsSync(join(dataDir, name)))

/** Throws where `folder` has something in it, or is inside of the data folder, whose copy it would become a part of. */
export function requireEmptyFolder(folder: string, dataDir: string) {
  const inside = relative(realpathSync(dataDir), realPathOf(resolve(folder)))
  if (inside === '' || !/^(\.\.|\/)/.test(inside)) throw wrongArgument(`${folder}: is in the data folder ${dataDir}`)
  if (!isEmpty(folder)) throw wrongArgument(`${folder}: must be a new folder, or an empty one`)
}

/** Of a path whose last parts need not be there yet. */
const realPathOf = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), path.slice(dirname(path).length))

function isEmpty(folder: string): boolean {
  if (!existsSync(folder)) return true
  if (!statSync(folder).isDirectory()) throw wrongArgument(`${folder}: is no folder`)
  return readdirSync(folder).length === 0
}

const isLock = (name: string) => /^signet\.lock/.test(name)

/** Throws where the data folder has something in it that is not what an interrupted restore left. */
export function requireFreeDataDir(dataDir: string) {
  const found = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => !isLock(name)) : []
  if (found.length > 0 && !found.includes(restoreMark))
    throw wrongArgument(`SIGNET_DATA_DIR: ${dataDir} is not empty (${found[0]}); move it away, or name another folder`)
}

/** Takes a data folder that this process holds. The mark says that whatever else is in it is of a restore. */
export function takeDataDir(dataDir: string) {
  requireFreeDataDir(dataDir)
  emptyDataDir(dataDir)
  writeFileSync(join(dataDir, restoreMark), '', { flag: 'wx', mode: 0o600 })
  syncFolder(dataDir)
}

/** From here on it is a data folder. */
export function completeDataDir(dataDir: string) {
  syncFolder(dataDir)
  rmSync(join(dataDir, restoreMark))
  syncFolder(dataDir)
}

/** The mark goes last. */
export function emptyDataDir(dataDir: string) {
  const names = readdirSync(dataDir).filter((name) => name !== restoreMark && !isLock(name))
  for (const name of [...names, restoreMark]) removeAll(join(dataDir, name))
}
