import type { Transaction } from '../../ground/database/database.ts'
import { type Clock, toNanosecondTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { type Span, type Tracer, untraced, type Work } from '../../ground/runtime/tracer.ts'
import { type NewEvent, toEventJson } from './event-json.ts'
import type { StoredEvent } from './event-store.ts'

export type PublishedEvent = { event_id: string; event_name: string; timestamp: string }

/**
 * Writes events, with a delivery for every matching trigger, in the transaction of the change they describe. After the
 * commit the deliveries are sent at once (claim on publish) or the worker is woken; a rollback publishes nothing.
 *
 * Call once per transaction, as the last statement, within `tx.last`: it holds lane locks until the commit, which block claims and
 * settlements. A later write to a lane would block behind a concurrent deletion of its webhook.
 */
export type Publish = (
  tx: Transaction,
  organizationId: string,
  events: NewEvent[],
  options?: {
    isTestEvent: boolean
    /** The `traceparent` of each event, where they are published for several requests. */
    parents?: (string | undefined)[]
  },
) => Promise<PublishedEvent[]>

/** Writes `events` and their deliveries; the conditions of `Publish` apply. Implemented by `queue`. */
export type Enqueue = (tx: Transaction, organizationId: string, events: StoredEvent[], now: number) => Promise<void>

type Dependencies = { clock: Clock; enqueue: Enqueue; tracer: Tracer }

const inProduction: Parameters<Publish>[3] & object = { isTestEvent: false }

/** What the lists of events and sign-ins are searched by. What a test event names is made up. */
function concerning({ content, signIn }: NewEvent) {
  const { person_id: personId, analytics_metadata: analytics } = content as Partial<Concerning>
  return { personId, signIn: signIn && { ...signIn, clientAddress: analytics?.client_ip_address ?? '' } }
}
type Concerning = { person_id: string; analytics_metadata: { client_ip_address?: string } }

/** Of the events that were published, no more than their names. */
export const publicationOf = (events: NewEvent[]): Work => ({
  name: 'publish',
  kind: 'producer',
  attributes: { 'signet.event_names': [...new Set(events.map(({ name }) => name))].join(' ') },
})

export function createPublish({ clock, enqueue, tracer }: Dependencies): Publish {
  const publish = async (
    span: Span | undefined,
    ...[tx, organizationId, events, { isTestEvent, parents } = inProduction]: Parameters<Publish>
  ) => {
    const now = clock.now()
    const timestamp = toNanosecondTimestamp(now)
    const stored = events.map((event, index) => {
      const id = makeId(now)
      const payload = toEventJson(event, { eventId: id, organizationId, timestamp, isTestEvent })
      const traceparent = parents ? parents[index] : span?.traceparent
      return { id, name: event.name, payload, traceparent, ...(!isTestEvent && concerning(event)) }
    })
    const published = stored.map(({ id, name }) => ({ event_id: id, event_name: name, timestamp }))
    await enqueue(tx, organizationId, stored, now)
    return published
  }
  // Else the names of the events would be collected at each publication, for nobody.
  if (tracer === untraced) return (...published) => publish(undefined, ...published)
  return (...published) => tracer.within(publicationOf(published[2]), (span) => publish(span, ...published))
}
