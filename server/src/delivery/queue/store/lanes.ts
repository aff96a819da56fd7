/**
 * Lanes: each webhook has one. From which of them a worker may claim, when they are due, and how they are paused, resumed and closed.
 * The fragments are rules that several statements share.
 */
import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { numberIn } from '../../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import { firstIdAt } from '../../../ground/runtime/identifiers.ts'
import type { LaneOfWebhook } from '../../webhooks/index.ts'
import { type Claimable, type ReceiverClass, receiverClasses } from '../capacity.ts'
import { type LaneKey, type LaneReport, toLaneKey } from '../delivery.ts'
import { leaseMs } from '../lease.ts'

/** For the statements of `webhooks`. */
const isRestored = fragment`exists (
             select from lanes l where l.org_id = w.org_id and l.webhook_id = w.id and l.is_restored) as is_restored`
export const laneOfWebhook: LaneOfWebhook = {
  opened: fragment`
    lane as (
      insert into lanes (org_id, webhook_id) select org_id, id from webhook
    )`,
  columns: fragment`
           (select paused_reason from lanes l where l.org_id = w.org_id and l.webhook_id = w.id) as paused_reason,
           (select failing_since from lanes l where l.org_id = w.org_id and l.webhook_id = w.id) as failing_since,
           ${isRestored}`,
  isRestored,
}

/** Lanes of the receivers of a row of `class` (healthy, failing), unless they are paused. */
export const isInClass = fragment`healthy = class.healthy and (failing and not healthy) = class.failing and paused_reason is null`

const literal = (value: boolean) => (value ? fragment`true` : fragment`false`)

/** `values` of a table `class` (healthy, failing), with more columns of each receiver class. */
export const classRows = (columnsOf: (receivers: ReceiverClass) => Fragment = () => fragment``): Fragment => {
  const rows = Object.entries(receiverClasses).map(
    ([receivers, { isHealthy, isFailing }]) =>
      fragment`(${literal(isHealthy)}, ${literal(isFailing)}${columnsOf(receivers as ReceiverClass)})`,
  )
  return fragment`values ${rows.reduce((all, row) => fragment`${all}, ${row}`)}`
}

/**
 * A lane that another worker has is left to that worker: so a webhook's limit holds across processes. A worker has it for as long as
 * it uses it; one that has ended has none.
 */
export const isFreeFor = (workerId: string) => fragment`(
  leased_by is null or leased_by = ${workerId} or (in_flight = 0 and leased_by <> all(array(select worker_id from unqueued_since where not is_lost))))`

/**
 * What a lane `l` has in flight without the rows `f`. Never less than nothing: the address of an application that is taken away and given
 * back has a new lane, which did not count what was on its way. Counted below nothing, another worker would never find it free.
 */
export const withoutEnded = fragment`greatest(0, l.in_flight - f.count)`

/** Deliveries of a lane `l` that no worker has, with a priority: by the index `deliveries_available`. */
export const unleased = (priority: Fragment) => fragment`
  from deliveries where org_id = l.org_id and webhook_id = l.webhook_id and priority_in_lane(trigger_name) = ${priority} and not is_leased`

/** The same that were attempted in their window: by the index `deliveries_retries`. And those that were not. */
export const retries = (priority: Fragment) => fragment`${unleased(priority)} and window_attempts > 0`
export const firstAttempts = (priority: Fragment) => fragment`${unleased(priority)} and window_attempts = 0`

/** When a lane `l` is due, of which a delivery is due at `at`: not while its receiver cools down. */
export const wakeAt = (at: Fragment) => fragment`least(l.next_due_at, greatest(${at}, l.cooldown_until))`

/**
 * Locks the lanes of `rows` (org_id, webhook_id) that meet `condition`, as `lane`. It waits for none: those that somebody else has
 * locked are `locked`, and those that were removed are only `missed`.
 */
