import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchDatabase } from './postgres.ts'

const pollMs = 50

/** Signet's, in the queue and, where they were claimed on publish, outside of it. */
export const unfinishedDeliveries = 'select from deliveries union all select from unqueued_deliveries'

/** Waits until the query `unfinished` has no row. */
export async function untilDelivered(database: BenchDatabase, forMs: number, unfinished = unfinishedDeliveries) {
  const deadline = performance.now() + forMs
  for (;;) {
    const [row] = await database.rows<{ some: boolean }>(`select exists (${unfinished}) as some`)
    if (!row?.some) return
    if (performance.now() > deadline) throw new Error(`some deliveries are unfinished after ${forMs / 1_000} s`)
    await sleep(pollMs)
  }
}
