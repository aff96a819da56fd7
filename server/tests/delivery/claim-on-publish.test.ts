import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Database, openDatabase, type Queries, type Transaction } from '../../src/database/database.ts'
import { sql } from '../../src/database/sql.ts'
import { targetsGoodForMs } from '../../src/delivery/attempt.ts'
import { createEnqueue, type Offer } from '../../src/delivery/claim-on-publish.ts'
import type { Step } from '../../src/delivery/delivery.ts'
import type { Claimed } from '../../src/delivery/queue/claim.ts'
import { pauseLane } from '../../src/delivery/queue/lanes.ts'
import { type NewOrder, openSender, type Sender } from '../../src/delivery/sender/sender.ts'
import { createWorker, type Worker } from '../../src/delivery/start.ts'
import { createLaneWaker, createWake, type Wake } from '../../src/delivery/wake.ts'
import { createPayloads, createPublish, type NewEvent } from '../../src/events/index.ts'
import { createKeys, type FindSigners } from '../../src/keys/index.ts'
import { runningClock, toTimestamp } from '../../src/runtime/clock.ts'
import { makeId } from '../../src/runtime/identifiers.ts'
import { createDecryptTargets, createLoadTargets } from '../../src/webhooks/index.ts'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const keyring = makeKeyring()
const clock = runningClock()
const payloads = createPayloads()
const ignored = () => {}
const log = { level: 'silent', info: ignored, debug: ignored, error: ignored }

let receiver: Receiver
let connection: Awaited<ReturnType<typeof testDatabase>>
let database: Database
let service: Service
let worker: Worker
let organization: Organization
let webhookId: string
let path: string
let steps: Step[]
let claimedAt: number
/** Milliseconds from one claim to the arming with the next. */
let wokenAfter: number[]
/** What it takes to look up a key. */
let lookUpMs: number
/** Until then the answers of claims that took something lie unread. */
let answersRead: Promise<void> | undefined
/** A person of whom nothing can be signed. */
const unsignable = makeId(1)

/** The organization's webhook is quick: it has answered once. */
beforeEach(async () => {
  receiver = await startReceiver()
  connection = await testDatabase()
  database = openDatabase(connection, 4, { planning: 'queue' })
  service = await startService({ connection, receiver, clock, keyring, env: { SIGNET_ROLES: 'api' } })
  steps = []
  wokenAfter = []
  lookUpMs = 0
  answersRead = undefined
  startWorker()
  organization = await service.organization()
  path = `/${organization.id}`
  webhookId = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  await publish()
  await receiver.waitFor(path, 1)
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, quick: true }])
})

afterEach(async () => {
  await Promise.all([worker?.stop(), service?.stop(), receiver?.stop()])
  await database?.close()
  await connection?.drop()
})

let waking: ReturnType<typeof createWake>
const wake: Wake = (...told) => waking.wake(...told)

/** Its key for what is unsignable is a public one. */
function withBadKey(sender: Sender): Sender {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spoil = (order: NewOrder): NewOrder => {
    const { payload, terms } = order
    if (!payload.includes(unsignable)) return order
    return { ...order, terms: { ...terms, key: { ...terms.key, privateKey: publicKey } } }
  }
  return { ...sender, order: (orders) => sender.order(orders.map(spoil)) }
}

function readLate(given: Database): Database {
  const early: Database['early'] = async (...asked) => {
    const answer = await given.early(...asked)
    if ((answer.result as Claimed).deliveries.length > 0) await answersRead
    return answer
  }
  return { ...given, early }
}

