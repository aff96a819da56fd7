import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import type { Keyring } from '../keys/index.ts'
import { judgeBaseUrl } from './base-url.ts'
import { insertInstallation, readInstallation, updateBaseUrl } from './installation-store.ts'

/** Sealed at the first start; who cannot open it has no fitting master key. Never change: it is stored. */
export const keyCheck = {
  text: 'signet',
  place: { organizationId: '00000000-0000-0000-0000-000000000000', column: 'installation' },
}

type Established = { warnings: string[]; isNew: boolean }

/**
 * Under the migration lock: makes the installation at the very first start, later holds the settings against it.
 * Throws one readable line when they do not fit.
 */
export async function establish(queries: Queries, config: Config, keyring: Keyring): Promise<Established> {
  const stored = await readInstallation(queries)
  if (!stored) {
    await insertInstallation(queries, config.baseUrl, keyring.encrypt(keyCheck.text, keyCheck.place))
    return { warnings: [], isNew: true }
  }
  refuseWrongMasterKey(keyring, stored.master_key_check)
  const verdict = judgeBaseUrl({
    stored: stored.base_url,
    wanted: config.baseUrl,
    isDefault: config.baseUrlIsDefault,
    accepted: config.acceptBaseUrl,
  })
  if (verdict.kind === 'refused') throw new Error(verdict.problem)
  if (verdict.kind === 'same') return { warnings: [], isNew: false }
  await updateBaseUrl(queries, config.baseUrl)
  return { warnings: [verdict.warning], isNew: false }
}

export function refuseWrongMasterKey(keyring: Keyring, check: Buffer) {
  try {
    keyring.decrypt(check, keyCheck.place)
  } catch {
    throw new Error('SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read')
  }
}
