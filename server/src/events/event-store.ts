import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
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
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, due_at)
    select t.org_id, t.webhook_id, p.id, p.name, ${dueAt}::timestamptz
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

type Allowance = { perMinute: number; burst: number }

/**
 * Takes `count` test events from the organization's allowance, a token bucket. Gives undefined when they were taken,
 * else the seconds until they will be there.
 */
export async function takeTestEvents(
  tx: Transaction,
  organizationId: string,
  { perMinute, burst }: Allowance,
  count: number,
  now: string,
): Promise<number | undefined> {
  const [bucket] = await tx.rows(sql<{ tokens: number }>`
    insert into test_event_allowances as a (org_id, tokens, refilled_at) values (${organizationId}, ${burst}, ${now})
    on conflict (org_id) do update
       set refilled_at = greatest(a.refilled_at, excluded.refilled_at),
           tokens = least(${burst}, a.tokens
             + greatest(0, extract(epoch from excluded.refilled_at - a.refilled_at)) * ${perMinute / 60}::float8)
    returning tokens`)
  const tokens = bucket?.tokens ?? 0
  if (tokens < count) return Math.ceil(((count - tokens) * 60) / perMinute)
  await tx.rows(sql`update test_event_allowances set tokens = tokens - ${count}::int where org_id = ${organizationId}`)
  return undefined
}
