/** What this process has claimed and not settled: counted against its budget, and what a stop waits for. */
import type { createClaimBudget } from './claim-budget.ts'
import type { ClaimedDelivery } from './claim-store.ts'

export type Unsettled = ReturnType<typeof createUnsettled>

export function createUnsettled(budget: Pick<ReturnType<typeof createClaimBudget>, 'add' | 'remove'>) {
  let count = 0
  const waiting: (() => void)[] = []
  return {
    /** Counts it as this process's, by its weight. Gives what to call once, when it is settled. */
    keep(delivery: ClaimedDelivery, weight = 1): () => void {
      budget.add(delivery, weight)
      count += 1
      return () => {
        budget.remove(delivery, weight)
        count -= 1
        if (count === 0) for (const resolve of waiting.splice(0)) resolve()
      }
    },
    /** Waits until there is none, no longer than `ms`. */
    allSettled: (ms: number) =>
      new Promise<void>((resolve) => {
        if (count === 0) return resolve()
        waiting.push(resolve)
        setTimeout(resolve, ms).unref()
      }),
  }
}
