/**
 * Writes what is published with its deliveries. Where this process's worker has capacity, that statement also claims those of
 * healthy receivers: nothing is woken, claimed or read for them.
 */
import type { Transaction } from '../../ground/database/database.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { type Enqueue, insertEvents, type LoadedPayloads, type Payloads, type StoredEvent } from '../events/index.ts'
import type { DecryptTargets, StoredTarget } from '../webhooks/index.ts'
import type { Attempts } from './attempt.ts'
import type { ClaimedDelivery, Lease, LogLine, OnFailpoint } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { newLease } from './lease.ts'
import type { OrphanedLeases } from './rescue.ts'
import { type AlikeRow, toDeliveries } from './store/claim.ts'
import { isFreeFor } from './store/lanes.ts'
import type { Wake } from './wake.ts'

/** A claim that goes along with a publication. */
export type OpenClaim = PublishClaim & {
  /** To be called right after the commit, also when nothing was claimed. `targets`: by webhook id. `payloads`: by event id. */
  take(
    deliveries: ClaimedDelivery[],
    publication: { targets: Map<string, StoredTarget>; payloads: LoadedPayloads },
  ): void
  /** To be called when the transaction has failed, or nobody knows whether it is committed. */
  fail(): void
}

/** `now`: when it is published. Undefined when no worker runs here, or it has no capacity. */
export type ClaimOnPublish = (organizationId: string, now: number) => OpenClaim | undefined

/** `payloads`: where a worker runs, which reads them. */
type EnqueueDependencies = {
  wake: Wake
  claimOnPublish?: ClaimOnPublish
  payloads?: Pick<Payloads, 'keep'> | undefined
}

export const createEnqueue =
  ({ wake, claimOnPublish, payloads }: EnqueueDependencies): Enqueue =>
  async (tx, organizationId, events, now) => {
    const claim = claimOnPublish?.(organizationId, now)
    if (claim) tx.afterFailure(claim.fail)
    const { claimed, targets, waiting } = await enqueue(tx, organizationId, events, toTimestamp(now), claim)
    tx.afterCommit(() => {
      if (waiting.length > 0) {
        // First: a dispatcher that is woken reads them at once.
        payloads?.keep(organizationId, events)
        wake(organizationId, waiting)
      }
      claim?.take(claimed, { targets, payloads: new Map(events.map((event) => [event.id, event])) })
    })
  }

type Dependencies = {
  workerId: string
  onFailpoint: OnFailpoint
  log: { error: LogLine }
  decryptTargets: DecryptTargets
}
type Parts = {
  inFlight: Pick<InFlight, 'publishLimitOf' | 'openPublication' | 'closePublication'>
  attempts: Pick<Attempts, 'take'>
  orphans: Pick<OrphanedLeases, 'add'>
}

/**
 * A transaction may fail, so what it claims is counted only when it is taken: limits may be exceeded by a claim that is under way
 * and by the open publications.
 */
export const createClaimOnPublish =
  (dependencies: Dependencies, parts: Parts): ClaimOnPublish =>
  (organizationId, now) => {
    const { inFlight, orphans } = parts
    const limit = inFlight.publishLimitOf(organizationId)
    if (limit === 0) return undefined
    inFlight.openPublication()
    const since = performance.now()
    const lease = newLease(dependencies.workerId, now)
    const attempt = async (...[deliveries, { targets, payloads }]: Parameters<OpenClaim['take']>) => {
      dependencies.onFailpoint('published')
      const fromPublication = { targets: dependencies.decryptTargets(organizationId, targets), payloads }
      await parts.attempts.take(deliveries, { committed: Promise.resolve(), since, fromPublication })
    }
    const giveUp = (err: unknown) => {
      dependencies.log.error({ err }, 'claim on publish failed; its deliveries are released')
      orphans.add(lease)
    }
    return {
      ...lease,
      limit,
      take: (deliveries, publication) => {
        if (deliveries.length === 0) inFlight.closePublication()
        else attempt(deliveries, publication).catch(giveUp).finally(inFlight.closePublication)
      },
      fail: () => {
        inFlight.closePublication()
        orphans.add(lease)
      },
    }
  }

/** `limit`: when more events or more deliveries are published, none is claimed. */
export type PublishClaim = Lease & { limit: number }

/** `targets`: of what was claimed, by webhook id. `waiting`: the webhooks that have something waiting. */
type Enqueued = { claimed: ClaimedDelivery[]; targets: Map<string, StoredTarget>; waiting: string[] }

/** Writes each event with one delivery for every webhook that has its trigger. */
export async function enqueue(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  claim?: PublishClaim,
): Promise<Enqueued> {
  // More events mostly have too many deliveries as well; where they have not, those wait all the same.
  if (claim && events.length <= claim.limit) return insertAndClaim(tx, organizationId, events, now, claim)
  return { claimed: [], targets: new Map(), waiting: await insertWaiting(tx, organizationId, events, now) }
}

