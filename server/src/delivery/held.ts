import { type CallCaps, halfOf } from './call-caps.ts'

/** Taken by one claim. */
const maxClaimed = 200
/** Of receivers that are not proven, by one claim. */
const maxClaimedUnproven = 50
/** What may wait for the calls before it, in all and of one organization. */
const maxWaiting = 1_000
const maxWaitingOfOrganization = 400
/** A claim takes no more than this share of what may still be held, so that a few lanes never take it all. */
const claimShare = 1 / 4

/** What the next claim may take. */
export type Claimable = {
  most: number
  mostUnproven: number
  /** Organizations of which nothing more is taken, of proven receivers and of the others. */
  full: string[]
  fullUnproven: string[]
}

type Held = { organizationId: string; isProven: boolean }

/**
 * Counts what this process has claimed and not settled, and says what more it may claim: of proven receivers the calls
 * that may be under way and a number that waits to follow them; of the others half of the calls, and none that waits.
 * The same holds for each organization.
 */
export function createHeld({ inAll, perOrganization }: CallCaps, onRoom: () => void) {
  const proven = createTally(inAll + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const unproven = createTally(halfOf(inAll), halfOf(perOrganization))
  const tallyOf = ({ isProven }: Held) => (isProven ? proven : unproven)
  return {
    add: (held: Held) => tallyOf(held).add(held.organizationId),
    remove(held: Held) {
      const tally = tallyOf(held)
      const wasFull = tally.isFull(held.organizationId)
      tally.remove(held.organizationId)
      if (wasFull) onRoom()
    },
    /** Whether another process should help. */
    isBusy: () => proven.room() < maxClaimed,
    claimable: (): Claimable => ({
      most: Math.min(maxClaimed, Math.ceil(proven.room() * claimShare)),
      mostUnproven: Math.min(maxClaimedUnproven, unproven.room()),
      full: proven.fullOrganizations(),
      fullUnproven: unproven.fullOrganizations(),
    }),
  }
}

function createTally(most: number, mostOfOrganization: number) {
  const ofOrganization = new Map<string, number>()
  const full = new Set<string>()
  let total = 0
  const change = (organizationId: string, by: 1 | -1) => {
    const count = (ofOrganization.get(organizationId) ?? 0) + by
    total += by
    if (count > 0) ofOrganization.set(organizationId, count)
    else ofOrganization.delete(organizationId)
    if (count >= mostOfOrganization) full.add(organizationId)
    else full.delete(organizationId)
  }
  return {
    add: (organizationId: string) => change(organizationId, 1),
    remove: (organizationId: string) => change(organizationId, -1),
    room: () => Math.max(0, most - total),
    isFull: (organizationId: string) => total >= most || full.has(organizationId),
    fullOrganizations: () => [...full],
  }
}
