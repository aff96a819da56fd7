import { AsyncLocalStorage } from 'node:async_hooks'
import { setBounded } from '../../ground/runtime/bounded-map.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'

export type KeyUse = { organizationId: string; keyId: string }

const minuteMs = 60_000
/** Keys whose last noted minute is remembered. The oldest is forgotten first, and may then be noted twice in a minute. */
const maxRemembered = 100_000
/** Uses waiting to be written; further ones are not noted while the database is unavailable. */
const maxWaiting = 10_000

/**
 * Notes in the background when keys were used: each key once a minute, all waiting uses in one statement, one statement
 * at a time. A use that cannot be written is dropped; that of the next minute will be noted.
 */
export function createKeyUses(clock: Clock, writeUses: (uses: KeyUse[], minute: string) => Promise<unknown>) {
  /** It writes the uses of all, so it does not run in the async context of the first. */
  const inOwnContext = AsyncLocalStorage.snapshot()
  const noted = new Map<string, number>()
  let waiting: KeyUse[] = []
  let isWriting = false

  const write = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const uses = waiting
      waiting = []
      await writeUses(uses, toTimestamp(startOfMinute(clock.now()))).catch(() => {})
    }
    isWriting = false
  }

  return {
    note(use: KeyUse) {
      const minute = startOfMinute(clock.now())
      if (noted.get(use.keyId) === minute || waiting.length === maxWaiting) return
      setBounded(noted, use.keyId, minute, maxRemembered)
      waiting.push(use)
      if (!isWriting) void inOwnContext(write)
    },
  }
}

const startOfMinute = (now: number) => now - (now % minuteMs)
