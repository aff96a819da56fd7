import { type Clock, toNanosecondTimestamp, toTimestamp } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { makeId } from '../identifiers.ts'
import { type NewEvent, toEventJson } from './event-json.ts'
import { insertEvents } from './event-store.ts'

export type PublishedEvent = { event_id: string; event_name: string; timestamp: string }

/**
 * Writes events into the open transaction of what they tell, with a delivery for every matching trigger. Nothing is
 * published for a change that is rolled back; once it is committed the worker is woken.
 */
export type Publish = (
  tx: Transaction,
  organizationId: string,
  events: NewEvent[],
  options?: { isTestEvent: boolean },
) => Promise<PublishedEvent[]>

/** Told which webhooks of an organization have something to deliver, right after the commit. */
export type Wake = (organizationId: string, webhookIds: string[]) => void

export function createPublish({ clock, wake }: { clock: Clock; wake: Wake }): Publish {
  return async (tx, organizationId, events, { isTestEvent } = { isTestEvent: false }) => {
    const now = clock.now()
    const stored = events.map((event) => {
      const id = makeId(now)
      return { id, name: event.name, payload: toEventJson(event, { eventId: id, organizationId, now, isTestEvent }) }
    })
    const webhookIds = await insertEvents(tx, organizationId, stored, toTimestamp(now))
    if (webhookIds.length > 0) tx.afterCommit(() => wake(organizationId, webhookIds))
    return stored.map(({ id, name }) => ({ event_id: id, event_name: name, timestamp: toNanosecondTimestamp(now) }))
  }
}