/** Beside a service that only answers: what this test publishes is offered to this worker. */
function startWorker({ isAlone = true } = {}) {
  const config = readConfig({ SIGNET_OPERATOR_KEY: 'x'.repeat(32), SIGNET_WEBHOOK_RESOLVE: receiver.resolve })
  const owner = makeId(clock.now())
  const onStep = (step: Step) => {
    steps.push(step)
    if (step === 'claimed') claimedAt = performance.now()
    if (step === 'woken') wokenAfter.push(performance.now() - claimedAt)
  }
  const laneWaker = createLaneWaker({ database, clock, owner, isAlone: true, onStep, onError: ignored })
  const { findSigners } = createKeys({ database, clock, keyring, keyLeadMs: 1, keyRotationMs: 1 })
  const certificateAuthorities = [readFileSync(receiver.caFile, 'utf8')]
  const findSlowly: FindSigners = async (...asked) => {
    if (lookUpMs > 0) await wait(lookUpMs)
    return findSigners(...asked)
  }
  const { baseUrl, retry, calls: caps, pauseAfterMs } = config
  const egressOptions = { resolve: config.resolve, allowCidrs: [], maxConnections: 8, certificateAuthorities }
  const sender = withBadKey(openSender({ egressOptions, caps, tellsBegun: true, onError: ignored }))
  worker = createWorker({
    ...{
      database: readLate(database),
      clock,
      sender,
      baseUrl,
      retry,
      caps,
      pauseAfterMs,
      owner,
      laneWaker,
      onStep,
      log,
    },
    findSigners: findSlowly,
    ...{ loadTargets: createLoadTargets(keyring), decryptTargets: createDecryptTargets(keyring), payloads, isAlone },
  })
  worker.start()
  waking = createWake({ database, laneWaker, worker, onStep })
}

/** The worker offers by then, or soon. */
async function nextOffer(): Promise<Offer> {
  let offer: Offer | undefined
  await expect
    .poll(() => {
      offer = worker.makeOffer(organization.id, clock.now())
      return offer !== undefined
    })
    .toBe(true)
  return offer as Offer
}

const content = { analytics_metadata: {}, person_id: makeId(0), region: 'local' }
const created: NewEvent = { name: 'PersonCreated_v1', content }
const deleted: NewEvent = { name: 'PersonDeleted_v1', content: {} }

const publishIn = (tx: Transaction, offer?: Offer, events: NewEvent[] = [created]) =>
  createPublish({ clock, enqueue: createEnqueue({ wake, makeOffer: () => offer, payloads }) })(
    tx,
    organization.id,
    events,
  )

const publish = (offer?: Offer, events?: NewEvent[]) => database.transaction((tx) => publishIn(tx, offer, events))

/** This process is slow: gives what tells the worker of the commit. */
async function publishUntold(): Promise<() => void> {
  const told: (() => void)[] = []
  const offer = await nextOffer()
  await publish({ ...offer, take: (...taken) => told.push(() => offer.take(...taken)) })
  expect(told).toHaveLength(1)
  return told[0] as () => void
}

/** Of its address, by the process that answers. */
const change = () =>
  service.as(organization, 'PATCH', `/organizations/webhooks/${webhookId}`, { target_url: receiver.url(`${path}/new`) })

const look = () =>
  database.write.rows(sql<{ pending: number; in_flight: number; quick: boolean }>`
    select count(d.event_id) filter (where not d.in_flight)::int as pending, l.in_flight, l.quick
      from lanes l left join deliveries d on d.org_id = l.org_id and d.webhook_id = l.webhook_id
     where l.webhook_id = ${webhookId} group by l.in_flight, l.quick`)

test('what an idle worker is offered is called without being woken, claimed or read', async () => {
  const headers = { custom_headers: { 'x-token': ['secret'] } }
  await service.as(organization, 'PATCH', `/organizations/webhooks/${webhookId}`, headers)
  const offer = await nextOffer()
  steps.length = 0
  // Gone from the tables: only who has it in memory can call.
  await database.transaction(async (tx) => {
    await publishIn(tx, offer)
    await tx.rows(sql`delete from events where org_id = ${organization.id}`)
    await tx.rows(sql`update webhooks set target_url = 'https://elsewhere.test/', custom_headers = null`)
  })
  const [, second] = await receiver.waitFor(path, 2)
  expect(second?.headers['x-token']).toBe('secret')
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, quick: true }])
  expect(steps).toEqual(['published', 'claimed', 'prepared', 'called', 'answered', 'settled'])
})

