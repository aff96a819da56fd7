import type { Database } from '../database/database.ts'
import { setBounded } from '../runtime/bounded-map.ts'
import { type Clock, dayMs, toTimestamp } from '../runtime/clock.ts'
import { removeAnswers, removeSealedAnswers, type Since, timeOfSurplus } from './idempotency-store.ts'

/** How long an answer is kept, and one with a secret or handles. */
export const answerKeptMs = dayMs
const sealedKeptMs = 600_000
/** Answers of one organization; beyond them the oldest go. */
const maxAnswers = 100_000
/** They are counted again after so many more, because that reads an index entry for each. */
const countEvery = 1_000
/** Organizations with new answers that this process remembers. */
const maxOrganizations = 10_000
/** Rows per statement, each its own transaction. */
const batchRows = 1_000

export const keptSince = (now: number): Since => ({
  since: toTimestamp(now - answerKeptMs),
  sealedSince: toTimestamp(now - sealedKeptMs),
})

/**
 * Removes encrypted answers that are kept no longer, and answers above the number that an organization may have. Safe in several
 * processes at once, each of which counts again after `countEvery` answers of its own.
 */
export function createAnswerSweep({ database: { write }, clock }: { database: Pick<Database, 'write'>; clock: Clock }) {
  /** Answers of an organization since they were counted last. */
  const added = new Map<string, number>()

  const trim = async (organizationId: string, signal: AbortSignal) => {
    const surplus = await timeOfSurplus(write, organizationId, maxAnswers)
    if (!surplus) return
    // With all others of the same millisecond.
    const time = toTimestamp(surplus.getTime() + 1)
    while (!signal.aborted && (await removeAnswers(write, organizationId, time, batchRows)) === batchRows);
  }

  return {
    note: (organizationId: string) =>
      // The first one of this process has them counted: nobody knows how many there were before.
      setBounded(added, organizationId, (added.get(organizationId) ?? countEvery - 1) + 1, maxOrganizations),
    async run(signal: AbortSignal) {
      const { sealedSince } = keptSince(clock.now())
      while (!signal.aborted && (await removeSealedAnswers(write, sealedSince, batchRows)) === batchRows);
      const due = [...added].filter(([, count]) => count >= countEvery)
      for (const [organizationId] of due) {
        added.set(organizationId, 0)
        await trim(organizationId, signal)
      }
    },
  }
}
