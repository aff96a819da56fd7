import type { Queries } from '../../ground/database/database.ts'
import { type EventContent, loadPayloads, type StoredEvent } from './event-store.ts'

/** Characters; an event has about 600. The cache has two halves: when the newer is full, the older is dropped. */
const maxCachedLength = 16_000_000

type EventKey = { organizationId: string; eventId: string }

export type Payloads = ReturnType<typeof createPayloads>
export type LoadedPayloads = Map<string, EventContent>

/**
 * Payloads for delivery: recent ones whose deliveries had to wait come from memory, others from the table. Reading back
 * what was just written took 8 % of PostgreSQL's time per delivery (measured).
 */
export function createPayloads() {
  // Two maps, the older dropped as a whole: removing entries one by one cost 15 µs per event (measured).
  let newer = new Map<string, EventContent>()
  let older = newer
  let size = 0
  const keyOf = ({ organizationId, eventId }: EventKey) => organizationId + eventId
  const find = (event: EventKey) => newer.get(keyOf(event)) ?? older.get(keyOf(event))
  const rotate = () => {
    older = newer
    newer = new Map()
    size = 0
  }

  return {
    /** Called right after the commit. */
    keep(organizationId: string, events: StoredEvent[]) {
      for (const { id, payload, traceparent } of events) {
        if (size + payload.length > maxCachedLength / 2) rotate()
        newer.set(keyOf({ organizationId, eventId: id }), { payload, ...(traceparent && { traceparent }) })
        size += payload.length
      }
    },

    /** By event id; deleted events are missing. */
    async load(queries: Queries, events: EventKey[]): Promise<LoadedPayloads> {
      const payloads: LoadedPayloads = new Map()
      const unknown = new Map<string, EventKey>()
      for (const event of events) {
        const content = find(event)
        if (content === undefined) unknown.set(event.eventId, event)
        else payloads.set(event.eventId, content)
      }
      for (const [id, content] of await loadPayloads(queries, [...unknown.values()])) payloads.set(id, content)
      return payloads
    },
  }
}
