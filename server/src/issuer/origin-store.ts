import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Whether one of the organization's applications has a redirect URI of this origin. */
export async function isOriginOfApplication(
  queries: Queries,
  organizationId: string,
  origin: string,
): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from applications, unnest(redirect_uris) as uri
     where org_id = ${organizationId} and (uri = ${origin} or starts_with(uri, ${origin} || '/') or starts_with(uri, ${origin} || '?'))
     limit 1`)
  return rows.length > 0
}