/**
 * Each event of `published` with each trigger for it. `offset 0` keeps the look-up from becoming a join that reads all triggers; for
 * a list of names PostgreSQL 15 would read all of them too.
 */
const matched = (organizationId: string) => fragment`
    published p cross join lateral (
      select org_id, webhook_id, created_at from triggers
       where org_id = ${organizationId}::uuid and name = p.name and type = 'event' offset 0) t`

/** Cheaper than `insertAndClaim` where nothing may be claimed. */
const insertWaiting = (tx: Transaction, organizationId: string, events: StoredEvent[], now: string) =>
  valuesIn(tx)(sql<{ webhook_id: string }>`
    with ${insertEvents(organizationId, events)}, written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at)
      select t.org_id, t.webhook_id, p.id, p.name, t.created_at, ${now}::timestamptz from ${matched(organizationId)}
      returning webhook_id
    )
    select distinct webhook_id from written`)

/**
 * Claims what is of a healthy lane that has nothing due: all of a lane's or none, up to half of its limit, for what is woken comes
 * first, and the other half is for it. The same statement reads where the webhook is called: then nothing is left to be read.
 *
 * A lane is looked up by its key: by a `case`, which no other index answers. Planned while hardly any lane is healthy, the index of
 * due lanes would walk all healthy ones for each webhook (430 ms beside 20,000, measured). Lanes are updated by a list of keys beside
 * the join: else a hash join reads all lanes of the organization (50 ms beside 20,000). `limit 1` keeps the look-up of a webhook
 * from becoming such a join.
 *
 * It waits for no lane: a locked one is left alone. Those it claims from stay locked until the commit, and are settled afterwards.
 */
async function insertAndClaim(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  claim: PublishClaim,
): Promise<Enqueued> {
  const { leaseToken, workerId, leaseEnd, limit } = claim
  const rows = await tx.rows(sql<EnqueuedRow>`
    with ${insertEvents(organizationId, events)}, matched as materialized (
      select t.org_id, t.webhook_id, p.id, p.name, t.created_at from ${matched(organizationId)}
    ), wanted as materialized (
      select org_id, webhook_id, count(*)::int as count from matched group by 1, 2
    ), lane as materialized (
      select l.*, w.count, h.target_url, h.timeout_ms, h.custom_headers
        from wanted w cross join lateral (
          select org_id, webhook_id, max_in_flight, max_requests, failures from lanes
           where org_id = w.org_id and webhook_id = w.webhook_id and (select count(*) from matched) <= ${limit}::int
             and case when healthy then paused_reason is null else false end
             and cooldown_until <= ${now} and next_due_at > ${now} and in_flight + w.count <= max_in_flight / 2
             and ${isFreeFor(workerId)} for update skip locked) l
       cross join lateral (
          select target_url, timeout_ms, custom_headers from webhooks
           where org_id = l.org_id and id = l.webhook_id limit 1) h
    ), updated_lanes as (
      update lanes l set in_flight = l.in_flight + lane.count, leased_by = ${workerId}::uuid
        from lane where l.org_id = ${organizationId}::uuid and l.webhook_id = any(array(select webhook_id from lane))
                    and l.webhook_id = lane.webhook_id
    ), written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, is_leased, available_at,
                              lease_token, attempts_count, window_attempts)
      select m.org_id, m.webhook_id, m.id, m.name, m.created_at, c.claimed,
             case when c.claimed then ${leaseEnd}::timestamptz else ${now}::timestamptz end,
             case when c.claimed then ${leaseToken}::uuid end, c.claimed::int, c.claimed::int
        from matched m left join lane l on l.webhook_id = m.webhook_id
       cross join lateral (select l.webhook_id is not null as claimed) c
      returning webhook_id, event_id, trigger_name, trigger_created_at, ctid as row_location
    )
    select w.webhook_id, d.trigger_name, d.trigger_created_at, l.max_in_flight, l.max_requests, l.failures, l.target_url, l.timeout_ms, l.custom_headers,
           string_agg(d.event_id::text, ' ') as event_ids, string_agg(d.row_location::text, ' ') as row_locations
      from wanted w left join lane l using (webhook_id) left join written d on d.webhook_id = l.webhook_id
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9`)
  const claimed = rows.filter((row) => row.row_locations !== null)
  return {
    claimed: claimed.flatMap((row) => toDeliveries({ ...row, ...firstAttempt, org_id: organizationId }, claim)),
    targets: new Map(claimed.map((row) => [row.webhook_id, row])),
    waiting: rows.filter((row) => row.row_locations === null).map((row) => row.webhook_id),
  }
}

/** What is claimed on publish is of a healthy receiver. */
const firstAttempt = { attempts_count: 1, window_attempts: 1, window_opened_at: null, healthy: true, failing: false }

type EnqueuedRow =
  | (StoredTarget & Omit<AlikeRow, 'org_id' | keyof typeof firstAttempt>)
  | { webhook_id: string; row_locations: null }
