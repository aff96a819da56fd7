import type { Database } from '../database/database.ts'
import type { Keyring } from '../keys/index.ts'
import { keyCheck, refuseWrongMasterKey } from './establish.ts'
import {
  countSealedOtherwise,
  readInstallation,
  replaceSealed,
  type SealedColumn,
  updateMasterKeyCheck,
  valuesSealedOtherwise,
} from './installation-store.ts'

/**
 * Every column of sealed values besides the check, each sealed for its organization and `table.column`. A test holds the
 * list against the schema.
 */
export const sealedColumns: SealedColumn[] = [
  { table: 'signing_keys', key: 'kid', keyType: 'text', column: 'private_key' },
  { table: 'webhooks', key: 'id', keyType: 'uuid', column: 'custom_headers' },
  { table: 'oidc_credentials', key: 'id', keyType: 'uuid', column: 'client_secret' },
  { table: 'issuer_keys', key: 'kid', keyType: 'text', column: 'private_key' },
]
/** Values replaced by one statement, which is its own transaction. */
const batchSize = 100
/** Messages about values that do not open; the others are only counted. */
const maxProblems = 10

export type Reencryption = {
  done: number
  /** Values that are still under another master key: sealed so meanwhile, or impossible to open. */
  left: number
  /** Why values do not open, some of them. */
  problems: string[]
}

type Dependencies = { database: Database; keyring: Keyring; onProgress: (done: number) => void }

/**
 * Seals everything anew under the first master key, in batches. A value that changes meanwhile keeps its change. May be
 * stopped at any time and begun again, and several may run at once. Throws one readable line when no master key fits.
 *
 * The check comes last: until it is sealed anew, no process starts without the key that other values may still need.
 */
export async function reencrypt({ database, keyring, onProgress }: Dependencies): Promise<Reencryption> {
  const installation = await readInstallation(database.write)
  if (!installation) throw new Error('database: Signet has not been started on it yet')
  refuseWrongMasterKey(keyring, installation.master_key_check)
  const found: Reencryption = { done: 0, left: 0, problems: [] }
  for (const column of sealedColumns)
    for await (const { done, problems } of resealColumn(column, database, keyring)) {
      found.done += done
      found.problems.push(...problems.slice(0, maxProblems - found.problems.length))
      onProgress(found.done)
    }
  for (const column of sealedColumns) found.left += await countSealedOtherwise(database.write, column, keyring.prefix)
  if (found.left === 0)
    await updateMasterKeyCheck(
      database.write,
      installation.master_key_check,
      keyring.encrypt(keyCheck.text, keyCheck.place),
    )
  return found
}

/** What became of each batch. */
async function* resealColumn(column: SealedColumn, { write }: Database, keyring: Keyring) {
  const next = (last?: Value) => valuesSealedOtherwise(write, column, { prefix: keyring.prefix, last, most: batchSize })
  for (let values = await next(); values.length > 0; values = await next(values.at(-1))) {
    const problems: string[] = []
    const resealed = values.flatMap((value) => {
      try {
        return [{ ...value, resealed: reseal(keyring, column, value) }]
      } catch (error) {
        problems.push((error as Error).message)
        return []
      }
    })
    yield { done: await replaceSealed(write, column, resealed), problems }
  }
}

type Value = Awaited<ReturnType<typeof valuesSealedOtherwise>>[number]

function reseal(keyring: Keyring, { table, column }: SealedColumn, { org_id, sealed }: Value): Buffer {
  const place = { organizationId: org_id, column: `${table}.${column}` }
  return keyring.encrypt(keyring.decrypt(sealed, place), place)
}