test('events of several triggers of a webhook are claimed together as they are published', async () => {
  await service.as(organization, 'POST', `/organizations/webhooks/${webhookId}/triggers`, {
    trigger_type: 'event',
    trigger_name: 'PersonDeleted_v1',
  })
  const offer = await nextOffer()
  steps.length = 0
  await publish(offer, [created, deleted])
  await receiver.waitFor(path, 3)
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, quick: true }])
  expect(steps).not.toContain('woken')
})

test('what cannot be signed waits, and holds up nothing that was claimed with it', async () => {
  const offer = await nextOffer()
  const of = (person_id: string): NewEvent => ({ name: 'PersonCreated_v1', content: { ...content, person_id } })
  await publish(offer, [of(makeId(2)), of(unsignable), of(makeId(3))])
  await receiver.waitFor(path, 3)
  await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, quick: true }])
  const waits = await database.write.rows(sql<{ seconds: number }>`
    select extract(epoch from due_at - ${toTimestamp(clock.now())}::timestamptz)::float8 as seconds from deliveries`)
  expect(waits).toEqual([{ seconds: expect.toSatisfy((seconds) => seconds > 50 && seconds <= 60) }])
  expect(receiver.received(path)).toHaveLength(3)
})

test('what is rolled back is never given to the worker', async () => {
  const offer = await nextOffer()
  steps.length = 0
  const lost = database.transaction(async (tx) => {
    await publishIn(tx, offer)
    throw new Error('rolled back')
  })
  await expect(lost).rejects.toThrow('rolled back')
  await publish()
  await receiver.waitFor(path, 2)
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, quick: true }])
  expect(receiver.received(path)).toHaveLength(2)
  expect(steps.filter((step) => step === 'published')).toHaveLength(1)
})

test('a worker that is kept from a lane offers its organization nothing until it is woken, and all others', async () => {
  const isOffering = (id = organization.id) => worker.makeOffer(id, clock.now()) !== undefined
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    await expect.poll(() => isOffering()).toBe(false)
    for (let times = 0; times < 20; times++) {
      await wait(5)
      expect([isOffering(), isOffering(makeId(4))]).toEqual([false, true])
    }
  })
  await receiver.waitFor(path, 2)
  await expect.poll(() => isOffering()).toBe(true)
})

test('a worker that is kept from a lane offers nothing while it claims from others either', async () => {
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
      expect(worker.makeOffer(organization.id, clock.now())).toBeUndefined()
    }
  })
  await receiver.waitFor(path, 2)
})

test('a worker that is kept from a due lane that is not quick offers to those that are', async () => {
  const id = await addWebhook(service, organization, receiver.url(`${path}/new`), ['PersonDeleted_v1'])
  const isOffering = () => worker.makeOffer(organization.id, clock.now()) !== undefined
  await database.write.rows(sql`update lanes set next_due_at = ${toTimestamp(clock.now())} where webhook_id = ${id}`)
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${id} for update`)
    worker.claimSoon()
    // Both loops have looked.
    await wait(100)
    for (let times = 0; times < 20; times++) {
      await wait(5)
      expect(isOffering()).toBe(true)
    }
  })
})

test('after a claim of many a worker waits for what is published meanwhile', async () => {
  wokenAfter = []
  for (let times = 0; times < 40; times++) await publish(undefined, Array(10).fill(created))
  await receiver.waitFor(path, 401)
  // Without the wait three in ten were 6 ms or less. A claim that finds a few, or knows of more, is followed by one at once.
  expect(wokenAfter.toSorted((a, b) => a - b)[Math.floor(wokenAfter.length * 0.3)]).toBeGreaterThan(7)
})

test('after a claim that found nothing a worker waits for what is published meanwhile', async () => {
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from lanes where webhook_id = ${webhookId} for update`)
    await publish()
    await expect.poll(() => steps.filter((step) => step === 'woken').length).toBeGreaterThan(2)
    steps.length = 0
    const began = performance.now()
    for (let times = 0; times < 100; times++) {
      await wait(2)
      wake(organization.id, [webhookId])
    }
    const tries = steps.filter((step) => step === 'woken').length
    expect(tries).toBeLessThanOrEqual(1 + (performance.now() - began) / 8)
  })
  await receiver.waitFor(path, 2)
})

