import type { DeliveryWithAttempts } from '@signet/management'
import { expect, test } from 'vitest'
import { nextStep } from './next-step.ts'

const failed = { number: 3, jti: 'j', started_at: '2026-11-25T09:03:00.000Z', duration_ms: 20, status_code: 500 }
const delivery = (changed: Partial<DeliveryWithAttempts>): DeliveryWithAttempts => ({
  id: 'e',
  webhook_id: 'w',
  trigger_type: 'event',
  trigger_name: 'PersonCreated_v1',
  sub: 'e',
  status: 'pending',
  attempts_count: 3,
  created_at: '2026-11-25T09:00:00.000Z',
  attempts: [failed],
  ...changed,
})

test('Says after how long the next attempt begins, and why', () => {
  const words = nextStep(delivery({ next_attempt_at: '2026-11-25T09:07:00.060Z' }))
  expect(words).toContain('begins 4 min after attempt 3 began, because that failed')
})

test('Does not explain a redelivery by the schedule', () => {
  const succeeded = { ...failed, status_code: 204 }
  const words = nextStep(delivery({ attempts: [succeeded], next_attempt_at: '2026-11-25T10:00:00.000Z' }))
  expect(words).toContain('due at once')
  expect(nextStep(delivery({ next_attempt_at: failed.started_at }))).toContain('due at once')
})

test('Speaks of a run of a hook by the rules of hooks', () => {
  const run = (changed: Partial<DeliveryWithAttempts>) => nextStep(delivery({ trigger_type: 'sync_hook', ...changed }))
  expect(run({ status: 'dropped', reason: 'attempts_failed' })).toMatch(/All three attempts.*on_failure/)
  expect(run({ status: 'refused' })).toContain('refused the person')
  const statuses = ['succeeded', 'refused', 'dropped', 'cancelled', 'in_flight'] as const
  for (const status of statuses) expect(run({ status })).not.toMatch(/delivered|receiver|window|2XX/)
})

test('Says what ended it, or holds it', () => {
  expect(nextStep(delivery({ status: 'dropped', reason: 'retry_window_over' }))).toContain('window for retries')
  expect(nextStep(delivery({ status: 'held', attempts: [] }))).toContain('paused')
  expect(nextStep(delivery({ attempts: [], attempts_count: 0 }))).toContain('first attempt')
})
