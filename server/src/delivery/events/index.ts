/**
 * Events: what happened, as the contract in `proto/` defines it.
 *
 * Owns: POST /test-events; the tables events and event_low_watermarks; the names, sources and JSON of events.
 * `publish` writes events in the transaction of the change they describe.
 * Leaves to `queue` their deliveries, which it writes in the same statement; which triggers a webhook has is handed in.
 */
import { publishTestEvents } from './publish-test-events.ts'

export { analyticsOf } from './analytics.ts'
export { describeEvents, exampleOfEvent } from './describe-events.ts'
export { toEventBinary, withLength } from './event-binary.ts'
export { type EventName, eventNames, type NewEvent } from './event-json.ts'
export {
  type EventContent,
  forgetHandles,
  insertEvents,
  loadPayloads,
  nameOfEvent,
  type StoredEvent,
} from './event-store.ts'
export { noteDropped } from './low-watermark-store.ts'
export { createPayloads, type LoadedPayloads, type Payloads } from './payloads.ts'
export { createPublish, type Enqueue, type Publish } from './publish.ts'
export { publishMany } from './publish-many.ts'
export type { SignInHandle } from './sign-in-event.ts'

export const eventsOperations = (dependencies: Parameters<typeof publishTestEvents>[0]) => [
  publishTestEvents(dependencies),
]
