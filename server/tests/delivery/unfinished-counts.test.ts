import { expect, test } from 'vitest'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { countUnfinished } from '../../src/delivery/statistics/statistics-store.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { claimable, publishClaim, testQueue } from '../support/queue.ts'

test('Statistics count as in flight what a worker has, with a row in the queue and without', async () => {
  await using cleanup = new AsyncDisposableStack()
  const queue = await testQueue(4)
  cleanup.defer(queue.drop)
  const lanes = await queue.addWebhooks(1, 10)
  const [workerId, leaseToken] = [makeId(Date.now()), makeId(Date.now())]
  const counts = () => countUnfinished(queue.database.read, queue.organizationId)

  const { claimed } = await queue.publish(2, { claim: publishClaim(workerId) })
  expect(claimed).toHaveLength(2)
  expect(await counts()).toEqual({ pending: 0, in_flight: 2, held: 0 })

  await queue.publish(3)
  expect(await counts()).toEqual({ pending: 3, in_flight: 2, held: 0 })

  const now = new Date().toISOString()
  const leaseEnd = new Date(Date.now() + 25_000).toISOString()
  await wakeLanes(queue.database.write, lanes, now, workerId)
  await claimDeliveries(queue.database.write, { now, leaseEnd, leaseToken, workerId, claimable: claimable(3) })
  expect(await counts()).toEqual({ pending: 0, in_flight: 5, held: 0 })
})