export const lockLanes = (rows: Fragment, condition = fragment`true`) => fragment`
    lane as materialized (
      select r.*, l.webhook_id is null as missed
        from ${rows} left join lateral (
          select webhook_id from lanes
           where org_id = r.org_id and webhook_id = r.webhook_id and ${condition} for update skip locked) l on true
    ), locked as materialized (
      select m.* from lane m
       where m.missed and exists (
         select from lanes l where l.org_id = m.org_id and l.webhook_id = m.webhook_id and ${condition})
    )`

/**
 * `isForeign`: another worker, which must be notified, has one of them. `unhealthyDue`: when the first lane of an unhealthy receiver
 * is due, in milliseconds; infinity when none is. `locked`: lanes that somebody else has locked.
 */
type Woken = { isForeign: boolean; unhealthyDue: number; locked: LaneKey[] }

/**
 * Makes lanes due, after the commit of what they are to deliver. A lane that is due already is written all the same: a claim that
 * is under way did not see those deliveries and would let the lane sleep; so it finds the lane `changed`, or has it locked. A
 * saturated lane is woken by its settlements.
 *
 * It waits for no lock, for a claim waits for it: a locked lane is to be woken again. It commits asynchronously: the sweep finds what
 * a crash of the database forgets.
 */
export async function wakeLanes(queries: Queries, lanes: LaneKey[], now: string, workerId: string): Promise<Woken> {
  const organizationIds = lanes.map((lane) => lane.organizationId)
  const webhookIds = lanes.map((lane) => lane.webhookId)
  const rows = await queries.rows(sql<WokenRow>`
    with asynchronous as materialized (
      select set_config('synchronous_commit', 'off', true)
    ), woken as materialized (
      select w.* from asynchronous, unnest(${organizationIds}::uuid[], ${webhookIds}::uuid[]) as w (org_id, webhook_id)
    ), ${lockLanes(fragment`woken r`, fragment`not saturated`)}, updated_lanes as (
      update lanes l set next_due_at = ${wakeAt(fragment`${now}::timestamptz`)}
        from lane where not lane.missed and l.org_id = lane.org_id and l.webhook_id = lane.webhook_id
      returning l.org_id, l.webhook_id, not ${isFreeFor(workerId)} as foreign, l.next_due_at, l.healthy
    )
    select org_id, webhook_id, a.foreign, case when not healthy then next_due_at end as unhealthy_due
      from updated_lanes a where a.foreign or not healthy
    union all
    select org_id, webhook_id, null, null from locked`)
  const locked = rows.filter((row) => row.foreign === null)
  return {
    isForeign: rows.some((row) => row.foreign),
    unhealthyDue: Math.min(...rows.map(({ unhealthy_due }) => Number(unhealthy_due ?? Infinity))),
    locked: locked.map(toLaneKey),
  }
}

/** `foreign` is null for a locked lane. */
type WokenRow = { org_id: string; webhook_id: string; foreign: boolean | null; unhealthy_due: Date | null }

/**
 * Makes room in lanes of this worker, for requests of theirs that are overdue count no more: as `maxInFlight` and `refillAt` say. It
 * commits asynchronously, for the next settlement says the same. Gives the lanes that somebody else has locked.
 */
export async function makeRoom(queries: Queries, lanes: LaneReport[], now: string, workerId: string) {
  const rows = await queries.rows(sql<{ org_id: string; webhook_id: string }>`
    with asynchronous as materialized (
      select set_config('synchronous_commit', 'off', true)
    ), room as materialized (
      select r.* from asynchronous, unnest(
        ${lanes.map((lane) => lane.organizationId)}::uuid[], ${lanes.map((lane) => lane.webhookId)}::uuid[],
        ${lanes.map((lane) => lane.maxInFlight)}::int[], ${lanes.map((lane) => lane.refillAt)}::int[])
        as r (org_id, webhook_id, max_in_flight, refill_at)
    ), ${lockLanes(fragment`room r`)}, updated_lanes as (
      update lanes l
         set max_in_flight = lane.max_in_flight, saturated = l.saturated and l.in_flight > lane.refill_at,
             next_due_at = case when l.saturated and l.in_flight <= lane.refill_at then greatest(${now}::timestamptz, l.cooldown_until)
                                else l.next_due_at end
        from lane
       where not lane.missed and l.org_id = lane.org_id and l.webhook_id = lane.webhook_id
         and l.healthy and l.in_flight > 0 and l.leased_by = ${workerId}
    )
    select org_id, webhook_id from locked`)
  return rows.map(toLaneKey)
}

