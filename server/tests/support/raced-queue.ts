import type { ClaimedDelivery, LaneKey, Settlement } from '../../src/delivery/queue/delivery.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { rescueDeliveries } from '../../src/delivery/queue/store/rescue.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { attempt, claimable, type Queue, settle, testQueue } from './queue.ts'

export const maxInFlight = 5
export const workerId = makeId(Date.now())
export let queue: Queue

export async function openQueue() {
  queue = await testQueue(24)
}

export const dropQueue = () => queue.drop()
export const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

export async function claim(
  limit: number,
  { queries = queue.database.write, leaseMs = 25_000, now = Date.now(), by = workerId } = {},
) {
  const options = { now: timestamp(now), leaseEnd: timestamp(now + leaseMs), leaseToken: makeId(now), workerId: by }
  return (await claimDeliveries(queries, { ...options, claimable: claimable(limit) })).deliveries
}

export const wake = (lanes: LaneKey[]) => wakeLanes(queue.database.write, lanes, timestamp(), workerId)

/** As a worker does: what somebody holds is woken again. */
export async function wakeAll(lanes: LaneKey[]) {
  for (let left = lanes; left.length > 0; ) left = (await wake(left)).locked
}

export const settleAll = (settlements: Settlement[]) => settle(queue.database.write, settlements, maxInFlight)
export const rescue = () => rescueDeliveries(queue.database.write, { before: timestamp() }, timestamp())
export const succeeded = (delivery: ClaimedDelivery): Settlement => ({ delivery, attempt, status: 'succeeded' })

export const toRetry = (delivery: ClaimedDelivery, inMs: number): Settlement => ({
  delivery,
  attempt,
  retryAt: timestamp(Date.now() + inMs),
})

/** Lanes whose count of calls in flight is not that of their deliveries, or above the limit. */
export const wrongLanes = () =>
  queue.database.write.rows(sql<{ in_flight: number; count: number }>`
    select * from (
      select in_flight, (select count(*) from deliveries d
                          where d.org_id = l.org_id and d.webhook_id = l.webhook_id and d.is_leased) as count from lanes l) l
     where in_flight <> count or in_flight > ${maxInFlight}`)

export async function countDeliveries() {
  const [row] = await queue.database.write.rows(sql<{ finished: number; pending: number; attempts: number }>`
    select (select count(*) from finished_deliveries) as finished, (select count(*) from deliveries) as pending,
           (select sum(attempts_count) from finished_deliveries) as attempts`)
  return { finished: 0, pending: 0, attempts: 0, ...row }
}
