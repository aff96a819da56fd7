import type { Database } from '../../ground/database/database.ts'
import type { Positions } from '../../ground/positions/index.ts'
import { countNextEvents } from './event-counts-store.ts'

/** Events that one statement counts: some 8 µs each. */
const batchEvents = 20_000

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

  const countBatch = async (organizationId: string, end: number) => {
    noted.delete(organizationId)
    try {
      const count = await database.transaction((tx) => countNextEvents(tx, organizationId, end, batchEvents))
      if (count === undefined || count === batchEvents) noted.add(organizationId)
      return count
    } catch (error) {
      noted.add(organizationId)
      throw error
    }
  }

  return {
    note: (organizationId) => void noted.add(organizationId),
    async run(signal) {
      if (noted.size === 0) return
      const end = await positions.end()
      for (const organizationId of [...noted])
        while (!signal.aborted && (await countBatch(organizationId, end)) === batchEvents);
    },
    async countNow(organizationId) {
      await countBatch(organizationId, await positions.end())
    },
  }
}
