/**
 * Page events: events that the pages of an organization's applications publish themselves.
 *
 * Owns: POST /sdk/events, the only operation that anybody may write with: it takes no key, since a page could not keep one
 * secret. The person is taken from an ID token only, the operation writes one kind of event, and callers are rate-limited.
 * Publishes VirtualPageLoaded_v1. Leaves to `issuer` the verification of ID tokens and the origins of applications, and to
 * `events` everything after publishing.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { publishPageEvent } from './publish-page-event.ts'

export const pageEventsOperations = (dependencies: Parameters<typeof publishPageEvent>[0]): Operation[] => [
  publishPageEvent(dependencies),
]
