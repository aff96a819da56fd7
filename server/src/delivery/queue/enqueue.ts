/** Events and their deliveries, written and, where a worker asks for it, claimed, by one statement. */
import type { Transaction } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { insertEvents, type StoredEvent } from '../../events/index.ts'
import type { StoredTarget } from '../../webhooks/index.ts'
import { type Alike, eachOf } from './claim.ts'
import { isFreeFor } from './lanes.ts'

/** For a worker that claims what is being published. */
export type PublishClaim = {
  /** Names the claim. */
  leaseToken: string
  /** Names the worker. */
  workerId: string
  leaseEnd: string
  /** Events, and deliveries: when more of either are published, none is claimed. */
  limit: number
}

/** A delivery that was claimed as it was published. */
export type ClaimedOnPublish = {
  webhookId: string
  eventId: string
  triggerName: string
  triggerCreatedAt: number
  /** Where its row is. */
  rowLocation: string
  maxInFlight: number
}

/** `targets`: of what was claimed, by webhook id. `waiting`: the webhooks that have something waiting. */
type Enqueued = { claimed: ClaimedOnPublish[]; targets: Map<string, StoredTarget>; waiting: string[] }

/**
 * Writes events, and with each one delivery for every webhook that has its trigger, in one statement; by `terms` it claims
 * some of them.
 */
export async function enqueue(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  terms?: PublishClaim,
): Promise<Enqueued> {
  // More events mostly have too many deliveries as well; where they have not, those wait all the same.
  if (terms && events.length <= terms.limit) return insertAndClaim(tx, organizationId, events, now, terms)
  return { claimed: [], targets: new Map(), waiting: await insertWaiting(tx, organizationId, events, now) }
}

/**
 * Leaves all of it to be woken and claimed. By the statement of `insertAndClaim` a sixth fewer persons a second were created
 * (measured).
 */
async function insertWaiting(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
): Promise<string[]> {
  // The triggers are found as in `insertAndClaim`.
  const rows = await tx.rows(sql<{ webhook_id: string }>`
    with ${insertEvents(organizationId, events)}, written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at)
      select t.org_id, t.webhook_id, p.id, p.name, t.created_at, ${now}::timestamptz
        from published p
        cross join lateral (
          select org_id, webhook_id, created_at from triggers
           where org_id = ${organizationId}::uuid and name = p.name and type = 'event' offset 0) t
      returning webhook_id
    )
    select distinct webhook_id from written`)
  return rows.map((row) => row.webhook_id)
}

/**
 * Writes all of it, and claims what is of a healthy lane that has nothing due: all of a lane's or none, up to half of its room,
 * for what is woken comes first, and the other half is for it. These are the conditions of `claimDeliveries`, and stricter
 * ones. Where its webhook is called is read with it: the last thing that a call would have to be looked up for.
 *
 * A lane is looked up by its key: by a `case`, which no other index answers. Planned while hardly any lane is healthy, that of
 * the due ones would walk all healthy lanes for each webhook (430 ms beside 20,000, measured). Lanes are asked for by
 * a list of keys beside the join: else a hash join reads all that the organization has (50 ms beside 20,000). Triggers by an
 * `offset 0` and a webhook by a `limit 1`, which keep them from becoming such a join; for a list of names PostgreSQL 15 would walk
 * all triggers.
 *
 * Waits for no lane: one that is locked is left alone. Those it claims from stay locked until the commit, and are
 * settled afterwards.
 */
async function insertAndClaim(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  { leaseToken, workerId, leaseEnd, limit }: PublishClaim,
): Promise<Enqueued> {
  const rows = await tx.rows(sql<EnqueuedRow>`
    with ${insertEvents(organizationId, events)}, matched as materialized (
      select t.org_id, t.webhook_id, p.id, p.name, t.created_at
        from published p
        cross join lateral (
          select org_id, webhook_id, created_at from triggers
           where org_id = ${organizationId}::uuid and name = p.name and type = 'event' offset 0) t
    ), wanted as materialized (
      select org_id, webhook_id, count(*)::int as count from matched group by 1, 2
    ), lane as materialized (
      select l.*, w.count, h.target_url, h.timeout_ms, h.custom_headers
        from wanted w cross join lateral (
          select org_id, webhook_id, max_in_flight from lanes
           where org_id = w.org_id and webhook_id = w.webhook_id and (select count(*) from matched) <= ${limit}::int
             and case when healthy then paused_reason is null else false end
             and cooldown_until <= ${now} and next_due_at > ${now} and in_flight + w.count <= max_in_flight / 2
             and ${isFreeFor(workerId)} for update skip locked) l
       cross join lateral (
          select target_url, timeout_ms, custom_headers from webhooks
           where org_id = l.org_id and id = l.webhook_id limit 1) h
    ), turned as (
      update lanes l set in_flight = l.in_flight + lane.count, leased_by = ${workerId}::uuid
        from lane where l.org_id = ${organizationId}::uuid and l.webhook_id = any(array(select webhook_id from lane))
                    and l.webhook_id = lane.webhook_id
    ), written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, is_leased, available_at, lease_token,
                              attempts_count, window_attempts)
      select m.org_id, m.webhook_id, m.id, m.name, m.created_at, c.claimed,
             case when c.claimed then ${leaseEnd}::timestamptz else ${now}::timestamptz end,
             case when c.claimed then ${leaseToken}::uuid end, c.claimed::int, c.claimed::int
        from matched m left join lane l on l.webhook_id = m.webhook_id
       cross join lateral (select l.webhook_id is not null as claimed) c
      returning webhook_id, event_id, trigger_name, trigger_created_at, ctid as row_location
    )
    select w.webhook_id, d.trigger_name, d.trigger_created_at, l.max_in_flight, l.target_url, l.timeout_ms, l.custom_headers,
           string_agg(d.event_id::text, ' ') as event_ids, string_agg(d.row_location::text, ' ') as row_locations
      from wanted w left join lane l using (webhook_id) left join written d on d.webhook_id = l.webhook_id
     group by 1, 2, 3, 4, 5, 6, 7`)
  const claimed = rows.filter((row) => row.row_locations !== null)
  return {
    claimed: claimed.flatMap(toDeliveries),
    targets: new Map(claimed.map((row) => [row.webhook_id, row])),
    waiting: rows.filter((row) => row.row_locations === null).map((row) => row.webhook_id),
  }
}

type AlikeRow = Alike &
  StoredTarget & { webhook_id: string; trigger_name: string; trigger_created_at: Date; max_in_flight: number }
type EnqueuedRow = AlikeRow | { webhook_id: string; row_locations: null }

function toDeliveries(row: AlikeRow): ClaimedOnPublish[] {
  const { webhook_id: webhookId, trigger_name: triggerName, max_in_flight: maxInFlight } = row
  const common = { webhookId, triggerName, triggerCreatedAt: row.trigger_created_at.getTime(), maxInFlight }
  return eachOf(row).map((each) => ({ ...common, ...each }))
}
