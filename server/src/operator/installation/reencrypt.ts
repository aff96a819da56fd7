import type { Database } from '../../ground/database/database.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { keyCheck, requireInstallation } from './initialize.ts'
import {
  countUnderOtherKeys,
  type EncryptedColumn,
  replaceEncrypted,
  updateMasterKeyCheck,
  valuesUnderOtherKeys,
} from './installation-store.ts'

/**
 * Every column of encrypted values besides the check; each value is bound to its organization and `table.column`. A test
 * compares the list with the schema.
 */
export const encryptedColumns: EncryptedColumn[] = [
  { table: 'signing_keys', key: 'kid', keyType: 'text', column: 'private_key' },
  { table: 'webhooks', key: 'id', keyType: 'uuid', column: 'custom_headers' },
  { table: 'oidc_credentials', key: 'id', keyType: 'uuid', column: 'client_secret' },
  { table: 'issuer_keys', key: 'kid', keyType: 'text', column: 'private_key' },
  { table: 'idempotency_keys', key: 'call_hash', keyType: 'bytea', column: 'sealed_answer' },
]
/** Values replaced by one statement, which is its own transaction. */
const batchSize = 100
/** Messages about values that cannot be decrypted; further ones are only counted. */
const maxProblems = 10

export type Reencryption = {
  done: number
  /** Values that are still under another master key: written meanwhile, or impossible to decrypt. */
  left: number
  /** Why some of the values cannot be decrypted. */
  problems: string[]
}

type Dependencies = { database: Database; keyring: Keyring; onProgress: (done: number) => void }

/**
 * Encrypts everything again under the first master key, in batches. A value that changes meanwhile keeps its change. May be
 * stopped at any time and run again, and several may run at once. Throws one readable line when no master key fits.
 *
 * The check comes last: until then no process starts without the key that other values may still need.
 */
export async function reencrypt({ database, keyring, onProgress }: Dependencies): Promise<Reencryption> {
  const { master_key_check } = await requireInstallation(database.write, keyring)
  const found: Reencryption = { done: 0, left: 0, problems: [] }
  for (const column of encryptedColumns)
    for await (const { done, problems } of reencryptColumn(column, database, keyring)) {
      found.done += done
      found.problems.push(...problems.slice(0, maxProblems - found.problems.length))
      onProgress(found.done)
    }
  for (const column of encryptedColumns) found.left += await countUnderOtherKeys(database.write, column, keyring.prefix)
  if (found.left === 0)
    await updateMasterKeyCheck(database.write, master_key_check, keyring.encrypt(keyCheck.text, keyCheck.place))
  return found
}

/** Yields the result of each batch. */
async function* reencryptColumn(column: EncryptedColumn, { write }: Database, keyring: Keyring) {
  const next = (last?: Value) => valuesUnderOtherKeys(write, column, { prefix: keyring.prefix, last, limit: batchSize })
  for (let values = await next(); values.length > 0; values = await next(values.at(-1))) {
    const problems: string[] = []
    const reencrypted = values.flatMap((value) => {
      try {
        return [{ ...value, reencrypted: reencryptValue(keyring, column, value) }]
      } catch (error) {
        problems.push((error as Error).message)
        return []
      }
    })
    yield { done: await replaceEncrypted(write, column, reencrypted), problems }
  }
}

type Value = Awaited<ReturnType<typeof valuesUnderOtherKeys>>[number]

function reencryptValue(keyring: Keyring, { table, column }: EncryptedColumn, { org_id, encrypted }: Value): Buffer {
  const place = { organizationId: org_id, column: `${table}.${column}` }
  return keyring.encrypt(keyring.decrypt(encrypted, place), place)
}
