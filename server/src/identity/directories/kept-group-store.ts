import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'

/** Those of these groups that directories keep, in byte order. `tied`: it was there before, and an admin key tied it. */
export const findKept = (queries: Queries, organizationId: string, groups: string[]) =>
  queries.rows(sql<{ group: string; directory: string; tied: boolean }>`
    select g.group_name as "group", d.name as directory, g.tied
      from directory_groups g join directories d on d.org_id = g.org_id and d.id = g.directory_id
     where g.org_id = ${organizationId} and g.group_name = any(${groups}::text[]) order by g.group_name`)
