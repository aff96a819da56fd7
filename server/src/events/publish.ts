import { type Clock, toNanosecondTimestamp, toTimestamp } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { makeId } from '../identifiers.ts'
import { type NewEvent, toEventJson } from './event-json.ts'
import {
  type ClaimedAsPublished,
  type ClaimTerms,
  insertEvents,
  type StoredEvent,
  type StoredTarget,
} from './event-store.ts'
import type { Payloads } from './payloads.ts'

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

/** Told which webhooks of an organization have something waiting, right after the commit. */
export type Wake = (organizationId: string, webhookIds: string[]) => void

/** To claim, as it is published, what an organization publishes. */
export type Offer = ClaimTerms & {
  /** Told right after the commit, also when nothing was claimed. `targets`: by webhook id. `payloads`: by event id. */
  take(
    deliveries: ClaimedAsPublished[],
    given: { targets: Map<string, StoredTarget>; payloads: Map<string, string> },
  ): void
  /** Told when the transaction has failed, or nobody knows whether it is committed. */
  fail(): void
}

/** `now`: when it is published. Undefined when no worker is here, or it offers nothing now, or has no room. */
export type MakeOffer = (organizationId: string, now: number) => Offer | undefined

/** `payloads`: where a worker runs, which reads them. */
type Dependencies = { clock: Clock; wake: Wake; makeOffer?: MakeOffer; payloads?: Pick<Payloads, 'keep'> }

const payloadsOf = (events: StoredEvent[]) => new Map(events.map(({ id, payload }) => [id, payload]))

export function createPublish({ clock, wake, makeOffer, payloads }: Dependencies): Publish {
  return async (tx, organizationId, events, { isTestEvent } = { isTestEvent: false }) => {
    const now = clock.now()
    const timestamp = toNanosecondTimestamp(now)
    const stored = events.map((event) => {
      const id = makeId(now)
      return {
        id,
        name: event.name,
        payload: toEventJson(event, { eventId: id, organizationId, timestamp, isTestEvent }),
      }
    })
    const offer = makeOffer?.(organizationId, now)
    if (offer) tx.afterFailure(offer.fail)
    const { claimed, targets, waiting } = await insertEvents(tx, organizationId, stored, toTimestamp(now), offer)
    tx.afterCommit(() => {
      if (waiting.length > 0) {
        // First: who is told next reads them at once.
        payloads?.keep(organizationId, stored)
        wake(organizationId, waiting)
      }
      offer?.take(claimed, { targets, payloads: payloadsOf(stored) })
    })
    return stored.map(({ id, name }) => ({ event_id: id, event_name: name, timestamp }))
  }
}
