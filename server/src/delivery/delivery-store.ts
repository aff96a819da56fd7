import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** A webhook of an organization: what a lane belongs to. */
export type LaneKey = { organizationId: string; webhookId: string }

export type ClaimedDelivery = {
  organizationId: string
  webhookId: string
  eventId: string
  triggerName: string
  /** Names this claim; a settlement with another one changes nothing. */
  claim: string
  /** Number of this attempt, counted from the first one ever. */
  number: number
  /** Attempts in the present window, this one included. */
  tries: number
  windowOpenedAt: number
}

/** Lanes looked at in one claim, and deliveries taken from one lane before it goes to the back of the queue. */
const lanesPerClaim = 50
const deliveriesPerTurn = 8

type Claim = { now: string; leaseEnd: string; claim: string; callsPerWebhook: number; slots: number }

/**
 * Claims due deliveries: lanes in turn by who has waited longest, a few from each, never more in flight than its cap.
 * One statement, its cost independent of the backlog (0.26 ms beside 1,000,000 pending, measured). A lane that is
 * full is armed again by a settlement; an empty one sleeps until its next delivery is due.
 *
 * A lane that was armed between this statement's snapshot and its lock may have deliveries that the snapshot does not
 * see: `changed` keeps it due, so that no wake-up is lost. For the same reason deliveries are judged again as they are
 * updated, and counted then, not as they are picked; by a `case`, which no index but the primary key answers.
 */
export async function claimDeliveries(queries: Queries, options: Claim): Promise<ClaimedDelivery[]> {
  const { now, leaseEnd, claim, callsPerWebhook, slots } = options
  const turn = Math.min(deliveriesPerTurn, slots)
  const lanes = Math.max(1, Math.min(lanesPerClaim, Math.floor(slots / turn)))
  const rows = await queries.rows(sql<ClaimRow>`
    with lane as materialized (
      select due.org_id, due.webhook_id, cap - due.in_flight as space,
             greatest(0, least(cap - due.in_flight, ${turn}::int)) as room, due.version <> seen.xmin as changed
        from (select org_id, webhook_id, in_flight, xmin as version,
                     case when failing then 1 else ${callsPerWebhook}::int end as cap
                from lanes where next_due_at <= ${now} order by next_due_at limit ${lanes}
                 for update skip locked) due
        join lanes seen on seen.org_id = due.org_id and seen.webhook_id = due.webhook_id
    ), pick as materialized (
      select l.org_id, l.webhook_id, d.event_id
        from lane l cross join lateral (
          select event_id from deliveries
           where org_id = l.org_id and webhook_id = l.webhook_id and not in_flight and due_at <= ${now}
           order by due_at limit l.room) d
    ), claimed as (
      update deliveries d
         set in_flight = true, due_at = ${leaseEnd}, claim = ${claim}, attempts_count = attempts_count + 1,
             tries = tries + 1, window_opened_at = coalesce(window_opened_at, ${now})
        from pick p
       where d.org_id = p.org_id and d.webhook_id = p.webhook_id and d.event_id = p.event_id
         and case when d.in_flight then false else d.due_at <= ${now} end
      returning d.org_id, d.webhook_id, d.event_id, d.trigger_name, d.attempts_count, d.tries, d.window_opened_at
    ), taken as (
      select l.org_id, l.webhook_id, l.room, l.space, l.changed, count(c.event_id)::int as count
        from lane l left join claimed c using (org_id, webhook_id) group by 1, 2, 3, 4, 5
    ), turned as (
      update lanes l set in_flight = l.in_flight + t.count, next_due_at = case
          when t.count >= t.space then 'infinity'
          when t.changed or t.count = t.room then ${now}
          else coalesce((select due_at from deliveries d
                          where d.org_id = l.org_id and d.webhook_id = l.webhook_id and not d.in_flight and d.due_at > ${now}
                          order by due_at limit 1), 'infinity') end
        from taken t where l.org_id = t.org_id and l.webhook_id = t.webhook_id
    )
    select * from claimed`)
  return rows.map((row) => toClaimed(row, claim))
}

type ClaimRow = {
  org_id: string
  webhook_id: string
  event_id: string
  trigger_name: string
  attempts_count: number
  tries: number
  window_opened_at: Date
}

const toClaimed = (row: ClaimRow, claim: string): ClaimedDelivery => ({
  organizationId: row.org_id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  triggerName: row.trigger_name,
  claim,
  number: row.attempts_count,
  tries: row.tries,
  windowOpenedAt: row.window_opened_at.getTime(),
})

