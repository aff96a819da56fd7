import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type Alike, eachOf } from './alike.ts'
import type { EventName } from './event-json.ts'

/** `payload` is JSON text in one line. */
export type StoredEvent = { id: string; name: EventName; payload: string }

/** For a worker that claims what is being published. */
export type ClaimTerms = {
  /** Names the claim. */
  claim: string
  /** Names the worker. */
  owner: string
  leaseEnd: string
  /** Events, and deliveries: when more of either are published, none is claimed. */
  most: number
}

/** Where a webhook is called, and how, as its row has it. */
export type StoredTarget = { target_url: string; timeout_ms: number; custom_headers: Buffer | null }

/** A delivery that was claimed as it was published. */
export type ClaimedAsPublished = {
  webhookId: string
  eventId: string
  triggerName: EventName
  triggerCreatedAt: number
  /** Where its row is. */
  place: string
  room: number
}

/** `targets`: of what was claimed, by webhook id. `waiting`: the webhooks that have something waiting. */
type Published = { claimed: ClaimedAsPublished[]; targets: Map<string, StoredTarget>; waiting: string[] }

/**
 * Writes events, and with each one delivery for every webhook that has its trigger, in one statement; by `terms` it claims
 * some of them.
 */
export async function insertEvents(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  terms?: ClaimTerms,
): Promise<Published> {
  // More events mostly have too many deliveries as well; where they have not, those wait all the same.
  if (terms && events.length <= terms.most) return insertAndClaim(tx, organizationId, events, now, terms)
  return { claimed: [], targets: new Map(), waiting: await insertWaiting(tx, organizationId, events, now) }
}

/** Payloads as lines: in an array each of their quotes is escaped. */
const toColumns = (events: StoredEvent[]) => ({
  ids: events.map(({ id }) => id),
  names: events.map(({ name }) => name),
  lines: events.map(({ payload }) => payload).join('\n'),
})

/**
 * Leaves all of it to be armed and claimed. By the statement of `insertAndClaim` a sixth fewer persons a second were created
 * (measured).
 */
async function insertWaiting(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
): Promise<string[]> {
  const { ids, names, lines } = toColumns(events)
  // Events, and the triggers they match, are as in `insertAndClaim`.
  const rows = await tx.rows(sql<{ webhook_id: string }>`
    with published as (
      insert into events (org_id, id, name, payload)
      select ${organizationId}::uuid, id, name, payload
        from unnest(${ids}::uuid[], ${names}::text[], string_to_array(${lines}, E'\\n')) as e (id, name, payload)
      returning id, name
    ), written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, due_at)
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
 * Writes all of it, and claims what is of a quick lane that has nothing due: all of a lane's or none, up to half of its room,
 * for what is armed comes first, and the other half is for it. These are the conditions of `claimDeliveries`, and stricter
 * ones. Where its webhook is called is read with it: the last thing that a call would have to be looked up for.
 *
 * A lane is looked up by its key: by a `case`, which no other index answers. Planned while hardly any lane is quick, that of
 * the due ones would walk all quick lanes for each webhook (430 ms beside 20,000, measured). Lanes are asked for by
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
  { claim, owner, leaseEnd, most }: ClaimTerms,
): Promise<Published> {
  const { ids, names, lines } = toColumns(events)
  const rows = await tx.rows(sql<PublishedRow>`
    with published as (
      insert into events (org_id, id, name, payload)
      select ${organizationId}::uuid, id, name, payload
        from unnest(${ids}::uuid[], ${names}::text[], string_to_array(${lines}, E'\\n')) as e (id, name, payload)
      returning id, name
    ), matched as materialized (
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
          select org_id, webhook_id, room from lanes
           where org_id = w.org_id and webhook_id = w.webhook_id and (select count(*) from matched) <= ${most}::int
             and case when quick then paused_reason is null else false end
             and resting_until <= ${now} and next_due_at > ${now} and in_flight + w.count <= room / 2
             and (in_flight = 0 or owner = ${owner}::uuid) for update skip locked) l
       cross join lateral (
          select target_url, timeout_ms, custom_headers from webhooks
           where org_id = l.org_id and id = l.webhook_id limit 1) h
    ), turned as (
      update lanes l set in_flight = l.in_flight + lane.count, owner = ${owner}::uuid
        from lane where l.org_id = ${organizationId}::uuid and l.webhook_id = any(array(select webhook_id from lane))
                    and l.webhook_id = lane.webhook_id
    ), written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, in_flight, due_at, claim,
                              attempts_count, tries)
      select m.org_id, m.webhook_id, m.id, m.name, m.created_at, c.claimed,
             case when c.claimed then ${leaseEnd}::timestamptz else ${now}::timestamptz end,
             case when c.claimed then ${claim}::uuid end, c.claimed::int, c.claimed::int
        from matched m left join lane l on l.webhook_id = m.webhook_id
       cross join lateral (select l.webhook_id is not null as claimed) c
      returning webhook_id, event_id, trigger_name, trigger_created_at, ctid as place
    )
    select w.webhook_id, d.trigger_name, d.trigger_created_at, l.room, l.target_url, l.timeout_ms, l.custom_headers,
           string_agg(d.event_id::text, ' ') as event_ids, string_agg(d.place::text, ' ') as places
      from wanted w left join lane l using (webhook_id) left join written d on d.webhook_id = l.webhook_id
     group by 1, 2, 3, 4, 5, 6, 7`)
  const claimed = rows.filter((row) => row.places !== null)
  return {
    claimed: claimed.flatMap(toDeliveries),
    targets: new Map(claimed.map((row) => [row.webhook_id, row])),
    waiting: rows.filter((row) => row.places === null).map((row) => row.webhook_id),
  }
}

type AlikeRow = Alike &
  StoredTarget & { webhook_id: string; trigger_name: EventName; trigger_created_at: Date; room: number }
type PublishedRow = AlikeRow | { webhook_id: string; places: null }

function toDeliveries(row: AlikeRow): ClaimedAsPublished[] {
  const { webhook_id: webhookId, trigger_name: triggerName, room } = row
  const common = { webhookId, triggerName, triggerCreatedAt: row.trigger_created_at.getTime(), room }
  return eachOf(row).map((each) => ({ ...common, ...each }))
}

/**
 * The payloads of events, by their ids. The bounds let PostgreSQL open only the partitions of those days; by the list of ids
 * alone it would open all of them.
 */
export async function loadPayloads(queries: Queries, events: { organizationId: string; eventId: string }[]) {
  if (events.length === 0) return new Map<string, string>()
  const organizationIds = events.map(({ organizationId }) => organizationId)
  const eventIds = events.map(({ eventId }) => eventId)
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql<{ id: string; payload: string }>`
    select e.id, e.payload
      from unnest(${organizationIds}::uuid[], ${eventIds}::uuid[]) as wanted (org_id, id)
      join events e on e.org_id = wanted.org_id and e.id = wanted.id
     where e.id >= ${bounds.at(0)}::uuid and e.id <= ${bounds.at(-1)}::uuid`)
  return new Map(rows.map((row) => [row.id, row.payload]))
}
