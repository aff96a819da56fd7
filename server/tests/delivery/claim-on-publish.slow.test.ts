import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { NewEvent } from '../../src/delivery/events/index.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import {
  clock,
  connection,
  content,
  created,
  database,
  deleted,
  duringClaims,
  look,
  nextClaim,
  organization,
  passed,
  path,
  publish,
  publishIn,
  receiver,
  service,
  setUpClaims,
  startWorker,
  unsignable,
  wake,
  waking,
  webhookId,
  wokenAfter,
  worker,
} from '../support/claim-on-publish.ts'
import { addWebhook } from '../support/webhooks.ts'

setUpClaims()

test('An idle worker claims on publish, and calls without being woken, claiming or reading again', async () => {
  const headers = { custom_headers: { 'x-token': ['secret'] } }
  await service.as(organization, 'PATCH', `/organizations/webhooks/${webhookId}`, headers)
  const claim = await nextClaim()
  passed.length = 0
  // Gone from the tables: only who has it in memory can call.
  await database.transaction(async (tx) => {
    await publishIn(tx, claim)
    await tx.rows(sql`delete from events where org_id = ${organization.id}`)
    await tx.rows(sql`update webhooks set target_url = 'https://elsewhere.test/', custom_headers = null`)
  })
  const [, second] = await receiver.waitFor(path, 2)
  expect(second?.headers['x-token']).toBe('secret')
  await expect.poll(() => passed).toEqual(['published', 'claimed', 'prepared', 'sent', 'responded', 'settled'])
  expect(await look()).toEqual([{ pending: 0, in_flight: 0, healthy: true }])
})

test('Events of several triggers of a webhook are claimed together on publish', async () => {
  await service.as(organization, 'POST', `/organizations/webhooks/${webhookId}/triggers`, {
    trigger_type: 'event',
    trigger_name: 'PersonDeleted_v1',
  })
  const claim = await nextClaim()
  passed.length = 0
  await publish(claim, [created, deleted])
  await receiver.waitFor(path, 3)
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, healthy: true }])
  expect(passed).not.toContain('woken')
})

test('A delivery that cannot be signed waits, and holds up nothing that was claimed with it', async () => {
  const claim = await nextClaim()
  const of = (person_id: string): NewEvent => ({ name: 'PersonCreated_v1', content: { ...content, person_id } })
  await publish(claim, [of(makeId(2)), of(unsignable), of(makeId(3))])
  await receiver.waitFor(path, 3)
  await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, healthy: true }])
  const waits = await database.write.rows(sql<{ seconds: number }>`
    select extract(epoch from available_at - ${toTimestamp(clock.now())}::timestamptz)::float8 as seconds from deliveries`)
  expect(waits).toEqual([{ seconds: expect.toSatisfy((seconds) => seconds > 50 && seconds <= 60) }])
  expect(receiver.received(path)).toHaveLength(3)
})

test('Deliveries of a transaction that is rolled back are never given to the worker', async () => {
  const claim = await nextClaim()
  passed.length = 0
  const lost = database.transaction(async (tx) => {
    await publishIn(tx, claim)
    throw new Error('rolled back')
  })
  await expect(lost).rejects.toThrow('rolled back')
  await publish()
  await receiver.waitFor(path, 2)
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, healthy: true }])
  expect(receiver.received(path)).toHaveLength(2)
  expect(passed.filter((failpoint) => failpoint === 'published')).toHaveLength(1)
})

test('A worker that is kept from a lane claims on publish nothing of its organization until it is woken, and all of others', async () => {
  const mayClaim = (id = organization.id) => worker.claimOnPublish(id, clock.now()) !== undefined
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    await expect.poll(() => mayClaim()).toBe(false)
    const seen = await duringClaims(() => [mayClaim(), mayClaim(makeId(4))])
    for (const each of seen) expect(each).toEqual([false, true])
  })
  await receiver.waitFor(path, 2)
  await expect.poll(() => mayClaim()).toBe(true)
})

