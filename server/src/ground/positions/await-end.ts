import { setTimeout as wait } from 'node:timers/promises'
import type { Positions } from './positions.ts'

/** How long a page waits for transactions that hold back rows which are committed, and how often it looks. */
const maxHeldBackMs = 1_000
const pollMs = 50

/**
 * How far a list with the newest first may be read. A client that reads right after its own write finds the row, unless another
 * transaction is open for longer. `newest`: the position of the newest row that is committed.
 */
export async function endOfNewest({ end }: Pick<Positions, 'end'>, newest: number): Promise<number> {
  const deadline = performance.now() + maxHeldBackMs
  for (;;) {
    const found = await end()
    if (found >= newest || performance.now() > deadline) return found
    await wait(pollMs)
  }
}
