import type { Queries } from '../database/database.ts'
import { loadPayloads, type StoredEvent } from './event-store.ts'

/** Characters that are kept, of some 600 an event; the oldest go first. */
const maxKept = 16 * 1024 * 1024

type EventKey = { organizationId: string; eventId: string }

export type Payloads = ReturnType<typeof createPayloads>

/**
 * The payloads of events for those who deliver them: of what this process published last from memory, of the rest from
 * the table. Reading back what was just written took a tenth of PostgreSQL's time of a delivery (measured).
 */
export function createPayloads() {
  const kept = new Map<string, string>()
  let size = 0
  const nameOf = ({ organizationId, eventId }: EventKey) => organizationId + eventId

  return {
    /** Told right after the commit. */
    keep(organizationId: string, events: StoredEvent[]) {
      for (const { id, payload } of events) {
        kept.set(nameOf({ organizationId, eventId: id }), payload)
        size += payload.length
      }
      for (const [name, { length }] of kept) {
        if (size <= maxKept) break
        kept.delete(name)
        size -= length
      }
    },

    /** By the events' ids; those that are gone are missing. */
    async load(queries: Queries, events: EventKey[]): Promise<Map<string, string>> {
      const payloads = new Map<string, string>()
      const unknown = events.filter((event) => {
        const payload = kept.get(nameOf(event))
        if (payload !== undefined) payloads.set(event.eventId, payload)
        return payload === undefined
      })
      for (const [id, payload] of await loadPayloads(queries, unknown)) payloads.set(id, payload)
      return payloads
    },
  }
}
