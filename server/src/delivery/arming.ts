import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import { createTally } from '../tally.ts'
import { announceDue } from './channels.ts'
import { armLanes, type LaneKey, nameOfLane } from './lane-store.ts'
import type { OnStep } from './steps.ts'

/** Webhooks that wait to be armed, in all and of one organization; above it the sweep does it. */
const maxWoken = 10_000
const maxWokenOfOrganization = maxWoken / 4
/** Between two announcements to the other processes, for a notification's lock holds up commits. */
const announceEveryMs = 20
/** Between two armings where no worker claims: no sooner than the others are told again. */
export const armEveryMs = announceEveryMs

type Dependencies = {
  database: Database
  clock: Clock
  owner: string
  /** No other process has to be told. */
  isAlone: boolean
  onStep: OnStep
  onError: (error: unknown) => void
}

export type Arming = ReturnType<typeof createArming>

/**
 * Makes the lanes of what was published due: in batches, and outside the writing transactions. Tells the other processes
 * where this one is not enough. What is lost here, with the process or with the database, the sweep finds.
 */
export function createArming({ database, clock, owner, isAlone, onStep, onError }: Dependencies) {
  const woken = new Map<string, LaneKey>()
  let wokenOf = createTally()
  let underWay = new Set<string>()
  const announce = isAlone ? () => {} : createAnnouncer(database, onError)
  const add = (lane: LaneKey) => {
    const name = nameOfLane(lane)
    const { organizationId } = lane
    if (woken.has(name) || woken.size >= maxWoken || wokenOf.of(organizationId) >= maxWokenOfOrganization) return
    woken.set(name, lane)
    wokenOf.add(organizationId)
  }
  return {
    add,
    isNeeded: () => woken.size > 0,
    /** Whether lanes of that organization are being armed, or were locked, or could not be armed, the last time. */
    isUnderWay: (organizationId: string) => underWay.has(organizationId),
    /**
     * Arms all that was added but what somebody has locked. `isEnough`: whether this process will claim it. Never
     * rejects.
     */
    async arm(queries: Queries, isEnough: () => boolean): Promise<{ notQuickDue: number }> {
      const lanes = [...woken.values()]
      woken.clear()
      wokenOf = createTally()
      underWay = organizationsOf(lanes)
      if (lanes.length === 0) return { notQuickDue: Infinity }
      try {
        const { isForeign, notQuickDue, held } = await armLanes(queries, lanes, toTimestamp(clock.now()), owner)
        for (const lane of held) add(lane)
        underWay = organizationsOf(held)
        onStep('armed')
        // Where all are locked nothing became due, and they are tried again soon.
        if (held.length < lanes.length && (isForeign || !isEnough())) announce()
        return { notQuickDue }
      } catch (error) {
        onError(error)
        // It may have been armed all the same, and only the answer was lost.
        return { notQuickDue: -Infinity }
      }
    },
  }
}

const organizationsOf = (lanes: LaneKey[]) => new Set(lanes.map(({ organizationId }) => organizationId))

/** At once when it has been quiet, else once more at the end of the interval. */
function createAnnouncer(database: Database, onError: (error: unknown) => void): () => void {
  let state: 'quiet' | 'announced' | 'again' = 'quiet'
  const announce = () => {
    state = 'announced'
    announceDue(database.write).catch(onError)
    setTimeout(() => {
      if (state === 'again') announce()
      else state = 'quiet'
    }, announceEveryMs)
  }
  return () => {
    if (state === 'quiet') announce()
    else state = 'again'
  }
}
