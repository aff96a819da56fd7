import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type MasterKeys, makeMasterKey, parseMasterKeys } from '../../ground/keys/index.ts'
import { makeFolder } from '../../ground/runtime/make-folder.ts'

const files = { masterKey: 'master-key', operatorKey: 'operator-key', firstApiKey: 'first-api-key' }
/** Names in the data folder, which need not be there. */
export const storedSecretNames: string[] = Object.values(files)
const serviceUrlName = 'service-url'

/**
 * Only its owner may enter the data folder. When root starts Signet, PostgreSQL runs as another user and must reach its own folder
 * inside: then others may pass through, but neither list nor write. The files within are private to their owners.
 */
const dataDirMode = () => (process.getuid?.() === 0 ? 0o711 : 0o700)
const sticky = 0o1000

export function makeDataDir(dataDir: string) {
  try {
    makeFolder(dataDir, dataDirMode())
    closeToOthers(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`SIGNET_DATA_DIR: ${dataDir} is no folder to write to (${code})`, { cause: error })
  }
}

/** A volume of a container may belong to somebody else, who alone may change its mode; and a shared folder such as /tmp keeps its own. */
function closeToOthers(dataDir: string) {
  const { mode, uid } = statSync(dataDir)
  const isOwn = [0, uid].includes(process.getuid?.() ?? uid)
  const closed = mode & dataDirMode()
  if (isOwn && !(mode & sticky) && closed !== (mode & 0o777)) chmodSync(dataDir, closed)
}

/**
 * On the embedded database, secrets that are not set are made once and stored beside it, readable by the owner only. The
 * master key is made before the database: a new key would not fit an existing one.
 */
export function storedMasterKeys(dataDir: string, database: string): MasterKeys {
  if (existsSync(database) && !existsSync(join(dataDir, files.masterKey)))
    throw new Error(`${join(dataDir, files.masterKey)}: is missing; put back the one that was made with this database`)
  return parseStored(dataDir, readOrMake(dataDir, files.masterKey, makeMasterKey))
}

/** Undefined where none is stored. */
export function findMasterKeys(dataDir: string): MasterKeys | undefined {
  const stored = find(dataDir, files.masterKey)
  return stored === undefined ? undefined : parseStored(dataDir, stored)
}

function parseStored(dataDir: string, stored: string): MasterKeys {
  const parsed = parseMasterKeys(stored)
  if ('problem' in parsed) throw new Error(`${join(dataDir, files.masterKey)}: ${parsed.problem}`)
  return parsed.masterKeys
}

/** `form` is that of the setting: somebody may have replaced the stored key. */
export function storedOperatorKey(dataDir: string, form: RegExp): string {
  const key = readOrMake(dataDir, files.operatorKey, () => `signet_operator_${randomBytes(24).toString('base64url')}`)
  if (!form.test(key)) throw new Error(`${operatorKeyPath(dataDir)}: must hold at least 24 visible ASCII characters`)
  return key
}

export const firstApiKeyPath = (dataDir: string) => join(dataDir, files.firstApiKey)
export const masterKeyPath = (dataDir: string) => join(dataDir, files.masterKey)
export const operatorKeyPath = (dataDir: string) => join(dataDir, files.operatorKey)

/** Where the running service is reached on this machine: the command line beside the data folder finds it there. */
export const storeServiceUrl = (dataDir: string, url: string) => writePrivately(join(dataDir, serviceUrlName), url)

/** The command line sends the first API key there: at the end, for another program may listen on that port next. */
export const removeServiceUrl = (dataDir: string) => rmSync(join(dataDir, serviceUrlName), { force: true })

/** Undefined where somebody removed it. */
export function storedFirstApiKey(dataDir: string): string | undefined {
  const path = firstApiKeyPath(dataDir)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

export const storeFirstApiKey = (dataDir: string, apiKey: string) => writePrivately(firstApiKeyPath(dataDir), apiKey)

function readOrMake(dataDir: string, name: string, make: () => string): string {
  const stored = find(dataDir, name)
  if (stored !== undefined) return stored
  const secret = make()
  writePrivately(join(dataDir, name), secret)
  return secret
}

function find(dataDir: string, name: string): string | undefined {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** Whole or not at all: a crash leaves no half-written file behind. */
export function writePrivately(path: string, text: string) {
  const draft = `${path}.new`
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}
