/**
 * Events: what happened, as the contract in `proto/` defines it.
 *
 * Owns: POST /test-events; the tables events and test_event_allowances; the names, sources and JSON of events.
 * `publish` writes events in the transaction of what they tell, together with one delivery for each matching trigger, and
 * claims them with it for this process's worker where that offers to. For that it reads triggers and webhooks, and writes
 * deliveries and lanes.
 * Leaves to `delivery` everything that happens to a delivery afterwards, and to `webhooks` which triggers there are.
 */
import { publishTestEvents } from './publish-test-events.ts'

export { type Alike, eachOf } from './alike.ts'
export { analyticsOf } from './analytics.ts'
export { describeEvents } from './describe-events.ts'
export { eventNames, type NewEvent } from './event-json.ts'
export type { ClaimedAsPublished, StoredTarget } from './event-store.ts'
export { createPayloads, type LoadedPayloads, type Payloads } from './payloads.ts'
export { createPublish, type MakeOffer, type Offer, type Publish, type Wake } from './publish.ts'

export const eventsOperations = (dependencies: Parameters<typeof publishTestEvents>[0]) => [
  publishTestEvents(dependencies),
]