test('A worker that is kept from a lane claims nothing on publish while it claims from other lanes either', async () => {
  const otherPath = `${path}/other`
  await addWebhook(service, organization, receiver.url(otherPath), ['PersonDeleted_v1'])
  const publishOther = () => publish(undefined, [deleted])
  await publishOther()
  await receiver.waitFor(otherPath, 1)
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    for (let times = 0; times < 20; times++) {
      await publishOther()
      await receiver.waitFor(otherPath, 2 + times)
      expect(worker.claimOnPublish(organization.id, clock.now())).toBeUndefined()
    }
  })
  await receiver.waitFor(path, 2)
})

test('A worker that is kept from a due lane that is not healthy claims on publish for healthy ones', async () => {
  const id = await addWebhook(service, organization, receiver.url(`${path}/new`), ['PersonDeleted_v1'])
  const mayClaim = () => worker.claimOnPublish(organization.id, clock.now()) !== undefined
  await database.write.rows(sql`update lanes set next_due_at = ${toTimestamp(clock.now())} where webhook_id = ${id}`)
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${id} for update`)
    worker.claimSoon()
    // Both loops have looked.
    await duringClaims(mayClaim)
    expect(await duringClaims(mayClaim)).not.toContain(false)
  })
})

test('After a claim of many deliveries a worker waits for events that are published meanwhile', async () => {
  wokenAfter.length = 0
  for (let times = 0; times < 40; times++) await publish(undefined, Array(10).fill(created))
  await receiver.waitFor(path, 401)
  // Without the wait three in ten were 6 ms or less. A claim that finds a few, or knows of more, is followed by one at once.
  expect(wokenAfter.toSorted((a, b) => a - b)[Math.floor(wokenAfter.length * 0.3)]).toBeGreaterThan(7)
})

test('After a claim that found nothing a worker waits for events that are published meanwhile', async () => {
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    await expect.poll(() => passed.filter((failpoint) => failpoint === 'woken').length).toBeGreaterThan(2)
    passed.length = 0
    const began = performance.now()
    for (let times = 0; times < 100; times++) {
      await wait(2)
      wake(organization.id, [webhookId])
    }
    const wakings = passed.filter((failpoint) => failpoint === 'woken').length
    expect(wakings).toBeLessThanOrEqual(1 + (performance.now() - began) / 7)
  })
  await receiver.waitFor(path, 2)
})

test('A lane that a worker was kept from until it stopped is woken afterwards', async () => {
  const asleep = () => database.write.rows(sql`select from lanes where next_due_at = 'infinity'`)
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    await worker.stop()
    expect(await asleep()).toHaveLength(1)
  })
  await waking.allWoken()
  expect(await asleep()).toHaveLength(0)
})

test('A worker that stops tells the others, which may then claim what it had', async () => {
  await worker.stop()
  startWorker({ isAlone: false })
  const other = new pg.Client(connection)
  await other.connect()
  try {
    const channels: string[] = []
    other.on('notification', ({ channel }) => channels.push(channel))
    await other.query('listen signet_due')
    await worker.stop()
    await expect.poll(() => channels).toEqual(['signet_due'])
  } finally {
    await other.end()
  }
})

test('A wake-up whose reply from the database is lost makes nobody wait', async () => {
  const newPath = `${path}/new`
  await addWebhook(service, organization, receiver.url(newPath), ['PersonDeleted_v1'])
  const { early } = database
  let isLost = false
  database.early = async (others) => {
    database.early = early
    const lost = new Error('the answer is lost')
    const losing = (queries: Queries): Queries => ({
      rows: async (statement) => {
        await queries.rows(statement)
        isLost = true
        throw lost
      },
    })
    await others(losing(database.write))
    throw lost
  }
  await publish(undefined, [deleted])
  expect(await receiver.waitFor(newPath, 1)).toHaveLength(1)
  expect(isLost).toBe(true)
})

test('A worker that has stopped claims nothing on publish', async () => {
  await worker.stop()
  expect(worker.claimOnPublish(organization.id, clock.now())).toBeUndefined()
})
