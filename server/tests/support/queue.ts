import type { LaneKey, LaneReport, Settlement } from '../../src/delivery/queue/delivery.ts'
import { enqueue, type PublishClaim } from '../../src/delivery/queue/enqueue.ts'
import { settleDeliveries } from '../../src/delivery/queue/store/settle.ts'
import { sayUnqueuedSince } from '../../src/delivery/queue/store/unqueued.ts'
import { type Database, openDatabase, type Queries, type Transaction } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from './database.ts'

/** The delivery queue on a database of its own, without a worker: webhooks that are all called on PersonCreated_v1. */
export type Queue = {
  connection: Awaited<ReturnType<typeof testDatabase>>
  database: Database
  organizationId: string
  /** Makes so many webhooks with their lanes, of receivers that are healthy when more than one may be in flight. */
  addWebhooks(count: number, maxInFlight?: number): Promise<LaneKey[]>
  /** Commits so many events, each with one delivery for every webhook. Nobody is woken, and without a claim none is claimed. */
  publish(count: number, options?: Publishing): Promise<Published>
  drop(): Promise<void>
}

/** `since`: from when on the claiming worker may have something under way. */
type Publishing = { claim?: PublishClaim; now?: number; since?: number }
type Published = Awaited<ReturnType<typeof enqueue>>

export async function testQueue(connections: number): Promise<Queue> {
  const connection = await testDatabase()
  const database = openDatabase(connection, connections)
  const organizationId = makeId(Date.now())
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at) values (${organizationId}, 'x', 'unlimited', now())`)
  return {
    connection,
    database,
    organizationId,
    addWebhooks: (count, maxInFlight = 1) => addWebhooks(database.write, organizationId, count, maxInFlight),
    publish: (count, options) => database.transaction((tx) => publishIn(tx, organizationId, count, options)),
    drop: async () => {
      await database.close()
      await connection.drop()
    },
  }
}

/** The same in a transaction that is still open. */
export async function publishIn(
  tx: Transaction,
  organizationId: string,
  count: number,
  { claim, now = Date.now(), since = now }: Publishing = {},
): Promise<Published> {
  const events = Array.from({ length: count }, () => makeEvent(now))
  if (claim) await sayUnqueuedSince(tx, claim.workerId, firstIdAt(since), true)
  return enqueue(tx, organizationId, events, new Date(now).toISOString(), claim)
}

/** Of a worker that would claim so many of what is published now. */
export const publishClaim = (
  workerId: string,
  { limit = 100, leaseMs = 25_000, now = Date.now() } = {},
): PublishClaim => ({
  leaseToken: makeId(now),
  workerId,
  leaseEnd: new Date(now + leaseMs).toISOString(),
  limit,
  crowded: [],
})

/** Whether some session waits for a lock of another one. */
export async function isBlocked(queries: Queries) {
  const [row] = await queries.rows(sql<{ blocked: boolean }>`
    select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as blocked`)
  return row?.blocked
}

/** Keeps the advisory lock 1, for which a statement can be made to wait; gives what releases it. */
export async function keepLock(database: Database): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const holder = database.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(1)`)
    holding.resolve()
    await released
  })
  await holding.promise
  return () => {
    release()
    return holder
  }
}

/** As the log shows it. */
export const attempt = { number: 1, jti: makeId(0), started_at: new Date(0).toISOString(), duration_ms: 1 }

/** May take so many of any lane and organization. */
export const claimable = (limit: number) => ({
  healthy: { limit, excluded: [] },
  degraded: { limit, excluded: [] },
  failing: { limit, excluded: [] },
  ofNew: { maxInFlight: 1, crowded: [] },
})

/** Settles as the worker does: what somebody holds is settled again. */
export async function settle(queries: Queries, settlements: Settlement[], maxInFlight: number, now?: string) {
  for (let left = settlements; left.length > 0; ) {
    const { locked } = await settleOnce(queries, left, maxInFlight, now)
    left = left.filter(({ delivery }) => locked.some(({ webhookId }) => webhookId === delivery.webhookId))
  }
}

/** What is to be tried again has failed, and its receiver needs no rest. */
export function settleOnce(
  queries: Queries,
  settlements: Settlement[],
  maxInFlight: number,
  now = new Date().toISOString(),
) {
  const reports = new Map<string, LaneReport>()
  for (const settlement of settlements) {
    const { organizationId, webhookId } = settlement.delivery
    const succeeded = 'status' in settlement || (reports.get(webhookId)?.succeeded ?? false)
    reports.set(webhookId, {
      organizationId,
      webhookId,
      succeeded,
      isHealthy: true,
      isDown: !succeeded,
      failures: succeeded ? 0 : 5,
      maxInFlight,
      refillAt: Math.floor(maxInFlight / 2),
      requestsAtOnce: succeeded ? maxInFlight : 1,
      maxRequests: null,
      isNews: true,
    })
  }
  const times = { now, cooldownUntil: now, failingBefore: '-infinity', pauseBefore: '-infinity' }
  return settleDeliveries(queries, settlements, [...reports.values()], times)
}

const makeEvent = (now: number) => ({ id: makeId(now), name: 'PersonCreated_v1', payload: '{}' }) as const

async function addWebhooks(
  queries: Queries,
  organizationId: string,
  count: number,
  maxInFlight: number,
): Promise<LaneKey[]> {
  const ids = Array.from({ length: count }, () => makeId(Date.now()))
  await queries.rows(sql`
    with webhook as (
      insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
      select ${organizationId}, id, id, id, '', '', 0, now() from unnest(${ids}::uuid[]) id returning org_id, id
    ), lane as (
      insert into lanes (org_id, webhook_id, max_in_flight, healthy) select org_id, id, ${maxInFlight}::int, ${maxInFlight > 1}::boolean from webhook
    )
    insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
    select org_id, id, 'event', 'PersonCreated_v1', 'fail', now() from webhook`)
  return ids.map((webhookId) => ({ organizationId, webhookId }))
}
