/** Claims what is due, as far as the budget allows, and says for how long there will be nothing more. */
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import { makeId } from '../identifiers.ts'
import type { Arming } from './arming.ts'
import { createBackoff, heldDelay } from './backoff.ts'
import type { Claimable, createClaimBudget } from './claim-budget.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-store.ts'
import type { Intake } from './intake.ts'
import { nextLaneDue } from './lane-store.ts'
import { leaseMs } from './lease.ts'
import type { createSweep } from './sweep.ts'

export type ClaimerDependencies = {
  database: Database
  clock: Clock
  /** Names this worker. */
  owner: string
  /** Done with each claim, which then sees it. */
  arming: Arming
}

type Parts = {
  budget: ReturnType<typeof createClaimBudget>
  intake: Intake
  sweep: ReturnType<typeof createSweep>
  /** What was claimed could be read as well. A claim that finds nothing does not show that it could be. */
  onTaken: () => void
}

export function createClaimer(
  { database, clock, owner, arming }: ClaimerDependencies,
  { budget, intake, sweep, onTaken }: Parts,
) {
  let isFailingFirst = false
  /** For lanes that cannot be claimed or armed, though it is time. */
  const held = createBackoff(heldDelay)

  const optionsOf = (claimable: Claimable) => {
    const now = clock.now()
    return { now: toTimestamp(now), leaseEnd: toTimestamp(now + leaseMs), claim: makeId(now), owner, claimable }
  }

  /** Where there is room for one of both, those of failing receivers come first, and the next time the others. */
  const inTurn = (claimed: ClaimedDelivery[]): ClaimedDelivery[] => {
    const { failing = [], others = [] } = Object.groupBy(claimed, ({ isFailing }) => (isFailing ? 'failing' : 'others'))
    if (failing.length === 0) return claimed
    isFailingFirst = !isFailingFirst
    return isFailingFirst ? [...failing, ...others] : [...others, ...failing]
  }

  const arm = (queries: Queries) => arming.arm(queries, () => !budget.isScarce())

  return {
    /** `found`: deliveries to quick receivers. `more`: whether another claim at once would find something. */
    async claim(): Promise<{ found: number; more: boolean }> {
      const claimable = budget.claimable()
      if (Object.values(claimable).every(({ most }) => most === 0)) {
        await arm(database.write)
        return { found: 0, more: false }
      }
      // Its time is taken after that of the arming, or it would not see what was armed.
      const { result, committed } = await database.early(arm, (queries) =>
        claimDeliveries(queries, optionsOf(claimable)),
      )
      if (result.deliveries.length > 0) {
        held.reset()
        await intake.take(inTurn(result.deliveries), committed)
        onTaken()
      }
      return { found: result.deliveries.filter(({ isQuick }) => isQuick).length, more: result.more }
    },

    /**
     * When to claim again: when the next lane is due that may be claimed, but no later than the next sweep. `isDue`: it is
     * time already; a lane became due just now, or somebody has locked it, or what is to be armed.
     */
    async untilNextDue(): Promise<{ ms: number; isDue: boolean }> {
      const due = await nextLaneDue(database.write, owner, budget.claimable())
      const ms = due === undefined ? sweep.untilNext() : Math.min(sweep.untilNext(), due - clock.now())
      if (ms <= 0 || arming.isNeeded()) return { ms: held.next(), isDue: true }
      held.reset()
      return { ms, isDue: false }
    },
  }
}
