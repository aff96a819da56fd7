import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

export type Installation = { base_url: string; master_key_check: Buffer }

export async function readInstallation(queries: Queries): Promise<Installation | undefined> {
  const [row] = await queries.rows(sql<Installation>`select base_url, master_key_check from installation`)
  return row
}

export async function insertInstallation(queries: Queries, baseUrl: string, masterKeyCheck: Buffer) {
  await queries.rows(sql`insert into installation (base_url, master_key_check) values (${baseUrl}, ${masterKeyCheck})`)
}

export async function updateBaseUrl(queries: Queries, baseUrl: string) {
  await queries.rows(sql`update installation set base_url = ${baseUrl}`)
}

/** The check sealed anew, unless another process did that already. */
export async function updateMasterKeyCheck(queries: Queries, before: Buffer, after: Buffer) {
  await queries.rows(sql`update installation set master_key_check = ${after} where master_key_check = ${before}`)
}

/** A column of sealed values. `key` names the row within its organization. */
export type SealedColumn = { table: string; key: string; keyType: 'text' | 'uuid'; column: string }

type SealedRow = { org_id: string; key: string; sealed: Buffer }

/** Some of the values that do not begin with `prefix`, in the order of the primary key, those after `last`. */
export function valuesSealedOtherwise(
  queries: Queries,
  { table, key, keyType, column }: SealedColumn,
  { prefix, last, most }: { prefix: Buffer; last: SealedRow | undefined; most: number },
): Promise<SealedRow[]> {
  const text = `
    select org_id, ${key} as key, ${column} as sealed from ${table}
     where substring(${column} from 1 for ${prefix.length}) <> $1
       and ($2::uuid is null or (org_id, ${key}) > ($2, $3::${keyType}))
     order by org_id, ${key} limit ${most}`
  return queries.rows<SealedRow>({ name: '', text, values: [prefix, last?.org_id, last?.key] })
}

/** Puts the new values in the place of those that were read, where nobody else did. Gives in how many places. */
export async function replaceSealed(
  queries: Queries,
  { table, key, keyType, column }: SealedColumn,
  values: (SealedRow & { resealed: Buffer })[],
): Promise<number> {
  const text = `
    update ${table} t set ${column} = v.resealed
      from unnest($1::uuid[], $2::${keyType}[], $3::bytea[], $4::bytea[]) as v (org_id, key, sealed, resealed)
     where t.org_id = v.org_id and t.${key} = v.key and t.${column} = v.sealed
    returning 1`
  const columns = [
    values.map((value) => value.org_id),
    values.map((value) => value.key),
    values.map((value) => value.sealed),
    values.map((value) => value.resealed),
  ]
  return (await queries.rows({ name: '', text, values: columns })).length
}

export async function countSealedOtherwise(
  queries: Queries,
  { table, column }: SealedColumn,
  prefix: Buffer,
): Promise<number> {
  const text = `select count(*) from ${table} where substring(${column} from 1 for ${prefix.length}) <> $1`
  const [row] = await queries.rows<{ count: number }>({ name: '', text, values: [prefix] })
  return row?.count ?? 0
}