/** What became of an attempt: finished with a status, or to be tried again at `retryAt`. */
export type Settlement = {
  delivery: ClaimedDelivery
  /** The attempt as the log shows it; null when none was made. */
  attempt: object | null
  /** Whether the receiver failed; null when it was not called, or broken off: such an attempt does not count. */
  failed: boolean | null
} & ({ status: 'succeeded' | 'dropped' | 'cancelled'; reason?: string } | { retryAt: string })

/** Writes what became of attempts, all in one statement: deliveries, log and lanes change together or not at all. */
export async function settleDeliveries(
  queries: Queries,
  settlements: Settlement[],
  now: string,
  callsPerWebhook: number,
) {
  const column = <Value>(of: (settlement: Settlement) => Value) => settlements.map(of)
  await queries.rows(sql`
    with settled as materialized (
      select *, (failed is null)::int as unmade from unnest(
        ${column(({ delivery }) => delivery.organizationId)}::uuid[], ${column(({ delivery }) => delivery.webhookId)}::uuid[],
        ${column(({ delivery }) => delivery.eventId)}::uuid[], ${column(({ delivery }) => delivery.claim)}::uuid[],
        ${column((settlement) => ('status' in settlement ? settlement.status : null))}::text[],
        ${column((settlement) => ('status' in settlement ? (settlement.reason ?? null) : null))}::text[],
        ${column((settlement) => ('retryAt' in settlement ? settlement.retryAt : null))}::timestamptz[],
        ${column(({ attempt }) => JSON.stringify(attempt === null ? [] : [attempt]))}::jsonb[],
        ${column(({ failed }) => failed)}::boolean[]
      ) as s (org_id, webhook_id, event_id, claim, status, reason, retry_at, attempt, failed)
    ), lane as materialized (
      select l.org_id, l.webhook_id
        from (select distinct org_id, webhook_id from settled) s
        join lanes l on l.org_id = s.org_id and l.webhook_id = s.webhook_id
       order by l.org_id, l.webhook_id for update of l
    ), finished as (
      delete from deliveries d using settled s
       where s.status is not null and d.org_id = s.org_id and d.webhook_id = s.webhook_id and d.event_id = s.event_id
         and d.in_flight and d.claim = s.claim and (select count(*) from lane) >= 0
      returning d.*, s.status, s.reason, s.attempt, s.failed
    ), logged as (
      insert into finished_deliveries
        (org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempts, finished_at)
      select org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempts || attempt, ${now}::timestamptz
        from finished
    ), retried as (
      update deliveries d
         set in_flight = false, claim = null, due_at = s.retry_at, attempts = d.attempts || s.attempt,
             attempts_count = d.attempts_count - s.unmade, tries = d.tries - s.unmade,
             window_opened_at = case when d.tries > s.unmade then d.window_opened_at end
        from settled s
       where s.status is null and d.org_id = s.org_id and d.webhook_id = s.webhook_id and d.event_id = s.event_id
         and d.in_flight and d.claim = s.claim and (select count(*) from lane) >= 0
      returning d.org_id, d.webhook_id, d.due_at, s.failed
    ), freed as (
      select org_id, webhook_id, count(*)::int as count, min(retry_at) as retry_at, bool_and(failed) as failing
        from (select org_id, webhook_id, null::timestamptz as retry_at, failed from finished
              union all select org_id, webhook_id, due_at, failed from retried) each
       group by org_id, webhook_id
    )
    update lanes l
       set in_flight = l.in_flight - f.count,
           failing = coalesce(f.failing, l.failing),
           next_due_at = case
             when l.in_flight >= case when l.failing then 1 else ${callsPerWebhook}::int end then ${now}
             else least(l.next_due_at, coalesce(f.retry_at, 'infinity')) end
      from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id`)
}

/**
 * Lets the lanes of these webhooks be claimed from now on; told after the commit of what they shall deliver. A lane that
 * is due already is written all the same: a claim that is under way did not see those deliveries, and would let the lane
 * sleep; so it waits here for that claim, or that claim finds the lane `changed`.
 */
export async function armLanes(queries: Queries, lanes: LaneKey[], now: string, callsPerWebhook: number) {
  await queries.rows(sql`
    with lane as materialized (
      select l.org_id, l.webhook_id
        from unnest(${lanes.map((lane) => lane.organizationId)}::uuid[], ${lanes.map((lane) => lane.webhookId)}::uuid[])
             as woken (org_id, webhook_id)
        join lanes l on l.org_id = woken.org_id and l.webhook_id = woken.webhook_id
       where l.in_flight < case when l.failing then 1 else ${callsPerWebhook}::int end
       order by l.org_id, l.webhook_id for update of l
    )
    update lanes l set next_due_at = least(l.next_due_at, ${now}::timestamptz)
      from lane where l.org_id = lane.org_id and l.webhook_id = lane.webhook_id`)
}

