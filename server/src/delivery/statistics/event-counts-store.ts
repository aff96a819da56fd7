import type { Queries, Transaction } from '../../ground/database/database.ts'
import { numberIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

export type Counted = { organizationId: string; count: number }

/**
 * Counts the next events of each of these organizations, those with positions up to `end` and at most `limit` of each, and returns how
 * many; an organization whose events another process counts is not among them.
 */
export async function countNextEvents(tx: Transaction, organizationIds: string[], end: number, limit: number) {
  // In one order, so that two processes never wait for each other.
  const ids = organizationIds.toSorted()
  await tx.rows(sql`
    insert into event_count_positions (org_id, position)
    select id, 0 from unnest(${ids}::uuid[]) id
     where not exists (select from event_count_positions where org_id = id) order by id
    on conflict do nothing`)
  return tx.rows(sql<Counted>`
    with counted as materialized (
      select org_id, position from event_count_positions where org_id = any(${ids}::uuid[]) for update skip locked
    ), event as materialized (
      select e.org_id, e.position, e.minute, e.name, e.provider, coalesce(s.outcome, '') as outcome, coalesce(s.method, '') as method
        from counted c cross join lateral (
          select org_id, position, date_trunc('minute', time_of(id)) as minute, name, provider,
                 case when name like 'Authentication%' then payload::json end as content
            from events where org_id = c.org_id and position > c.position and position <= ${end} order by position limit ${limit}) e
        left join lateral (
          select coalesce(content ->> 'failure_reason', 'succeeded') as outcome,
                 coalesce(content ->> 'failed_authn_method', content ->> 'success_authn_method') as method
           where content #>> '{event_metadata,is_test_event}' = 'false') s on true
    ), added as (
      insert into event_counts as c (org_id, minute, name, outcome, method, count)
      select org_id, minute, name, outcome, method, count(*) from event group by org_id, minute, name, outcome, method
      on conflict (org_id, minute, name, outcome, method) do update set count = c.count + excluded.count
    ), added_by_provider as (
      insert into provider_counts as c (org_id, minute, outcome, method, provider, count)
      select org_id, minute, outcome, method, provider, count(*) from event where provider is not null
       group by org_id, minute, outcome, method, provider
      on conflict (org_id, minute, outcome, method, provider) do update set count = c.count + excluded.count
    ), total as materialized (
      select org_id, max(position) as position, count(*)::int as count from event group by org_id
    ), moved as (
      update event_count_positions p set position = t.position from total t where p.org_id = t.org_id
    )
    select c.org_id as "organizationId", coalesce(t.count, 0) as count from counted c left join total t using (org_id)`)
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
