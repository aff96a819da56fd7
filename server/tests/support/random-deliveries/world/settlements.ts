import { judged } from '../../../../src/delivery/queue/capacity.ts'
import type { Settlement } from '../../../../src/delivery/queue/delivery.ts'
import { createOverdue } from '../../../../src/delivery/queue/in-flight.ts'
import { keptSince } from '../../../../src/delivery/queue/index.ts'
import { createSettler } from '../../../../src/delivery/queue/settler.ts'
import { type ConcurrencyRow, concurrencyOf } from '../../../../src/delivery/queue/store/claim.ts'
import { rescueDeliveries, sweepLanes } from '../../../../src/delivery/queue/store/rescue.ts'
import { rescueUnqueued } from '../../../../src/delivery/queue/store/unqueued.ts'
import { valuesIn } from '../../../../src/ground/database/rows.ts'
import { sql } from '../../../../src/ground/database/sql.ts'
import { toTimestamp } from '../../../../src/ground/runtime/clock.ts'
import { firstIdAt, makeId } from '../../../../src/ground/runtime/identifiers.ts'
import { expireOld } from '../../../../src/start/retention.ts'
import { rules } from '../rules.ts'
import { ignored, requestsPerWebhook, type World } from './world.ts'

export async function settle(world: World, settlements: Settlement[]) {
  const { database, clock } = world
  const errors: unknown[] = []
  const settler = createSettler({
    overdue: createOverdue(),
    database,
    clock,
    workerId: makeId(clock.now()),
    requestsPerWebhook,
    cooldownMs: rules.cooldownMs,
    pauseAfterMs: rules.pauseAfterMs,
    failingAfterMs: rules.retry.initialMs,
    onDue: ignored,
    onSettled: ignored,
    onError: (error: unknown) => errors.push(error),
  })
  const inOrder = await judgedInOrder(world, settlements)
  await Promise.all(inOrder.map((settlement) => settler.settle(settlement)))
  if (errors.length > 0) throw errors[0]
  await releaseIdle(world)
}

/** Workers give back a lane as soon as nothing of it is in flight. */
const releaseIdle = ({ database }: World) =>
  database.write.rows(sql`
    update lanes l set leased_by = null
     where in_flight = 0 and leased_by is not null and not exists (
       select from unqueued_deliveries u where u.org_id = l.org_id and u.webhook_id = l.webhook_id)`)

/** Each call was made by a sender of its own; what a receiver may have afterwards follows from what was settled before. */
async function judgedInOrder({ database }: World, settlements: Settlement[]): Promise<Settlement[]> {
  const lanes = await database.write.rows(sql<ConcurrencyRow & { webhook_id: string }>`
    select webhook_id, max_requests, failures from lanes`)
  const known = new Map(lanes.map((lane) => [lane.webhook_id, concurrencyOf(lane)]))
  return settlements.map((settlement) => {
    const { delivery, observation } = settlement
    const before = known.get(delivery.webhookId)
    if (!before || !observation || !('succeeded' in observation)) return settlement
    const concurrency = judged(before, { ...observation, isFirst: true }, requestsPerWebhook)
    known.set(delivery.webhookId, concurrency)
    return { ...settlement, concurrency }
  })
}

/** A worker that has not settled in time what is not in the queue was lost, with all of it. */
export async function rescue(world: World) {
  const { database, clock } = world
  const now = toTimestamp(clock.now())
  await rescueDeliveries(database.write, { before: now }, now)
  const lost = await valuesIn(database.read)(sql<{ worker_id: string }>`
    select distinct claimed_by as worker_id from unqueued_deliveries
     where event_id < ${firstIdAt(clock.now() - rules.leaseMs)}`)
  for (const workerId of lost) await rescueUnqueued(database.write, workerId, clock.now(), now)
  await releaseIdle(world)
}

export function sweep({ database, clock }: World) {
  const now = toTimestamp(clock.now())
  return sweepLanes(database.write, { now, lapsedBefore: now, workerId: makeId(clock.now()) })
}

export function expire({ database, clock }: World) {
  const now = clock.now()
  return expireOld(database.write, keptSince(now, rules.retentionMs), now, AbortSignal.timeout(60_000))
}
