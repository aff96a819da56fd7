import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { targetsFreshForMs } from '../../src/delivery/queue/attempt.ts'
import { pauseLane } from '../../src/delivery/queue/store/lanes.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import {
  change,
  database,
  look,
  organization,
  path,
  publish,
  publishUntold,
  receiver,
  service,
  set,
  setUpClaims,
  startWorker,
  webhookId,
  worker,
} from '../support/claim-on-publish.ts'

setUpClaims()

test('A webhook that is paused before the reply to a claim is read gets no request any more', async () => {
  const { promise, resolve: read } = Promise.withResolvers<void>()
  set({ answersRead: promise })
  await publish()
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 1, healthy: true }])
  await database.transaction((tx) => pauseLane(tx, organization.id, webhookId, toTimestamp(Date.now())))
  await worker.revoke(webhookId)
  read()
  await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, healthy: true }])
  expect(receiver.received(path)).toHaveLength(1)
})

describe('The time between the commit and the moment when the worker is told of it', () => {
  test('A webhook that is paused between commit and hand-over gets no request any more', async () => {
    const tell = await publishUntold()
    await database.transaction((tx) => pauseLane(tx, organization.id, webhookId, toTimestamp(Date.now())))
    await worker.revoke(webhookId)
    tell()
    await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, healthy: true }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A webhook that is changed between commit and hand-over gets its request at the new address', async () => {
    const tell = await publishUntold()
    await change()
    await worker.revoke(webhookId)
    tell()
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A webhook whose change the worker was never told of gets its request at the new address after a second', async () => {
    const tell = await publishUntold()
    await change()
    await wait(targetsFreshForMs + 100)
    tell()
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A webhook that is changed while its signing key is looked up gets its request at the new address', async () => {
    const tell = await publishUntold()
    set({ lookUpMs: targetsFreshForMs + 100 })
    tell()
    await change()
    set({ lookUpMs: 0 })
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A webhook whose trigger is removed between commit and hand-over gets no request any more', async () => {
    const tell = await publishUntold()
    const trigger = 'trigger_type=event&trigger_name=PersonCreated_v1'
    await service.as(organization, 'DELETE', `/organizations/webhooks/${webhookId}/triggers?${trigger}`)
    await worker.revoke(webhookId)
    tell()
    const ends = () =>
      database.write.rows(sql`select status, reason from finished_deliveries where status <> 'succeeded'`)
    await expect.poll(ends).toEqual([{ status: 'cancelled', reason: 'trigger_deleted' }])
    expect(await look()).toEqual([{ pending: 0, in_flight: 0, healthy: true }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A worker that stopped releases the deliveries that it cannot send', async () => {
    const tell = await publishUntold()
    await worker.stop()
    tell()
    await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, healthy: true }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('A worker that stops while it reads targets and keys sends its deliveries or releases them', async () => {
    const tell = await publishUntold()
    tell()
    await worker.stop()
    expect(await look()).toEqual([{ pending: 1 - (receiver.received(path).length - 1), in_flight: 0, healthy: true }])
  })

  test('Deliveries that were claimed on publish by a process that dies are left to the next one', async () => {
    await publishUntold()
    expect(await look()).toEqual([{ pending: 0, in_flight: 1, healthy: true }])
    await worker.stop()
    startWorker()
    expect(await receiver.waitFor(path, 2)).toHaveLength(2)
  })
})
