import type { Queries } from '../database/database.ts'
import { loadPayloads, type StoredEvent } from './event-store.ts'

/** Characters, of some 600 an event. Kept in two halves, of which the older goes when the newer is full: half of this stays. */
const maxKept = 16_000_000

type EventKey = { organizationId: string; eventId: string }

export type Payloads = ReturnType<typeof createPayloads>
export type LoadedPayloads = Map<string, string>

/**
 * The payloads of events for those who deliver them: of the last publications of which something had to wait from memory, of
 * the rest from the table. Reading back what was just written took 8 % of PostgreSQL's time of a delivery (measured).
 */
export function createPayloads() {
  // Two, of which the older goes as a whole: taken out one by one, each event cost 15 µs (measured).
  let newer = new Map<string, string>()
  let older = newer
  let size = 0
  const keyOf = ({ organizationId, eventId }: EventKey) => organizationId + eventId
  const find = (event: EventKey) => newer.get(keyOf(event)) ?? older.get(keyOf(event))
  const turn = () => {
    older = newer
    newer = new Map()
    size = 0
  }

  return {
    /** Told right after the commit. */
    keep(organizationId: string, events: StoredEvent[]) {
      for (const { id, payload } of events) {
        if (size + payload.length > maxKept / 2) turn()
        newer.set(keyOf({ organizationId, eventId: id }), payload)
        size += payload.length
      }
    },

    /** By the events' ids; those that are gone are missing. */
    async load(queries: Queries, events: EventKey[]): Promise<LoadedPayloads> {
      const payloads: LoadedPayloads = new Map()
      const unknown = new Map<string, EventKey>()
      for (const event of events) {
        const payload = find(event)
        if (payload === undefined) unknown.set(event.eventId, event)
        else payloads.set(event.eventId, payload)
      }
      for (const [id, payload] of await loadPayloads(queries, [...unknown.values()])) payloads.set(id, payload)
      return payloads
    },
  }
}
