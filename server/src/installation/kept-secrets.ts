import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MasterKeys, makeMasterKey, parseMasterKeys } from '../keys/index.ts'

const files = { masterKey: 'master-key', operatorKey: 'operator-key', firstApiKey: 'first-api-key' }

/** The data folder is the owner's alone: it holds the database and the keys to it. */
export function makeDataDir(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/** On the embedded database the secrets that nobody set are made once and kept beside it, readable by the owner only. */
export function keptMasterKeys(dataDir: string): MasterKeys {
  const parsed = parseMasterKeys(keep(dataDir, files.masterKey, makeMasterKey))
  if ('problem' in parsed) throw new Error(`${join(dataDir, files.masterKey)}: ${parsed.problem}`)
  return parsed.masterKeys
}

export const keptOperatorKey = (dataDir: string): string =>
  keep(dataDir, files.operatorKey, () => `signet_operator_${randomBytes(24).toString('base64url')}`)

export const firstApiKeyPath = (dataDir: string) => join(dataDir, files.firstApiKey)
export const operatorKeyPath = (dataDir: string) => join(dataDir, files.operatorKey)

export const keepFirstApiKey = (dataDir: string, apiKey: string) => writeSecret(firstApiKeyPath(dataDir), apiKey)

function keep(dataDir: string, name: string, make: () => string): string {
  const path = join(dataDir, name)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secret = make()
  writeSecret(path, secret)
  return secret
}

/** Whole or not at all: a crash leaves no half-written key behind. */
function writeSecret(path: string, secret: string) {
  const draft = `${path}.new`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}
