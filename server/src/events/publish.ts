import type { Transaction } from '../database/database.ts'
import { type Clock, toNanosecondTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { type NewEvent, toEventJson } from './event-json.ts'
import type { StoredEvent } from './event-store.ts'

export type PublishedEvent = { event_id: string; event_name: string; timestamp: string }

/**
 * Writes events into the open transaction of what they tell, with a delivery for every matching trigger. Nothing is
 * published for a change that is rolled back; once it is committed the worker is woken, or has claimed it already.
 *
 * To be called once in a transaction, as its last statement: it locks lanes until the commit, of which nothing else is claimed or
 * settled meanwhile. A second write to a lane would wait for whoever removes its webhook.
 */
export type Publish = (
  tx: Transaction,
  organizationId: string,
  events: NewEvent[],
  options?: { isTestEvent: boolean },
) => Promise<PublishedEvent[]>

/**
 * Writes events with a delivery for every matching trigger, as the transaction's last statement: it locks lanes until the commit.
 * Once that is made, they are delivered.
 */
export type Enqueue = (tx: Transaction, organizationId: string, events: StoredEvent[], now: number) => Promise<void>

export function createPublish({ clock, enqueue }: { clock: Clock; enqueue: Enqueue }): Publish {
  return async (tx, organizationId, events, { isTestEvent } = { isTestEvent: false }) => {
    const now = clock.now()
    const timestamp = toNanosecondTimestamp(now)
    const stored = events.map((event) => {
      const id = makeId(now)
      const payload = toEventJson(event, { eventId: id, organizationId, timestamp, isTestEvent })
      return { id, name: event.name, payload }
    })
    await enqueue(tx, organizationId, stored, now)
    return stored.map(({ id, name }) => ({ event_id: id, event_name: name, timestamp }))
  }
}
