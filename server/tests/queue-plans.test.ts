import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Queries } from '../src/database/database.ts'
import type { Statement } from '../src/database/sql.ts'
import {
  armLanes,
  type ClaimedDelivery,
  claimDeliveries,
  type LaneKey,
  nextLaneDue,
  rescueExpired,
  type Settlement,
  settleDeliveries,
  sweepLanes,
} from '../src/delivery/delivery-store.ts'
import { loadPayloads } from '../src/events/event-store.ts'
import { makeId } from '../src/identifiers.ts'
import { workerPlanning } from '../src/service.ts'
import { type Queue, testQueue } from './support/queue.ts'

/** Of one webhook, beside others with ten each. */
const backlog = 50_000
const webhooks = 101
const callsPerWebhook = 10
/** A claim takes 400 deliveries at most; no step of any statement may look at many more. */
const maxRows = 1_000

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

let queue: Queue
let lanes: LaneKey[]

beforeEach(async () => {
  queue = await testQueue(2)
  lanes = await queue.addWebhooks(webhooks)
})

afterEach(() => queue.drop())

describe('no statement of the worker scans the queue, the log or the events', () => {
  test('by plans that were made while they were nearly empty', async () => {
    await queue.publish(1)
    await run('analyze')
    const connection = await explainingConnection()
    await work(connection.queries)
    await fill()
    await expectFrugal(connection)
  })

  test('by plans that were made with the statistics of a long backlog', async () => {
    await fill()
    await run('analyze')
    await expectFrugal(await explainingConnection())
  })
})

async function expectFrugal({ queries, plans, end }: Explaining) {
  plans.length = 0
  const done = await work(queries)
  expect(done).toMatchObject({ ofBacklog: 8, rescued: expect.toSatisfy((count) => count > 100) })
  expect(plans.map(faultsOf)).toEqual(Array(8).fill([]))
  await end()
}

type Explaining = Awaited<ReturnType<typeof explainingConnection>>

/** A connection with the worker's settings, and the plan that PostgreSQL used for each of its statements. */
async function explainingConnection() {
  const explain = ['min_duration=0', 'level=notice', 'analyze=on', 'timing=off', 'format=json']
  const settings = ['session_preload_libraries=auto_explain', ...explain.map((each) => `auto_explain.log_${each}`)]
  const options = [workerPlanning, ...settings.map((setting) => `-c ${setting}`)].join(' ')
  const client = new pg.Client({ ...queue.connection, options })
  const plans: Plan[] = []
  client.on('notice', ({ message = '' }) => plans.push(JSON.parse(message.slice(message.indexOf('{'))).Plan))
  client.on('error', () => {})
  await client.connect()
  const queries: Queries = {
    rows: async <Row>(statement: Statement<Row>) => (await client.query(statement)).rows as Row[],
  }
  return { queries, plans, end: () => client.end() }
}

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

/** Everything a worker asks of the queue, in an order in which each statement has something to do. */
async function work(queries: Queries) {
  const claim = (leaseMs: number) => {
    const leaseEnd = timestamp(Date.now() + leaseMs)
    const slots = 512
    return claimDeliveries(queries, { now: timestamp(), leaseEnd, claim: makeId(Date.now()), callsPerWebhook, slots })
  }
  await armLanes(queries, lanes, timestamp(), callsPerWebhook)
  const claimed = await claim(25_000)
  const organizationIds = claimed.map((delivery) => delivery.organizationId)
  const eventIds = claimed.map((delivery) => delivery.eventId)
  await loadPayloads(queries, organizationIds, eventIds)
  await settleDeliveries(queries, claimed.map(conclude), timestamp(), callsPerWebhook)
  await claim(-1)
  const rescued = await rescueExpired(queries, timestamp())
  await sweepLanes(queries, timestamp(), callsPerWebhook)
  await nextLaneDue(queries)
  return { ofBacklog: claimed.filter((delivery) => delivery.webhookId === lanes[0]?.webhookId).length, rescued }
}

/** Half of them succeed, half are to be tried again. */
const conclude = (delivery: ClaimedDelivery, index: number): Settlement =>
  index % 2
    ? { delivery, attempt: {}, failed: false, status: 'succeeded' }
    : { delivery, attempt: {}, failed: null, retryAt: timestamp() }

/** One webhook with the backlog, the others with a few deliveries each, and a log; every lane is due. */
async function fill() {
  const start = makeId(Date.now()).slice(0, 24)
  const numbered = (count: number) => `(select ('${start}' || to_char(i, 'fm000000000000'))::uuid as id
    from generate_series(1, ${count}) i)`
  const ids = lanes.map((lane) => lane.webhookId)
  await run(`
    insert into events (org_id, id, name, payload)
    select '${queue.organizationId}', id, 'PersonCreated_v1', '{}' from ${numbered(backlog)} e;
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempts, finished_at)
    select '${queue.organizationId}', '${ids.at(-1)}', id, 'x', 'succeeded', 1, '[]', now() from ${numbered(backlog)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, due_at)
    select '${queue.organizationId}', '${ids[0]}', id, 'PersonCreated_v1', now() from ${numbered(backlog)} e;
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, due_at)
    select '${queue.organizationId}', webhook_id, id, 'PersonCreated_v1', now()
      from unnest('{${ids.slice(1, -1)}}'::uuid[]) webhook_id, ${numbered(10)} e;
    update lanes set in_flight = 0, next_due_at = now();
    update lanes set next_due_at = 'epoch' where webhook_id = '${ids[0]}'`)
}

const run = (text: string) => queue.database.write.rows({ name: '', text, values: [] })

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** In words, for a failure that can be read. */
const faultsOf = (plan: Plan): string[] =>
  nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'] ?? ''
    if (!/^(?:deliveries|finished_deliveries|events)/.test(table)) return []
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    if (node['Node Type'] === 'Seq Scan') return [`scans ${table}`]
    return rows > maxRows ? [`looks at ${rows} rows of ${table}`] : []
  })
