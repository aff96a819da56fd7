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
