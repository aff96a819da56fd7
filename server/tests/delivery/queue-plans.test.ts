import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadPayloads } from '../../src/delivery/events/event-store.ts'
import type { ClaimedDelivery, LaneKey, LaneReport, Settlement } from '../../src/delivery/queue/delivery.ts'
import { claimDeliveries } from '../../src/delivery/queue/store/claim.ts'
import { longestWaits, makeRoom, nextLaneDue, wakeLanes } from '../../src/delivery/queue/store/lanes.ts'
import {
  deleteWorker,
  lookAtWorkers,
  registerWorker,
  rescueDeliveries,
  sweepLanes,
} from '../../src/delivery/queue/store/rescue.ts'
import { claimTries, hasTries } from '../../src/delivery/queue/store/tries.ts'
import {
  findLostWorkers,
  forgetLostWorker,
  queueUnsent,
  releaseLanes,
  rescueUnqueued,
} from '../../src/delivery/queue/store/unqueued.ts'
import type { Queries, Transaction } from '../../src/ground/database/database.ts'
import { settingsText } from '../../src/ground/database/session-settings.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { writeLog } from '../support/log.ts'
import { explainingConnection, faultsOf, mayExplain } from '../support/plans.ts'
import { attempt, claimable, publishClaim, publishIn, type Queue, settle, testQueue } from '../support/queue.ts'

/** Of one webhook, beside others with ten each. */
const backlog = 50_000
const webhooks = 101
const maxInFlight = 10
const workerId = makeId(Date.now())
/** A claim takes 400 deliveries at most; no step of any statement may look at many more. */
const maxRows = 1_000
/** Deliveries in flight that are none of this worker's; their lane does not count them. */
const underWay = 2 * maxRows
/** Webhooks of the organization that have no trigger for what is published. */
const unasked = 5 * maxRows

let queue: Queue
let lanes: LaneKey[]

beforeEach(async () => {
  queue = await testQueue(2)
  lanes = await queue.addWebhooks(webhooks)
})

afterEach(() => queue.drop())

describe.runIf(mayExplain)('The plans of the statements of the worker', () => {
  test('No statement of the worker scans the queue, the log or the events, by plans made while they were nearly empty', async () => {
    await queue.publish(1)
    await run('analyze')
    const connection = await explainingConnection(queue.connection)
    await work(connection.queries)
    await fill()
    await expectFrugal(connection)
  })

  test('No statement of the worker scans the queue, the log or the events, by plans made with the statistics of a long backlog', async () => {
    await fill()
    await run('analyze')
    await expectFrugal(await explainingConnection(queue.connection))
  })
})

async function expectFrugal({ queries, plans, end }: Explaining) {
  plans.length = 0
  const done = await work(queries)
  expect(done).toMatchObject({ asPublished: webhooks, ofBacklog: 8, rescued: expect.toSatisfy((count) => count > 100) })
  expect(done.tried).toEqual({ count: 1, isLeft: false })
  expect(done.ofLost).toEqual({ rescued: expect.toSatisfy((count) => count > 100), left: [] })
  expect(plans.map((plan) => faultsOf(plan, maxRows))).toEqual(Array(28).fill([]))
  await end()
}

type Explaining = Awaited<ReturnType<typeof explainingConnection>>

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** All that workers and publishers ask of the queue, in an order in which each statement has something to do. */
async function work(queries: Queries) {
  const claim = (leaseMs: number) => {
    const times = { now: timestamp(), leaseEnd: timestamp(Date.now() + leaseMs) }
    return claimDeliveries(queries, { ...times, leaseToken: makeId(Date.now()), workerId, claimable: claimable(200) })
  }
  await run(`update lanes set next_due_at = 'infinity'`)
  const asPublished = await publishClaimed(queries)
  await run(`update lanes set next_due_at = 'epoch' where webhook_id = '${lanes[0]?.webhookId}'`)
  await wakeLanes(queries, lanes, timestamp(), workerId)
  const { deliveries: claimed } = await claim(25_000)
  await makeRoom(queries, claimed.slice(0, 1).map(roomFor), timestamp(), workerId)
  await loadPayloads(queries, claimed)
  await settle(queries, [...claimed.map(toSettlement), ...asPublished.map(succeed)], maxInFlight)
  await claim(-1)
  const rescued = await rescueDeliveries(queries, { before: timestamp() }, timestamp())
  await claim(25_000)
  const ofLost = await loseWorker(queries)
  await sweepLanes(queries, { now: timestamp(), lapsedBefore: timestamp(), workerId })
  await workUnqueued(queries)
  const tried = await tryOne(queries)
  await nextLaneDue(queries, workerId, claimable(200))
  await longestWaits(queries, Date.now())
  return {
    asPublished: asPublished.length,
    ofBacklog: claimed.filter((delivery) => delivery.webhookId === lanes[0]?.webhookId).length,
    rescued,
    ofLost,
    tried,
  }
}

/** Of a lane with the backlog, which is paused. */
async function tryOne(queries: Queries) {
  const lane = `webhook_id = '${lanes[0]?.webhookId}'`
  await run(`
    update lanes set in_flight = 0, leased_by = null, paused_reason = 'failing', paused_at = now(),
      trying = (select event_id from deliveries where ${lane} and not is_leased limit 1) where ${lane}`)
  const lease = { leaseToken: makeId(Date.now()), leaseEnd: timestamp(Date.now() + 25_000), workerId }
  const claimed = await claimTries(queries, { ...lease, excluded: [] })
  await run(`update lanes set paused_reason = null where ${lane}`)
  return { count: claimed.length, isLeft: await hasTries(queries) }
}

