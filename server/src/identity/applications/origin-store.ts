import type { Queries } from '../../ground/database/database.ts'
import { hasRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** Whether one of the organization's applications has a redirect URI of this origin. */
export const isOriginOfApplication = (queries: Queries, organizationId: string, origin: string) =>
  hasRow(queries)(sql`
    select from applications where org_id = ${organizationId} and origins_of(redirect_uris) @> array[${origin}::text] limit 1`)

/** The same for any organization: a CORS preflight names none. */
export const isOriginOfAnyApplication = (queries: Queries, origin: string) =>
  hasRow(queries)(sql`
    select from applications where origins_of(redirect_uris) @> array[${origin}::text] limit 1`)
