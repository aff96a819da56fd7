import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'

/**
 * What persons are called where there is one line for each: the name that a provider said last, else the first handle. A person without
 * either, or who is deleted, is absent. Only callers that may read persons may be told.
 */
export async function namesOfPersons(queries: Queries, organizationId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select person.id, name
      from unnest(${ids}::uuid[]) person (id) cross join lateral (
        select coalesce(
          (select profile ->> 'name' from identities
            where org_id = ${organizationId} and person_id = person.id and profile ->> 'name' <> '' order by updated_at desc, id desc limit 1),
          (select value from handles where org_id = ${organizationId} and person_id = person.id order by position limit 1)) as name) named
     where name is not null`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
