import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type MasterKeys, makeMasterKey, parseMasterKeys } from '../keys/index.ts'

const files = { masterKey: 'master-key', operatorKey: 'operator-key', firstApiKey: 'first-api-key' }

/**
 * Others may pass through the data folder, not look into it, and what it holds is its owners' alone: started by root,
 * PostgreSQL runs as another user and must reach its own folder.
 */
export function makeDataDir(dataDir: string) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`SIGNET_DATA_DIR: ${dataDir} is no folder to write to (${code})`, { cause: error })
  }
}

/**
 * On the embedded database the secrets that nobody set are made once and kept beside it, readable by the owner only. A master key
 * is made before the database is: beside one that is there a new key fits nothing.
 */
export function storedMasterKeys(dataDir: string, database: string): MasterKeys {
  if (existsSync(database) && !existsSync(join(dataDir, files.masterKey)))
    throw new Error(`${join(dataDir, files.masterKey)}: is missing; put back the one that was made with this database`)
  return parseKept(dataDir, keep(dataDir, files.masterKey, makeMasterKey))
}

/** Those that are kept already. */
export function findMasterKeys(dataDir: string): MasterKeys | undefined {
  const kept = find(dataDir, files.masterKey)
  return kept === undefined ? undefined : parseKept(dataDir, kept)
}

function parseKept(dataDir: string, kept: string): MasterKeys {
  const parsed = parseMasterKeys(kept)
  if ('problem' in parsed) throw new Error(`${join(dataDir, files.masterKey)}: ${parsed.problem}`)
  return parsed.masterKeys
}

/** `form` is that of the setting, for somebody may have put another key there. */
export function storedOperatorKey(dataDir: string, form: RegExp): string {
  const key = keep(dataDir, files.operatorKey, () => `signet_operator_${randomBytes(24).toString('base64url')}`)
  if (!form.test(key)) throw new Error(`${operatorKeyPath(dataDir)}: must hold at least 24 visible ASCII characters`)
  return key
}

export const firstApiKeyPath = (dataDir: string) => join(dataDir, files.firstApiKey)
export const operatorKeyPath = (dataDir: string) => join(dataDir, files.operatorKey)

/** Undefined when somebody removed it. */
export function storedFirstApiKey(dataDir: string): string | undefined {
  const path = firstApiKeyPath(dataDir)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

export const storeFirstApiKey = (dataDir: string, apiKey: string) => writeSecret(firstApiKeyPath(dataDir), apiKey)

function keep(dataDir: string, name: string, make: () => string): string {
  const kept = find(dataDir, name)
  if (kept !== undefined) return kept
  const secret = make()
  writeSecret(join(dataDir, name), secret)
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

/** Whole or not at all: a crash leaves no half-written key behind. */
function writeSecret(path: string, secret: string) {
  const draft = `${path}.new`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}
