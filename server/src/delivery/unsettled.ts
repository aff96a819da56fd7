/** What this process has claimed and not settled: counted against its budget, and what a stop waits for. */
import type { createClaimBudget } from './claim-budget.ts'
import type { ClaimedDelivery } from './claim-store.ts'

export type Unsettled = ReturnType<typeof createUnsettled>

export function createUnsettled(budget: Pick<ReturnType<typeof createClaimBudget>, 'add' | 'remove'>) {
  const unsettled = new Set<Promise<void>>()
  return {
    /** Counts it as this process's until `settled`. */
    keep(delivery: ClaimedDelivery, settled: Promise<void>) {
      budget.add(delivery)
      const entry = settled.finally(() => {
        unsettled.delete(entry)
        budget.remove(delivery)
      })
      unsettled.add(entry)
    },
    /** Of what is kept by now; waits no longer than `ms`. */
    allSettled: (ms: number) =>
      Promise.race([Promise.all(unsettled), new Promise((resolve) => setTimeout(resolve, ms).unref())]),
  }
}
