/**
 * Statistics: how much happened in an organization, and when; how its receivers answer, and which of them are paused or fail.
 *
 * Owns: GET /organizations/statistics and /organizations/webhooks/statistics; the tables event_counts, provider_counts and
 * event_count_positions, and how events are counted.
 * Leaves to `queue` the counts of deliveries and attempts, which are written with their outcome, and only reads them and the queue; to
 * `webhooks` what a webhook is, to `events` the events, and to `positions` up to where they can be counted.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { getStatistics } from './get-statistics.ts'
import { listWebhookStatistics } from './list-webhook-statistics.ts'

export { type CountEvents, createCountEvents } from './count-events.ts'
export { removeEventCounts } from './event-counts-store.ts'
export { findFailingHooks, findFailingWebhooks, findPausedWebhooks, maxRunsLookedAt } from './trouble-store.ts'
export { LastError, toLastError } from './webhook-statistics-record.ts'
export { maxWaiting } from './webhook-statistics-store.ts'

export const statisticsOperations = (dependencies: Parameters<typeof getStatistics>[0]): Operation[] => [
  getStatistics(dependencies),
  listWebhookStatistics(dependencies),
]
