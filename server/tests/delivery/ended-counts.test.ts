import { afterAll, beforeAll, expect, test } from 'vitest'
import { countEnded, logEnded } from '../../src/delivery/queue/store/log.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { type Queue, testQueue } from '../support/queue.ts'

let queue: Queue

beforeAll(async () => {
  queue = await testQueue(4)
})

afterAll(() => queue?.drop())

const webhookIds = Array.from({ length: 12 }, () => makeId(Date.now()))

/** Writes and counts one delivery of each webhook, as a settlement does; with a content they are logout tokens. */
async function end(webhooks: string[], now: string, content: string | null = null) {
  await queue.database.write.rows(sql`
    with ended as (
      select ${queue.organizationId}::uuid as org_id, webhook_id, ${makeId(Date.now())}::uuid as event_id, 'PersonCreated_v1' as trigger_name,
             'succeeded' as status, null as reason, 1 as attempts_count, '[]'::jsonb as attempt_log, ${content}::jsonb as content
        from unnest(${webhooks}::uuid[]) as webhook_id
    ), ${logEnded(now)}, ${countEnded(now)}
    select count(*) from logged`)
}

test('Sessions that count the same webhooks at once, known or new, in whatever order, wait for each other and lose no count', async () => {
  const days = ['2026-11-20T10:00:00Z', '2026-11-21T10:00:00Z']
  for (const now of days)
    for (let round = 0; round < 10; round++) {
      const some = webhookIds.slice(0, 3 + round)
      const orders = [some, some.toReversed(), some.slice(1), [...some.slice(2), ...some.slice(0, 2)]]
      await Promise.all(orders.map((webhooks) => end(webhooks, now)))
    }
  const [sums] = await queue.database.write.rows(sql<Record<string, number>>`
    select (select count(*)::int from finished_deliveries) as logged, (select sum(count)::int from delivery_minute_counts) as by_minute,
           (select sum(count)::int from delivery_counts) as by_day, (select count(*)::int from delivery_counts) as days_of_webhooks`)
  const logged =
    days.length * Array.from({ length: 10 }, (_, round) => 4 * (3 + round) - 1).reduce((sum, count) => sum + count)
  expect(sums).toEqual({ logged, by_minute: logged, by_day: logged, days_of_webhooks: days.length * webhookIds.length })
})

test('A logout token is counted by the minute, apart from deliveries of webhooks', async () => {
  const ended = (content: string | null) => end(webhookIds.slice(0, 1), '2026-11-22T10:00:00Z', content)
  await ended('{"sub": "ada"}')
  await ended(null)
  const [sums] = await queue.database.write.rows(sql<Record<string, unknown>>`
    select (select count(*)::int from finished_deliveries where finished_at = '2026-11-22T10:00:00Z') as logged,
           (select json_object_agg(session < 0, count) from delivery_minute_counts where minute = '2026-11-22T10:00:00Z') as by_kind`)
  expect(sums).toEqual({ logged: 2, by_kind: { true: 1, false: 1 } })
})