/** What is claimed on publish and never settled: by another worker, and after a lost reply. */
async function workUnqueued(queries: Queries) {
  const { claimed } = await publishOf(queries, makeId(Date.now()))
  await queueUnsent(queries, queue.organizationId, [claimed[0]?.eventId as string], timestamp())
  for (const { workerId: lost } of await findLostWorkers(queries, workerId, true)) {
    await rescueUnqueued(queries, lost, Date.now(), timestamp())
    await forgetLostWorker(queries, lost)
  }
  await releaseLanes(queries, workerId, lanes)
}

/** As another worker finds what the first one, which is dead, has claimed. All that is in flight is looked at for it. */
async function loseWorker(queries: Queries) {
  const other = makeId(Date.now())
  await run(`delete from deliveries where is_leased and available_at > now() + interval '30 minutes'`)
  await run(`insert into workers (id, registered_at) values ('${workerId}', 'epoch')`)
  await registerWorker(queries, other)
  await run(
    `update workers set registered_at = 'epoch', missing_since = case when id = '${workerId}' then to_timestamp(0) end`,
  )
  const { missing } = await lookAtWorkers(queries, other)
  const rescued = await rescueDeliveries(queries, { before: 'infinity', deadWorker: missing[0]?.id ?? '' }, timestamp())
  await deleteWorker(queries, workerId, { isDead: true })
  await deleteWorker(queries, other, { isDead: false })
  return { rescued, left: await run('select from workers') }
}

/** Who publishes has not the worker's settings: of these nodes only scans are never planned there. */
const set = (queries: Queries, state: 'on' | 'off') => {
  const nodes = settingsText('queue', 0).match(/enable_(?!seqscan)\w+(?= = 'off')/g) as string[]
  return queries.rows({ name: '', text: nodes.map((node) => `set ${node} = ${state}`).join(';'), values: [] })
}

const publishClaimed = async (queries: Queries) => (await publishOf(queries, workerId)).claimed

async function publishOf(queries: Queries, by: string) {
  const claim = publishClaim(by, { limit: webhooks })
  const tx: Transaction = { ...queries, afterCommit: () => {}, afterFailure: () => {}, last: (send) => send() }
  await set(queries, 'on')
  const published = await publishIn(tx, queue.organizationId, 1, { claim })
  await set(queries, 'off')
  return published
}

const succeed = (delivery: ClaimedDelivery): Settlement => ({ delivery, attempt, status: 'succeeded' })

const roomFor = ({ organizationId, webhookId }: ClaimedDelivery): LaneReport => ({
  organizationId,
  webhookId,
  succeeded: null,
  isHealthy: true,
  isDown: false,
  maxRequests: null,
  isNews: true,
  failures: 0,
  maxInFlight,
  refillAt: maxInFlight / 2,
  requestsAtOnce: maxInFlight,
})

/** Half of them succeed, half are to be tried again. */
const toSettlement = (delivery: ClaimedDelivery, index: number): Settlement =>
  index % 2 ? { delivery, attempt, status: 'succeeded' } : { delivery, attempt, retryAt: timestamp() }

/** One webhook with the backlog, the others with a few deliveries each, some in flight, and a log; every lane is due. */
async function fill() {
  const start = makeId(Date.now()).slice(0, 24)
  const numbered = (count: number) => `(select ('${start}' || to_char(i, 'fm000000000000'))::uuid as id
    from generate_series(1, ${count}) i)`
  const ids = lanes.map((lane) => lane.webhookId)
  const last = ids.at(-1)
  await run(`
    select enter_epoch();
    insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
    select '${queue.organizationId}', id, id, id, '', '', 0, now() from ${numbered(unasked)} w;
    insert into lanes (org_id, webhook_id) select org_id, id from webhooks on conflict do nothing;
    insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
    select '${queue.organizationId}', id, 'event', 'PersonDeleted_v1', 'fail', now() from ${numbered(unasked)} t;
    insert into events (org_id, id, name, payload)
    select '${queue.organizationId}', id, 'PersonCreated_v1', '{}' from ${numbered(backlog)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, window_attempts, attempts_count)
    select '${queue.organizationId}', '${ids[0]}', id, 'PersonCreated_v1', now() + n * interval '1 hour', n, n
      from (select id, (row_number() over () % 2)::int as n from ${numbered(backlog)} e) e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at)
    select '${queue.organizationId}', webhook_id, id, 'PersonCreated_v1', now()
      from unnest('{${ids.slice(1, -1)}}'::uuid[]) webhook_id, ${numbered(10)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, is_leased, lease_token)
    select '${queue.organizationId}', '${last}', id, 'PersonCreated_v1', now() + interval '1 hour', true, id
      from ${numbered(underWay)} e;
    update lanes set in_flight = 0, max_in_flight = ${maxInFlight}, saturated = false, healthy = true;
    update lanes set next_due_at = now() where webhook_id = any('{${ids}}');
    update lanes set next_due_at = 'epoch' where webhook_id = '${ids[0]}'`)
  // What was published before this is in the log already, when plans were made first.
  const finished = await run<{ id: string }>(`
    select id from events
    except select event_id from deliveries where webhook_id = '${last}'
    except select event_id from finished_deliveries where webhook_id = '${last}'`)
  await writeLog(
    queue.database.write,
    lanes.at(-1) as LaneKey,
    finished.map(({ id }) => id),
  )
}

const run = <Row>(text: string) => queue.database.write.rows<Row>({ name: '', text, values: [] })