/** When the next lane that this worker may claim is due, in milliseconds; undefined when none is. */
export async function nextLaneDue(queries: Queries, workerId: string, claimable: Claimable) {
  const columnsOf = (receivers: ReceiverClass) =>
    fragment`, ${claimable[receivers].limit}::int, ${claimable[receivers].excluded}::uuid[]`
  const [row] = await queries.rows(sql<{ next_due_at: Date | null }>`
    select min(l.next_due_at) as next_due_at
      from (${classRows(columnsOf)}) as class (healthy, failing, claim_limit, excluded)
     cross join lateral (
       select next_due_at from lanes
        where ${isInClass} and next_due_at < 'infinity' and ${isFreeFor(workerId)} and org_id <> all(class.excluded)
        order by next_due_at limit least(1, class.claim_limit)) l`)
  return row?.next_due_at?.getTime()
}

export type LongestWait = { receivers: ReceiverClass; ms: number }

/** How long the longest-waiting lane of each class has been due; 0 when none is. */
export async function longestWaits(queries: Queries, now: number): Promise<LongestWait[]> {
  const rows = await queries.rows(sql<{ receivers: ReceiverClass; due: Date | null }>`
    select class.receivers, l.next_due_at as due
      from (${classRows((receivers) => fragment`, ${receivers}::text`)}) as class (healthy, failing, receivers) left join lateral (
        select next_due_at from lanes where ${isInClass} and next_due_at < 'infinity' order by next_due_at limit 1) l on true`)
  return rows.map(({ receivers, due }) => ({ receivers, ms: Math.max(0, now - (due?.getTime() ?? now)) }))
}

/** From the commit on none of its deliveries is claimed. One that is paused keeps its reason. */
export const pauseLane = (tx: Transaction, organizationId: string, webhookId: string, now: string) =>
  tx.rows(sql`
    update lanes set paused_reason = coalesce(paused_reason, 'requested'),
                     paused_at = case when paused_reason is null then ${now} else paused_at end, trying = null
     where org_id = ${organizationId} and webhook_id = ${webhookId}`)

/**
 * Before a database is served that was restored, or copied from another: no receiver is called, for events or by synchronous hooks, until
 * somebody resumes its webhook. Those that are paused keep their reason. Gives how many are paused as restored. No application is sent a
 * logout token until its address is set again: what waits is cancelled, for a copy may not sign people out where others are signed in.
 */
export async function pauseAllLanes(tx: Transaction): Promise<number> {
  await tx.rows(sql`delete from lanes where is_logout`)
  const rows = await tx.rows(sql<{ paused_reason: string }>`
    update lanes set paused_reason = coalesce(paused_reason, 'restored'), is_restored = true, trying = null,
                     paused_at = case when paused_reason is null then now() else paused_at end
    returning paused_reason`)
  return rows.filter((row) => row.paused_reason === 'restored').length
}

/**
 * From the commit on none of the organization's deliveries is claimed, as long as it moves; `of`: or none of those for its webhooks. Lanes
 * that are paused keep their reason. In the order of their key, as all that lock several of them.
 */
export const pauseLanesForMove = (queries: Queries, organizationId: string, of: 'webhooks' | 'all') =>
  queries.rows(sql`
    update lanes set paused_reason = coalesce(paused_reason, 'moving'), trying = null
     where org_id = ${organizationId} and (paused_reason is null or trying is not null) and (${of === 'all'}::boolean or not is_logout) and webhook_id in
      (select webhook_id from lanes where org_id = ${organizationId} order by webhook_id for update)`)

