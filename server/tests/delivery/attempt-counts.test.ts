import { describe, expect, test } from 'vitest'
import {
  countOf,
  percentile,
  readDurations,
  removeAttemptCounts,
} from '../../src/delivery/queue/store/attempt-counts.ts'
import { addHook, database, failing, inside, organization, run, service, setUpHooks } from '../support/hooks.ts'

setUpHooks()

const statisticsOf = async (webhookId: string) =>
  (await service.as(organization, 'GET', `/organizations/webhooks/statistics?webhook_id=${webhookId}`)).body.result[0]

describe('The figures of synchronous hooks', () => {
  test('Each attempt of a run counts, the failed ones too, apart from those of events', async () => {
    const { id } = await addHook('hook', { inTurn: [failing, failing, { body: '{}' }] })
    await run()
    const { event, sync_hook, trigger_types } = await statisticsOf(id)
    expect(event).toBeUndefined()
    expect(trigger_types).toEqual(['sync_hook'])
    expect(sync_hook).toMatchObject({
      attempts: 3,
      failed: 2,
      error_rate: 0.6667,
      last_error: { status_code: 500, count: 2 },
    })
  })

  test('A hook that answers too late counts as a time-out, one that refuses a person as a success', async () => {
    const slow = await addHook('slow', { hang: true }, { timeout: '200ms', on_failure: 'continue' })
    await run()
    expect((await statisticsOf(slow.id)).sync_hook).toMatchObject({ attempts: 3, timeouts: 3, failed: 3 })
    await service.as(organization, 'DELETE', `/organizations/webhooks/${slow.id}`)
    const refusing = await addHook('refusing', { body: JSON.stringify({ deny: { reason: 'No' } }) })
    await run()
    expect((await statisticsOf(refusing.id)).sync_hook).toMatchObject({ attempts: 1, failed: 0 })
  })

  test('An answer without claims counts by its word', async () => {
    const { id } = await addHook('hook', { body: '[]' }, { on_failure: 'continue' })
    await run()
    expect((await statisticsOf(id)).sync_hook.last_error).toMatchObject({ error: 'answer_not_an_object', count: 1 })
  })

  test('Runs at once lose no count', async () => {
    const { id } = await addHook('hook', { body: '{}' })
    await Promise.all(Array.from({ length: 40 }, run))
    expect((await statisticsOf(id)).sync_hook).toMatchObject({ attempts: 40, failed: 0 })
  })
})

test('A percentile of any durations is within a tenth, as PostgreSQL adds them', async () => {
  const durations = Array.from({ length: 2_000 }, (_, n) => 2 + 1.005 ** n).toSorted((one, other) => one - other)
  const counts = durations.map((duration_ms) => countOf({ duration_ms, status_code: 200 }).duration)
  const { rows } = await inside.query('select numeric_send(sum(d)) as sum from unnest($1::numeric[]) d', [counts])
  const steps = readDurations(rows[0].sum)
  for (const share of [0.01, 0.5, 0.9, 0.95, 0.99, 1]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] as number
    const ratio = (percentile(steps, share) as number) / exact
    expect(ratio, `${share}: ${exact} ms`).toBeGreaterThan(0.9)
    expect(ratio, `${share}: ${exact} ms`).toBeLessThan(1.1)
  }
  expect(percentile(readDurations(Buffer.alloc(8)), 0.5)).toBeUndefined()
})

test('More attempts than one number of four digits has are counted in each step', async () => {
  const { rows } = await inside.query(
    `select numeric_send(sum(d * 123456789)) as sum from unnest('{1,1e12,1e120}'::numeric[]) d`,
  )
  const steps = readDurations(rows[0].sum)
  expect([steps[0], steps[1], steps[10], steps[2]]).toEqual([123456789, 123456789, 123456789, 0])
})

test('Counts of hours that are past go, in batches', async () => {
  const { id } = await addHook('hook', { body: '{}' })
  await run()
  await inside.query(`update attempt_counts set hour = hour - interval '40 days'`)
  const before = new Date(Date.now() - 35 * 86_400_000).toISOString()
  expect(await removeAttemptCounts(database.write, before, 1)).toBe(1)
  while ((await removeAttemptCounts(database.write, before, 1)) > 0);
  expect(await statisticsOf(id)).not.toHaveProperty('sync_hook')
})
