import type { Queries } from '../../ground/database/database.ts'
import { firstRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

export type Installation = { base_url: string; master_key_check: Buffer }

export const readInstallation = (queries: Queries) =>
  firstRow(queries)(sql<Installation>`select base_url, master_key_check from installation`)

export const insertInstallation = (queries: Queries, baseUrl: string, masterKeyCheck: Buffer) =>
  queries.rows(sql`insert into installation (base_url, master_key_check) values (${baseUrl}, ${masterKeyCheck})`)

export const updateBaseUrl = (queries: Queries, baseUrl: string) =>
  queries.rows(sql`update installation set base_url = ${baseUrl}`)

/** Replaces the check, unless another process already did. */
export const updateMasterKeyCheck = (queries: Queries, before: Buffer, after: Buffer) =>
  queries.rows(sql`update installation set master_key_check = ${after} where master_key_check = ${before}`)

/** A column of encrypted values. `key` identifies the row within its organization. */
export type EncryptedColumn = { table: string; key: string; keyType: 'text' | 'uuid' | 'bytea'; column: string }

type EncryptedRow = { org_id: string; key: string | Buffer; encrypted: Buffer }

/** At most `limit` values that do not begin with `prefix`, in the order of the primary key, after `last`. */
export function valuesUnderOtherKeys(
  queries: Queries,
  { table, key, keyType, column }: EncryptedColumn,
  { prefix, last, limit }: { prefix: Buffer; last: EncryptedRow | undefined; limit: number },
): Promise<EncryptedRow[]> {
  const text = `
    select org_id, ${key} as key, ${column} as encrypted from ${table}
     where substring(${column} from 1 for ${prefix.length}) <> $1
       and ($2::uuid is null or (org_id, ${key}) > ($2, $3::${keyType}))
     order by org_id, ${key} limit ${limit}`
  return queries.rows<EncryptedRow>({ name: '', text, values: [prefix, last?.org_id, last?.key] })
}

/** Replaces the values that are still as they were read. Returns how many it replaced. */
export async function replaceEncrypted(
  queries: Queries,
  { table, key, keyType, column }: EncryptedColumn,
  values: (EncryptedRow & { reencrypted: Buffer })[],
): Promise<number> {
  const text = `
    update ${table} t set ${column} = v.reencrypted
      from unnest($1::uuid[], $2::${keyType}[], $3::bytea[], $4::bytea[]) as v (org_id, key, encrypted, reencrypted)
     where t.org_id = v.org_id and t.${key} = v.key and t.${column} = v.encrypted
    returning 1`
  const columns = [
    values.map((value) => value.org_id),
    values.map((value) => value.key),
    values.map((value) => value.encrypted),
    values.map((value) => value.reencrypted),
  ]
  return (await queries.rows({ name: '', text, values: columns })).length
}

export async function countUnderOtherKeys(queries: Queries, { table, column }: EncryptedColumn, prefix: Buffer) {
  const text = `select count(*) from ${table} where substring(${column} from 1 for ${prefix.length}) <> $1`
  const [row] = await queries.rows<{ count: number }>({ name: '', text, values: [prefix] })
  return row?.count ?? 0
}
