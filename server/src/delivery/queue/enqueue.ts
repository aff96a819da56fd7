/**
 * Writes what is published with its deliveries. Where this process's worker has capacity, that statement also claims those of
 * healthy receivers: nothing is queued, woken, claimed or read for them.
 */
import type { Transaction } from '../../ground/database/database.ts'
import { isRolledBack } from '../../ground/database/postgres-error.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { type Enqueue, insertEvents, type LoadedPayloads, type Payloads, type StoredEvent } from '../events/index.ts'
import type { DecryptTargets, StoredTarget } from '../webhooks/index.ts'
import type { Attempts } from './attempt.ts'
import { type ClaimedDelivery, type Lease, type LogLine, nameOfLane, type OnFailpoint } from './delivery.ts'
import { type InFlight, maxClaimedOnPublish } from './in-flight.ts'
import { newLease } from './lease.ts'
import { type ConcurrencyRow, concurrencyOf } from './store/claim.ts'
import { isFreeFor } from './store/lanes.ts'
import type { Unqueued } from './unqueued.ts'
import type { Wake } from './wake.ts'

/** A claim that goes along with a publication. */
export type OpenClaim = PublishClaim & {
  /** To be called right after the commit, also when nothing was claimed. `targets`: by webhook id. `payloads`: by event id. */
  take(
    deliveries: ClaimedDelivery[],
    publication: { targets: Map<string, StoredTarget>; payloads: LoadedPayloads },
  ): void
  /** To be called when the transaction has failed, or nobody knows whether it is committed. */
  fail(events: StoredEvent[], error: unknown): void
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
    // A piece of many is too large to claim anything, and would keep the claims of others from being opened until its commit.
    const mayClaim = events.length <= maxClaimedOnPublish
    const claim = mayClaim ? claimOnPublish?.(organizationId, now) : undefined
    if (claim) tx.afterFailure((error) => claim.fail(events, error))
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
  inFlight: Pick<InFlight, 'publishLimitOf' | 'lanes' | 'openPublication'>
  attempts: Pick<Attempts, 'take'>
  unqueued: Pick<Unqueued, 'isOpen' | 'lose'>
}

/**
 * A transaction may fail, so what it claims is counted only when it is taken: limits may be exceeded by a claim that is under way
 * and by the open publications.
 */
export const createClaimOnPublish =
  (dependencies: Dependencies, parts: Parts): ClaimOnPublish =>
  (organizationId, now) => {
    const { inFlight, unqueued } = parts
    const limit = inFlight.publishLimitOf(organizationId)
    if (limit === 0 || !unqueued.isOpen(now)) return undefined
    const closePublication = inFlight.openPublication(now)
    const since = performance.now()
    const lease = newLease(dependencies.workerId, now)
    const attempt = async (...[deliveries, { targets, payloads }]: Parameters<OpenClaim['take']>) => {
      dependencies.onFailpoint('published')
      const fromPublication = { targets: dependencies.decryptTargets(organizationId, targets), payloads }
      await parts.attempts.take(deliveries, { committed: Promise.resolve(), since, fromPublication })
    }
    const lose = (eventIds: string[]) => unqueued.lose(organizationId, eventIds, now)
    const giveUp = (err: unknown, deliveries: ClaimedDelivery[]) => {
      dependencies.log.error({ err }, 'claim on publish failed; its deliveries are queued')
      lose(deliveries.map(({ eventId }) => eventId))
    }
    return {
      ...lease,
      limit,
      crowded: inFlight.lanes.crowdedOf(organizationId),
      take: (deliveries, publication) => {
        if (deliveries.length === 0) closePublication()
        else
          attempt(deliveries, publication)
            .catch((err) => giveUp(err, deliveries))
            .finally(closePublication)
      },
      fail: (events, error) => {
        // Most that fail were refused, such as for a handle that is taken, and are not to be looked for.
        if (!isRolledBack(error)) lose(events.map(({ id }) => id))
        closePublication()
      },
    }
  }

