import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Rate } from '../http/rate-limit.ts'
import type { EventName } from './event-json.ts'

export type StoredEvent = { id: string; name: EventName; payload: string }

/**
 * Writes events, and with each one delivery for every webhook that has its trigger, in one statement. Takes no lock
 * that a claim or another writer would wait for. Gives the webhooks that have something to deliver.
 */
export async function insertEvents(tx: Transaction, organizationId: string, events: StoredEvent[], dueAt: string) {
  const rows = await tx.rows(sql<{ webhook_id: string }>`
    with published as (
      insert into events (org_id, id, name, payload)
      select ${organizationId}::uuid, id, name, payload
        from unnest(${events.map((event) => event.id)}::uuid[], ${events.map((event) => event.name)}::text[],
                    ${events.map((event) => event.payload)}::text[]) as e (id, name, payload)
      returning id, name
    )
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, due_at)
    select t.org_id, t.webhook_id, p.id, p.name, t.created_at, ${dueAt}::timestamptz
      from published p
      join triggers t on t.org_id = ${organizationId}::uuid and t.name = p.name and t.type = 'event'
    returning webhook_id`)
  return [...new Set(rows.map((row) => row.webhook_id))]
}

/**
 * The payloads of events, by their ids. The bounds let PostgreSQL open only the partitions of those days; by the list
 * of ids alone it would open all of them.
 */
export async function loadPayloads(queries: Queries, organizationIds: string[], eventIds: string[]) {
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql<{ id: string; payload: string }>`
    select e.id, e.payload
      from unnest(${organizationIds}::uuid[], ${eventIds}::uuid[]) as wanted (org_id, id)
      join events e on e.org_id = wanted.org_id and e.id = wanted.id
     where e.id >= ${bounds.at(0)}::uuid and e.id <= ${bounds.at(-1)}::uuid`)
  return new Map(rows.map((row) => [row.id, row.payload]))
}

/**
 * Takes `count` test events, at most a whole burst, from the organization's allowance, a token bucket. Gives undefined
 * when they were taken, else the seconds until they will be there.
 *
 * A transaction of its own that does not wait for the disk: its lock would otherwise make all test events of an
 * organization wait for each other's commits (400 instead of 2,000 a second). What a crash forgets was a few tokens.
 */
export async function takeTestEvents(
  queries: Queries,
  organizationId: string,
  { perMinute, burst }: Rate,
  count: number,
  now: string,
): Promise<number | undefined> {
  const perSecond = perMinute / 60
  const taken = await queries.rows(sql`
    with hasty as materialized (select set_config('synchronous_commit', 'off', true))
    insert into test_event_allowances as a (org_id, tokens, refilled_at)
    select ${organizationId}::uuid, ${burst - count}::float8, ${now}::timestamptz from hasty
    on conflict (org_id) do update
       set refilled_at = greatest(a.refilled_at, excluded.refilled_at),
           tokens = tokens_at(a, excluded.refilled_at, ${perSecond}, ${burst}) - ${count}::float8
     where tokens_at(a, excluded.refilled_at, ${perSecond}, ${burst}) >= ${count}::float8
    returning org_id`)
  if (taken.length > 0) return undefined
  const [bucket] = await queries.rows(sql<{ tokens: number }>`
    select tokens_at(a, ${now}, ${perSecond}, ${burst}) as tokens
      from test_event_allowances a where org_id = ${organizationId}`)
  return Math.ceil(Math.max(0, count - (bucket?.tokens ?? 0)) / perSecond)
}
