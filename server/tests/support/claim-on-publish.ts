import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import { createPayloads, createPublish, type NewEvent } from '../../src/delivery/events/index.ts'
import type { Failpoint } from '../../src/delivery/queue/delivery.ts'
import { createEnqueue, type OpenClaim } from '../../src/delivery/queue/enqueue.ts'
import { laneOfWebhook } from '../../src/delivery/queue/index.ts'
import { type NewRequest, openSender, type Sender } from '../../src/delivery/queue/sender/sender.ts'
import { createWorker, type Worker } from '../../src/delivery/queue/start.ts'
import type { Claimed } from '../../src/delivery/queue/store/claim.ts'
import { createLaneWaker, createWake, type Wake } from '../../src/delivery/queue/wake.ts'
import { createDecryptTargets, createLoadTargets } from '../../src/delivery/webhooks/index.ts'
import { type Database, openDatabase, type Transaction } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { createKeys, type FindSigners } from '../../src/ground/keys/index.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { readConfig } from '../../src/start/config.ts'
import { testDatabase } from './database.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { makeKeyring, type Service, startService } from './service.ts'
import type { Organization } from './signet.ts'
import { addWebhook } from './webhooks.ts'

export const keyring = makeKeyring()
export const clock = runningClock()
const payloads = createPayloads()
const ignored = () => {}
const log = { level: 'silent', info: ignored, debug: ignored, error: ignored }

export let receiver: Receiver
export let connection: Awaited<ReturnType<typeof testDatabase>>
export let database: Database
export let service: Service
export let worker: Worker
export let organization: Organization
export let webhookId: string
export let path: string
export let passed: Failpoint[]
export let claims: number
export let claimedAt: number
/** Milliseconds from one claim to the waking with the next. */
export let wokenAfter: number[]
/** What it takes to look up a key. */
export let lookUpMs: number
/** Until then the answers of claims that took something lie unread. */
export let answersRead: Promise<void> | undefined
/** A person of whom nothing can be signed. */
export const unsignable = makeId(1)

/** The organization's webhook is healthy: it has answered once. */
/** Called by each file once. */
export function setUpClaims() {
  beforeEach(async () => {
    receiver = await startReceiver()
    connection = await testDatabase()
    database = openDatabase(connection, 4, { planning: 'queue' })
    service = await startService({ connection, receiver, clock, keyring, env: { SIGNET_ROLES: 'api' } })
    passed = []
    claims = 0
    wokenAfter = []
    lookUpMs = 0
    answersRead = undefined
    startWorker()
    organization = await service.organization()
    path = `/${organization.id}`
    webhookId = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
    await publish()
    await receiver.waitFor(path, 1)
    await expect.poll(look).toEqual([{ pending: 0, in_flight: 0, healthy: true }])
  })

  afterEach(async () => {
    await Promise.all([worker?.stop(), service?.stop(), receiver?.stop()])
    await database?.close()
    await connection?.drop()
  })
}

export let waking: ReturnType<typeof createWake>
export const wake: Wake = (...args) => waking.wake(...args)

/** Its key for what is unsignable is a public one. */
export function withBadKey(sender: Sender): Sender {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spoil = (request: NewRequest): NewRequest => {
    const { payload, template } = request
    if (!payload.includes(unsignable)) return request
    return { ...request, template: { ...template, key: { ...template.key, privateKey: publicKey } } }
  }
  return { ...sender, send: (requests) => sender.send(requests.map(spoil)) }
}

export function readLate(base: Database): Database {
  const early: Database['early'] = async (...args) => {
    const answer = await base.early(...args)
    claims += 1
    if ((answer.result as Claimed).deliveries.length > 0) await answersRead
    return answer
  }
  return { ...base, early }
}

