import type { Queries } from '../../ground/database/database.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { judgeBaseUrl } from './base-url.ts'
import { type Installation, insertInstallation, readInstallation, updateBaseUrl } from './installation-store.ts'

/** Encrypted at the first start, to recognize a wrong master key later. Never change it: it is stored. */
export const keyCheck = {
  text: 'signet',
  place: { organizationId: '00000000-0000-0000-0000-000000000000', column: 'installation' },
}

type Settings = { baseUrl: string; baseUrlIsDefault: boolean; acceptBaseUrl: string | undefined }
type Initialized = { warnings: string[]; isNew: boolean }

/**
 * Under the migration lock: stores the installation at the very first start; later compares the settings with it.
 * Throws one readable line when they do not fit.
 */
export async function initializeInstallation(
  queries: Queries,
  settings: Settings,
  keyring: Keyring,
): Promise<Initialized> {
  const stored = await readInstallation(queries)
  if (!stored) {
    await insertInstallation(queries, settings.baseUrl, keyring.encrypt(keyCheck.text, keyCheck.place))
    return { warnings: [], isNew: true }
  }
  refuseWrongMasterKey(keyring, stored.master_key_check)
  const verdict = judgeBaseUrl({
    stored: stored.base_url,
    wanted: settings.baseUrl,
    isDefault: settings.baseUrlIsDefault,
    accepted: settings.acceptBaseUrl,
  })
  if (verdict.kind === 'refused') throw new Error(verdict.problem)
  if (verdict.kind === 'same') return { warnings: [], isNew: false }
  await updateBaseUrl(queries, settings.baseUrl)
  return { warnings: [verdict.warning], isNew: false }
}

/** For a command of the operator. Throws one readable line where no Signet was started on the database, or with other master keys. */
export async function requireInstallation(queries: Queries, keyring: Keyring): Promise<Installation> {
  const installation = await readInstallation(queries)
  if (!installation) throw new Error('database: Signet has not been started on it yet')
  refuseWrongMasterKey(keyring, installation.master_key_check)
  return installation
}

function refuseWrongMasterKey(keyring: Keyring, check: Buffer) {
  try {
    keyring.decrypt(check, keyCheck.place)
  } catch {
    throw new Error('SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read')
  }
}
