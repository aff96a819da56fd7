import { setTimeout as sleep } from 'node:timers/promises'
import { isFull } from './postgres-error.ts'

/** The server counts a connection for some milliseconds after its end; and pools of this process close theirs for those before them. */
const tryEveryMs = 100

/** How long whoever wants a connection waits for the server to give one. */
export const connectionWaitMs = 5_000

/** Calls `open` again as long as the server gives no further connection, or `mayWaitFor` says so of its error. */
export async function whileFull<Result>(open: () => Promise<Result>, mayWaitFor = isFull): Promise<Result> {
  for (const giveUpAt = performance.now() + connectionWaitMs; ; await sleep(tryEveryMs)) {
    try {
      return await open()
    } catch (error) {
      if (!mayWaitFor(error) || performance.now() >= giveUpAt) throw error
    }
  }
}
