import { setTimeout as sleep } from 'node:timers/promises'
import { isFull } from './postgres-error.ts'

/** The server counts a connection for some milliseconds after its end; and pools of this process close theirs for those before them. */
const tryEveryMs = 100

/** Calls `open` again for `waitMs` as long as the server gives no further connection. */
export async function whileFull<Result>(open: () => Promise<Result>, waitMs: number): Promise<Result> {
  for (const giveUpAt = performance.now() + waitMs; ; await sleep(tryEveryMs)) {
    try {
      return await open()
    } catch (error) {
      if (!isFull(error) || performance.now() >= giveUpAt) throw error
    }
  }
}
