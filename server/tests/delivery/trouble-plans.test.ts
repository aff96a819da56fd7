import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFailingHooks, findFailingWebhooks, findPausedWebhooks } from '../../src/delivery/statistics/index.ts'
import { maxLoggedLookedAt } from '../../src/delivery/statistics/trouble-store.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { firstIdAt } from '../../src/ground/runtime/identifiers.ts'
import { explainingConnection, mayExplain, nodesOf } from '../support/plans.ts'
import { type Queue, testQueue } from '../support/queue.ts'

/** All of one organization. Each tenth fails, each hundredth is paused, and each thousandth has a hook that fails. */
const webhooks = 10_000
const limit = 51
/** Runs of each of those hooks, deliveries that wait for each webhook that is paused or fails, and hours in which it failed. */
const each = 20
/** What the log has of the last of them beside that: runs of its hook that were dropped, and as many events that it took between them. */
const busy = 20_000

let queue: Queue
let organizationId: string
let explaining: Awaited<ReturnType<typeof explainingConnection>>

beforeAll(async () => {
  if (!mayExplain) return
  queue = await testQueue(1)
  const [lane] = await queue.addWebhooks(1)
  organizationId = lane?.organizationId ?? ''
  explaining = await explainingConnection(queue.connection, 'work')
  const run = (text: string) => explaining.queries.rows({ name: '', text, values: [] })
  const id = (of: string) => `('00000000-0000-7000-9000-' || lpad(${of}::text, 12, '0'))::uuid`
  const now = firstIdAt(Date.now())
  const event = `(left('${now}', 24) || lpad(n::text || k::text, 12, '0'))::uuid`
  const attempts = `'[{"number": 1, "started_at": "2026-11-27T12:00:00.000Z", "status_code": 500}]'::jsonb`
  for (const text of [
    `insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
       select '${organizationId}', ${id('n')}, 'https://x/', 'key-' || n, 'Webhook', '', 0, now() from generate_series(1, ${webhooks}) n`,
    `insert into lanes (org_id, webhook_id, failing_since, paused_reason, paused_at)
       select '${organizationId}', ${id('n')}, case when n % 10 = 0 then now() - interval '${each} hours' end, case when n % 100 = 0 then 'requested' end, now()
         from generate_series(1, ${webhooks}) n`,
    `insert into triggers (org_id, webhook_id, type, name, on_failure, created_at)
       select '${organizationId}', ${id('n')}, 'sync_hook', 'token_minted', 'fail', now() from generate_series(1000, ${webhooks}, 1000) n`,
    `insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, attempts_count, window_attempts, attempt_log)
       select '${organizationId}', ${id('n')}, ${event}, 'PersonCreated_v1', now(), 1, 1, ${attempts}
         from generate_series(10, ${webhooks}, 10) n, generate_series(1, ${each}) k`,
    `insert into finished_deliveries (org_id, webhook_id, event_id, trigger_type, trigger_name, status, attempts_count, attempt_log, finished_at)
       select '${organizationId}', ${id('n')}, ${event}, case when n % 1000 = 0 then 'sync_hook' else 'event' end, 'token_minted',
              'dropped', 1, ${attempts}, now() from generate_series(1, ${webhooks}) n, generate_series(1, ${each}) k`,
    `insert into finished_deliveries (org_id, webhook_id, event_id, trigger_type, trigger_name, status, attempts_count, attempt_log, finished_at)
       select '${organizationId}', ${id(`${webhooks}`)}, (left('${now}', 24) || 'f' || lpad(n::text || k::text, 11, '0'))::uuid, type, type, status, 1,
              ${attempts}, now() from generate_series(1, ${busy}) n, (values (1, 'event', 'succeeded'), (2, 'sync_hook', 'dropped')) of (k, type, status)`,
    `insert into attempt_counts (org_id, webhook_id, hour, trigger_type, failure, session, count, durations, last_at)
       select '${organizationId}', ${id('n')}, date_trunc('hour', now(), 'UTC') - k * interval '1 hour', type, failure, 1, 1, 1, now()
         from generate_series(10, ${webhooks}, 10) n, generate_series(1, ${each}) k,
              unnest('{event,sync_hook}'::text[]) type, unnest('{500,""}'::text[]) failure`,
    'analyze',
    'set plan_cache_mode = force_generic_plan',
  ])
    await run(text)
}, 120_000)
afterAll(async () => {
  await explaining?.end()
  await queue?.drop()
})

/** What was found, and how many rows of the queue, of the log and of the counts of attempts its statement read. */
async function read<Found>(find: (queries: Queries) => Promise<Found[]>) {
  explaining.plans.length = 0
  const found = await find(explaining.queries)
  const nodes = explaining.plans
    .flatMap(nodesOf)
    .filter((node) => /deliveries|attempt_counts/.test(node['Relation Name'] ?? ''))
  const rows = nodes.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
  const isScan = nodes.some((node) => node['Node Type'] === 'Seq Scan' && node['Actual Rows'] > each)
  return { found: found.length, rows: rows.reduce((sum, count) => sum + count, 0), isScan }
}

describe.skipIf(!mayExplain)('Beside 10,000 webhooks, what is paused or fails', () => {
  /** Of each that is listed what waits, and twice the counts: to find the newest failure, and how many there were like it. */
  const mostRows = limit * each * 5

  test.each<[string, (queries: Queries) => Promise<unknown[]>]>([
    ['paused', (queries: Queries) => findPausedWebhooks(queries, organizationId, limit)],
    ['failing', (queries: Queries) => findFailingWebhooks(queries, organizationId, limit)],
  ])('is found by few rows of queue and log (%s)', async (_, find) => {
    const { found, rows, isScan } = await read(find)
    expect(found).toBe(limit)
    expect(rows).toBeLessThanOrEqual(mostRows)
    expect(isScan).toBe(false)
  })

  test('is found by few rows of the log, of hooks', async () => {
    const from = firstIdAt(Date.now() - 3_600_000)
    const { found, rows, isScan } = await read((queries) => findFailingHooks(queries, organizationId, { from, limit }))
    expect(found).toBe(10)
    expect(rows).toBeLessThanOrEqual(10 * each * 6 + 2 * maxLoggedLookedAt + 1_000)
    expect(isScan).toBe(false)
  })
})