/** Logout tokens of the organization that were not tried yet, or are being sent. */
export const countNewLogouts = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql<{ count: number }>`
    select count(*)::int as count
      from lanes l cross join lateral (
        select from deliveries
         where org_id = l.org_id and webhook_id = l.webhook_id and (is_leased or window_attempts = 0) offset 0) d
     where l.org_id = ${organizationId} and l.is_logout`)

/** Opens or closes the lane of an application. Once it is closed, none of its deliveries is claimed from the commit on. */
export const keepLogoutLane = (tx: Transaction, organizationId: string, clientId: string, hasAddress: boolean) =>
  tx.rows(
    hasAddress
      ? sql`
    insert into lanes (org_id, webhook_id, is_logout) values (${organizationId}, ${clientId}, true) on conflict do nothing`
      : sql`
    delete from lanes where org_id = ${organizationId} and webhook_id = ${clientId} and is_logout`,
  )

/** Its deliveries go on as they were, each when it is due: after a restore, once somebody resumes their webhook. */
export const resumeLanesAfterMove = (tx: Transaction, organizationId: string, now: string) =>
  tx.rows(sql`
    update lanes set paused_reason = case when is_restored then 'restored' end, next_due_at = ${now}
     where org_id = ${organizationId} and paused_reason = 'moving' and webhook_id in
      (select webhook_id from lanes where org_id = ${organizationId} order by webhook_id for update)`)

/** How many of the organization's deliveries a worker may be sending: those whose lease is not over. */
export const countInFlight = (queries: Queries, organizationId: string, now: number) =>
  numberIn(queries)(sql<{ count: number }>`
    select ((select count(*) from deliveries where is_leased and available_at > ${toTimestamp(now)} and org_id = ${organizationId})
            + (select count(*) from unqueued_deliveries where org_id = ${organizationId} and event_id >= ${firstIdAt(now - leaseMs)}))::int as count`)

/** Of all organizations. It reads them all. */
export const countDeliveries = (queries: Queries) =>
  numberIn(queries)(sql<{ count: number }>`select count(*)::int as count from deliveries`)

/** Deliveries that become due at once when their webhook is resumed; the others stay due when they were. */
const maxHastened = 10_000

/**
 * Lets a paused webhook start afresh: due at once, without a history of failures, each delivery with a new window. Returns whether
 * it was paused. The deliveries are looked for while the lane is locked, when nobody settles any of them.
 */
export async function resumeLane(tx: Transaction, organizationId: string, webhookId: string, now: string) {
  const lanes = await tx.rows(sql`
    update lanes set paused_reason = null, is_restored = false, resumed_at = ${now}, next_due_at = ${now},
                     failing = false, failing_since = null, cooldown_until = '-infinity', failures = 0, max_requests = null
     where org_id = ${organizationId} and webhook_id = ${webhookId} and paused_reason is not null
    returning webhook_id`)
  if (lanes.length === 0) return false
  await tx.rows(sql`
    with backing_off as materialized (
      select later.row_location from (values (0), (1)) as priorities (priority) cross join lateral (
        select ctid as row_location from deliveries
         where org_id = ${organizationId} and webhook_id = ${webhookId} and priority_in_lane(trigger_name) = priorities.priority
           and not is_leased and available_at > ${now}
         order by available_at limit ${maxHastened}) later
       limit ${maxHastened}
    )
    update deliveries set available_at = ${now} where ctid = any(array(select row_location from backing_off)) and not is_leased`)
  return true
}

/** Removes all lanes of an organization: from the commit on, none of its deliveries is claimed. */
export const closeLanes = (queries: Queries, organizationId: string) =>
  queries.rows(sql`
    delete from lanes where org_id = ${organizationId} and webhook_id in
      (select webhook_id from lanes where org_id = ${organizationId} order by webhook_id for update)`)
