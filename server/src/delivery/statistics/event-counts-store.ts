import type { Queries, Transaction } from '../../ground/database/database.ts'
import { numberIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/**
 * Counts the next events of an organization, those with positions up to `end` and at most `limit`, and returns how many; undefined
 * where another process counts them.
 */
export async function countNextEvents(tx: Transaction, organizationId: string, end: number, limit: number) {
  await tx.rows(sql`
    insert into event_count_positions (org_id, position)
    select ${organizationId}, 0 where not exists (select from event_count_positions where org_id = ${organizationId})
    on conflict do nothing`)
  const [row] = await tx.rows(sql<{ count: number }>`
    with counted as materialized (
      select org_id, position from event_count_positions where org_id = ${organizationId} for update skip locked
    ), event as materialized (
      select e.position, e.minute, e.name, e.provider, coalesce(s.outcome, '') as outcome, coalesce(s.method, '') as method
        from counted c cross join lateral (
          select position, date_trunc('minute', time_of(id)) as minute, name, provider,
                 case when name like 'Authentication%' then payload::json end as content
            from events where org_id = ${organizationId} and position > c.position and position <= ${end} order by position limit ${limit}) e
        left join lateral (
          select coalesce(content ->> 'failure_reason', 'succeeded') as outcome,
                 coalesce(content ->> 'failed_authn_method', content ->> 'success_authn_method') as method
           where content #>> '{event_metadata,is_test_event}' = 'false') s on true
    ), added as (
      insert into event_counts as c (org_id, minute, name, outcome, method, count)
      select ${organizationId}, minute, name, outcome, method, count(*) from event group by minute, name, outcome, method
      on conflict (org_id, minute, name, outcome, method) do update set count = c.count + excluded.count
    ), added_by_provider as (
      insert into provider_counts as c (org_id, minute, outcome, method, provider, count)
      select ${organizationId}, minute, outcome, method, provider, count(*) from event where provider is not null
       group by minute, outcome, method, provider
      on conflict (org_id, minute, outcome, method, provider) do update set count = c.count + excluded.count
    ), moved as (
      update event_count_positions set position = (select max(position) from event)
       where org_id = ${organizationId} and exists (select from event)
    )
    select (select count(*)::int from event) as count from counted`)
  return row?.count
}

/** Removes up to `limit` counts of events of minutes before `before`, with those by provider, and returns how many. Those that another process removes are left to it. */
export const removeEventCounts = (queries: Queries, before: string, limit: number) =>
  numberIn(queries)(sql`
    with old as materialized (
      select ctid as row_location from event_counts where minute < ${before} order by minute limit ${limit} for update skip locked
    ), removed as (
      delete from event_counts where ctid = any(array(select row_location from old))
      returning org_id, minute, outcome, method
    ), removed_by_provider as (
      delete from provider_counts p using removed r
       where p.org_id = r.org_id and p.minute = r.minute and p.outcome = r.outcome and p.method = r.method
    )
    select count(*)::int as count from removed`)
