import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import type { MovedPiece, PlaceSegment, PlacesOf } from '../../ground/positions/index.ts'

/** Where the organization's places lie. An epoch without any has its first place in their stead. */
export async function findPlacesOf(queries: Queries, organizationId: string): Promise<PlacesOf> {
  const segments = await queries.rows(sql<PlaceSegment>`
    with epochs as (
      select key, first_place, restored_up_to,
             case when lag(key) over epoch is null then 0 else first_place end as first,
             coalesce(lead(first_place) over epoch - 1, (select last_value from places)) as last
        from place_epochs window epoch as (order by first_place)
    )
    select e.key, least(e.last, e.restored_up_to) as through, coalesce(bounds.low, e.first_place) as low,
           coalesce(bounds.high, e.first_place) as high
      from epochs e cross join lateral (
        select min(place) as low, max(place) as high from (
          (select place from events where org_id = ${organizationId} and place between e.first and e.last order by place limit 1)
          union all
          (select place from events where org_id = ${organizationId} and place between e.first and e.last order by place desc limit 1)
          union all
          (select place from audit_entries where org_id = ${organizationId} and place between e.first and e.last order by place limit 1)
          union all
          (select place from audit_entries where org_id = ${organizationId} and place between e.first and e.last order by place desc limit 1)
          union all
          (select place from event_floors where org_id = ${organizationId} and place between e.first and e.last)
          union all
          (select place from event_count_places where org_id = ${organizationId} and place between e.first and e.last)
        ) as of_organization) bounds
     order by e.first_place`)
  const pieces = await queries.rows(sql<MovedPiece>`
    select epoch_key as key, through, low, high, shift from moved_places where org_id = ${organizationId} order by through`)
  return { segments, pieces }
}
