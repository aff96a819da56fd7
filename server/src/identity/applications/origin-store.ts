import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'

/** Whether one of the organization's applications has a redirect URI of this origin. */
export async function isOriginOfApplication(
  queries: Queries,
  organizationId: string,
  origin: string,
): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from applications where org_id = ${organizationId} and origins_of(redirect_uris) @> array[${origin}::text] limit 1`)
  return rows.length > 0
}

/** The same for any organization: a CORS preflight names none. */
export async function isOriginOfAnyApplication(queries: Queries, origin: string): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from applications where origins_of(redirect_uris) @> array[${origin}::text] limit 1`)
  return rows.length > 0
}
