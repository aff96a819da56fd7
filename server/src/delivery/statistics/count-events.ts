import type { Database } from '../../ground/database/database.ts'
import type { Positions } from '../../ground/positions/index.ts'
import { countNextEvents } from './event-counts-store.ts'

/** Events that one statement counts: some 8 µs each. Of several organizations each has an equal share of them. */
const batchEvents = 20_000
/** Organizations whose events one statement counts. */
const batchOrganizations = 100

export type CountEvents = {
  /** To be called when something was published: it is counted in the next run. */
  note(organizationId: string): void
  /** Counts what was noted, until `signal` aborts. What a killed process had noted is counted with what comes next, or when it is asked for. */
  run(signal: AbortSignal): Promise<void>
  /** Counts what is new of one organization at once, one batch of it; what is left, or held by another process, is noted. */
  countNow(organizationId: string): Promise<void>
}

/** Each event is counted once: who counts those of an organization has the lock on how far they are counted. */
export function createCountEvents({ database, positions }: { database: Database; positions: Positions }): CountEvents {
  const noted = new Set<string>()

  /** What is left to count, or counted by another process, is noted again. Gives the organizations of which something is left. */
  const countBatch = async (organizationIds: string[], end: number): Promise<string[]> => {
    for (const id of organizationIds) noted.delete(id)
    const limit = Math.floor(batchEvents / organizationIds.length)
    const left = new Set(organizationIds)
    try {
      const counted = await database.transaction((tx) => countNextEvents(tx, organizationIds, end, limit))
      for (const { organizationId, count } of counted) if (count < limit) left.delete(organizationId)
      return counted.map(({ organizationId }) => organizationId).filter((id) => left.has(id))
    } finally {
      for (const id of left) noted.add(id)
    }
  }

  return {
    note: (organizationId) => void noted.add(organizationId),
    async run(signal) {
      if (noted.size === 0) return
      const end = await positions.end()
      const waiting = [...noted]
      while (waiting.length > 0 && !signal.aborted)
        waiting.push(...(await countBatch(waiting.splice(0, batchOrganizations), end)))
    },
    async countNow(organizationId) {
      await countBatch([organizationId], await positions.end())
    },
  }
}
