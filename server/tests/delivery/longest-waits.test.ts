import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LaneKey } from '../../src/delivery/queue/delivery.ts'
import { longestWaits } from '../../src/delivery/queue/store/lanes.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { type Queue, testQueue } from '../support/queue.ts'

const now = Date.UTC(2026, 10, 23)
let queue: Queue

beforeAll(async () => {
  queue = await testQueue(2)
})
afterAll(() => queue.drop())

type Lane = { dueAt: number; paused?: boolean; failing?: boolean; healthy?: boolean }

const change = ({ webhookId }: LaneKey, { dueAt, paused = false, failing = false, healthy = false }: Lane) =>
  queue.database.write.rows(sql`
    update lanes set next_due_at = ${toTimestamp(dueAt)}, paused_reason = ${paused ? 'requested' : null},
                     failing = ${failing}, healthy = ${healthy}
     where webhook_id = ${webhookId}`)

const waits = async () =>
  Object.fromEntries((await longestWaits(queue.database.read, now)).map(({ receivers, ms }) => [receivers, ms]))

test('The longest wait is given for each class of receivers, without deliveries that are not due or paused', async () => {
  expect(await waits()).toEqual({ healthy: 0, failing: 0, degraded: 0 })
  const lanes = await queue.addWebhooks(6)
  const states: Lane[] = [
    { dueAt: now - 5_000, healthy: true },
    { dueAt: now - 3_000, healthy: true },
    { dueAt: now - 90_000, paused: true, healthy: true },
    { dueAt: now - 60_000, failing: true },
    { dueAt: now - 7_000, failing: true, healthy: true },
    { dueAt: now + 1_000 },
  ]
  for (const [n, lane] of lanes.entries()) await change(lane, states[n] as Lane)
  expect(await waits()).toEqual({ healthy: 7_000, failing: 60_000, degraded: 0 })
})
