import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimedDelivery, LaneKey } from '../../src/delivery/queue/delivery.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { expireDeliveries } from '../../src/delivery/queue/store/log.ts'
import { sweepLanes } from '../../src/delivery/queue/store/rescue.ts'
import { findLostWorkers, rescueUnqueued } from '../../src/delivery/queue/store/unqueued.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { attempt, claimable, publishClaim, type Queue, settle, testQueue } from '../support/queue.ts'

const maxInFlight = 10
const workerId = makeId(Date.now())
const rescuer = makeId(Date.now())
let queue: Queue
let lane: LaneKey

beforeEach(async () => {
  queue = await testQueue(4)
  lane = (await queue.addWebhooks(1, maxInFlight))[0] as LaneKey
})

afterEach(() => queue.drop())

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()
const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
const logged = () => run('select status, attempts_count from finished_deliveries')
const counted = () => run('select status, count::int from delivery_counts')

/** The settlement of a worker that was found lost is committed while another worker rescues the delivery: neither sees the other's row. */
async function settleWhileRescued() {
  const { claimed } = await queue.publish(1, { claim: publishClaim(workerId) })
  await findLostWorkers(queue.database.write, rescuer, true)
  await queue.database.transaction(async (tx) => {
    await settle(tx, [{ delivery: claimed[0] as ClaimedDelivery, attempt, status: 'succeeded' }], maxInFlight)
    expect(await rescueUnqueued(queue.database.write, workerId, Date.now(), timestamp())).toBe(1)
  })
}

async function claimAgain() {
  await wakeLanes(queue.database.write, [lane], timestamp(), rescuer)
  const lease = { leaseEnd: timestamp(Date.now() + 25_000), leaseToken: makeId(Date.now()), workerId: rescuer }
  const claim = { ...lease, now: timestamp(), claimable: claimable(20) }
  return (await claimDeliveries(queue.database.write, claim)).deliveries
}

const expectEndedOnce = async () => {
  expect(await run('select from deliveries')).toEqual([])
  expect(await logged()).toEqual([{ status: 'succeeded', attempts_count: 1 }])
  expect(await counted()).toEqual([{ status: 'succeeded', count: 1 }])
}

test('A delivery that is settled while it is rescued is made once more, and not for ever', async () => {
  await settleWhileRescued()
  const [again] = (await claimAgain()) as [ClaimedDelivery]
  await settle(queue.database.write, [{ delivery: again, attempt, status: 'succeeded' }], maxInFlight)
  await expectEndedOnce()
  expect(await run('select in_flight from lanes')).toEqual([{ in_flight: 0 }])
})

test('A delivery that is settled while it is rescued keeps its end in the log once its event is past its time', async () => {
  await settleWhileRescued()
  const { organizationId, webhookId } = lane
  const batch = { before: firstIdAt(Date.now() + 1_000), now: timestamp(), limit: 10 }
  expect(await expireDeliveries(queue.database.write, organizationId, webhookId, batch)).toBe(1)
  await expectEndedOnce()
})

test('A delivery that is settled while it is rescued keeps its end in the log where its webhook is removed', async () => {
  await settleWhileRescued()
  await run('delete from lanes')
  await sweepLanes(queue.database.write, { now: timestamp(), lapsedBefore: timestamp(), workerId: rescuer })
  await expectEndedOnce()
})
