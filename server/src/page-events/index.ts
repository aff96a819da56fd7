/**
 * Page events: what the pages of an organization's applications tell, by themselves, of what they show.
 *
 * Owns: POST /sdk/events, the one operation that anybody may write with: it takes no key, which a page could not keep. So it
 * believes nothing of who is looking but an ID token, writes one kind of event, and counts who calls.
 * Publishes VirtualPageLoaded_v1. Leaves to `issuer` whose an ID token is and which origins are those of applications, and to
 * `events` what becomes of an event.
 */
import type { Operation } from '../http/operation.ts'
import { publishPageEvent } from './publish-page-event.ts'

export const pageEventsOperations = (dependencies: Parameters<typeof publishPageEvent>[0]): Operation[] => [
  publishPageEvent(dependencies),
]