/** Rows looked at by one rescue or one sweep; the rest waits for the next one. */
const rescueBatch = 1_000

/**
 * Takes back the deliveries whose lease ran out before `before` because their worker died: they are due at once, and the attempt
 * that nobody knows the end of does not count against the window. Gives how many.
 */
export async function rescueExpired(queries: Queries, now: string, before = now): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with expired as materialized (
      select org_id, webhook_id, event_id from deliveries
       where in_flight and due_at < ${before} order by due_at limit ${rescueBatch}
    ), lane as materialized (
      select l.org_id, l.webhook_id
        from (select distinct org_id, webhook_id from expired) e
        join lanes l on l.org_id = e.org_id and l.webhook_id = e.webhook_id
       order by l.org_id, l.webhook_id for update of l
    ), rescued as (
      update deliveries d
         set in_flight = false, claim = null, due_at = ${now}, tries = d.tries - 1,
             window_opened_at = case when d.tries > 1 then d.window_opened_at end
        from expired e
       where d.org_id = e.org_id and d.webhook_id = e.webhook_id and d.event_id = e.event_id
         and d.in_flight and d.due_at < ${before} and (select count(*) from lane) >= 0
      returning d.org_id, d.webhook_id
    ), freed as (
      select org_id, webhook_id, count(*)::int as count from rescued group by 1, 2
    ), armed as (
      update lanes l set in_flight = l.in_flight - f.count, next_due_at = least(l.next_due_at, ${now}::timestamptz)
        from freed f where l.org_id = f.org_id and l.webhook_id = f.webhook_id
    )
    select count(*)::int as count from rescued`)
  return row?.count ?? 0
}

/**
 * Walks the webhooks that have anything pending, one index probe each. Arms the lanes that should be due earlier than
 * they are (their worker died between a commit and its wake-up), and ends as `cancelled` the deliveries whose webhook,
 * and so whose lane, was removed. Gives how many were cancelled.
 */
export async function sweepLanes(queries: Queries, now: string, callsPerWebhook: number): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    with recursive pending as (
      (select org_id, webhook_id, due_at from deliveries where not in_flight
        order by org_id, webhook_id, due_at limit 1)
      union all
      select following.* from pending p cross join lateral (
        select org_id, webhook_id, due_at from deliveries
         where not in_flight and (org_id, webhook_id) > (p.org_id, p.webhook_id)
         order by org_id, webhook_id, due_at limit 1) following
    ), late as materialized (
      select l.org_id, l.webhook_id, p.due_at
        from pending p join lanes l on l.org_id = p.org_id and l.webhook_id = p.webhook_id
       where p.due_at < l.next_due_at and l.in_flight < case when l.failing then 1 else ${callsPerWebhook}::int end
       order by 1, 2 for update of l skip locked
    ), armed as (
      update lanes l set next_due_at = least(l.next_due_at, late.due_at)
        from late where l.org_id = late.org_id and l.webhook_id = late.webhook_id
    ), orphan as materialized (
      select d.org_id, d.webhook_id, d.event_id
        from pending p cross join lateral (
          select org_id, webhook_id, event_id from deliveries
           where org_id = p.org_id and webhook_id = p.webhook_id and not in_flight limit ${rescueBatch}) d
       where not exists (select from lanes l where l.org_id = p.org_id and l.webhook_id = p.webhook_id)
       limit ${rescueBatch}
    ), cancelled as (
      delete from deliveries d using orphan o
       where d.org_id = o.org_id and d.webhook_id = o.webhook_id and d.event_id = o.event_id and not d.in_flight
      returning d.*
    ), logged as (
      insert into finished_deliveries
        (org_id, webhook_id, event_id, trigger_name, status, reason, attempts_count, attempts, finished_at)
      select org_id, webhook_id, event_id, trigger_name, 'cancelled', 'webhook_deleted', attempts_count, attempts, ${now}::timestamptz
        from cancelled
    )
    select count(*)::int as count from cancelled`)
  return row?.count ?? 0
}

/** When the next lane is due, in milliseconds; undefined when none is. */
export async function nextLaneDue(queries: Queries): Promise<number | undefined> {
  const [row] = await queries.rows(sql<{ next_due_at: Date | number }>`
    select next_due_at from lanes where next_due_at < 'infinity' order by next_due_at limit 1`)
  return row ? Number(row.next_due_at) : undefined
}

/** Removes all lanes of an organization: from the commit on, none of its deliveries is claimed. */
export async function closeLanes(queries: Queries, organizationId: string) {
  await queries.rows(sql`
    delete from lanes where org_id = ${organizationId} and webhook_id in
      (select webhook_id from lanes where org_id = ${organizationId} order by webhook_id for update)`)
}
