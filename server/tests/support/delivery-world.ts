import { createPayloads, createPublish } from '../../src/delivery/events/index.ts'
import { deliveryLogOperations } from '../../src/delivery/log/index.ts'
import type { Attempts } from '../../src/delivery/queue/attempt.ts'
import { type FromPublication, makeRequests, type Prepared, prepareClaimed } from '../../src/delivery/queue/attempt.ts'
import { judged } from '../../src/delivery/queue/capacity.ts'
import type { AttemptEnd, ClaimedDelivery, Settlement } from '../../src/delivery/queue/delivery.ts'
import { createClaimOnPublish, createEnqueue } from '../../src/delivery/queue/enqueue.ts'
import { createOverdue } from '../../src/delivery/queue/in-flight.ts'
import { keptSince, laneOfWebhook, pauseLane, reopenDeliveries, resumeLane } from '../../src/delivery/queue/index.ts'
import { settlementOf } from '../../src/delivery/queue/outcome.ts'
import { createRequests } from '../../src/delivery/queue/sender/thread.ts'
import { createSettler } from '../../src/delivery/queue/settler.ts'
import { type ConcurrencyRow, claimDeliveries, concurrencyOf } from '../../src/delivery/queue/store/claim.ts'
import { nextLaneDue, wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import { rescueDeliveries, sweepLanes } from '../../src/delivery/queue/store/rescue.ts'
import { createDecryptTargets, createLoadTargets, webhooksOperations } from '../../src/delivery/webhooks/index.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { dropPartitions } from '../../src/ground/database/day-partitions.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { ApiError } from '../../src/ground/errors.ts'
import { createKeys, type Keyring } from '../../src/ground/keys/index.ts'
import type { OutboundRequest, Outcome } from '../../src/ground/outbound/index.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { expireOld } from '../../src/start/retention.ts'
import { testDatabase } from './database.ts'
import { dayMs, rules, type shown } from './delivery-model.ts'
import { claimable } from './queue.ts'
import { makeRecord } from './recorder.ts'
import { makeKeyring } from './service.ts'

/** No sequence goes further: for so long there is a partition. */
export const longestMs = 20 * dayMs
/** Of a call: at this pace a healthy receiver may have twice its calls in flight, and a slow one its calls alone. */
const durationMs = { healthy: 900, slow: 1_000 }
const requestsPerWebhook = rules.callsAtOnce
/** Of a receiver that has not answered yet. */
const mayClaim = { ...claimable(100), ofNew: { maxInFlight: rules.callsAtOnce, crowded: [] } }
const baseUrl = 'https://signet.example.com'
const hookPath = '/organizations/webhooks/:webhook_id'
const ignored = () => {}
const log = { level: 'silent', info: ignored, debug: ignored, error: ignored }

const tookAsSaid = ({ observation, outcome }: Extract<AttemptEnd, { kind: 'completed' }>) => ({
  ...observation,
  tookMs: outcome.durationMs,
})

export type World = Awaited<ReturnType<typeof openWorld>>
/** A call that was begun: `answer` is the receiver's. */
export type OpenCall = { call: OutboundRequest; answer: (outcome: Outcome) => void; settled: Promise<Settlement> }
type Asked = { params?: object; query?: object; body?: object }

/**
 * What a service does for deliveries, step by step as it is told, on a database of its own and a clock that it is given:
 * the real operations, stores and decisions. The network alone is left out: the receivers are the caller.
 */
export async function openWorld() {
  const connection = await testDatabase()
  const database = openDatabase(connection, 2, { planning: 'queue' })
  const keyring = makeKeyring()
  let now = 0
  const clock = { now: () => now }
  const record = makeRecord(clock, keyring)
  let woken: string[] = []
  const wake = (_: string, webhookIds: string[]) => {
    woken.push(...webhookIds)
  }
  const payloads = createPayloads()
  const keys = createKeys({ database, clock, keyring, keyLeadMs: dayMs, keyRotationMs: 90 * dayMs })
  const retentionMs = rules.retentionMs
  /** What a publication handed over, by its claim. What is revoked is read anew. */
  const handedOver = new Map<string, FromPublication>()
  const revoke = async (webhookId: string) => {
    for (const { targets } of handedOver.values()) targets.delete(webhookId)
  }
  // Beside a sequence nobody reads or writes, so its lists are read on the one connection of the reads.
  const ofOwner = {
    ...{ database: { ...database, pages: database.read }, clock, keyring, keys, wake, revoke, retentionMs },
    ...{ lane: laneOfWebhook, pauseLane, resumeLane, reopenDeliveries },
  }
  const operations = new Map(
    [
      ...webhooksOperations({ ...ofOwner, keySetRate: { perMinute: 1, burst: 1 } }),
      ...deliveryLogOperations({ ...ofOwner, baseUrl: 'https://id.example.com' }),
    ].map((operation) => [
      `${operation.method} ${operation.path}`,
      operation.handle as (call: object) => Promise<unknown>,
    ]),
  )
  const start = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
  await joinDays(database, start)

  /** An organization without webhooks, at noon of today. */
  const enter = async () => {
    now = start
    woken = []
    handedOver.clear()
    const organizationId = makeId(now)
    await database.write.rows(sql`
      insert into organizations (id, name, pricing_tier, created_at)
      values (${organizationId}, 'x', 'unlimited', ${toTimestamp(now)})`)
    await keys.createSigningKeys(database.write, organizationId)
    return organizationId
  }

  /** Nothing of the organization is left that a later one could come upon. */
  const leave = (organizationId: string) =>
    database.write.rows(sql`
      with left_behind as (delete from deliveries where org_id = ${organizationId})
      delete from webhooks where org_id = ${organizationId}`)

  /** What an owner is answered: the result, or the status of the refusal. */
  const ask = async (organizationId: string, name: string, { params = {}, query = {}, body = {} }: Asked = {}) => {
    const call = { organizationId, isAdmin: true, record, params, query, body, limits: {} }
    try {
      return await operations.get(name)?.(call)
    } catch (error) {
      if (error instanceof ApiError) return error.status
      throw error
    }
  }

  /** Each call was made by a sender of its own; what a receiver may have afterwards follows from what was settled before. */
  const judgedInOrder = async (settlements: Settlement[]) => {
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

  return {
    clock,
    start,
    enter,
    leave,
    ask,
    pass: (ms: number) => {
      now += ms
    },
    close: async () => {
      await database.close()
      await connection.drop()
    },

    /** Gives the ids of the events, and what the worker that may claim them on publish, if any, was handed. */
    publish: async (organizationId: string, count: number, workerId?: string) => {
      const lanes = await database.read.rows(sql<{ webhook_id: string }>`
        select webhook_id from lanes where org_id = ${organizationId} and next_due_at <= ${toTimestamp(now)}`)
      const due = lanes.map(({ webhook_id }) => webhook_id)
      const claimed: ClaimedDelivery[] = []
      const take: Attempts['take'] = async (deliveries, { fromPublication }) => {
        claimed.push(...deliveries)
        for (const { leaseToken } of deliveries) handedOver.set(leaseToken, fromPublication as FromPublication)
      }
      const claimOnPublish = workerId === undefined ? () => undefined : claimsOnPublishOf(workerId, take, keyring)
      const content = { analytics_metadata: {}, person_id: organizationId, region: 'local' }
      const events = Array(count).fill({ name: 'PersonCreated_v1', content })
      const publish = createPublish({ clock, enqueue: createEnqueue({ wake, claimOnPublish }), tracer: untraced })
      const published = await database.transaction((tx) => publish(tx, organizationId, events))
      return { eventIds: published.map(({ event_id }) => event_id), claimed, due }
    },

    /** Wakes the lanes of what was published since the last time. `isLost`: the process died before. Gives which. */
    wake: async (organizationId: string, workerId: string, { isLost = false } = {}) => {
      const webhookIds = isLost ? [] : woken
      woken = []
      const lanes = webhookIds.map((webhookId) => ({ organizationId, webhookId }))
      if (lanes.length > 0) await wakeLanes(database.write, lanes, toTimestamp(now), workerId)
      return webhookIds
    },

    claim: async (workerId: string) => {
      const options = {
        now: toTimestamp(now),
        leaseEnd: toTimestamp(now + rules.leaseMs),
        leaseToken: makeId(now),
        workerId,
      }
      return (await claimDeliveries(database.write, { ...options, claimable: mayClaim })).deliveries
    },

    /** Each with what its call needs, or settled when it is not to be called. */
    prepare: async (claimed: ClaimedDelivery[]): Promise<(Prepared | Settlement)[]> => {
      const loadTargets = createLoadTargets(keyring, laneOfWebhook)
      const dependencies = { database, clock, payloads, log, loadTargets, findSigners: keys.findSigners }
      const prepared = new Map<ClaimedDelivery, Prepared | Settlement>()
      const fromPublicationOf = ({ leaseToken, webhookId }: ClaimedDelivery) => {
        const fromPublication = handedOver.get(leaseToken)
        return fromPublication?.targets.has(webhookId) ? fromPublication : undefined
      }
      for (const [fromPublication, part] of Map.groupBy(claimed, fromPublicationOf)) {
        const results = await prepareClaimed(part, fromPublication, dependencies)
        for (const [index, each] of part.entries()) prepared.set(each, results[index] as Prepared | Settlement)
      }
      return claimed.map((each) => prepared.get(each) as Prepared | Settlement)
    },

    /** Begins the call, or gives the settlement when it is not made. */
    begin: (prepared: Prepared): OpenCall | Promise<Settlement> => {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const { promise: ended, resolve: end } = Promise.withResolvers<AttemptEnd>()
      let call: OutboundRequest | undefined
      const post = (sent: OutboundRequest) => {
        call = sent
        return promise
      }
      const egress = { post, get: post, close: async () => {} }
      const [made] = makeRequests([prepared], { clock, baseUrl, tracer: untraced })
      const { attempt, request } = made as NonNullable<typeof made>
      const limits = { perWebhook: 1, perOrganization: 1, total: 1 }
      // The clock stands still from the request to the call, which takes as long as the receiver says.
      const onEnded = (_: number, attemptEnd: AttemptEnd) =>
        end(
          attemptEnd.kind === 'completed'
            ? { ...attemptEnd, afterMs: 0, observation: tookAsSaid(attemptEnd) }
            : attemptEnd,
        )
      createRequests({ egress, limits, onBegun: ignored, onSetAside: ignored, onEnded }).add([{ ...request, id: 1 }])
      const settled = ended.then((attemptEnd) => settlementOf(attempt, attemptEnd, { clock, retry: rules.retry }))
      return call ? { call, answer: resolve, settled } : settled
    },

    settle: async (settlements: Settlement[]) => {
      const errors: unknown[] = []
      const settler = createSettler({
        ...{
          database,
          clock,
          workerId: makeId(now),
          requestsPerWebhook,
          overdue: createOverdue(),
          cooldownMs: rules.cooldownMs,
          pauseAfterMs: rules.pauseAfterMs,
        },
        failingAfterMs: rules.retry.initialMs,
        ...{ onDue: ignored, onSettled: ignored, onError: (error: unknown) => errors.push(error) },
      })
      await Promise.all((await judgedInOrder(settlements)).map((settlement) => settler.settle(settlement)))
      if (errors.length > 0) throw errors[0]
    },

    nextDue: async (workerId: string) => (await nextLaneDue(database.write, workerId, mayClaim)) ?? Infinity,
    rescue: () => rescueDeliveries(database.write, { before: toTimestamp(now) }, toTimestamp(now)),
    sweep: () => sweepLanes(database.write, { now: toTimestamp(now), lapsedBefore: toTimestamp(now) }),
    expire: () => expireOld(database.write, keptSince(now, retentionMs), now, AbortSignal.timeout(60_000)),

    publishedKids: async (organizationId: string) => (await keys.publishedKeys(organizationId)).map(({ kid }) => kid),

    /** A webhook, its deliveries and their numbers by day, as its owner is shown them; undefined: nothing of it. */
    look: async (organizationId: string, webhookId: string) => {
      const params = { webhook_id: webhookId }
      const [record, page, counts] = await Promise.all([
        ask(organizationId, `GET ${hookPath}`, { params }),
        ask(organizationId, `GET ${hookPath}/deliveries`, { params, query: { limit: 100 } }),
        ask(organizationId, `GET ${hookPath}/delivery-counts`, { params }),
      ])
      if (record === 404 && page === 404 && counts === 404) return undefined
      return { record, deliveries: (page as { items: DeliveryRecord[] }).items.map(toShown), counts }
    },

    /** Of the attempts in the log, the oldest first. */
    attemptNumbers: async (organizationId: string, webhookId: string, eventId: string) => {
      const params = { webhook_id: webhookId, delivery_id: eventId }
      const delivery = await ask(organizationId, `GET ${hookPath}/deliveries/:delivery_id`, { params })
      return (delivery as { attempts: { number: number }[] }).attempts.map(({ number }) => number)
    },

    /** All that is kept of the webhooks of an organization, in one look: what its owner's answers are made of. */
    kept: async (organizationId: string) => {
      const [row] = await database.write.rows(sql<Kept>`
        select
          (select json_agg(d) from (
             select webhook_id, event_id, case when is_leased then 'in_flight' else 'pending' end as status, null as reason,
                    attempts_count, jsonb_path_query_array(attempt_log, '$[*].number') as numbers, extract(epoch from available_at) * 1000 as at
               from deliveries where org_id = ${organizationId}
             union all
             select webhook_id, event_id, status, reason, attempts_count, jsonb_path_query_array(attempt_log, '$[*].number'),
                    extract(epoch from finished_at) * 1000
               from finished_deliveries where org_id = ${organizationId}) d) as deliveries,
          (select json_agg(l) from (select webhook_id, paused_reason from lanes where org_id = ${organizationId}) l) as lanes,
          (select json_agg(c) from (
             select webhook_id, day, status, count from delivery_counts where org_id = ${organizationId}) c) as counts`)
      return { deliveries: row?.deliveries ?? [], lanes: row?.lanes ?? [], counts: row?.counts ?? [] }
    },

    /** Numbers of calls in flight that are not those of their deliveries, which have a claim exactly while they are in flight. */
    wrongLanes: (organizationId: string) =>
      database.read.rows(sql`
        select * from lanes l
         where org_id = ${organizationId}
           and (in_flight, in_flight) <> (select count(*) filter (where d.is_leased), count(d.lease_token) from deliveries d
                                           where d.org_id = l.org_id and d.webhook_id = l.webhook_id)`),
  }
}

/** Of a worker that is idle. */
const claimsOnPublishOf = (workerId: string, take: Attempts['take'], keyring: Keyring) =>
  createClaimOnPublish(
    { workerId, onFailpoint: ignored, log, decryptTargets: createDecryptTargets(keyring) },
    {
      inFlight: { publishLimitOf: () => 100, openPublication: ignored, closePublication: ignored },
      attempts: { take },
      orphans: { add: ignored },
    },
  )

/** One partition for all days of a sequence, for the log is looked into after each operation. */
async function joinDays(database: Database, start: number) {
  const end = start + longestMs + dayMs
  const [from, to] = [firstIdAt(start - dayMs), firstIdAt(end)]
  const onError = (error: unknown) => {
    throw error
  }
  await dropPartitions(database, end, { beforeDrop: async () => {}, onError })
  for (const table of ['events', 'finished_deliveries']) {
    const text = `create table ${table}_all partition of ${table} for values from ('${from}') to ('${to}')`
    await database.write.rows({ name: '', text, values: [] })
  }
}

type DeliveryRecord = ReturnType<typeof shown> & { next_attempt_at?: Date; finished_at?: Date }

/** As the model shows it. */
const toShown = ({ id, status, reason, attempts_count, next_attempt_at, finished_at }: DeliveryRecord) => ({
  ...{ id, status, reason, attempts_count },
  next_attempt_at: next_attempt_at?.getTime(),
  finished_at: finished_at?.getTime(),
})

type Kept = {
  deliveries: KeptDelivery[] | null
  lanes: { webhook_id: string; paused_reason: string | null }[] | null
  counts: { webhook_id: string; day: string; status: string; count: number }[] | null
}
type KeptDelivery = {
  webhook_id: string
  event_id: string
  status: string
  reason: string | null
  attempts_count: number
  /** Of the attempts in the log. */
  numbers: number[]
  /** When it is due or its lease ends; when it was finished. */
  at: number
}

export const answered = (status: number, pace: keyof typeof durationMs = 'healthy'): Outcome => ({
  kind: 'answered',
  status,
  headers: {},
  durationMs: durationMs[pace],
  answer: '',
  truncated: false,
  isText: true,
})
export const failed: Outcome = { kind: 'failed', error: 'timeout', durationMs: durationMs.slow }