test('what a worker was kept from until it stopped is woken afterwards', async () => {
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

test('a webhook that is paused before the answer of a claim is read is not called any more', async () => {
  const { promise, resolve: read } = Promise.withResolvers<void>()
  answersRead = promise
  await publish()
  await expect.poll(look).toEqual([{ pending: 0, in_flight: 1, quick: true }])
  await database.transaction((tx) => pauseLane(tx, organization.id, webhookId))
  await worker.revoke(webhookId)
  read()
  await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, quick: true }])
  expect(receiver.received(path)).toHaveLength(1)
})

describe('between the commit and the moment when the worker is told of it', () => {
  test('a webhook that is paused is not called any more', async () => {
    const tell = await publishUntold()
    await database.transaction((tx) => pauseLane(tx, organization.id, webhookId))
    await worker.revoke(webhookId)
    tell()
    await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, quick: true }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a webhook that is changed is called where it is then', async () => {
    const tell = await publishUntold()
    await change()
    await worker.revoke(webhookId)
    tell()
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a webhook that is changed, which the worker was never told, is called where it is after a second', async () => {
    const tell = await publishUntold()
    await change()
    await wait(targetsGoodForMs + 100)
    tell()
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a webhook that is changed while the key for its calls is looked up is called where it is then', async () => {
    const tell = await publishUntold()
    lookUpMs = targetsGoodForMs + 100
    tell()
    await change()
    lookUpMs = 0
    await receiver.waitFor(`${path}/new`, 1)
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a webhook whose trigger is removed is not called any more', async () => {
    const tell = await publishUntold()
    const trigger = 'trigger_type=event&trigger_name=PersonCreated_v1'
    await service.as(organization, 'DELETE', `/organizations/webhooks/${webhookId}/triggers?${trigger}`)
    await worker.revoke(webhookId)
    tell()
    await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, quick: true }])
    const ends = await database.write.rows(sql`
      select status, reason from finished_deliveries where status <> 'succeeded'`)
    expect(ends).toEqual([{ status: 'cancelled', reason: 'trigger_deleted' }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a worker that stopped hands back what it cannot call', async () => {
    const tell = await publishUntold()
    await worker.stop()
    tell()
    await expect.poll(look).toEqual([{ pending: 1, in_flight: 0, quick: true }])
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('a worker that stops while it reads what the calls need calls it or hands it back', async () => {
    const tell = await publishUntold()
    tell()
    await worker.stop()
    expect(await look()).toEqual([{ pending: 1 - (receiver.received(path).length - 1), in_flight: 0, quick: true }])
  })

  test('a process that dies leaves it to the next one', async () => {
    await publishUntold()
    expect(await look()).toEqual([{ pending: 0, in_flight: 1, quick: true }])
    await worker.stop()
    startWorker()
    expect(await receiver.waitFor(path, 2)).toHaveLength(2)
  })
})

test('a worker that stops tells the others, who may claim what it had', async () => {
  await worker.stop()
  startWorker({ isAlone: false })
  const other = new pg.Client(connection)
  await other.connect()
  try {
    const told: string[] = []
    other.on('notification', ({ channel }) => told.push(channel))
    await other.query('listen signet_due')
    await worker.stop()
    await expect.poll(() => told).toEqual(['signet_due'])
  } finally {
    await other.end()
  }
})

test('an arming whose answer is lost makes nobody wait', async () => {
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

test('a worker that has stopped is offered nothing', async () => {
  await worker.stop()
  expect(worker.makeOffer(organization.id, clock.now())).toBeUndefined()
})
