import type { Database } from '../database/database.ts'
import { setBounded } from '../runtime/bounded-map.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { type KeyUse, noteKeyUses } from './api-key-store.ts'

const minuteMs = 60_000
/** Keys remembered as noted; the one noted first is forgotten first, and then noted once more than needed. */
const maxRemembered = 100_000
/** Uses waiting to be written; while the database is away those beyond are not noted. */
const maxWaiting = 10_000

/**
 * Notes in the background when keys were used: each key once a minute, all that waits in one statement, one statement
 * at a time. A use that cannot be written is let go; the next minute's will be noted.
 */
export function createKeyUses({ database, clock }: { database: Database; clock: Clock }) {
  const noted = new Map<string, number>()
  let waiting: KeyUse[] = []
  let isWriting = false

  const write = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const uses = waiting
      waiting = []
      await noteKeyUses(database.write, uses, toTimestamp(startOfMinute(clock.now()))).catch(() => {})
    }
    isWriting = false
  }

  return {
    note(use: KeyUse) {
      const minute = startOfMinute(clock.now())
      if (noted.get(use.keyId) === minute || waiting.length === maxWaiting) return
      setBounded(noted, use.keyId, minute, maxRemembered)
      waiting.push(use)
      if (!isWriting) void write()
    },
  }
}

const startOfMinute = (now: number) => now - (now % minuteMs)