/** `limit`: when more events or more deliveries are published, none is claimed. `crowded`: webhooks that have enough in flight. */
export type PublishClaim = Lease & { limit: number; crowded: string[] }

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
  const isForAll = !events.some(({ onlyWebhookId }) => onlyWebhookId)
  if (claim && isForAll && events.length <= claim.limit) return insertAndClaim(tx, organizationId, events, now, claim)
  return { claimed: [], targets: new Map(), waiting: await insertWaiting(tx, organizationId, events, now) }
}

/**
 * Each trigger for one of the names of `from`. `offset 0` keeps the look-up from becoming a join that reads all triggers; for a list of
 * names PostgreSQL 15 would read all of them too.
 */
const matched = (organizationId: string, from: Fragment, which = fragment``) => fragment`
    ${from} p cross join lateral (
      select org_id, webhook_id, created_at from triggers
       where org_id = ${organizationId}::uuid and name = p.name and type = 'event' ${which} offset 0) t`

/** What was published with the triggers that it is for. Test events alone are ever for one webhook: of others nothing is compared. */
function publishedFor(organizationId: string, events: StoredEvent[]) {
  const only = events.filter(({ onlyWebhookId }) => onlyWebhookId)
  if (only.length === 0) return matched(organizationId, fragment`published`)
  const ids = only.map(({ id }) => id)
  const webhookIds = only.map(({ onlyWebhookId }) => onlyWebhookId)
  const from = fragment`published left join unnest(${ids}::uuid[], ${webhookIds}::uuid[]) as receiver (id, only_webhook_id) using (id)`
  return matched(
    organizationId,
    fragment`(select * from ${from})`,
    fragment`and (p.only_webhook_id is null or webhook_id = p.only_webhook_id)`,
  )
}

/** Cheaper than `insertAndClaim` where nothing may be claimed. */
const insertWaiting = (tx: Transaction, organizationId: string, events: StoredEvent[], now: string) =>
  valuesIn(tx)(sql<{ webhook_id: string }>`
    with ${insertEvents(organizationId, events)}, written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at)
      select t.org_id, t.webhook_id, p.id, p.name, t.created_at, ${now}::timestamptz from ${publishedFor(organizationId, events)}
      returning webhook_id
    )
    select distinct webhook_id from written`)

/**
 * Claims what is for a healthy lane that has nothing due: all of a lane's or none, up to half of its limit, for what is woken comes
 * first, and the other half is for it. What is claimed has no row in the queue: its event says so. The same statement reads where the
 * webhook is called: then nothing is left to be read.
 *
 * A lane is looked up by its key: by a `case`, which no other index answers. Planned while hardly any lane is healthy, the index of
 * due lanes would walk all healthy ones for each webhook (430 ms beside 20,000, measured). Lanes are updated by a list of keys:
 * by a join, all lanes of the organization would be read for a hash (50 ms beside 20,000). `limit 1` keeps a look-up from becoming
 * such a join.
 *
 * A lane that this worker has already is neither locked nor written, so that nothing of what succeeds at once leaves a dead row. One
 * that nobody has is leased, unless it is locked: this statement waits for none.
 */
