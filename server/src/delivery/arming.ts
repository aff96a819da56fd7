import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import { createTally } from '../tally.ts'
import { announceDue } from './channels.ts'
import { type LaneKey, nameOfLane } from './lane-key.ts'
import { armLanes } from './lane-store.ts'
import type { OnStep } from './steps.ts'

/** Webhooks that wait to be armed, in all and of one organization; above it the sweep does it. */
const maxToArm = 20_000
const maxToArmOfOrganization = maxToArm / 4
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
  const toArm = new Map<string, LaneKey>()
  let toArmOf = createTally()
  let underWay = new Set<string>()
  const announce = isAlone ? () => {} : createAnnouncer(database, onError)
  const add = (lane: LaneKey) => {
    const name = nameOfLane(lane)
    const { organizationId } = lane
    if (toArm.has(name) || toArm.size >= maxToArm || toArmOf.of(organizationId) >= maxToArmOfOrganization) return
    toArm.set(name, lane)
    toArmOf.add(organizationId)
  }
  return {
    add,
    isNeeded: () => toArm.size > 0,
    /** Whether lanes of that organization are being armed, or were locked, or could not be armed, the last time. */
    isUnderWay: (organizationId: string) => underWay.has(organizationId),
    /**
     * Arms all that was added but what somebody has locked. `isEnough`: whether this process will claim it. Never
     * rejects.
     */
    async arm(queries: Queries, isEnough: () => boolean): Promise<{ notQuickDue: number }> {
      const lanes = [...toArm.values()]
      toArm.clear()
      toArmOf = createTally()
      underWay = organizationsOf(lanes)
      if (lanes.length === 0) return { notQuickDue: Infinity }
      try {
        const { isForeign, notQuickDue, locked } = await armLanes(queries, lanes, toTimestamp(clock.now()), owner)
        for (const lane of locked) add(lane)
        underWay = organizationsOf(locked)
        onStep('armed')
        // Where all are locked nothing became due, and they are tried again soon.
        if (locked.length < lanes.length && (isForeign || !isEnough())) announce()
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