/** Beside a service that only answers: what this test publishes may be claimed by this worker. */
export function startWorker({ isAlone = true } = {}) {
  const config = readConfig({ SIGNET_OPERATOR_KEY: 'x'.repeat(32), SIGNET_WEBHOOK_RESOLVE: receiver.resolve })
  const workerId = makeId(clock.now())
  const onFailpoint = (failpoint: Failpoint) => {
    passed.push(failpoint)
    if (failpoint === 'claimed') claimedAt = performance.now()
    if (failpoint === 'woken') wokenAfter.push(performance.now() - claimedAt)
  }
  const laneWaker = createLaneWaker({ database, clock, workerId, isAlone: true, onFailpoint, onError: ignored })
  const { findSigners } = createKeys({ database, clock, keyring, keyLeadMs: 1, keyRotationMs: 1 })
  const certificateAuthorities = [readFileSync(receiver.caFile, 'utf8')]
  const findSlowly: FindSigners = async (...args) => {
    if (lookUpMs > 0) await wait(lookUpMs)
    return findSigners(...args)
  }
  const { baseUrl, retry, concurrency: limits, pauseAfterMs } = config
  const egressOptions = { resolve: config.resolve, allowCidrs: [], maxConnections: 8, certificateAuthorities }
  const sender = withBadKey(openSender({ egressOptions, limits, reportsBegun: true, onError: ignored }))
  worker = createWorker({
    database: readLate(database),
    clock,
    sender,
    baseUrl,
    loadLogoutTargets: async () => new Map(),
    retry,
    limits,
    pauseAfterMs,
    workerId,
    laneWaker,
    onFailpoint,
    tracer: untraced,
    log,
    findSigners: findSlowly,
    loadTargets: createLoadTargets(keyring, laneOfWebhook),
    decryptTargets: createDecryptTargets(keyring),
    payloads,
    isAlone,
  })
  worker.start()
  waking = createWake({ database, laneWaker, worker, onFailpoint })
}

/** The worker can claim by then, or soon. */
export async function nextClaim(): Promise<OpenClaim> {
  let claim: OpenClaim | undefined
  await expect
    .poll(() => {
      claim = worker.claimOnPublish(organization.id, clock.now())
      return claim !== undefined
    })
    .toBe(true)
  return claim as OpenClaim
}

export const content = { analytics_metadata: {}, person_id: makeId(0), region: 'local' }
export const created: NewEvent = { name: 'PersonCreated_v1', content }
export const deleted: NewEvent = { name: 'PersonDeleted_v1', content: {} }

export const publishIn = (tx: Transaction, claim?: OpenClaim, events: NewEvent[] = [created]) =>
  createPublish({ clock, enqueue: createEnqueue({ wake, claimOnPublish: () => claim, payloads }), tracer: untraced })(
    tx,
    organization.id,
    events,
  )

export const publish = (claim?: OpenClaim, events?: NewEvent[]) =>
  database.transaction((tx) => publishIn(tx, claim, events))

/** What is seen after each of the next four claims, whether they find something or not. */
export async function duringClaims<Seen>(look: () => Seen): Promise<Seen[]> {
  const seen: Seen[] = []
  while (seen.length < 4) {
    const before = claims
    await expect.poll(() => claims, { interval: 5 }).toBeGreaterThan(before)
    seen.push(look())
  }
  return seen
}

/** This process is slow: gives what tells the worker of the commit. */
export async function publishUntold(): Promise<() => void> {
  const handovers: (() => void)[] = []
  const claim = await nextClaim()
  await publish({ ...claim, take: (...args) => handovers.push(() => claim.take(...args)) })
  expect(handovers).toHaveLength(1)
  return handovers[0] as () => void
}

/** Of its address, by the process that answers. */
export const change = () =>
  service.as(organization, 'PATCH', `/organizations/webhooks/${webhookId}`, { target_url: receiver.url(`${path}/new`) })

export const look = () =>
  database.write.rows(sql<{ pending: number; in_flight: number; healthy: boolean }>`
    select count(d.event_id) filter (where not d.is_leased)::int as pending, l.healthy,
           l.in_flight + (select count(*)::int from unqueued_deliveries u where u.webhook_id = l.webhook_id) as in_flight
      from lanes l left join deliveries d on d.org_id = l.org_id and d.webhook_id = l.webhook_id
     where l.webhook_id = ${webhookId} group by l.webhook_id, l.in_flight, l.healthy`)

/** How long the look-up of a key takes, and until when the replies to claims lie unread. */
export function set(options: { lookUpMs?: number; answersRead?: Promise<void> }) {
  lookUpMs = options.lookUpMs ?? lookUpMs
  answersRead = options.answersRead ?? answersRead
}
