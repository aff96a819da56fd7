import { judged } from '../../../../src/delivery/queue/capacity.ts'
import type { Settlement } from '../../../../src/delivery/queue/delivery.ts'
import { createOverdue } from '../../../../src/delivery/queue/in-flight.ts'
import { keptSince } from '../../../../src/delivery/queue/index.ts'
import { createSettler } from '../../../../src/delivery/queue/settler.ts'
import { type ConcurrencyRow, concurrencyOf } from '../../../../src/delivery/queue/store/claim.ts'
import { rescueDeliveries, sweepLanes } from '../../../../src/delivery/queue/store/rescue.ts'
import { sql } from '../../../../src/ground/database/sql.ts'
import { toTimestamp } from '../../../../src/ground/runtime/clock.ts'
import { makeId } from '../../../../src/ground/runtime/identifiers.ts'
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
}

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

export function rescue({ database, clock }: World) {
  const now = toTimestamp(clock.now())
  return rescueDeliveries(database.write, { before: now }, now)
}

export function sweep({ database, clock }: World) {
  const now = toTimestamp(clock.now())
  return sweepLanes(database.write, { now, lapsedBefore: now })
}

export function expire({ database, clock }: World) {
  const now = clock.now()
  return expireOld(database.write, keptSince(now, rules.retentionMs), now, AbortSignal.timeout(60_000))
}
