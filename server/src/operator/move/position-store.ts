import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import type { MovedSegment, PositionSegment, PositionsOf } from '../../ground/positions/index.ts'

/** Where the organization's positions lie. An epoch without any has its first position in their stead. */
export async function findPositionsOf(queries: Queries, organizationId: string): Promise<PositionsOf> {
  const segments = await queries.rows(sql<PositionSegment>`
    with epochs as (
      select key, first_position, restored_up_to,
             case when lag(key) over epoch is null then 0 else first_position end as first,
             coalesce(lead(first_position) over epoch - 1, (select last_value from positions)) as last
        from position_epochs window epoch as (order by first_position)
    )
    select e.key, least(e.last, e.restored_up_to) as through, coalesce(bounds.low, e.first_position) as low,
           coalesce(bounds.high, e.first_position) as high
      from epochs e cross join lateral (
        select min(position) as low, max(position) as high from (
          (select position from events where org_id = ${organizationId} and position between e.first and e.last order by position limit 1)
          union all
          (select position from events where org_id = ${organizationId} and position between e.first and e.last order by position desc limit 1)
          union all
          (select position from audit_entries where org_id = ${organizationId} and position between e.first and e.last order by position limit 1)
          union all
          (select position from audit_entries where org_id = ${organizationId} and position between e.first and e.last order by position desc limit 1)
          union all
          (select position from event_low_watermarks where org_id = ${organizationId} and position between e.first and e.last)
          union all
          (select position from event_count_positions where org_id = ${organizationId} and position between e.first and e.last)
        ) as of_organization) bounds
     order by e.first_position`)
  const earlier = await queries.rows(sql<MovedSegment>`
    select epoch_key as key, through, low, high, shift from moved_positions where org_id = ${organizationId} order by through`)
  return { segments, earlier }
}