async function insertAndClaim(
  tx: Transaction,
  organizationId: string,
  events: StoredEvent[],
  now: string,
  claim: PublishClaim,
): Promise<Enqueued> {
  const { workerId, limit, crowded } = claim
  const mayClaim = (count: Fragment) => fragment`
    case when healthy then paused_reason is null else false end and cooldown_until <= ${now} and next_due_at > ${now}
             and ${count} <= max_in_flight / 2 and ${isFreeFor(workerId)}`
  const rows = await tx.rows(sql<EnqueuedRow>`
    with named as materialized (
      select name, count(*)::int as count from unnest(${events.map(({ name }) => name)}::text[]) as e (name) group by 1
    ), matched as materialized (
      select t.org_id, t.webhook_id, p.name, p.count, t.created_at from ${matched(organizationId, fragment`named`)}
    ), wanted as materialized (
      select org_id, webhook_id, sum(count)::int as count from matched group by 1, 2
    ), free as materialized (
      select w.count, l.* from wanted w cross join lateral (
          select org_id, webhook_id, max_in_flight, max_requests, failures, leased_by is not distinct from ${workerId}::uuid as is_own from lanes
           where org_id = w.org_id and webhook_id = w.webhook_id and (select sum(count) from matched) <= ${limit}::int
             and webhook_id <> all(${crowded}::uuid[]) and ${mayClaim(fragment`w.count`)}
           limit 1) l
       where exists (select from unqueued_since where worker_id = ${workerId} and not is_lost)
    ), leased as materialized (
      select f.webhook_id from free f cross join lateral (
          select from lanes
           where org_id = f.org_id and webhook_id = f.webhook_id and ${mayClaim(fragment`f.count`)} for no key update skip locked) l
       where not f.is_own
    ), updated_lanes as (
      update lanes l set leased_by = ${workerId}::uuid
       where l.org_id = ${organizationId}::uuid and l.webhook_id = any(array(select webhook_id from leased))
    ), lane as materialized (
      select f.*, h.target_url, h.timeout_ms, h.custom_headers
        from free f cross join lateral (
          select target_url, timeout_ms, custom_headers from webhooks
           where org_id = f.org_id and id = f.webhook_id limit 1) h
       where f.is_own or f.webhook_id in (select webhook_id from leased)
    ), claim as materialized (
      select m.name, ${workerId}::uuid as claimed_by, array_agg(m.webhook_id) as claimed_for from matched m join lane using (webhook_id) group by 1
    ), ${insertEvents(organizationId, events, { isClaimed: true })}, written as (
      insert into deliveries (org_id, webhook_id, event_id, trigger_name, trigger_created_at, available_at)
      select m.org_id, m.webhook_id, p.id, m.name, m.created_at, ${now}::timestamptz
        from published p join matched m using (name) where m.webhook_id not in (select webhook_id from lane)
    )
    select m.webhook_id, m.name as trigger_name, m.created_at as trigger_created_at, l.webhook_id is not null as is_claimed,
           l.max_in_flight, l.max_requests, l.failures, l.target_url, l.timeout_ms, l.custom_headers
      from matched m left join lane l using (webhook_id)`)
  const claimed = rows.filter(isClaimed)
  return {
    claimed: events.flatMap(({ id, name }) =>
      claimed
        .filter((row) => row.trigger_name === name)
        .map((row) => toDelivery(row, { organizationId, eventId: id }, claim)),
    ),
    targets: new Map(claimed.map((row) => [row.webhook_id, row])),
    waiting: [...new Set(rows.filter((row) => !isClaimed(row)).map((row) => row.webhook_id))],
  }
}

/** For each webhook and each name of an event. */
type ClaimedRow = StoredTarget &
  ConcurrencyRow & {
    is_claimed: true
    webhook_id: string
    trigger_name: string
    trigger_created_at: Date | null
    max_in_flight: number
  }
type EnqueuedRow = ClaimedRow | { is_claimed: false; webhook_id: string }

const isClaimed = (row: EnqueuedRow): row is ClaimedRow => row.is_claimed

/** The first attempt, for a healthy receiver. */
function toDelivery(
  row: ClaimedRow,
  { organizationId, eventId }: { organizationId: string; eventId: string },
  { leaseToken, leaseEnd }: Lease,
): ClaimedDelivery {
  const lane = { organizationId, webhookId: row.webhook_id }
  return {
    ...lane,
    laneName: nameOfLane(lane),
    eventId,
    triggerName: row.trigger_name,
    leaseToken,
    leaseEndsAt: Date.parse(leaseEnd),
    attemptNumber: 1,
    windowAttempts: 1,
    windowOpenedAt: null,
    triggerCreatedAt: row.trigger_created_at?.getTime() ?? null,
    isHealthy: true,
    isFailing: false,
    maxInFlight: row.max_in_flight,
    concurrency: concurrencyOf(row),
    rowLocation: null,
  }
}
