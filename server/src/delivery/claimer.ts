/** Claims what is due of one kind, as far as the budget allows, and says for how long there will be nothing more. */
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import { makeId } from '../identifiers.ts'
import { createBackoff, lockedDelay } from './backoff.ts'
import type { Claimable, createClaimBudget, Kind } from './claim-budget.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-store.ts'
import type { Intake } from './intake.ts'
import { nextLaneDue } from './lane-store.ts'
import { leaseMs } from './lease.ts'
import type { LostClaims } from './lost-claims.ts'

export type ClaimerDependencies = {
  database: Database
  clock: Clock
  /** Names this worker. */
  owner: string
}

type Parts = {
  budget: ReturnType<typeof createClaimBudget>
  intake: Intake
  lostClaims: Pick<LostClaims, 'add'>
  /** Done with each claim, which then sees it. */
  arming?: { arm(queries: Queries): Promise<void>; isNeeded(): boolean }
}

export type Claimer = ReturnType<typeof createClaimer>

/** To what is due later: the clock may be set meanwhile. */
const longestSleepMs = 15_000

const nothingToArm = { arm: async () => {}, isNeeded: () => false }

const mayClaim = (claimable: Claimable) => Object.values(claimable).some(({ most }) => most > 0)

export function createClaimer(
  kind: Kind,
  { database, clock, owner }: ClaimerDependencies,
  { budget, intake, lostClaims, arming = nothingToArm }: Parts,
) {
  let isFailingFirst = false
  /** For lanes that cannot be claimed or armed, though it is time. */
  const locked = createBackoff(lockedDelay)

  const optionsOf = (claimable: Claimable) => {
    const now = clock.now()
    return { now: toTimestamp(now), leaseEnd: toTimestamp(now + leaseMs), claim: makeId(now), owner, claimable }
  }

  /** One that is not answered may have been made all the same. */
  const claimEarly = async (claimable: Claimable) => {
    let made: ReturnType<typeof optionsOf> | undefined
    const addLost = () => made && lostClaims.add(made)
    try {
      const early = await database.early(arming.arm, (queries) => {
        // Its time is taken after that of the arming, or it would not see what was armed.
        made = optionsOf(claimable)
        return claimDeliveries(queries, made)
      })
      early.committed.catch(addLost)
      return early
    } catch (error) {
      addLost()
      throw error
    }
  }

  /** Where there is room for one of both, those of failing receivers come first, and the next time the others. */
  const inTurn = (claimed: ClaimedDelivery[]): ClaimedDelivery[] => {
    const { failing = [], others = [] } = Object.groupBy(claimed, ({ isFailing }) => (isFailing ? 'failing' : 'others'))
    if (failing.length === 0) return claimed
    isFailingFirst = !isFailingFirst
    return isFailingFirst ? [...failing, ...others] : [...others, ...failing]
  }

  return {
    /** `found`: so many, and what their calls need was read. `more`: whether another claim at once would find something. */
    async claim(): Promise<{ found: number; more: boolean }> {
      const claimable = budget.claimable(kind)
      if (!mayClaim(claimable)) {
        await arming.arm(database.write)
        return { found: 0, more: false }
      }
      // What is recalled while it is claimed may not be seen by it, nor be heard of before its answer.
      const since = performance.now()
      const { result, committed } = await claimEarly(claimable)
      const { deliveries, more } = result
      if (deliveries.length > 0) {
        locked.reset()
        await intake.take(inTurn(deliveries), { committed, since })
      }
      return { found: deliveries.length, more }
    },

    /**
     * Milliseconds to sleep: until the next lane that may be claimed is due, or until the bell rings where none is known of. When
     * that is past, the lane has just become due or somebody has locked it: a short delay, that grows.
     */
    async untilNextDue(): Promise<number> {
      const claimable = budget.claimable(kind)
      // Else the budget tells when that changes.
      const due = mayClaim(claimable) ? await nextLaneDue(database.write, owner, claimable) : undefined
      const ms = due === undefined ? Infinity : Math.min(longestSleepMs, due - clock.now())
      if (ms <= 0 || arming.isNeeded()) return locked.next()
      locked.reset()
      return ms
    },
  }
}
